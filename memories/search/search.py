"""The two ways to ask: `search` is strict and says so when nothing is strong enough, `recall` gives the best there is.

Both start at what the actor may see and what is live; the filters and the limit work inside that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet

from memories.access import Actor, check_may_use, live, visible_to
from memories.embedding import EmbeddingUnavailable
from memories.embedding.store import backlog
from memories.models import Memory
from memories.search import rank
from memories.search.marks import marks
from memories.search.terms import Terms, cut
from memories.search.wanted import Search, check, in_force, narrowed

__all__ = ["Found", "Hit", "NoMatch", "Search", "recall", "search"]

STRONG = 0.4  # combined score above which 5 % of foreign LoCoMo questions are answered
STRONG_BY_WORDS = 0.42  # the same where a row has no vector
COUNTED = 1_000
UUID_TEXT = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that answers. `score` is 0..1, `words` and `meaning` its two parts (`meaning` None: no vector).

    `matched` names what the query was found in (id, content, path, meaning); `marks` are spans of the content.
    """

    memory: Memory
    score: float
    words: float
    meaning: float | None
    matched: tuple[str, ...]
    marks: list[tuple[int, int]]
    why_visible: str

    @property
    def memory_id(self) -> UUID:
        found: UUID = self.memory.pk
        return found


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


def search(actor: Actor, wanted: Search) -> Found:
    """Only strong matches, best first, at most `wanted.limit`. Raises Invalid and NotAllowed."""
    return _found(actor, wanted, strict=True)


def recall(actor: Actor, wanted: Search) -> Found:
    """The best matches in the same order, weak ones too. Raises Invalid and NotAllowed."""
    return _found(actor, wanted, strict=False)


def _found(actor: Actor, wanted: Search, *, strict: bool) -> Found:
    check_may_use(actor, "memory:read")
    check(wanted, actor)
    visible = live(visible_to(actor, Memory.objects.all()))
    rows = narrowed(visible, wanted)
    terms = cut(wanted.query)
    meaning = "used"
    listed = _by_id(rows, wanted) or (_newest(rows, wanted) if wanted.lists else None)
    if listed is None:
        asked = rank.question(wanted.query, terms, visible)
        meaning = "used" if asked.vector is not None else "unavailable"
        strict = strict and not terms.phrases  # whatever is listed holds them
        listed = [score for score in rank.ranked(asked, rows) if _strong(score, wanted, strict=strict)]
    hits = _hits(actor, wanted, terms, listed)
    filters = in_force(wanted)
    return Found(
        hits=hits,
        no_match=None if hits else NoMatch(_reason(wanted, filters), filters),
        coverage={
            "records": rows[:COUNTED].count(),
            "without_vector": _without_vector(actor),
            "meaning": meaning,
        },
        filters={one["name"]: one["value"] for one in filters},
    )


def _without_vector(actor: Actor) -> int | None:
    """Live memories found by words only so far; None where the model's settings are unusable."""
    try:
        return backlog(actor, cap=COUNTED)
    except EmbeddingUnavailable:
        return None


def _strong(score: rank.Score, wanted: Search, *, strict: bool) -> bool:
    if wanted.threshold is not None and score.score < wanted.threshold:
        return False
    if not strict or score.covers:
        return score.score > 0
    return score.score >= (STRONG_BY_WORDS if score.meaning is None else STRONG)


def _by_id(rows: QuerySet[Memory], wanted: Search) -> list[rank.Score]:
    text = wanted.query.strip()
    if not UUID_TEXT.fullmatch(text):
        return []
    return [rank.Score(pk, 1.0, 1.0, None, (), True) for pk in rows.filter(pk=UUID(text)).values_list("pk", flat=True)]


def _newest(rows: QuerySet[Memory], wanted: Search) -> list[rank.Score]:
    order = ["created_at", "pk"] if wanted.time_order == "oldest" else ["-created_at", "-pk"]
    if wanted.prefer_working:
        order.insert(0, "-working")
        rows = rows.annotate(working=ExpressionWrapper(Q(memory_type="working"), BooleanField()))
    chosen = rows.order_by(*order).values_list("pk", flat=True)[: wanted.limit]
    return [rank.Score(pk, 1.0, 0.0, None, (), True) for pk in chosen]


def _hits(actor: Actor, wanted: Search, terms: Terms, scores: list[rank.Score]) -> list[Hit]:
    if wanted.prefer_working and not wanted.lists:
        working = set(
            Memory.objects.filter(pk__in=[one.memory_id for one in scores], memory_type="working").values_list(
                "pk", flat=True
            )
        )
        scores = sorted(scores, key=lambda one: one.memory_id not in working)
    chosen = scores[: wanted.limit]
    memories = Memory.objects.select_related("state", "owner", "team").in_bulk([one.memory_id for one in chosen])
    hits = [_hit(actor, terms, memories[one.memory_id], one) for one in chosen if one.memory_id in memories]
    if wanted.time_order is not None and not wanted.lists:
        hits.sort(key=lambda hit: (hit.memory.created_at, hit.memory.pk), reverse=wanted.time_order == "newest")
    return hits


def _hit(actor: Actor, terms: Terms, memory: Memory, score: rank.Score) -> Hit:
    by_id = not score.terms and UUID_TEXT.fullmatch(terms.folded) is not None
    words = [terms.terms[place].text for place in score.terms] or ([] if by_id else [terms.folded])
    spans = marks(memory.content, [*words, *terms.phrases])
    matched = ["content"] if spans else []
    if score.words and marks(memory.path, words):
        matched.append("path")
    if by_id:
        matched.append("id")
    if score.meaning:
        matched.append("meaning")
    space = actor.spaces[memory.space_id]
    why = "private" if space.team_id is None else f"team {space.name}"
    return Hit(memory, round(score.score, 4), score.words, score.meaning, tuple(matched), spans, why)


def _reason(wanted: Search, filters: list[dict[str, str]]) -> str:
    if wanted.lists:
        return "Nothing is stored here" + (" within these filters." if filters else " yet.")
    within = " within these filters" if filters else ""
    advice = "Remove a filter" if filters else "Try other words"
    return f"No strong match{within}. {advice}, or use recall for the nearest memories, however weak."
