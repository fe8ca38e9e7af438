"""The launcher on real servers: shared, killed, restarted, in awkward folders, as root and as an ordinary user."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from console.postgres import PostgresUnavailable, binaries, cluster, launcher, places

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_SECONDS = 20


@contextmanager
def folder_with_home() -> Iterator[Path]:
    """A home in a short, reachable folder; pytest's own is private to its user."""
    with tempfile.TemporaryDirectory(prefix="mc-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "home"
        yield path
        launcher.stop_if_unused(path)


@pytest.fixture
def home() -> Iterator[Path]:
    """A home in which nothing was started yet."""
    with folder_with_home() as path:
        yield path


@pytest.fixture(scope="module")
def used() -> Iterator[Path]:
    """A home with a cluster that several tests use; each leaves it able to start."""
    with folder_with_home() as path:
        launcher.ensure_running(path)
        yield path


def ask(home: Path, question: str = "SELECT 1") -> object:
    server = launcher.ensure_running(home)
    with psycopg.connect(host=str(server.socket_dir), port=server.port, user=server.superuser, dbname="postgres") as c:
        return c.execute(question).fetchone()[0]  # type: ignore[index, arg-type, call-overload]


def pid_of(home: Path) -> int:
    pid = launcher.status(home).pid
    assert pid is not None
    return pid


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        time.sleep(0.01)


def python(code: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
    """Another Python process with the launcher at hand."""
    prelude = "import os, sys, signal\nfrom pathlib import Path\nfrom console.postgres import launcher\n"
    prelude += "home = Path(sys.argv[1])\n"
    return subprocess.Popen(
        [sys.executable, "-c", prelude + code, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, **options
    )  # type: ignore[call-overload, no-any-return]


def as_ordinary_user(act: Callable[[], str]) -> str:
    """Run `act` in a forked process without root's rights; returns its answer or the advice of the refusal."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                account = pwd.getpwnam("nobody")
                os.setgroups([])
                os.setgid(account.pw_gid)
                os.setuid(account.pw_uid)
            try:
                answer = act()
            except PostgresUnavailable as refusal:
                answer = f"refused: {refusal}"
            except OSError as error:
                answer = f"failed: {error!r}"
            os.write(writing, answer.encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


def test_it_starts_once_and_everybody_shares_it(used: Path) -> None:
    launcher.stop(used)
    assert not launcher.status(used).running
    expected = launcher.socket_dir(used)
    first = launcher.ensure_running(used)
    pid = pid_of(used)
    assert first.socket_dir == expected
    assert launcher.ensure_running(used) == first
    with python("launcher.ensure_running(home); print(launcher.status(home).pid)", str(used)) as other:
        assert other.communicate()[0] == f"{pid}\n"
    assert ask(used, "SHOW listen_addresses") == ""
    assert ask(used, "SHOW server_encoding") == "UTF8"
    assert ask(used, "SHOW shared_buffers") == "256MB"


def test_starts_at_the_same_time_make_one_server(home: Path) -> None:
    code = "launcher.ensure_running(home); print(launcher.status(home).pid)"
    starters = [python(code, str(home)) for _ in range(4)]
    answers = {starter.communicate()[0] for starter in starters}
    assert answers == {f"{pid_of(home)}\n"}


def test_ctrl_c_and_a_killed_parent_leave_the_server_to_the_others(used: Path) -> None:
    code = "launcher.ensure_running(home); print('up', flush=True); signal.pause()"
    with python(code, str(used), start_new_session=True) as parent:
        assert parent.stdout is not None and parent.stdout.readline() == "up\n"
        pid = pid_of(used)
        os.killpg(parent.pid, signal.SIGINT)
        os.killpg(parent.pid, signal.SIGKILL)
    assert ask(used) == 1
    assert pid_of(used) == pid


def test_after_a_killed_postmaster_the_next_start_recovers(used: Path) -> None:
    ask(used)
    killed = pid_of(used)
    os.kill(killed, signal.SIGKILL)
    until(lambda: launcher.status(used).pid is None)
    assert ask(used) == 1
    assert pid_of(used) != killed


def test_busy_backends_of_a_killed_postmaster_do_not_hold_up_the_next_start(used: Path) -> None:
    server = launcher.ensure_running(used)
    busy = psycopg.connect(host=str(server.socket_dir), user=server.superuser, dbname="postgres", autocommit=True)
    backend = busy.info.backend_pid
    busy.pgconn.send_query(b"DO $$ BEGIN LOOP END LOOP; END $$")  # never looks whether its postmaster lives
    until(lambda: ask(used, f"SELECT state FROM pg_stat_activity WHERE pid = {backend}") == "active")
    try:
        os.kill(pid_of(used), signal.SIGKILL)
        until(lambda: launcher.status(used).pid is None)
        assert ask(used) == 1
        until(lambda: not cluster._is_postmaster(backend, server.data_dir))
    finally:
        if cluster._is_postmaster(backend, server.data_dir):
            os.kill(backend, signal.SIGKILL)
    busy.close()


def test_a_pid_file_whose_number_belongs_to_another_process_does_not_block(used: Path) -> None:
    server = launcher.ensure_running(used)
    launcher.stop(used)
    account = server.data_dir.stat().st_uid
    with subprocess.Popen(["sleep", "60"], user=account if os.geteuid() == 0 else None) as stranger:
        (server.data_dir / "postmaster.pid").write_text(
            f"{stranger.pid}\n{server.data_dir}\n1\n5432\n{server.socket_dir}\n\n1 1\nready\n"
        )
        assert launcher.status(used).pid is None
        assert ask(used) == 1
        stranger.kill()


def test_a_lost_socket_is_made_anew(used: Path) -> None:
    server = launcher.ensure_running(used)
    shutil.rmtree(server.socket_dir)
    assert ask(used) == 1
    assert "received fast shutdown request" in server.log_file.read_text()


def test_a_killed_initdb_leaves_no_half_cluster(home: Path) -> None:
    with python("launcher.ensure_running(home)", str(home)) as first:
        until(lambda: any((home / "postgres").glob("data.new-*/base")))
        assert not (home / "postgres" / "data").exists()
        first.kill()
    assert ask(home) == 1
    # An orphan of the killed initdb may write for a moment longer.
    until(lambda: [path.name for path in (home / "postgres").glob("data*")] == ["data"])


def test_a_long_home_gets_a_short_private_socket_folder(home: Path) -> None:
    deep = home / ("x" * 60) / ("y" * 60)
    server = launcher.ensure_running(deep)
    try:
        assert ask(deep) == 1
        assert len(os.fsencode(server.socket_dir)) < 40
        assert server.socket_dir.stat().st_mode & 0o777 == 0o700
    finally:
        launcher.stop(deep)
        shutil.rmtree(server.socket_dir)


@pytest.mark.parametrize("name", ["a,b", "with space", "思い出", 'quo"te'])
def test_a_home_with_an_odd_name_works(home: Path, name: str) -> None:
    where = places.place(home / name)
    assert not places.fits(home / name)
    assert where.socket_dir.parent == Path("/tmp") and places.fits(where.socket_dir)


def test_a_socket_folder_that_others_can_enter_is_refused(home: Path) -> None:
    deep = home / ("z" * 120)
    folder = launcher.socket_dir(deep)
    folder.mkdir(mode=0o700)
    account = places.place(deep).account
    try:
        os.chown(folder, account.uid, account.gid)
        folder.chmod(0o770)
        with pytest.raises(PostgresUnavailable, match="not a private folder"):
            launcher.ensure_running(deep)
        folder.rmdir()
        folder.symlink_to(home)
        with pytest.raises(PostgresUnavailable, match="not a private folder"):
            launcher.ensure_running(deep)
        folder.unlink()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_an_ordinary_user_runs_it_and_stops_it(home: Path) -> None:
    home.mkdir()
    if os.geteuid() == 0:
        os.chown(home, pwd.getpwnam("nobody").pw_uid, -1)

    def act() -> str:
        launcher.ensure_running(home)
        owner = (home / "postgres" / "data").stat().st_uid
        return f"{owner == os.geteuid()} {launcher.status(home).running} {launcher.stop(home)}"

    assert as_ordinary_user(act) == "True True True"


def test_an_unwritable_home_is_named_with_advice(home: Path) -> None:
    home.mkdir(mode=0o555)
    if os.geteuid() == 0:
        home.chmod(0o755)
    answer = as_ordinary_user(lambda: str(launcher.ensure_running(home)))
    assert answer.startswith("refused: ") and "MEMORY_CONSOLE_HOME" in answer and str(home) in answer
    home.chmod(0o755)


def test_a_home_below_a_file_is_named_with_advice(home: Path) -> None:
    home.write_text("not a folder")
    with pytest.raises(PostgresUnavailable, match="MEMORY_CONSOLE_HOME"):
        launcher.ensure_running(home)


def test_another_major_version_is_refused_and_named(used: Path) -> None:
    server = launcher.ensure_running(used)
    launcher.stop(used)
    written = (server.data_dir / "PG_VERSION").read_text()
    (server.data_dir / "PG_VERSION").write_text("15\n")
    try:
        with pytest.raises(PostgresUnavailable, match="made by PostgreSQL 15.*PG_BIN_DIR.*pg_dump"):
            launcher.ensure_running(used)
    finally:
        (server.data_dir / "PG_VERSION").write_text(written)


def test_missing_programs_are_named_with_advice(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PG_BIN_DIR", str(home / "nowhere"))
    with pytest.raises(PostgresUnavailable, match="PG_BIN_DIR"):
        launcher.ensure_running(home)


def test_a_server_that_does_not_start_shows_its_log(used: Path) -> None:
    server = launcher.ensure_running(used)
    launcher.stop(used)
    (server.data_dir / "postgresql.auto.conf").write_text("shared_buffers = 'much'\n")
    try:
        with pytest.raises(PostgresUnavailable, match="(?s)did not start.*shared_buffers"):
            launcher.ensure_running(used)
    finally:
        (server.data_dir / "postgresql.auto.conf").write_text("")


def test_the_last_user_stops_the_server_and_no_other_does(used: Path) -> None:
    with launcher.hold(used):
        code = "launcher.keep(home); launcher.ensure_running(home); print(launcher.stop_if_unused(home))"
        with python(code, str(used)) as other:
            assert other.communicate()[0] == "False\n"
        assert launcher.status(used).running
    assert launcher.stop_if_unused(used)
    assert not launcher.status(used).running


def test_root_needs_folders_that_the_server_account_can_pass(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root a private home sends the cluster elsewhere and leaves the folder as it is."""
    home.mkdir(mode=0o700)
    monkeypatch.setattr(places, "FAR", home.parent / "far")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    stranger = places.Account("stranger", 54321, 54321)
    monkeypatch.setattr(places, "_account_for", lambda data_dir: stranger)
    assert places.first_barrier(home / "postgres", stranger) == home
    assert places.place(home).cluster.parent == home.parent / "far"
    home.chmod(0o711)
    assert places.place(home).cluster == home.resolve() / "postgres"


def test_copied_programs_run_and_are_copied_once(home: Path) -> None:
    home.mkdir()
    copied = binaries._copy(binaries._wheel_folder(), home)
    before = copied.stat().st_ino
    assert binaries._copy(binaries._wheel_folder(), home).stat().st_ino == before
    done = subprocess.run([str(copied / "psql"), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("psql (PostgreSQL)")
    assert [path.name for path in home.iterdir()] == [copied.parents[2].name]
