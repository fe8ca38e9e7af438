"""Proves that nothing of an erased record is left, or names every place where something is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from django.core.management.base import CommandError, CommandParser
from django.db import connections

from console import traces, traces_files
from console.management.operator import OperatorCommand
from console.postgres import launcher, setup
from memories.models import Erasure
from memories.services.receipt import look_for


class Command(OperatorCommand):
    """Exit code 0: nothing of it is left."""

    help = (
        "Look for an erased record by its id in every place, and for a text of it in every column of every table, as "
        "the owner of the database. The text is kept nowhere; give it from a file or a variable rather than by hand "
        "where your shell keeps a history."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("id", type=UUID, help="the id of the erased record")
        parser.add_argument("--canary", required=True, help="a text that the record held")
        parser.add_argument("--floats", default="", help="the first 8 numbers of its vector: 0.01,-0.02,…")
        parser.add_argument(
            "--files",
            action="store_true",
            help="rewrite all tables, move the write-ahead log on, and search the data folder (embedded server only)",
        )

    def handle(self, *, id: UUID, canary: str, floats: str, files: bool, **options: Any) -> None:
        if not canary.strip():
            raise CommandError("The canary is empty. Give words that the record held.")
        noted = Erasure.objects.filter(pk=id).first()
        if noted is None:
            raise CommandError(f"{id} is not in the erasure ledger: nothing of this id was deleted for good here.")
        self.stdout.write(f"{noted.kind} {id}, erased {noted.erased_at:%Y-%m-%d %H:%M:%S} UTC")
        left = self._by_id(id) + self._in_tables(canary, floats)
        if files:
            left += self._in_files(canary, floats)
        if left:
            raise CommandError(f"Something is left in {left} places; they are named above.")
        self.stdout.write("Nothing is left.")

    def _by_id(self, record_id: UUID) -> int:
        left = 0
        for place, found in look_for(record_id).items():
            self._line(f"by id: {place}", found)
            left += bool(found)
        return left

    def _in_tables(self, canary: str, floats: str) -> int:
        with reader() as connection:
            looked = traces.look(connection, traces.forms_of(canary, connection, floats=floats))
        for trace in looked.traces:
            self._line(f"{trace.schema}.{trace.table}.{trace.column} ({trace.form})", trace.rows)
        self._line(f"by text: {looked.columns} columns of {looked.tables} tables", len(looked.traces))
        return len(looked.traces)

    def _in_files(self, canary: str, floats: str) -> int:
        settings = connections["owner"].settings_dict
        if not settings.get("EMBEDDED"):
            raise CommandError("The files of a server of your own cannot be searched from here. See docs/erasure.md.")
        connections.close_all()
        with reader() as connection:
            forms = traces.forms_of(canary, connection, floats=floats)
            try:
                traces_files.recycle(connection)
            except (TimeoutError, psycopg.errors.LockNotAvailable) as problem:
                raise CommandError(f"The files could not be made to let go. {problem}") from problem
        folder = launcher.ensure_running(Path(settings["EMBEDDED"]["home"])).data_dir
        found = list(traces_files.look(folder, traces_files.needles_of(forms, floats)))
        for path, form in found:
            self._line(f"{path.relative_to(folder)} ({form})", 1)
        self._line("by text: files of the data folder", len(found))
        return len(found)

    def _line(self, place: str, found: int) -> None:
        self.stdout.write(f"{'FOUND' if found else 'absent':7} {found:6}  {place}")


@contextmanager
def reader() -> Iterator[psycopg.Connection]:
    """Who reads most: the superuser of the embedded server, else the owner of the schema."""
    settings = connections["owner"].settings_dict
    if settings.get("EMBEDDED"):
        with setup.superuser(settings, settings["NAME"]) as connection:
            yield connection
        return
    owner = connections["owner"]
    owner.ensure_connection()
    yield owner.connection
