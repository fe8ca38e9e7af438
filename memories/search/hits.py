"""A memory that answers, with everything that explains why: fields, scores, marks, and why it may be seen."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from console.saying import phrase
from memories.access import Actor
from memories.models import Memory
from memories.search.marks import marks
from memories.search.rank import Score
from memories.search.strength import STRONG
from memories.search.terms import Terms
from memories.search.wanted import UUID_TEXT, Search


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that answers. `score` is 0..1.

    `words` is the share of the query that the memory covers by itself, `meaning` how near it is (both 0..1; `meaning`
    None: no vector), `beside` how much of the score comes from its neighbours in the session. `whose` says whether the
    agent that asks wrote it (self) or another one (other_agent); None: no agent is named. `matched` names what the
    query was found in (id, content, path, metadata, date, meaning, beside); `marks` are spans of the content.
    """

    memory: Memory
    score: float
    words: float
    meaning: float | None
    matched: tuple[str, ...]
    marks: list[tuple[int, int]]
    why_visible: str
    beside: float = 0.0
    whose: str | None = None

    @property
    def memory_id(self) -> UUID:
        found: UUID = self.memory.pk
        return found

    @property
    def by_neighbours(self) -> bool:
        """Whether it is strong only because of what stands beside it in its session."""
        return self.score >= STRONG > self.score - self.beside


def hits_of(actor: Actor, wanted: Search, terms: Terms, scores: list[Score]) -> list[Hit]:
    """The first `wanted.limit` of `scores` as hits, in the order that is wanted."""
    if wanted.prefer_working and not wanted.lists:
        ids = [one.memory_id for one in scores]
        working = set(Memory.objects.filter(pk__in=ids, memory_type="working").values_list("pk", flat=True))
        scores = sorted(scores, key=lambda one: one.memory_id not in working)
    chosen = scores[: wanted.limit]
    memories = Memory.objects.select_related("state", "owner", "team").in_bulk([one.memory_id for one in chosen])
    hits = [_hit(actor, terms, memories[one.memory_id], one) for one in chosen if one.memory_id in memories]
    return in_time(hits, wanted)


def in_time(hits: list[Hit], wanted: Search) -> list[Hit]:
    """`hits` in the order of time that is wanted, if one is; a list of everything has it already."""
    if wanted.time_order is None or wanted.lists:
        return hits
    newest = wanted.time_order == "newest"
    return sorted(hits, key=lambda hit: (getattr(hit.memory, wanted.ordered_by), hit.memory.pk), reverse=newest)


def _hit(actor: Actor, terms: Terms, memory: Memory, score: Score) -> Hit:
    by_id = not score.terms and UUID_TEXT.fullmatch(terms.folded) is not None
    words = [terms.terms[place].text for place in score.terms] or ([] if by_id else [terms.folded])
    spans = marks(memory.content, [*words, *terms.phrases])
    space = actor.spaces[memory.space_id]
    return Hit(
        memory,
        score.score,
        score.own_words,
        score.own_meaning,
        ("id",) if by_id else _matched(terms, memory, score, in_content=bool(spans)),
        spans,
        "private" if space.team_id is None else phrase("team %(name)s", name=space.name),
        round(max(score.together - score.own, 0.0), 4),
        _whose(memory, actor),
    )


def _whose(memory: Memory, actor: Actor) -> str | None:
    if not memory.agent_id:
        return None
    return "self" if memory.agent_id == actor.agent_id else "other_agent"


def _matched(terms: Terms, memory: Memory, score: Score, *, in_content: bool) -> tuple[str, ...]:
    found = {"content"} if in_content or score.said else set()
    for place in score.terms:
        term = terms.terms[place]
        if marks(memory.path, [term.text]):
            found.add("path")
        elif place not in score.said:
            found.add("metadata" if term.span is None else "date")
    if score.own_meaning:
        found.add("meaning")
    if score.together > score.own + 0.01:
        found.add("beside")
    return tuple(name for name in ("content", "path", "metadata", "date", "meaning", "beside") if name in found)
