"""A console apart from the one in use, for a measurement: a home and a database of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django


def begin(name: str, *, kept: bool = False) -> Path:
    """Make the home and set Django up for it; returns its folder. To be called before models are imported.

    With `kept`, BENCH_HOME may name a home that stays for another run.
    """
    home = Path((kept and os.environ.get("BENCH_HOME")) or tempfile.mkdtemp(prefix=f"memory-console-{name}-")).resolve()
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o755)  # the server runs under an account of its own when this runs as root
    os.environ.update(MEMORY_CONSOLE_HOME=str(home), DJANGO_SETTINGS_MODULE="console.settings", RATE_LIMITS="0")
    for variable in ("DATABASE_URL", "DATABASE_RUNTIME_URL", "EMBEDDING_URL"):
        os.environ.pop(variable, None)
    django.setup()
    return home


@contextmanager
def database(home: Path) -> Iterator[None]:
    """Migrated, with the role that the measurement connects as; stopped and taken away at the end."""
    from django.core.management import call_command
    from django.db import connections

    from console.postgres import launcher

    try:
        call_command("migrate", verbosity=0)
        yield
    finally:
        connections.close_all()
        launcher.stop(home)
        if str(home) != os.path.realpath(os.environ.get("BENCH_HOME", "")):
            shutil.rmtree(home, ignore_errors=True)
