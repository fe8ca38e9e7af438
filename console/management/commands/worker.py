"""`manage.py worker`: applies passes and fills vectors, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import logging
import sys
import warnings
from typing import Any

from celery.apps import worker as celery_worker
from celery.platforms import SecurityWarning
from celery.signals import setup_logging
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.utils import DatabaseError

from console import broker
from console.celery import app, configuration
from console.checks import verify_runtime
from console.postgres import patience
from console.supervisor import follow_parent
from console.sweep import Sweep


class Command(BaseCommand):
    help = "Run the worker: applies approved passes, fills vectors, picks up what was left behind."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--threads", type=int, default=settings.WORKER_THREADS, help="tasks at the same time")
        parser.add_argument("--quiet", action="store_true", help="log warnings and errors only")

    def handle(self, *, threads: int, quiet: bool, **options: Any) -> None:
        if threads < 1:
            raise CommandError(f"--threads is {threads}. Give 1 or more.")
        follow_parent()
        patience.become(patience.WORKER)
        problems = _problems()
        if problems:
            raise CommandError("The worker does not start.\n" + "\n".join(problems))
        if quiet:
            logging.getLogger("celery").setLevel(logging.WARNING)
            celery_worker.safe_say = _say_nothing  # it writes past logging, as on shutdown
        sys.exit(_run(threads))


def _problems() -> list[str]:
    """What stands in the worker's way, each with its remedy."""
    try:
        problems = verify_runtime(connection)
        if not problems and app.conf.broker_url == broker.URL and not _queue_exists():
            problems = ["The database has no task queue yet. Run: manage.py migrate"]
    except DatabaseError as error:
        return [f"The database does not answer: {error}"]
    finally:
        connection.close()
    return problems


def _queue_exists() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname = 'pgmq' AND c.relname = %s",
            [f"q_{broker.QUEUE}"],
        )
        return bool(cursor.fetchone()[0])


def _run(threads: int) -> int:
    """Celery without what needs remote control: other workers, events, heartbeats. Returns its exit code."""
    warnings.simplefilter("ignore", SecurityWarning)  # warns root of pickled messages; ours are JSON only
    # kombu silences this itself, but not in all of its threads at once
    warnings.filterwarnings("ignore", message=r"list_queues\(\)", category=UserWarning)
    setup_logging.connect(_keep_logging)
    app.conf.update(configuration(consumes=True))
    app.steps["worker"].add(Sweep)
    worker = app.Worker(
        pool_cls="threads",
        concurrency=threads,
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        optimization="fair",
    )
    worker.start()
    return int(worker.exitcode or 0)


def _keep_logging(**_: Any) -> None:
    """Connected to Celery's signal so that it leaves LOGGING as settings made it."""


def _say_nothing(*_: Any, **__: Any) -> None:
    """In place of what Celery writes to the terminal itself."""
