"""`manage.py postgres status|start|stop|psql`: the embedded server by hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.postgres import PostgresUnavailable, binaries, launcher, places


class Command(BaseCommand):
    help = "Look at, start, stop or enter the embedded PostgreSQL of the data folder."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=("status", "start", "stop", "psql"))
        parser.add_argument(
            "--role",
            choices=("default", "owner"),
            default="owner",
            help="whose rights psql has",
        )

    def handle(self, *, action: str, role: str, **options: Any) -> None:
        database = settings.DATABASES[role]
        if not database.get("EMBEDDED"):
            raise CommandError("DATABASE_URL is set: this console uses a server of your own, manage it there.")
        home = Path(database["EMBEDDED"]["home"])
        try:
            if action == "psql":
                self._psql(home, database)
            elif action == "start":
                launcher.ensure_running(home)
            elif action == "stop":
                launcher.stop(home)
            self._report(launcher.status(home))
        except PostgresUnavailable as error:
            raise CommandError(str(error)) from error

    def _report(self, found: launcher.Status) -> None:
        state = f"running, process {found.pid}" if found.running else "stopped" if found.initialized else "not created"
        self.stdout.write(
            f"server   {state}\naccount  {found.account}\nsocket   {found.server.socket_dir}\n"
            f"data     {found.server.data_dir}\nlog      {found.server.log_file}"
        )

    def _psql(self, home: Path, database: dict[str, Any]) -> None:
        """Becomes psql; returns only by raising."""
        server = launcher.ensure_running(home)
        psql = binaries.find(places.place(home)).program("psql")
        try:
            os.execl(  # noqa: S606 - it is to take over this terminal
                psql,
                psql,
                "-h",
                str(server.socket_dir),
                "-p",
                str(server.port),
                "-U",
                database["USER"],
                database["NAME"],
            )
        except OSError as error:
            raise CommandError(f"{psql} does not run ({error.strerror}). Set PG_BIN_DIR to one that does.") from error
