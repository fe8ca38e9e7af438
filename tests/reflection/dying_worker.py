"""A real worker that kills itself with SIGKILL at one point of its first apply, or planning: run as a program.

DIE_IN is `apply` (the default) or `plan`, DIE_AT the number of the statement, `before` or `after` it (DIE_WHEN);
DIE_AT=commit is the COMMIT itself. The file DIED marks that it happened, so that a worker started again lives.
"""

import os
import signal
from pathlib import Path
from typing import Any

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from reflection import tasks  # noqa: E402

AT, WHEN, MARK = os.environ["DIE_AT"], os.environ["DIE_WHEN"], Path(os.environ["DIE_MARK"])
PLANS = os.environ.get("DIE_IN") == "plan"
real_verb: Any = tasks.planning.carry_out if PLANS else tasks.apply


def die() -> None:
    MARK.touch()
    os.kill(os.getpid(), signal.SIGKILL)


def deadly_verb(**given: Any) -> Any:
    """The verb, until it is killed."""
    count = 0

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal count
        count += 1
        if AT == str(count) and WHEN == "before":
            die()
        result = execute(sql, params, many, context)
        if AT == str(count) and WHEN == "after":
            die()
        return result

    def commit() -> None:
        if WHEN == "before":
            die()
        real_commit()
        die()

    connection.ensure_connection()
    real_commit = connection._commit
    if AT == "commit":
        connection._commit = commit
    with connection.execute_wrapper(watch):
        return real_verb(**given)


if __name__ == "__main__":
    if not MARK.exists() and PLANS:
        tasks.planning.carry_out = deadly_verb
    elif not MARK.exists():
        tasks.apply = deadly_verb
    call_command("worker", quiet=True)
