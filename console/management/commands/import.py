"""Imports a file, or a folder of notes, that another program or console wrote."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from console.errors import Refused
from console.formats import FORMATS
from console.formats.guess import guessed
from console.management.operator import OperatorCommand
from console.uploads import Report, take
from memories.access import Actor, person
from memories.models import User
from memories.services import people
from memories.services.import_lines import Place

NAMED = 100  # rows named in full
ROWS_MOST = 1_000_000
FILES_MOST = 5_000  # of a folder


class Command(OperatorCommand):
    """All or nothing: one bad row stops the whole file, unless --skip-bad leaves bad rows out."""

    help = "Import what a console exported, or what mem0, an MCP memory server, Markdown notes, ChatGPT or Claude keep."

    def add_arguments(self, parser: CommandParser) -> None:
        """The file, whose it becomes, and how to go about it."""
        parser.add_argument("file", type=Path, help="a file, a zip of files, or a folder of Markdown notes")
        parser.add_argument("--owner", required=True, help="whose records they become")
        parser.add_argument("--format", choices=list(FORMATS), help="found out from the file without it")
        parser.add_argument("--team", help="the team to share them with; the owner must be a member")
        parser.add_argument("--bucket", help="the bucket they are put into, instead of that of the file")
        parser.add_argument("--dry-run", action="store_true", help="say of each row what would become of it")
        parser.add_argument("--skip-bad", action="store_true", help="leave bad rows out instead of stopping")

    def handle(self, **options: Any) -> None:
        """Import, and tell."""
        try:
            with transaction.atomic():
                report = _taken(options)
                refused = report.wrong and not options["skip_bad"] and not options["dry_run"]
                if refused:
                    transaction.set_rollback(True)
        except Refused as why:
            raise CommandError(why.message) from why
        self._tell(report)
        if refused:
            raise CommandError(
                f"{report.count('wrong')} of the rows cannot be taken, nothing was imported. Mend them, or leave them "
                "out with --skip-bad."
            )

    def _tell(self, report: Report) -> None:
        for one in report.wrong[:NAMED]:
            self.stderr.write(f"{one.where}: {one.why}")
        if (more := len(report.wrong) - NAMED) > 0:
            self.stderr.write(f"… and {more} more")
        if report.dry_run:
            for one in report.outcomes:
                self.stdout.write(f"{'again' if one.repeated else one.outcome:6} {one.where}: {one.line}")
        for name in report.passed_over[:NAMED]:
            self.stdout.write(f"passed over: {name}")
        made = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(report.made.items()))
        counts, again = report.counts, report.repeated
        said = [f"{counts['new']} rows new{f' ({made})' if made else ''}", f"{counts['known'] - again} known already"]
        said += [f"{again} repeated in this file"] if again else []
        over = "; nothing was written, this was a dry run" if report.dry_run else ""
        self.stdout.write(f"{', '.join(said)}, {counts['wrong']} bad{over}.")


def _taken(options: dict[str, Any]) -> Report:
    """The report. Raises Refused."""
    path: Path = options["file"]
    actor, data = _actor(options), _data(path)
    name = options["format"] or guessed(path.name, data)
    if name is None:
        raise Refused(
            f"What {path.name} is cannot be seen from it. Name it with --format: {', '.join(FORMATS)}. "
            "JSON Lines with fields of other names are read by `manage.py import_jsonl --map`."
        )
    place = Place(bucket=options["bucket"])
    if options["team"]:
        team = people.team_named(options["team"])
        if team.pk not in actor.spaces:
            raise Refused(f"{actor.name} is no member of {team.name}. Import for a member, or add {actor.name} first.")
        place = Place(team_id=team.pk, bucket=options["bucket"])
    about = {"format_name": name, "name": path.name, "data": data, "place": place, "dry_run": options["dry_run"]}
    return take(**about, rows_most=ROWS_MOST, actor=actor)


def _actor(options: dict[str, Any]) -> Actor:
    user = User.objects.filter(username__iexact=options["owner"]).first()
    if user is None:
        raise Refused(f"There is no person named {options['owner']}. Make one with `manage.py person`.")
    return person(user, channel="cli")


def _data(path: Path) -> bytes:
    """The file; a folder as the zip that it would be. Links in a folder lead nowhere."""
    try:
        return path.read_bytes() if path.is_file() else _packed(path)
    except OSError as error:
        raise Refused(f"{error.filename or path} cannot be read ({error.strerror}). Name another.") from None


def _packed(path: Path) -> bytes:
    if not path.is_dir():
        raise Refused(f"There is no file {path}. Name one.")
    endings = tuple({ending for form in FORMATS.values() for ending in form.endings})
    every = (one for one in path.rglob("*") if one.name.lower().endswith(endings))
    found = sorted(one for one in every if one.is_file() and not one.is_symlink())
    if len(found) > FILES_MOST:
        raise Refused(f"{path} holds more than {FILES_MOST:,} files. Import its folders one by one.")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for one in found:
            archive.writestr(one.relative_to(path).as_posix(), one.read_bytes())
    return packed.getvalue()
