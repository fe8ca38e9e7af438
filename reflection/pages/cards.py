"""A candidate as its card shows it: text, evidence, why, and what it changes."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import get_language_info, gettext_lazy, pgettext, pgettext_lazy
from django.utils.translation import gettext as _

from memories.access import Actor
from memories.models.memory import Trust
from reflection import queries
from reflection.models import Basis, Candidate
from reflection.pages import words
from reflection.pages.diff import Piece, pieces
from reflection.queries import Glimpse
from reflection.services.drift import Change
from reflection.states import Action, Outcome, Reversal

FIRST_EVIDENCE = 6
ORDER = (  # of a rule's inputs: what was asked, what there is, from when to when, each limit behind what it limits
    "rule",
    "acts",
    "writes",
    "rows",
    "new_rows",
    "told_anew",
    "sessions",
    "hours",
    "importance",
    "base",
    "anchor",
    "days",
    "half_life_days",
    "floor",
    "below",
    "age_days",
    "age_limit_days",
    "unused_days",
    "unused_limit_days",
    "last_touched",
    "lowest_similarity",
    "similarity_limit",
    "first",
    "last",
    "gap_limit_hours",
    "source_chars",
    "budget_chars",
    "method",
    "summary",
    "duplicate_of",
    "statement_from",
    "expires_at",
    "as_of",
)
TAGS = {
    Action.SUMMARIZE.value: gettext_lazy("summary"),
    Action.PROMOTE.value: gettext_lazy("fact"),
    Reversal.REVERT.value: gettext_lazy("give back"),
}
OUTCOMES = {
    Outcome.EXCLUDED: pgettext_lazy("outcome of a candidate", "left out"),
    Outcome.APPLIED: pgettext_lazy("outcome of a candidate", "applied"),
    Outcome.DRIFTED: pgettext_lazy("outcome of a candidate", "skipped: drifted"),
    Outcome.ROLLED_BACK: pgettext_lazy("outcome of a candidate", "undone"),
    Outcome.KEPT: pgettext_lazy("outcome of a candidate", "kept"),
}
GONE = gettext_lazy("This record was deleted for good.")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A record that a candidate cites: the words taken from it, or how it begins."""

    memory_id: UUID
    quotes: tuple[str, ...]
    begins: str
    language: str
    gone: bool
    trust: int


@dataclass(frozen=True, slots=True)
class Changed:
    """One value before and after."""

    name: str
    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Card:
    """One candidate, ready to be shown."""

    id: UUID
    position: int
    action: str
    tag: str
    path: str
    text: str
    cut: bool
    language: str
    diff: Sequence[Piece]
    evidence: Sequence[Evidence]
    more_evidence: Sequence[Evidence]
    why: str
    note: str
    numbers: Sequence[tuple[str, Any]]
    facts: Sequence[tuple[str, str]]
    changes: Sequence[Changed]
    places: Sequence[Changed]
    drift: Sequence[Change]
    outcome: str
    outcome_word: str
    outcome_text: str
    record_id: UUID | None
    audit_id: UUID | None
    checked: bool


def cards_of(
    candidates: Sequence[Candidate],
    *,
    drifted: Mapping[UUID, Sequence[Change]],
    left_out: Collection[int],
    actor: Actor,
) -> list[Card]:
    """The cards of these candidates, in order; three queries whatever their number."""
    basis = queries.basis_of(candidates)
    ids = {line.memory_id for lines in basis.values() for line in lines}
    ids |= {key for one in candidates for key in (one.target_id, one.result_id) if key}
    seen = queries.glimpses(ids, actor=actor)
    return [
        _card(one, basis[one.pk], seen, drifted.get(one.pk, ()), one.position not in left_out) for one in candidates
    ]


