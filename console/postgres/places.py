"""Where the embedded cluster, its socket and its locks lie, and which account runs the server.

Everything lies in `<home>/postgres`. Two cases differ. PostgreSQL refuses to run as root, so root hands it to an
unprivileged account; where that account cannot pass through the folders above the home, the cluster lies in
`/var/lib/memory-console/<hash of the home>` instead, because folders that are not ours keep their permissions. And
where the socket's path would be too long, the socket lies in a private folder `/tmp/mc-<hash>`.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from console.postgres import PostgresUnavailable

PORT = 5432
SOCKET_PATH_BYTES = 103 if sys.platform == "darwin" else 107  # sun_path without its final NUL
FAR = Path("/var/lib/memory-console")
ACCOUNTS = ("postgres", "nobody")
PLAIN_PATH = re.compile(r"/[A-Za-z0-9/._+-]*")  # no comma, quote or space: those are syntax in a list of socket folders


@dataclass(frozen=True, slots=True)
class Account:
    """The operating system account that runs the server."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Place:
    """The paths of one home. `near` is `<home>/postgres`; `cluster` is the same or, for root, a folder below `FAR`."""

    home: Path
    near: Path
    cluster: Path
    account: Account

    @property
    def data_dir(self) -> Path:
        return self.cluster / "data"

    @property
    def log_file(self) -> Path:
        return self.cluster / "server.log"

    @property
    def lock_file(self) -> Path:
        return self.near / "lock"

    @property
    def users_file(self) -> Path:
        return self.near / "users"

    @property
    def socket_dir(self) -> Path:
        wanted = self.cluster / "run"
        if fits(wanted):
            return wanted
        return Path("/tmp") / f"mc-{_digest(f'{self.account.uid}:{self.cluster}')}"  # noqa: S108 - checked when made

    @property
    def socket(self) -> Path:
        return self.socket_dir / f".s.PGSQL.{PORT}"


def place(home: Path) -> Place:
    """The paths of `home`; reads permissions, creates nothing. Raises PostgresUnavailable when no account fits."""
    home = Path(home).resolve()
    near = home / "postgres"
    if os.geteuid() != 0:
        return Place(home, near, near, _own_account())
    far = FAR / _digest(str(home))
    for folder in (near, far):
        if _exists(folder / "data" / "PG_VERSION"):
            return Place(home, near, folder, _account_for(folder / "data"))
    account = _account_for(None)
    return Place(home, near, near if first_barrier(near, account) is None else far, account)


def fits(folder: Path) -> bool:
    """Whether a socket in `folder` can be named by server and client: short enough and of plain characters."""
    path = f"{folder}/.s.PGSQL.{PORT}"
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES and PLAIN_PATH.fullmatch(path) is not None


def first_barrier(path: Path, account: Account) -> Path | None:
    """The first folder on the way to `path` that `account` may not enter; None when the way is free."""
    for folder in [*reversed(path.parents), path]:
        try:
            info = folder.stat()
        except FileNotFoundError:
            return None
        except OSError:
            return folder
        if stat.S_ISDIR(info.st_mode) and not info.st_mode & _execute_bit(info, account):
            return folder
    return None


def make_folder(folder: Path) -> None:
    """Create `folder` and what is missing above it, open to pass through whatever the umask is."""
    missing = [path for path in [folder, *folder.parents] if not path.exists()]
    for path in reversed(missing):
        try:
            path.mkdir()
        except FileExistsError:
            continue
        path.chmod(0o755)


def make_private(folder: Path, account: Account) -> None:
    """Create `folder` for `account` alone, or check that it is so. Raises PostgresUnavailable otherwise."""
    try:
        folder.mkdir(mode=0o700)
        if os.geteuid() == 0:
            os.chown(folder, account.uid, account.gid)
    except FileExistsError:
        pass
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != account.uid or info.st_mode & 0o077:
        raise PostgresUnavailable(
            f"The folder for the database socket, {folder}, is not a private folder of the account {account.name}. "
            "Remove it, or set MEMORY_CONSOLE_HOME to another folder with a short path."
        )


def _execute_bit(info: os.stat_result, account: Account) -> int:
    if info.st_uid == account.uid:
        return stat.S_IXUSR
    return stat.S_IXGRP if info.st_gid == account.gid else stat.S_IXOTH


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _own_account() -> Account:
    try:
        entry = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise PostgresUnavailable(
            f"The user id {os.geteuid()} has no account on this machine, and PostgreSQL does not start without one. "
            "Run as an existing user, or set DATABASE_URL to a server of your own."
        ) from None
    return Account(entry.pw_name, os.geteuid(), os.getegid())


def _account_for(data_dir: Path | None) -> Account:
    """The account root hands the server to: the owner of an existing cluster, else the first that exists."""
    try:
        if data_dir is not None:
            entry = pwd.getpwuid(data_dir.stat().st_uid)
            return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
        known = {entry.pw_name: entry for entry in pwd.getpwall() if entry.pw_uid != 0}
        entry = next(known[name] for name in ACCOUNTS if name in known)
    except (KeyError, StopIteration):
        raise PostgresUnavailable(
            "PostgreSQL does not run as root, and there is no account to hand it to. Create one "
            "(useradd --system postgres), run as an ordinary user, or set DATABASE_URL to a server of your own."
        ) from None
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _digest(text: str) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:16]
