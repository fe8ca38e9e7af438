"""The ways to ask: `search` is strict and says so when nothing is strong enough, `recall` gives the best there is.

Both start at what the actor may see and what is live; the filters and the limit work inside that. `near_misses` are
what strictness held back, for those who ask to see it; they are never results.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from memories.access import Actor, check_may_use, live, visible_to
from memories.embedding import EmbeddingUnavailable
from memories.embedding.store import backlog
from memories.models import Memory
from memories.search import rank
from memories.search.hits import Hit, hits_of
from memories.search.strength import STRONG
from memories.search.terms import Terms, cut
from memories.search.wanted import UUID_TEXT, Search, check, in_force, narrowed

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
    """The answer. `coverage` holds `records` and `without_vector` (each counted up to 1,000) and `meaning`."""

    hits: list[Hit]
    no_match: NoMatch | None
    coverage: dict[str, Any]
    filters: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """What was looked at, and all that came of it, best first."""

    rows: QuerySet[Memory]
    terms: Terms
    scores: list[rank.Score]
    meaning: str  # used, unavailable


def search(actor: Actor, wanted: Search) -> Found:
    """Only strong matches, best first, at most `wanted.limit`. Raises Invalid and NotAllowed."""
    return _found(actor, wanted, strict=True)


def recall(actor: Actor, wanted: Search) -> Found:
    """The best matches in the same order, weak ones too. Raises Invalid and NotAllowed."""
    return _found(actor, wanted, strict=False)


def near_misses(actor: Actor, wanted: Search) -> list[Hit]:
    """What a strict search held back, best first, at most `wanted.limit`. Raises Invalid and NotAllowed."""
    ranked = _ranked(actor, wanted)
    held_back = [one for one in ranked.scores if one.score >= NEAR and not _shown(one, wanted, strict=True)]
    return hits_of(actor, wanted, ranked.terms, held_back)


def _ranked(actor: Actor, wanted: Search) -> _Ranked:
    check_may_use(actor, "memory:read")
    check(wanted, actor)
    visible = live(visible_to(actor, Memory.objects.all()))
    rows = narrowed(visible, wanted)
    terms = cut(wanted.query)
    listed = _by_id(rows, wanted) or (_newest(rows, wanted) if wanted.lists else None)
    if listed is not None:
        return _Ranked(rows, terms, listed, "used")
    asked = rank.question(wanted.query, terms, visible)
    meaning = "used" if asked.vector is not None else "unavailable"
    return _Ranked(rows, terms, rank.ranked(asked, rows, visible), meaning)


def _found(actor: Actor, wanted: Search, *, strict: bool) -> Found:
    ranked = _ranked(actor, wanted)
    shown = [one for one in ranked.scores if _shown(one, wanted, strict=strict)]
    hits = hits_of(actor, wanted, ranked.terms, shown)
    filters = in_force(wanted)
    return Found(
        hits=hits,
        no_match=None if hits else NoMatch(_reason(wanted, filters), filters),
        coverage={
            "records": ranked.rows[:COUNTED].count(),
            "without_vector": _without_vector(actor),
            "meaning": ranked.meaning,
        },
        filters={one["name"]: one["value"] for one in filters},
    )


def _without_vector(actor: Actor) -> int | None:
    """Live memories found by words only so far; None where the model's settings are unusable."""
    try:
        return backlog(actor, cap=COUNTED)
    except EmbeddingUnavailable:
        return None


def _shown(score: rank.Score, wanted: Search, *, strict: bool) -> bool:
    if wanted.threshold is not None and score.score < wanted.threshold:
        return False
    return score.score >= STRONG if strict else score.score > 0


def _by_id(rows: QuerySet[Memory], wanted: Search) -> list[rank.Score]:
    text = wanted.query.strip()
    if not UUID_TEXT.fullmatch(text):
        return []
    return [rank.whole(pk) for pk in rows.filter(pk=UUID(text)).values_list("pk", flat=True)]


def _newest(rows: QuerySet[Memory], wanted: Search) -> list[rank.Score]:
    order = ["created_at", "pk"] if wanted.time_order == "oldest" else ["-created_at", "-pk"]
    if wanted.prefer_working:
        order.insert(0, "-working")
        rows = rows.annotate(working=ExpressionWrapper(Q(memory_type="working"), BooleanField()))
    chosen = rows.order_by(*order).values_list("pk", flat=True)[: wanted.limit]
    return [rank.whole(pk) for pk in chosen]


def _reason(wanted: Search, filters: list[dict[str, str]]) -> str:
    if wanted.lists:
        return "Nothing is stored here" + (" within these filters." if filters else " yet.")
    within = " within these filters" if filters else ""
    advice = "Remove a filter" if filters else "Try other words"
    return f"No strong match{within}. {advice}, or use recall for the nearest memories, however weak."