def _card(
    one: Candidate, basis: Sequence[Basis], seen: Mapping[UUID, Glimpse], drift: Sequence[Change], checked: bool
) -> Card:
    target = seen.get(one.target_id) if one.target_id else None
    content = one.after.get("content")
    cited = _evidence([line for line in basis if line.memory_id != one.target_id], seen)
    languages = {item.language for item in cited if item.language}
    language = target.language if target else (languages.pop() if len(languages) == 1 else "")
    record_id = one.target_id or one.result_id
    return Card(
        id=one.pk,
        position=one.position,
        action=one.action,
        tag=_("summary, continued")
        if content and one.target_id and one.action == Action.SUMMARIZE
        else str(TAGS.get(one.action) or words.of(one.action)),
        path=target.path if target else one.after.get("path", ""),
        text=content or (target.text if target else str(GONE)),
        cut=not content and target is not None and target.cut,
        language=language,
        diff=pieces(one.before["content"], content) if content and "content" in one.before else (),
        evidence=cited[:FIRST_EVIDENCE],
        more_evidence=cited[FIRST_EVIDENCE:],
        why=one.why.get("text", ""),
        note=one.why.get("note") or "",
        numbers=_numbers(one.why),
        facts=_facts(one.after, language) if one.target_id is None else (),
        changes=_changes(one),
        places=_places(one),
        drift=drift,
        outcome=one.outcome,
        outcome_word=str(OUTCOMES.get(Outcome(one.outcome), "")),
        outcome_text=one.outcome_text,
        record_id=record_id if record_id in seen else None,
        audit_id=one.audit_id,
        checked=checked,
    )


def _evidence(lines: Sequence[Basis], seen: Mapping[UUID, Glimpse]) -> list[Evidence]:
    """What is quoted first, then the rest, each in source order."""
    found = []
    for line in lines:
        glimpse = seen.get(line.memory_id)
        begins = f"{glimpse.text}{'…' if glimpse.cut else ''}" if glimpse else str(GONE)
        quotes = tuple(line.quote.splitlines())
        language, trust = (glimpse.language, glimpse.trust) if glimpse else ("", int(Trust.NORMAL))
        found.append(Evidence(line.memory_id, quotes, begins, language, glimpse is None, trust))
    return sorted(found, key=lambda item: not item.quotes)


def _numbers(why: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The rule and its inputs, for checking by hand; what is stored has no order of its own."""
    given = [(name, why[name]) for name in sorted(why, key=_place) if name not in ("text", "note")]
    return [
        (words.of(name.replace("_", " ")), words.value_of(name, value)) for name, value in given if value is not None
    ]


def _place(name: str) -> tuple[int, str]:
    """Where an input is told: as ORDER has it, the others after these, limits behind what they limit."""
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def _facts(after: Mapping[str, Any], language: str) -> list[tuple[str, str]]:
    """The fields of a record that is to be made."""
    found = [(_("speaker"), str(after["speaker"]))] if after.get("speaker") else []
    if "importance" in after:
        found.append((_("importance"), f"{after['importance']:.2f}"))
    if after.get("confidence") is not None:
        found.append((_("confidence"), f"{after['confidence']:.2f}"))
    if "trust" in after:
        found.append((_("trust"), words.trust(after["trust"])))
    if language:
        found.append((_("language"), _language(language)))
    return found


def _language(code: str) -> str:
    """`ko` as Korean; a code that nobody knows as it is."""
    try:
        return str(get_language_info(code.lower())["name_translated"])
    except KeyError:
        return code


def _changes(one: Candidate) -> list[Changed]:
    found = []
    for name in ("importance", "status", "trust"):
        if name in one.before and name in one.after:
            found.append(Changed(name, words.of(name), *(_value(name, side[name]) for side in (one.before, one.after))))
    return found


PLACES = ("path", "bucket", "scope", "memory_type", "confidence", "expires_at", "pinned", "metadata")


def _places(one: Candidate) -> list[Changed]:
    """The other fields that a revert gives back: where the record belongs, its type, its pin."""
    if one.action != Reversal.REVERT:
        return []
    given = [name for name in PLACES if name in one.before and name in one.after]
    return [
        Changed(name, words.of(name.replace("_", " ")), *(_plain(side[name]) for side in (one.before, one.after)))
        for name in given
    ]


def _plain(value: Any) -> str:
    if value is None or value == "":
        return pgettext("value", "none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return json.dumps(value, ensure_ascii=False)[:400] if isinstance(value, dict) else str(value)


def _value(name: str, value: Any) -> str:
    if name == "importance":
        return f"{value:.2f}"
    return words.trust(value) if name == "trust" else words.of(str(value))
