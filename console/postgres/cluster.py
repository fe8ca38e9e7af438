"""One cluster: make it, start it, see whether it runs. Callers hold the lock of its home (`launcher`)."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from console.postgres import PostgresUnavailable, binaries, places
from console.postgres.binaries import Binaries
from console.postgres.places import Place
from console.postgres.tuning import settings_text

SUPERUSER = "postgres"
START_SECONDS = 120  # crash recovery may take its time
ORPHAN_SECONDS = 15  # how long backends of a killed server may still hold its shared memory
LOG_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class PidFile:
    """What postmaster.pid says: the process and its state (starting, ready, stopping)."""

    pid: int
    state: str


def ready(where: Place) -> bool:
    written = _pid_file(where)
    return written is not None and written.state == "ready" and _answers(where.socket)


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        try:
            client.connect(os.fspath(path))
        except (TimeoutError, BlockingIOError):
            return True  # somebody listens and is busy
        except OSError:
            return False
    return True


def _pid_file(where: Place) -> PidFile | None:
    """Line 1 of postmaster.pid is the process id, line 8 its state (starting, ready, stopping)."""
    try:
        lines = (where.data_dir / "postmaster.pid").read_text().split("\n")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise PostgresUnavailable(
            f"The database in {where.data_dir} belongs to another account. Run as that account, "
            "or set MEMORY_CONSOLE_HOME to a folder of your own."
        ) from error
    if not lines[0].strip().lstrip("-").isdigit():
        return None
    return PidFile(abs(int(lines[0])), lines[7].strip() if len(lines) > 7 else "starting")


def postmaster(where: Place) -> PidFile | None:
    """The pid file, if the process that it names is alive and is the server of this cluster."""
    written = _pid_file(where)
    return written if written is not None and _is_postmaster(written.pid, where.data_dir) else None


def _is_postmaster(pid: int, data_dir: Path) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    process = Path("/proc") / str(pid)
    if not process.exists():
        return True
    try:
        if (process / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return False
        return (process / "cwd").resolve(strict=True) == data_dir.resolve()
    except PermissionError:
        return True
    except OSError:
        return False


def bring_up(where: Place) -> None:
    """Create the cluster if there is none, then start it. The caller holds the lock."""
    places.make_folder(where.cluster)
    barrier = places.first_barrier(where.cluster, where.account) if os.geteuid() == 0 else None
    if barrier is not None:
        raise PostgresUnavailable(
            f"The account {where.account.name}, which runs PostgreSQL, cannot enter {barrier}. "
            f"Allow it to pass (chmod o+x {barrier}), or set MEMORY_CONSOLE_HOME to another folder."
        )
    for left_over in where.cluster.glob("data.new-*"):
        _end_orphans(left_over)
        shutil.rmtree(left_over, ignore_errors=True)
    programs = binaries.find(where)
    if not (where.data_dir / "PG_VERSION").exists():
        _initialize(where, programs)
    _check_version(where, programs)
    if _settle(where):
        return
    places.make_private(where.socket_dir, where.account)
    _write_settings(where)
    _start(where, programs)


def stop(where: Place) -> bool:
    """Stop the server, ending its connections. Returns whether it ran. The caller holds the lock."""
    if postmaster(where) is None:
        return False
    _pg_ctl(where, binaries.find(where), "stop", "-m", "fast", "-w", "-t", str(START_SECONDS))
    return True


def _initialize(where: Place, programs: Binaries) -> None:
    """`initdb` into a folder beside the data folder, renamed when whole: a killed initdb leaves no half cluster."""
    fresh = Path(tempfile.mkdtemp(prefix="data.new-", dir=where.cluster))
    provider = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] if programs.major >= 17 else []
    try:
        if os.geteuid() == 0:
            os.chown(fresh, where.account.uid, where.account.gid)
        code, said = _run(
            where,
            [
                programs.program("initdb"),
                "-D",
                str(fresh),
                "-U",
                SUPERUSER,
                "--auth=trust",
                "--encoding=UTF8",
            ]
            + ["--locale=C.UTF-8", *provider],
        )
        if code != 0:
            raise PostgresUnavailable(f"The database could not be created in {where.cluster}: {said}")
        with (fresh / "postgresql.conf").open("a") as file:
            file.write("\ninclude 'console.conf'  # written anew at every start\n")
        fresh.rename(where.data_dir)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _write_settings(where: Place) -> None:
    """Replace `console.conf`; the account must be able to read it whatever the umask is."""
    with tempfile.NamedTemporaryFile("w", dir=where.data_dir, prefix="console.conf.", delete=False) as file:
        file.write(settings_text(where))
        if os.geteuid() == 0:
            os.fchown(file.fileno(), where.account.uid, where.account.gid)
    os.replace(file.name, where.data_dir / "console.conf")


def _check_version(where: Place, programs: Binaries) -> None:
    found = (where.data_dir / "PG_VERSION").read_text().strip()
    if found != str(programs.major):
        raise PostgresUnavailable(
            f"The database in {where.data_dir} was made by PostgreSQL {found}, the programs in {programs.folder} are "
            f"version {programs.major}. Set PG_BIN_DIR to the programs of version {found} and use pg_dump to carry the "
            "data over, or move the folder away to begin with an empty database."
        )


def _settle(where: Place) -> bool:
    """Deal with a server that is there but did not answer. True when it became ready by itself."""
    running = postmaster(where)
    deadline = time.monotonic() + START_SECONDS
    while running is not None and running.state != "ready" and time.monotonic() < deadline:
        time.sleep(0.02)
        running = postmaster(where)
    if running is None:
        _drop_stale_files(where)
        return False
    if ready(where):
        return True
    stop(where)  # its socket was removed, so nobody can reach it
    return False


def _drop_stale_files(where: Place) -> None:
    """Remove what a killed server left: PostgreSQL would take a process that got its number since for that server.

    It still refuses to start while processes of the old server are attached to its shared memory.
    """
    for left in (where.data_dir / "postmaster.pid", where.socket, where.socket.with_name(f"{where.socket.name}.lock")):
        left.unlink(missing_ok=True)


def _start(where: Place, programs: Binaries) -> None:
    deadline = time.monotonic() + ORPHAN_SECONDS
    while True:
        begin = _prepare_log(where)
        code = _pg_ctl(where, programs, "start", "-w", "-t", str(START_SECONDS), "-l", str(where.log_file))
        if code == 0:
            return
        said = _log_from(where, begin)
        if "pre-existing shared memory block" not in said or time.monotonic() > deadline:
            raise PostgresUnavailable(f"PostgreSQL did not start. Its log, {where.log_file}, ends with:\n{said}")
        _end_orphans(where.data_dir)
        time.sleep(0.05)


def _end_orphans(folder: Path) -> None:
    """End what a killed server or initdb left working in its data folder; its transactions are lost already."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
            if not os.path.basename(arguments[0]).startswith((b"postgres", b"initdb")):
                continue
            if os.fsencode(folder) in arguments or (process / "cwd").resolve(strict=True) == folder:
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            continue  # not ours to look at, or gone


def _prepare_log(where: Place) -> int:
    """Make the log file the account's own, set a long one aside; returns where new lines begin, in bytes."""
    log = where.log_file
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_suffix(".log.1"))
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    try:
        if os.geteuid() == 0:
            os.fchown(descriptor, where.account.uid, where.account.gid)
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def _log_from(where: Place, begin: int) -> str:
    with where.log_file.open("rb") as file:
        file.seek(begin)
        return file.read().decode(errors="replace").strip()[-2_000:]


def _pg_ctl(where: Place, programs: Binaries, *arguments: str) -> int:
    return _run(where, [programs.program("pg_ctl"), "-s", "-D", str(where.data_dir), *arguments])[0]


def _run(where: Place, command: Sequence[str]) -> tuple[int, str]:
    """Run a program as the server's account in a session of its own. Output goes to a file: a pipe would stay open."""
    identity: dict[str, Any] = {}
    if os.geteuid() == 0:
        identity = {
            "user": where.account.uid,
            "group": where.account.gid,
            "extra_groups": [],
        }
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=where.cluster,
            env=binaries.environment(),
            start_new_session=True,
            check=False,
            **identity,
        )
        output.seek(0)
        return done.returncode, output.read().decode(errors="replace").strip()[-2_000:]
