"""Which rows may answer: by words, by meaning and by date, each a bounded query over the rows that may be seen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from uuid import UUID

from django.db.models import BooleanField, FloatField, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone

from memories.embedding import Embedder, Vectors
from memories.models import Memory
from memories.search.nearest import as_halfvec, nearest
from memories.search.strength import Row
from memories.search.terms import CJK, Terms
from memories.search.wanted import like, literal

CANDIDATES = 1_000  # rows ranked by words
LOOKED_AT = 5_000  # rows with any of the terms from which the candidates are taken
NEAREST = 100  # rows ranked by meaning
TELLING = 0.2  # of the rarest term's weight: what weighs less finds no candidates of its own
SHORTEST_PART = 3  # letters of a part of a word that are looked for


@dataclass(frozen=True, slots=True)
class Question:
    """A query in both forms; `vector` is None where the model cannot be reached.

    `weights` say what finding each term tells (nats), `counts` how many rows have it.
    """

    terms: Terms
    weights: tuple[float, ...]
    counts: tuple[int, ...]
    embedder: Embedder | None
    vector: Vectors | None

    @property
    def floor(self) -> float:
        """What unlike texts score in the model."""
        return 0.0 if self.embedder is None or self.vector is None else self.embedder.floor


def first(asked: Question, rows: QuerySet[Memory]) -> dict[UUID, Row]:
    """The rows worth a closer look, read without telling content from other fields."""
    found = [*_by_words(asked, rows), *_by_meaning(asked, rows), *_by_date(asked, rows)]
    return {row.memory_id: row for row in found}


def read(asked: Question, rows: QuerySet[Memory], *, content: bool = False) -> list[Row]:
    """`rows` with what they have of the question; with `content` also which terms stand in the content itself."""
    terms = asked.terms.terms
    annotations = {
        "has_terms": _array([term.query for term in terms]),
        "said_terms": _array([term.said for term in terms] if content else []),
        "cosine": _cosine(asked),
    }
    return [
        Row(pk, has, [place for place, there in enumerate(said) if there], cosine, created_at)
        for pk, has, said, cosine, created_at in rows.annotate(**annotations).values_list(
            "pk", *annotations, "created_at"
        )
    ]


def matching(query: str) -> RawSQL:
    """A condition: the row's words match this tsquery."""
    return RawSQL('"memories_memory"."search" @@ %s::tsquery', [query], BooleanField())


def holding(phrase: str) -> Q:
    """A condition: the content holds the folded `phrase` as it stands.

    Pairs of CJK characters are looked up as words first: a trigram index cannot find one or two characters.
    """
    condition = Q(like("folded", f"%{literal(phrase)}%"))
    pairs = [phrase[at : at + 2] for at in range(len(phrase) - 1) if _joined(phrase[at]) and _joined(phrase[at + 1])]
    if pairs:
        condition &= Q(matching(" & ".join(f"'{pair}':*A" for pair in pairs)))
    elif len(phrase) == 1 and _joined(phrase):
        condition &= Q(matching(f"'{phrase}':*A"))
    return condition


def newest(rows: QuerySet[Memory]) -> list[UUID]:
    """The ids of the newest of `rows`."""
    return list(rows.order_by("-created_at", "-pk").values_list("pk", flat=True)[:NEAREST])


def by_substring(asked: Question, rows: QuerySet[Memory]) -> list[UUID]:
    """Rows that hold the query as it is, where no word of it is known: parts of ids and of long words."""
    part = asked.terms.folded
    if len(part) < SHORTEST_PART and not any(_joined(letter) for letter in part):
        return []
    return newest(rows.filter(holding(part)))


def _joined(letter: str) -> bool:
    return CJK.match(letter) is not None


def _array(queries: list[str]) -> RawSQL:
    has = ", ".join(['"memories_memory"."search" @@ %s::tsquery'] * len(queries))
    return RawSQL(f"ARRAY[{has}]::boolean[]", queries, BooleanField())  # noqa: S611 - parameters only


def _by_words(asked: Question, rows: QuerySet[Memory]) -> list[Row]:
    """Rows with the rarest terms of the query, at most CANDIDATES of them; first those that have all that tell."""
    order = sorted(range(len(asked.weights)), key=lambda place: -asked.weights[place])
    telling = [place for place in order if asked.weights[place] > TELLING * asked.weights[order[0]]]
    if not telling:
        return []
    every = " & ".join(f"({asked.terms.terms[place].query})" for place in telling)
    some = " | ".join(f"({asked.terms.terms[place].query})" for place in _rare(asked, telling))
    rarest = matching(asked.terms.terms[telling[0]].query).desc()
    full = read(asked, rows.filter(matching(every)).order_by("-created_at", "-pk")[:NEAREST])
    return full + read(asked, rows.filter(matching(some)).order_by(rarest, "-created_at", "-pk")[:CANDIDATES])


def _rare(asked: Question, telling: list[int]) -> list[int]:
    """The rarest of the terms, until so many rows have one that no more can be looked at."""
    chosen, rows = [telling[0]], asked.counts[telling[0]]
    for place in telling[1:]:
        rows += asked.counts[place]
        if rows > LOOKED_AT:
            break
        chosen.append(place)
    return chosen


def _by_date(asked: Question, rows: QuerySet[Memory]) -> list[Row]:
    """The newest rows of the days that the question names with their year."""
    dated = Q()
    for term in asked.terms.terms:
        if term.span is not None and not term.span.yearly:
            began, ended = (
                timezone.make_aware(datetime.combine(day, time.min))
                for day in (term.span.start, term.span.end + timedelta(days=1))
            )
            dated |= Q(created_at__gte=began, created_at__lt=ended)
    return read(asked, rows.filter(dated).order_by("-created_at", "-pk")[:NEAREST]) if dated else []


def _by_meaning(asked: Question, rows: QuerySet[Memory]) -> list[Row]:
    """The nearest rows, by one of the two ways of memories/search/nearest.py."""
    if asked.vector is None or asked.embedder is None:
        return []
    rows = rows.filter(embedding__active=True, embedding__model=asked.embedder.name)
    return read(asked, rows.filter(pk__in=nearest(rows, asked.embedder, asked.vector, most=NEAREST)))


def _cosine(asked: Question) -> RawSQL:
    if asked.vector is None or asked.embedder is None:
        return RawSQL("NULL::float8", [], FloatField())
    return RawSQL(
        "(SELECT 1 - (v.vector <=> %s::halfvec) FROM memories_memoryembedding v "
        'WHERE v.memory_id = "memories_memory"."id" AND v.model = %s)',
        [as_halfvec(asked.vector), asked.embedder.name],
        FloatField(),
    )
