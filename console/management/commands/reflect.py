"""Runs one reflection pass from the command line and prints its report."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder

from console.errors import Invalid, Refused
from console.postgres.context import within
from memories.access import Actor, person
from memories.services import people
from reflection import report
from reflection.models import ReflectPass
from reflection.services.run import awaits_approval, reflect
from reflection.states import Status

PARAMETERS = {
    "actions_csv": "some of summarize, promote, expire, decay, archive, separated by commas; all without it",
    "time_window_hours": "look back so far for events to summarize and promote; 24 without it",
    "since": "look back to this moment instead, like 2026-11-30T10:00:00Z",
    "until": "and up to this one; now without it",
    "path_filter": "only records whose path is like this; %% stands for anything",
    "owner_filter": "in a team, only the records of this person: whoever --as names",
    "bucket": "only records of buckets like this; %% stands for any",
    "scope": "only records of exactly this scope",
    "team_id": "the records of this team instead of private ones",
    "limit": "at most so many candidates, up to 5000; 500 without it",
    "on_drift": "skip or refuse: what happens when records change before the pass is applied",
}


class Command(BaseCommand):
    """With --dry-run it only plans, and the plan can be approved in the console."""

    help = "Run one reflection pass for somebody and print its report, as agents read it or as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--as", dest="who", required=True, metavar="NAME", help="username or e-mail of a person")
        parser.add_argument("--dry-run", action="store_true", help="plan and report, write nothing else")
        parser.add_argument("--json", dest="as_json", action="store_true", help="print the whole report as JSON")
        for name, text in PARAMETERS.items():
            names = [f"--{name.replace('_', '-')}"] + (["--actions"] if name == "actions_csv" else [])
            parser.add_argument(*names, dest=name, help=text)

    def handle(self, *, who: str, dry_run: bool, as_json: bool, **options: Any) -> None:
        given = {name: options[name] for name in PARAMETERS if options[name] is not None}
        try:
            made, said = _run({**given, "dry_run": dry_run}, _actor(who), _as_json if as_json else report.as_text)
        except Invalid as why:
            raise CommandError("\n".join(f"{problem.loc[-1]}: {problem.msg}" for problem in why.problems)) from why
        except Refused as why:
            raise CommandError(why.message) from why
        self.stdout.write(said, ending="")
        if made.status == Status.PLANNING:
            self.stderr.write(f"This takes longer: the worker plans it. See {report.address(made)}")
        elif awaits_approval(made):
            self.stderr.write("A person has to approve this plan before anything is written.")


def _run(given: dict[str, Any], actor: Actor, tell: Callable[[ReflectPass], str]) -> tuple[ReflectPass, str]:
    """The pass and its report, both made from nothing but the spaces of the actor."""
    with within(actor.spaces, actor.user_id):
        made = reflect(given=given, actor=actor)
        return made, tell(made)


def _actor(name: str) -> Actor:
    """The person of this name or address, with all their rights. Raises Refused."""
    user = people.person_called(name)
    if not user.is_active:
        raise Refused(f"{user.username} has no access any more. Name somebody who has.")
    return person(user, channel="cli")


def _as_json(made: ReflectPass) -> str:
    return json.dumps(report.as_json(made), cls=DjangoJSONEncoder, ensure_ascii=False, indent=2) + "\n"
