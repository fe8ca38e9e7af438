"""The effect of a policy, as its page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.charts import Bucket, Series, bars
from memories.access import Actor
from reflection import queries, report
from reflection.planner.rows import Proposal
from reflection.queries import Glimpse
from reflection.services.preview import Difference, Effect
from reflection.states import Action

TEXT = 160  # characters of a record or summary
KINDS = (
    ("comes", gettext_lazy("Would be proposed as well")),
    ("goes", gettext_lazy("Would not be proposed any more")),
    ("differs", gettext_lazy("Would come out otherwise")),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One candidate: the record it changes, or the text it would write."""

    memory_id: UUID | None
    path: str
    text: str
    cut: bool
    language: str
    why: str


def shown(effect: Effect, *, actor: Actor) -> dict[str, Any]:
    """Counts side by side, and by action the candidates that differ. Two queries at most."""
    ids = {one.target_id for part in effect.differences for one in _proposals(part) if one.target_id}
    seen = queries.glimpses(ids, actor=actor) if ids else {}
    return {
        "records": effect.records,
        "compared": effect.now is not None,
        "rows": _rows(effect),
        "parts": [_part(part, seen) for part in effect.differences],
        "without_model": effect.without_model,
        "later": _later(effect) if any(one.now or one.proposed for one in effect.later) else None,
    }


def _later(effect: Effect) -> dict[str, Any]:
    """What is put away in the coming months under either policy: a sentence, and bars."""
    last = effect.later[-1]
    values = {
        "day": _day(last.at),
        "now": last.now,
        "proposed": last.proposed,
        "records": effect.records,
    }
    told = _(
        "By %(day)s passes under the policy in force have archived %(now)s of these %(records)s records, "
        "and under yours %(proposed)s."
    )
    series = [
        Series(_("With the policy in force"), [one.now for one in effect.later], "decay"),
        Series(_("With yours"), [one.proposed for one in effect.later], "archive"),
    ]
    return {
        "told": told % values,
        "chart": bars(
            "later",
            title=_("Archived by then, if nobody uses, edits or adds anything"),
            told=told % values,
            buckets=[Bucket(_day(one.at, "SHORT_DAY_FORMAT"), _day(one.at)) for one in effect.later],
            series=series,
            x_name=_("Day"),
            y_name=_("Records"),
            beside=True,
        ),
    }


def _day(at: datetime, form: str = "DATE_FORMAT") -> str:
    return date_format(timezone.localtime(at), form)


def _proposals(part: Difference) -> list[Proposal]:
    return [*part.comes, *part.goes, *part.differs]


def _rows(effect: Effect) -> list[dict[str, Any]]:
    """One line per action, and one for what the limit leaves."""
    if effect.now is None or effect.proposed is None:
        return []
    pairs = [
        (action.value, report.COUNT_NAMES[action], effect.now.counts[action], effect.proposed.counts[action])
        for action in Action
    ]
    lines = [*pairs, ("", _("left for a later pass"), effect.now.cut, effect.proposed.cut)]
    return [
        {"action": action, "word": word, "now": now, "proposed": would, "more": would - now}
        for action, word, now, would in lines
    ]


def _part(part: Difference, seen: Mapping[UUID, Glimpse]) -> dict[str, Any]:
    found = []
    for name, title in KINDS:
        proposals: Sequence[Proposal] = getattr(part, name)
        count: int = getattr(part, f"{name}_count")
        if count:
            lines = [_line(one, seen) for one in proposals]
            found.append({"title": title, "count": count, "lines": lines, "rest": count - len(lines)})
    return {"action": part.action, "kinds": found}


def _line(one: Proposal, seen: Mapping[UUID, Glimpse]) -> Line:
    glimpse = seen.get(one.target_id) if one.target_id else None
    text = one.after.get("content") or (glimpse.text if glimpse else "")
    path = one.after.get("path") or (glimpse.path if glimpse else "")
    language = glimpse.language if glimpse else ""
    return Line(
        one.target_id if glimpse else None, path, text[:TEXT], len(text) > TEXT, language, one.why.get("text", "")
    )
