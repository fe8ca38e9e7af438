"""Imports memories from a JSON Lines file."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone
from tqdm import tqdm

from console.errors import Invalid, Refused
from console.formats.lines import BadLine, lines
from console.importing import filled, mapping, memory_of
from console.management.operator import OperatorCommand
from memories import audit
from memories.access import OPERATOR, Actor, person
from memories.embedding import store
from memories.models import Membership, User
from memories.services import people
from memories.services.import_words import DATED, id_of_words
from memories.services.remember import NewMemory, check, import_many

BATCH = 500
NAMED = 100  # bad lines named in full


class Command(OperatorCommand):
    """All or nothing: one bad line stops the whole file, unless --skip-bad leaves bad lines out."""

    help = "Import memories from a JSON Lines file. Records whose source id is known already are left as they are."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--owner", required=True, help="whose memories they become; may name fields, such as locomo-{conversation}"
        )
        parser.add_argument("--create-owners", action="store_true", help="make owners that do not exist yet")
        parser.add_argument("--team", help="the team to share them with; every owner must be a member")
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="PRESET|FIELD=TEMPLATE",
            help="native, locomo, or e.g. path=notes/{folder}; found out from the file without it",
        )
        parser.add_argument("--skip-bad", action="store_true", help="leave bad lines out instead of stopping")
        parser.add_argument("--embed", action="store_true", help="make the vectors now instead of in the worker")

    def handle(self, **options: Any) -> None:
        try:
            run = _Import(options)
            with transaction.atomic():
                with audit.at_the_end():
                    run.read()
                if run.bad and not options["skip_bad"]:
                    transaction.set_rollback(True)
        except Refused as why:
            raise CommandError(why.message) from why
        for line in run.bad[:NAMED]:
            self.stderr.write(f"line {line.number}: {line.why}")
        if len(run.bad) > NAMED:
            self.stderr.write(f"… and {_many(len(run.bad) - NAMED, 'more bad line', 'more bad lines')}")
        if run.bad and not options["skip_bad"]:
            raise CommandError(
                f"{_many(len(run.bad), 'bad line', 'bad lines')}, nothing was imported. "
                f"Mend {'it, or leave it' if len(run.bad) == 1 else 'them, or leave them'} out with --skip-bad."
            )
        if options["embed"]:
            store.drain()
        self.stdout.write(
            f"{run.imported} imported, {run.seen - run.imported} known already, "
            f"{f'{run.again} repeated in this file, ' if run.again else ''}{len(run.bad)} bad; "
            f"{_many(store.backlog(), 'memory waits for its vector', 'memories wait for their vectors')} "
            "(made by the worker)."
        )


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


class Repeated(Exception):
    """A line without an id says what one before it says."""


class _Import:
    """One file being read: the owners met, the rows waiting to be written, and the lines that are bad."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.file: Path = options["file"]
        self.owner: str = options["owner"]
        self.create_owners: bool = options["create_owners"]
        self.maps: list[str] = options["map"]
        self.team = people.team_named(options["team"]) if options["team"] else None
        self.actors: dict[str, Actor] = {}
        self.waiting: dict[str, list[NewMemory]] = {}
        self.numbers: dict[tuple[str, str, str], int] = {}
        self.bad: list[BadLine] = []
        self.said: set[tuple[str, UUID]] = set()
        self.now = timezone.now()
        self.seen = self.imported = self.again = 0
        if not self.file.is_file():
            raise Refused(f"There is no file {self.file}. Name one.")

    def read(self) -> None:
        """Read the file once, in batches; what is bad is noted and the reading goes on."""
        fields: dict[str, str] | None = None
        size = self.file.stat().st_size
        with (
            self.file.open("rb") as file,
            tqdm(total=size, unit="B", unit_scale=True, desc=self.file.name, disable=None, file=sys.stderr) as bar,
        ):
            for number, row, length in lines(file):
                bar.update(length)
                if isinstance(row, BadLine):
                    self.bad.append(row)
                    continue
                fields = fields or mapping(self.maps, row)
                self._take(number, row, fields)
        for owner in list(self.waiting):
            self._write(owner)

    def _take(self, number: int, row: dict[str, Any], fields: dict[str, str]) -> None:
        try:
            owner = filled(self.owner, row) if "{" in self.owner else self.owner
            if not owner:
                raise ValueError(f"it lacks a field that --owner {self.owner} names")
            new = memory_of(row, fields, team_id=self.team.pk if self.team else None)
            actor = self._actor(owner)
            check(new, actor)
            new = self._arrived(new, actor)
            self._once(owner, new, number)
        except Repeated:
            self.again += 1
        except Invalid as why:
            self.bad.append(BadLine(number, " ".join(f"{p.loc[-1]}: {p.msg}" for p in why.problems)))
        except (ValueError, TypeError) as why:
            self.bad.append(BadLine(number, str(why)))
        else:
            self.seen += 1
            self.waiting.setdefault(owner, []).append(new)
            if len(self.waiting[owner]) >= BATCH:
                self._write(owner)

    def _arrived(self, new: NewMemory, actor: Actor) -> NewMemory:
        """With what an import adds: see memories.services.import_words."""
        by = id_of_words(new, actor, bucket=new.bucket, scope=new.scope) if new.source_id is None else None
        about = new.provenance if new.created_at else new.provenance | DATED
        return replace(new, id=by, provenance=about, here_since=min(new.here_since or self.now, self.now))

    def _once(self, owner: str, new: NewMemory, number: int) -> None:
        if new.id is not None:
            if (owner, new.id) in self.said:
                raise Repeated
            self.said.add((owner, new.id))
        if new.source_id is None:
            return
        first = self.numbers.setdefault((owner, new.source, new.source_id), number)
        if first != number:
            raise ValueError(f"its id {new.source_id} stands on line {first} already")

    def _write(self, owner: str) -> None:
        self.imported += import_many(news=self.waiting.pop(owner), actor=self.actors[owner])

    def _actor(self, name: str) -> Actor:
        if name not in self.actors:
            user = User.objects.filter(username__iexact=name).first()
            if user is None:
                if not self.create_owners:
                    raise Refused(f"There is no person named {name}. Name one that exists, or add --create-owners.")
                user = people.create_user(username=name, display_name=name, password=None, actor=OPERATOR)
            if self.team and not Membership.objects.filter(user=user, team=self.team).exists():
                raise Refused(f"{name} is no member of {self.team.name}. Import for a member, or add {name} first.")
            self.actors[name] = person(user, channel="cli")
        return self.actors[name]
