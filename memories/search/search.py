"""The ways to ask: `search` is strict and says so when nothing is strong enough, `recall` gives the best there is.

Both start at what the actor may see and what is live; the filters and the limit work inside that. `near_misses` are
what strictness held back, for those who ask to see it; they are never results.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from console.saying import phrase
from memories.access import Actor, check_may_use, live, visible_to
from memories.embedding import EmbeddingUnavailable
from memories.embedding.store import Waiting, waiting
from memories.models import Memory
from memories.search import rank
from memories.search.hits import Hit, hits_of
from memories.search.strength import STRONG
from memories.search.terms import Terms, cut
from memories.search.wanted import UUID_TEXT, Search, check, in_force, narrowed
from memories.search.within import Within

__all__ = ["UUID_TEXT", "Found", "Hit", "NoMatch", "Search", "near_misses", "recall", "search"]

COUNTED = 1_000
NEAR = 0.05  # what scores less is no near miss either


@dataclass(frozen=True, slots=True)
class NoMatch:
    """Nothing strong enough: why, and the filters that were in force as {name, value}."""

    reason: str
    filters: list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Found:
    """The answer. `coverage` holds `records` (counted up to 1,000), `meaning`, and of the latest memories how many
    were `looked_at` and how many of these are `without_vector`; of a very long query also how many words were left out
    (`words_left_out`).
    """

    hits: list[Hit]
    no_match: NoMatch | None
    coverage: dict[str, Any]
    filters: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """The best of what was looked at, best first, and the coverage of the search where it is wanted."""

    terms: Terms
    scores: list[rank.Score]
    coverage: dict[str, Any]


def search(actor: Actor, wanted: Search) -> Found:
    """Only strong matches, best first, at most `wanted.limit`. Raises Invalid and NotAllowed."""
    return _found(actor, wanted, least=STRONG)


def recall(actor: Actor, wanted: Search) -> Found:
    """The best matches in the same order, weak ones too. Raises Invalid and NotAllowed."""
    return _found(actor, wanted, least=0.0)


def near_misses(actor: Actor, wanted: Search) -> list[Hit]:
    """What a strict search held back, best first, at most `wanted.limit`. Raises Invalid and NotAllowed."""
    cut_off = max(STRONG, wanted.threshold or 0.0)
    ranked = _ranked(actor, wanted, least=NEAR, counting=False)
    return hits_of(actor, wanted, ranked.terms, [one for one in ranked.scores if one.score < cut_off])


def _ranked(actor: Actor, wanted: Search, *, least: float, counting: bool) -> _Ranked:
    check_may_use(actor, "memory:read")
    check(wanted, actor)
    visible = live(visible_to(actor, Memory.objects.all()))
    rows = narrowed(visible, wanted)
    listed = _by_id(rows, wanted) or (_newest(rows, wanted) if wanted.lists else None)
    if listed is not None:
        coverage = _coverage(_waiting(actor), rows[:COUNTED].count(), "used") if counting else {}
        return _Ranked(cut(wanted.query), listed, coverage)
    asking = rank.ask(wanted.query)
    waits = _waiting(actor) if counting else None  # asked while the model reads
    terms = cut(wanted.query)
    all_visible = Within.of(visible, actor.spaces)
    within = all_visible if rows is visible else Within.of(rows, actor.spaces)
    question = rank.question(asking, terms, all_visible)
    coverage = {}
    if counting:
        records = min(question.total, COUNTED) if rows is visible else rows[:COUNTED].count()
        coverage = _coverage(waits, records, "unavailable" if question.vector is None else "used")
        coverage |= {"words_left_out": terms.left_out} if terms.left_out else {}
    return _Ranked(terms, rank.ranked(question, within, all_visible, least), coverage)


def _found(actor: Actor, wanted: Search, *, least: float) -> Found:
    ranked = _ranked(actor, wanted, least=max(least, wanted.threshold or 0.0), counting=True)
    hits = hits_of(actor, wanted, ranked.terms, ranked.scores)
    filters = in_force(wanted)
    return Found(
        hits=hits,
        no_match=None if hits else NoMatch(_reason(wanted, filters), filters),
        coverage=ranked.coverage,
        filters={one["name"]: one["value"] for one in filters},
    )


def _coverage(waits: Waiting | None, records: int, meaning: str) -> dict[str, Any]:
    return {
        "records": records,
        "without_vector": waits and waits.count,
        "looked_at": waits and waits.looked_at,
        "meaning": meaning,
    }


def _waiting(actor: Actor) -> Waiting | None:
    """Which of the latest memories are found by words only so far; None where the model's settings are unusable."""
    try:
        return waiting(actor)
    except EmbeddingUnavailable:
        return None


def _by_id(rows: QuerySet[Memory], wanted: Search) -> list[rank.Score]:
    text = wanted.query.strip()
    if not UUID_TEXT.fullmatch(text):
        return []
    return [rank.whole(pk) for pk in rows.filter(pk=UUID(text)).values_list("pk", flat=True)]


def _newest(rows: QuerySet[Memory], wanted: Search) -> list[rank.Score]:
    time = wanted.ordered_by
    order = [time, "pk"] if wanted.time_order == "oldest" else [f"-{time}", "-pk"]
    if wanted.prefer_working:
        order.insert(0, "-working")
        rows = rows.annotate(working=ExpressionWrapper(Q(memory_type="working"), BooleanField()))
    chosen = rows.order_by(*order).values_list("pk", flat=True)[: wanted.limit]
    return [rank.whole(pk) for pk in chosen]


def _reason(wanted: Search, filters: list[dict[str, str]]) -> str:
    if wanted.lists:
        within = phrase("Nothing is stored here within these filters.")
        return within if filters else phrase("Nothing is stored here yet.")
    if not filters:
        return phrase("No strong match. Try other words, or use recall for the nearest memories, however weak.")
    return phrase(
        "No strong match within these filters. Remove a filter, or use recall for the nearest memories, however weak."
    )
