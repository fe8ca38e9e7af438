"""Django's `migrate`, as the owner of the schema and after its database is made ready."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db.utils import OperationalError

from console import broker
from console.postgres import PostgresUnavailable, setup


class Command(migrate.Command):
    """Prepares roles, database and extensions, migrates on the alias `owner`, and makes the queue."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def execute(self, *args: Any, **options: Any) -> str | None:
        if options["database"] != "owner":
            raise CommandError(
                f"The role of the alias {options['database']} owns nothing and cannot migrate. Leave --database away."
            )
        try:
            setup.prepare()
        except (PostgresUnavailable, OperationalError) as error:
            raise CommandError(str(error)) from error
        done = super().execute(*args, **options)
        try:
            if not settings.CELERY_BROKER_URL:
                broker.ensure_broker_schema()
        except PostgresUnavailable as error:
            raise CommandError(str(error)) from error
        return done
