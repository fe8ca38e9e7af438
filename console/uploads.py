"""A file that somebody hands over: read in its format, stored by one verb, and told row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from console.formats import FORMATS, ROWS_MOST, Document, document
from console.formats.rows import Row
from console.saying import phrase
from memories import audit
from memories.access import Actor
from memories.services.import_all import LINES_MOST, import_all
from memories.services.import_lines import Place

LINE = 200  # characters of what a row says
OUTCOMES = ("new", "known", "wrong")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one row: new, known, or wrong for the reason in `why`.

    Known is also what the file says a second time; `why` names the row before.
    """

    where: str
    outcome: str
    why: str
    line: str  # the beginning of what it says
    repeated: bool = False


@dataclass(slots=True)
class Report:
    """What an import made, or in a dry run would make."""

    format_name: str
    dry_run: bool
    passed_over: tuple[str, ...] = ()
    outcomes: list[Outcome] = field(default_factory=list)
    made: dict[str, int] = field(default_factory=dict)
    links_left: int = 0

    def count(self, outcome: str) -> int:
        """How many rows came to this."""
        return sum(one.outcome == outcome for one in self.outcomes)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows came to each."""
        return {outcome: self.count(outcome) for outcome in OUTCOMES}

    @property
    def repeated(self) -> int:
        """How many of the known rows only say again what the file says before."""
        return sum(one.repeated for one in self.outcomes)

    @property
    def wrong(self) -> list[Outcome]:
        """The rows that are left out."""
        return [one for one in self.outcomes if one.outcome == "wrong"]


def take(
    *,
    format_name: str,
    name: str,
    data: bytes,
    place: Place,
    dry_run: bool,
    rows_most: int = ROWS_MOST,
    actor: Actor,
) -> Report:
    """Import one file in one transaction. Raises Invalid, before anything is written, for a file that is none of this
    format or too large, NotAllowed, and Conflict while another import of the same person does not end.
    """
    read = document(format_name, name, data, rows_most=rows_most)
    report = Report(format_name, dry_run, read.passed_over)
    with transaction.atomic(), audit.at_the_end():
        _store(read, report, place, actor)
    return report


def _store(read: Document, report: Report, place: Place, actor: Actor) -> None:
    good = [(number, row.values) for number, row in enumerate(read.rows, 1) if row.values is not None]
    outcomes: dict[int, tuple[str, str]] = {}
    repeats: dict[int, int] = {}
    for at in range(0, len(good), LINES_MOST):
        repeats |= _import(good[at : at + LINES_MOST], report, outcomes, place, actor)
    if len(good) > LINES_MOST and report.links_left and not report.dry_run:
        _connect(good, report, place, actor)
    for number, row in enumerate(read.rows, 1):
        outcome, why = outcomes.get(number, ("wrong", row.why))
        if number in repeats:
            why = phrase("Repeated in this file: %(where)s says the same.", where=read.rows[repeats[number] - 1].where)
        report.outcomes.append(Outcome(row.where, outcome, why, _line(row), number in repeats))


def _import(
    rows: Sequence[tuple[int, dict[str, Any]]],
    report: Report,
    outcomes: dict[int, tuple[str, str]],
    place: Place,
    actor: Actor,
) -> dict[int, int]:
    """Store these rows; returns those that only repeat another row, with that one."""
    about: dict[str, Any] = {"keep_ids": FORMATS[report.format_name].keeps_ids, "format_name": report.format_name}
    found = import_all(rows=rows, place=place, dry_run=report.dry_run, actor=actor, **about)
    wrong = dict(found.errors)
    outcomes |= {number: (outcome, wrong.get(number, "")) for number, outcome in found.outcomes.items()}
    report.links_left += found.links_left
    for kind, count in found.made.items():
        report.made[kind] = report.made.get(kind, 0) + count
    return found.repeats


def _connect(good: Sequence[tuple[int, dict[str, Any]]], report: Report, place: Place, actor: Actor) -> None:
    """Links whose other end came in a later part of the file."""
    report.links_left = 0
    linked = [(number, values) for number, values in good if values.get("links")]
    about: dict[str, Any] = {"keep_ids": FORMATS[report.format_name].keeps_ids, "format_name": report.format_name}
    for at in range(0, len(linked), LINES_MOST):
        again = import_all(rows=linked[at : at + LINES_MOST], place=place, actor=actor, **about)
        report.links_left += again.links_left


def _line(row: Row) -> str:
    values = row.values or {}
    said = next((values[name] for name in ("content", "item", "context", "label", "action") if values.get(name)), "")
    return " ".join(str(said).split())[:LINE]
