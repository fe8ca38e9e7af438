"""What it takes to give records back what they were before a token wrote to them. Pure.

A record has three sides that can be written: what it says (its text, place and fields), where it stands, and whether it
is pinned; and its importance. Each side is judged by itself: what the token wrote last goes, back to what somebody else
left, or to what was there before. Where somebody else wrote after the token, that side stays as it is.
That importance faded meanwhile is nobody's writing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from reflection.planner.wording import many, moment
from reflection.states import Reversal

FADES = ("reflect.decay", "reflect.undo_decay")  # nobody wrote: time went by
MAKES = ("memory.create", "memory.import")
BROUGHT_IN = "characters"  # stands in the line of an import that made the record, not where it added to one
TELLS = (
    *MAKES,
    "memory.update",
    "memory.rewrite",
    "memory.redact",
    "reflect.summarize",
    "reflect.revert",
    "reflect.undo_revert",
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the audit about a record. `ours`: the token wrote it in the span that is looked at."""

    seq: int
    at: datetime
    action: str
    by: str
    ours: bool
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Version:
    """What a record said until it was replaced: its text and fields, at version `number`."""

    number: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Written:
    """A record as it is now, with all lines about it since the token first wrote, in order, and what it said before."""

    id: UUID
    version: int
    now: Mapping[str, Any]  # the fields of a version, `content`, `importance`, `status` and `pinned`
    lines: Sequence[Line]
    versions: Sequence[Version]
    held: str = ""
    redacted: bool = False


@dataclass(frozen=True, slots=True)
class Reversed:
    """What is to be done to one record, and why."""

    id: UUID
    version: int
    action: Reversal
    before: dict[str, Any]
    after: dict[str, Any]
    why: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Left:
    """A record, or part of what the token did, that is left alone."""

    gate: str
    text: str
    memory_ids: tuple[UUID, ...] = ()


@dataclass(slots=True)
class Verdict:
    """What becomes of one record: a change, or why there is none; neither where it is as it was already."""

    change: Reversed | None = None
    left: Left | None = None


@dataclass(slots=True)
class _Former:
    values: dict[str, Any] = field(default_factory=dict)
    stays: list[str] = field(default_factory=list)  # what stays, and because of whom


def judge(one: Written, *, as_of: datetime) -> Verdict:
    """What to do about one record. `as_of` decides whether an expiry that would come back has passed."""
    if one.held:
        return Verdict(left=Left("protected", f"Under the legal hold “{one.held}”.", (one.id,)))
    told = _trailing(_telling(one))
    if told and told[0].action in MAKES:
        return _trash(one)
    former = _Former()
    _text(one, told, former, as_of)
    for side in ("status", "importance", "pinned"):
        _side(one, side, former)
    changes = {name: value for name, value in former.values.items() if one.now.get(name) != value}
    if not changes:
        left = Left("moved_on", f"{' '.join(former.stays)}", (one.id,)) if former.stays else None
        return Verdict(left=left)
    return Verdict(Reversed(one.id, one.version, Reversal.REVERT, *_both(one, changes), _why(one, former)))


def _both(one: Written, after: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return {name: one.now.get(name) for name in after}, after


def _telling(one: Written) -> list[Line]:
    """The lines that made it or say otherwise what it says; not an import that only added links, uses or versions."""
    told = [line for line in one.lines if line.action in TELLS]
    return [line for line in told if line.action != "memory.import" or BROUGHT_IN in line.detail]


def _trailing(lines: Sequence[Line]) -> list[Line]:
    """The last run of lines that the token wrote, with nobody's after it."""
    run: list[Line] = []
    for line in reversed(lines):
        if not line.ours:
            break
        run.insert(0, line)
    return run


def _trash(one: Written) -> Verdict:
    """The token made it, and nobody else has changed what it says since."""
    if one.now["status"] == "deleted":
        return Verdict()
    before, after = {"status": one.now["status"]}, {"status": "deleted"}
    why = _facts(one, "made", "The token made it, and nobody else has changed what it says.")
    return Verdict(Reversed(one.id, one.version, Reversal.TRASH, before, after, why))


def _text(one: Written, run: Sequence[Line], former: _Former, as_of: datetime) -> None:
    told = _telling(one)
    if not any(line.ours for line in told):
        return
    if one.redacted:
        former.stays.append("Its words were taken out for good.")
        return
    if not run:
        last = told[-1]
        former.stays.append(f"{last.by} changed what it says on {moment(last.at)}, after the token.")
        return
    number = int(run[0].detail.get("version", 0)) - 1
    was = next((version for version in one.versions if version.number == number), None)
    if was is None:
        former.stays.append(f"What it said at version {number} is not kept any more.")
        return
    values = {name: value for name, value in was.values.items() if name != "importance"}
    if (expires := values.get("expires_at")) and datetime.fromisoformat(expires) <= as_of:
        del values["expires_at"]
    former.values |= values


def _side(one: Written, side: str, former: _Former) -> None:
    """Where it stands, its importance, or its pin, as the lines name them before and after."""
    lines = [line for line in one.lines if side in line.detail and line.action not in (*MAKES, *FADES)]
    if not any(line.ours for line in lines):
        return
    if run := _trailing(lines):
        former.values[side] = run[0].detail[side][0]
        return
    last = lines[-1]
    former.stays.append(f"{last.by} changed its {side} on {moment(last.at)}, after the token.")


def _why(one: Written, former: _Former) -> dict[str, Any]:
    writes = sum(line.ours for line in one.lines)
    text = f"The token wrote to it {many(writes, 'time')}; this gives back what was there before."
    return _facts(one, "written", text) | {"note": " ".join(former.stays)}


def _facts(one: Written, rule: str, text: str) -> dict[str, Any]:
    ours = [line for line in one.lines if line.ours]
    return {
        "rule": rule,
        "text": text,
        "writes": len(ours),
        "first": ours[0].at.isoformat(),
        "last": ours[-1].at.isoformat(),
        "acts": ", ".join(dict.fromkeys(line.action for line in ours)),
    }
