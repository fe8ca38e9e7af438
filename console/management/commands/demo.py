"""Loads the demo and prints how to sign in."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from console.demo import load, passes
from console.errors import Refused
from console.management.operator import OperatorCommand
from memories.embedding import EmbeddingUnavailable, store
from memories.models import User


class Command(OperatorCommand):
    """May be repeated: what is there already stays as it is."""

    help = "Fill a fresh database with three people, two teams, memories in five languages and passes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print addresses, passwords and tokens as JSON")
        parser.add_argument("--if-empty", action="store_true", help="do nothing when there are people already")

    def handle(self, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("The demo has passwords that are printed; it is not for production.")
        if not (options["if_empty"] and User.objects.exists()):
            self._load()
        if options["json"]:
            self.stdout.write(json.dumps(load.describe(), indent=2))
        elif not options["if_empty"]:
            self.stdout.write(load.credentials())

    def _load(self) -> None:
        try:
            if not load.load() and not load.loaded():
                raise CommandError(
                    "People named ann, bea or bob are here already. Load the demo into a fresh database."
                )
        except Refused as why:  # somebody of the demo has left a team of it
            raise CommandError(f"{why.message} Load the demo into a fresh database.") from why
        try:
            store.drain()
        except EmbeddingUnavailable as why:
            self.stderr.write(f"The demo has no vectors yet: {why.message}")
        with transaction.atomic():
            passes.load()
