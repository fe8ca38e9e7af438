"""Writes everything that a person has as lines of JSON, which an import brings back."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandError, CommandParser

from console.errors import Refused
from console.management.operator import OperatorCommand
from memories.access import person
from memories.models import User
from memories.services import people
from memories.services.export_everything import Wanted, export_everything


class Command(OperatorCommand):
    """In pages, so that a long export holds nothing up."""

    help = "Export everything that a person may see as JSON Lines, to a file or to the standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose, what, and where to."""
        parser.add_argument("file", nargs="?", type=Path, help="a new file; the standard output without it")
        parser.add_argument("--owner", required=True, help="whose records")
        parser.add_argument("--team", help="only those of this team")
        parser.add_argument("--private", action="store_true", help="only those that nobody else sees")
        parser.add_argument("--embeddings", action="store_true", help="with the vectors, which an import makes anew")

    def handle(self, **options: Any) -> None:
        """Write the lines and say how many."""
        path: Path | None = options["file"]
        try:
            pages = _pages(options)
            first = next(pages)
        except Refused as why:
            raise CommandError(why.message) from why
        if path is None:
            _write(sys.stdout.buffer, first, pages)
            return
        try:
            with path.open("xb") as file:
                count = _write(file, first, pages)
        except OSError as why:
            raise CommandError(f"{path} cannot be written ({why.strerror}). Name a new file.") from why
        self.stdout.write(f"{count} lines are in {path}.")


def _pages(options: dict[str, Any]) -> Iterator[list[str]]:
    """The lines, page by page. Raises Refused before the first."""
    user = User.objects.filter(username__iexact=options["owner"]).first()
    if user is None:
        raise Refused(f"There is no person named {options['owner']}.")
    space = people.team_named(options["team"]).pk if options["team"] else user.pk if options["private"] else None
    wanted = Wanted(space_id=space, embeddings=options["embeddings"])
    after = None
    while True:
        page = export_everything(wanted=wanted, after=after, actor=person(user, channel="cli"))
        yield page.lines
        after = page.following
        if after is None:
            return


def _write(file: BinaryIO, first: list[str], pages: Iterator[list[str]]) -> int:
    count = 0
    for lines in itertools.chain([first], pages):
        file.write("".join(f"{line}\n" for line in lines).encode())
        count += len(lines)
    return count
