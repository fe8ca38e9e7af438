"""Which rows may answer: by words, by meaning and by date, each a bounded query over the rows that may be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone

from memories.embedding import Embedder, Vectors
from memories.models import Memory
from memories.search.nearest import as_halfvec, nearest
from memories.search.strength import Rows
from memories.search.terms import CJK, SHORTEST_BEGINNING, Terms
from memories.search.wanted import like, literal
from memories.search.within import MEMORY, NEWEST_FIRST, Sql, Within, among

COUNTED = 2_000  # rows counted of one term; a term of so many says next to nothing
CANDIDATES = 1_000  # rows ranked by words
LOOKED_AT = 5_000  # rows with any of the terms from which the candidates are taken
NEAREST = 100  # rows ranked by meaning
TELLING = 0.2  # of the rarest term's weight: what weighs less finds no candidates of its own
SHORTEST_PART = 3  # characters of a part of an id that are looked for; of a word, SHORTEST_BEGINNING letters

COSINE = """(SELECT 1 - (v.vector <=> %s::halfvec) FROM memories_memoryembedding v
  WHERE v.memory_id = "memories_memory"."id" AND v.model = %s)"""

IN_SPACES = "SELECT m.id FROM memories_memory m WHERE m.space_id = ANY(%s::uuid[]) AND m.search @@ %s::tsquery"


@dataclass(frozen=True, slots=True)
class Question:
    """A query in both forms; `vector` is None where the model cannot be reached.

    `weights` say what finding each term tells (nats), `counts` how many rows have it (dates are not counted: 0), and
    `total` how many there are, counted up to COUNTED.
    """

    terms: Terms
    weights: tuple[float, ...]
    counts: tuple[int, ...]
    total: int
    embedder: Embedder | None
    vector: Vectors | None

    @property
    def floor(self) -> float:
        """What unlike texts score in the model."""
        return 0.0 if self.embedder is None or self.vector is None else self.embedder.floor


def first(asked: Question, within: Within) -> Rows:
    """The rows worth a closer look, read without telling content from other fields."""
    columns = _columns(asked, content=False)
    statements = [*_by_words(asked, within, columns), *_by_date(asked, within, columns)]
    if near := _nearest(asked, within.queryset):
        statements.append(within.select(columns, among(near)))
    return _fetch(asked, statements)


def read(asked: Question, within: Within, ids: list[str]) -> Rows:
    """Those of `ids` that are `within`, with what they have of the question and which terms stand in their content."""
    return _fetch(asked, [within.select(_columns(asked, content=True), among(ids))] if ids else [])


def those(within: Within, ids: list[str]) -> list[str]:
    """Those of `ids` that are `within`."""
    if not ids:
        return []
    asked = within.select(Sql(f'{MEMORY}."id"::text'), among(ids))
    with connection.cursor() as cursor:
        cursor.execute(asked.text, asked.params)
        return [line[0] for line in cursor.fetchall()]


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


def newest(rows: QuerySet[Memory]) -> list[str]:
    """The ids of the newest of `rows`."""
    return [str(key) for key in rows.order_by("-created_at", "-pk").values_list("pk", flat=True)[:NEAREST]]


def by_substring(asked: Question, rows: QuerySet[Memory]) -> list[str]:
    """Rows that hold the query as it is, where no word of it is known: parts of ids and of long words."""
    part = asked.terms.folded
    least = SHORTEST_BEGINNING if part.isalpha() else SHORTEST_PART
    if len(part) < least and not any(_joined(letter) for letter in part):
        return []
    return newest(rows.filter(holding(part)))


def has(query: str) -> Sql:
    """A condition: the row's words match this tsquery."""
    return Sql(f'{MEMORY}."search" @@ %s::tsquery', (query,))


def _joined(letter: str) -> bool:
    return CJK.match(letter) is not None


def _columns(asked: Question, *, content: bool) -> Sql:
    """The id, the terms that are there and those that stand in the content as bits, the cosine, and the day."""
    terms = asked.terms.terms
    there = _bits([term.query for term in terms])
    said = _bits([term.said for term in terms] if content else [])
    cosine = _cosine(asked)
    dated = any(term.span is not None for term in terms)
    day = f"({MEMORY}.\"created_at\" AT TIME ZONE 'UTC')::date" if dated else "NULL::date"
    text = f'{MEMORY}."id"::text, {there.text}, {said.text}, {cosine.text}, {day}'
    return Sql(text, (*there.params, *said.params, *cosine.params))


def _bits(queries: list[str]) -> Sql:
    """A number whose bits say which of the queries match; `terms` are fewer than its bits."""
    matches = f'CASE WHEN {MEMORY}."search" @@ %s::tsquery THEN '
    each = [f"{matches}{1 << place}::bigint ELSE 0 END" for place in range(len(queries))]
    return Sql(" + ".join(each) or "0::bigint", tuple(queries))


def _cosine(asked: Question) -> Sql:
    if asked.vector is None or asked.embedder is None:
        return Sql("NULL::float8")
    return Sql(COSINE, (as_halfvec(asked.vector), asked.embedder.name))


def _fetch(asked: Question, statements: Sequence[Sql]) -> Rows:
    """What all of the statements find, each row once, in one journey."""
    lines: dict[str, Any] = {}
    if statements:
        with connection.cursor() as cursor:
            cursor.execute(
                " UNION ALL ".join(f"({one.text})" for one in statements),
                [value for one in statements for value in one.params],
            )
            lines = {line[0]: line for line in cursor.fetchall()}
    ids, there, said, cosine, days = zip(*lines.values(), strict=True) if lines else ((), (), (), (), ())
    bits = np.arange(len(asked.terms.terms), dtype=np.int64)
    known: list[date] = list(days)
    matches = [(np.array(each, dtype=np.int64)[:, None] >> bits) & 1 == 1 for each in (there, said)]
    return Rows(list(ids), matches[0], matches[1], np.array(cosine, dtype=np.float64), known)


def _by_words(asked: Question, within: Within, columns: Sql) -> list[Sql]:
    """Rows with the rarest terms of the query, at most CANDIDATES of them; first those that have all that tell.

    Where no more than CANDIDATES have any of the telling terms, those that have all are among them.
    """
    order = sorted(range(len(asked.weights)), key=lambda place: -asked.weights[place])
    telling = [place for place in order if asked.weights[place] > TELLING * asked.weights[order[0]]]
    if not telling:
        return []
    rare = _rare(asked, telling)
    every = has(" & ".join(f"({asked.terms.terms[place].query})" for place in telling))
    some = _any_of(within, [asked.terms.terms[place].query for place in rare])
    rarest = has(asked.terms.terms[telling[0]].query)
    rarest_first = Sql(f"({rarest.text}) DESC, {NEWEST_FIRST}", rarest.params)
    statements = [within.select(columns, some, order=rarest_first, most=CANDIDATES)]
    counted = rare == telling and not any(asked.terms.terms[place].span for place in rare)
    if not counted or sum(asked.counts[place] for place in rare) > CANDIDATES:
        statements.append(within.select(columns, every, order=Sql(NEWEST_FIRST), most=NEAREST))
    return statements


def _any_of(within: Within, queries: list[str]) -> Sql:
    """A condition: the row, which is `within`, matches one of the queries.

    Each is looked up by itself. Without statistics of the texts the planner takes one query of many words for half of
    the table and would read it from end to end.
    """
    if len(queries) == 1:
        return has(queries[0])
    rows = " UNION ALL ".join([IN_SPACES] * len(queries))
    params = tuple(value for query in queries for value in (within.spaces, query))
    return Sql(f'{MEMORY}."id" = ANY(ARRAY({rows}))', params)


def _rare(asked: Question, telling: list[int]) -> list[int]:
    """The rarest of the terms, until so many rows have one that no more can be looked at."""
    chosen, rows = [telling[0]], asked.counts[telling[0]]
    for place in telling[1:]:
        rows += asked.counts[place]
        if rows > LOOKED_AT:
            break
        chosen.append(place)
    return chosen


def _by_date(asked: Question, within: Within, columns: Sql) -> list[Sql]:
    """The newest rows of the days that the question names with their year."""
    moments: list[datetime] = []
    for term in asked.terms.terms:
        if term.span is not None and not term.span.yearly:
            for day in (term.span.start, term.span.end + timedelta(days=1)):
                moments.append(timezone.make_aware(datetime.combine(day, time.min)))
    if not moments:
        return []
    created = f'{MEMORY}."created_at"'
    text = " OR ".join([f"({created} >= %s AND {created} < %s)"] * (len(moments) // 2))
    return [within.select(columns, Sql(text, tuple(moments)), order=Sql(NEWEST_FIRST), most=NEAREST)]


def _nearest(asked: Question, rows: QuerySet[Memory]) -> list[str]:
    """The nearest rows, by one of the two ways of memories/search/nearest.py."""
    if asked.vector is None or asked.embedder is None:
        return []
    rows = rows.filter(embedding__active=True, embedding__model=asked.embedder.name)
    there = asked.total if asked.total < COUNTED else None
    return [str(key) for key in nearest(rows, asked.embedder, asked.vector, most=NEAREST, there=there)]
