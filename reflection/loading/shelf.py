"""Words and meanings for the planner: read for the rows that it asks about, and for no others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models.expressions import RawSQL

from memories.access import Actor
from reflection.filters import Filters
from reflection.loading.columns import SPEAKER, Finder, in_blocks, literal, words_of
from reflection.loading.filtered import memories_of, unit
from reflection.planner.clusters import Matrix, similarity
from reflection.planner.columns import NOBODY, UNNAMED, Columns, Places, micros
from reflection.planner.rows import Row, Rows
from reflection.policy import Policy
from reflection.summarizer.sentences import split
from reflection.summarizer.words import fold

BLOCK = 4096  # vectors compared at once
OUT_OF_SIGHT = UUID(int=0)  # cites a row, and is not among the rows itself
_ROWS = f"""SELECT memory.id, memory.owner_id, memory.team_id, memory.bucket, memory.scope, memory.path, memory.content,
    memory.folded, memory.trust, memory.session, {SPEAKER}, halfvec_send(embedding.vector)
  FROM memories_memory memory
  LEFT JOIN memories_memoryembedding embedding ON embedding.memory_id = memory.id AND embedding.model = %s
  WHERE memory.id IN ({{visible}})"""  # noqa: S608 - constants
_CITES = """SELECT origin_id, target_id FROM memories_memorylink
  WHERE kind = 'derived_from' AND origin_id = ANY(%s) ORDER BY origin_id, position"""
_CITING = "SELECT DISTINCT origin_id FROM memories_memorylink WHERE kind = 'derived_from' AND target_id = ANY(%s)"
_MEANINGS = """SELECT fact.place::int4, said.turn, said.id, embedding.vector
  FROM unnest(%s::uuid[]) WITH ORDINALITY AS fact (id, place)
  CROSS JOIN LATERAL (
    SELECT fact.id, -1 UNION ALL
    SELECT target_id, position FROM memories_memorylink WHERE origin_id = fact.id AND kind = 'derived_from'
  ) AS said (id, turn)
  JOIN memories_memoryembedding embedding ON embedding.memory_id = said.id
  WHERE embedding.model = %s AND embedding.dimension = %s"""


class StoredShelf:
    """A planner's shelf over the database: a constant number of queries, whatever the number of rows.

    `model` is the embedding model whose vectors count; empty: none, and everything goes by words.
    """

    def __init__(
        self, columns: Columns, filters: Filters, actor: Actor, *, as_of: datetime, rules: Policy, model: str
    ) -> None:
        self.columns, self.filters, self.actor, self.rules, self.model = columns, filters, actor, rules, model
        self.live = columns.expires > micros(as_of)
        self._find = Finder(columns.ids)

    def rows(self, places: Places) -> list[Row]:
        """These rows whole; see Shelf. Versions are those of the columns: what was written since counts as drift."""
        ids = [self.columns.id_of(place) for place in places.tolist()]
        wanted = RawSQL("SELECT unnest(%s::uuid[])", [ids])
        visible = memories_of(self.filters, self.actor).filter(pk__in=wanted).order_by().values("pk")
        sql, params = visible.query.sql_with_params()
        found = {row[0]: row for row in _ask(_ROWS.format(visible=sql), [self.model, *params])}
        cites = self._cites(found)
        rows = [self._row(place, found.get(key), cites) for place, key in zip(places.tolist(), ids, strict=True)]
        return [row for row in rows if row is not None]

    def _cites(self, ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
        cites: dict[UUID, list[UUID]] = defaultdict(list)
        for origin, target in _ask(_CITES, [list(ids)]):
            cites[origin].append(target)
        return cites

    def _row(self, place: int, said: tuple[Any, ...] | None, cites: dict[UUID, list[UUID]]) -> Row | None:
        if said is None:
            return None
        key, owner, team, bucket, scope, path, content, folded, trust, session, speaker, vector = said
        at, by = self.columns.standing(place), int(self.columns.cited_by[place])
        return Row(
            **{name: getattr(at, name) for name in at.__slots__},
            owner_id=owner,
            team_id=team,
            bucket=bucket,
            scope=scope,
            path=path,
            content=content,
            folded=folded,
            trust=trust,
            session=session,
            speaker=speaker,
            cited_by=None if by == NOBODY else self.columns.id_of(by) if by >= 0 else OUT_OF_SIGHT,
            cites=tuple(cites.get(key, ())),
            vector=None if vector is None else unit(np.frombuffer(vector, dtype=">f2", offset=4)),
        )

    def facts(self, clusters: Sequence[Rows], among: Places) -> list[Row]:
        """See Shelf."""
        members = list({row.id: row for cluster in clusters for row in cluster}.values())
        if not members or not len(among):
            return []
        found = {*self._citing(members, among), *self._saying(members, among), *self._nearest(members, among)}
        return self.rows(np.array(sorted(found), dtype=np.int64)) if found else []

    def _citing(self, members: Rows, among: Places) -> list[int]:
        ids = [row[0].bytes for row in _ask(_CITING, [[row.id for row in members]])]
        places = self._find.places(np.array(ids, dtype="S16"))
        return np.intersect1d(places, among).tolist()

    def _saying(self, members: Rows, among: Places) -> list[int]:
        """Facts in the words of a member or of one of its sentences, folded here or by the database."""
        sentences = list({text: None for row in members for text in split(row.content)})
        folded = [text for (text,) in _ask("SELECT mc_fold(text) FROM unnest(%s::text[]) AS text", [sentences])]
        words = {row.folded for row in members} | {fold(text) for text in sentences} | set(folded)
        places = {(row.owner_id, row.bucket, row.scope, by) for row in members for by in (row.speaker, None)}
        said = [words_of(who, at, in_, "semantic", text, by) for who, at, in_, by in places for text in words]
        return among[np.isin(self.columns.words[among], np.array(said, dtype="S16"))].tolist()

    def _nearest(self, members: Rows, among: Places) -> list[int]:
        """The nearest fact that each member may be known by, counting what it cites, where that is near enough."""
        told = [(row, row.vector) for row in members if row.vector is not None]
        if not told:
            return []
        bounds, speakers = self.columns.boundaries, self.columns.speakers
        at = self._find.places(np.array([row.id.bytes for row, _ in told], dtype="S16"))
        where = zip(bounds[at].tolist(), speakers[at].tolist(), told, strict=True)
        asked = {(bound, speaker, vector.tobytes()): vector for bound, speaker, (_, vector) in where}
        meant = np.stack(list(asked.values()))
        asked_of, asked_by = (np.array([key[n] for key in asked]) for n in (0, 1))
        near = _Nearest(meant, asked_of, asked_by, self.rules.cosine_floor)
        ids = literal(self.columns.ids[among])
        layout = [("fact", ">i4"), ("turn", ">i4"), ("said", "S16"), ("vector", f"S{4 + 2 * meant.shape[1]}")]
        for block in in_blocks(_MEANINGS, [ids, self.model, meant.shape[1]], layout, BLOCK):
            places = self._find.places(block["said"])
            here = (places >= 0) & self.live[places]
            order = (block["fact"].astype(np.int64) << 32) + block["turn"]
            fact = among[block["fact"][here].astype(np.int64) - 1]
            near.look(order[here], places[here], bounds[fact], speakers[fact], _vectors(block["vector"])[here])
        close = near.best >= self.rules.promote_known_cosine
        return [*among[((near.order[close] + 1) >> 32) - 1].tolist(), *near.said[close].tolist()]


class _Nearest:
    """For each asked vector the nearest that was looked at; of equal ones the first in order.

    Of its boundary, and of its speaker or nobody known.
    """

    def __init__(self, asked: Matrix, bounds: Places, speakers: Places, floor: float) -> None:
        self.asked, self.bounds, self.speakers, self.floor = asked, bounds, speakers, floor
        self.best = np.full(len(asked), -1.0)
        self.order = np.zeros(len(asked), dtype=np.int64)
        self.said = np.zeros(len(asked), dtype=np.int64)

    def look(self, order: Places, said: Places, bounds: Places, speakers: Places, vectors: Matrix) -> None:
        """Compare with more vectors, each with its place in the order and that of its row, and whose fact it is."""
        if not len(order):
            return
        turn = np.argsort(order)  # argmax takes the first of equal ones
        near = np.round(similarity(self.asked, self.floor, vectors[turn]), 5)
        bound, speaker = bounds[turn][None, :], speakers[turn][None, :]
        own = (self.bounds[:, None] == bound) & ((speaker == UNNAMED) | (self.speakers[:, None] == speaker))
        near[~own] = -1.0
        at = near.argmax(axis=1)
        best, first = near[np.arange(len(near)), at], order[turn[at]]
        better = (best > self.best) | ((best == self.best) & (first < self.order))
        self.best[better], self.order[better] = best[better], first[better]
        self.said[better] = said[turn[at]][better]


def _vectors(sent: np.ndarray[Any, Any]) -> Matrix:
    """Vectors of unit length from what halfvec sends: two whole numbers, then halves."""
    size = sent.dtype.itemsize
    raw = np.ascontiguousarray(sent).view(np.uint8).reshape(len(sent), size)
    values: Matrix = np.ascontiguousarray(raw[:, 4:]).view(">f2").astype(np.float32)
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    values /= np.where(lengths > 0, lengths, 1.0)
    return values


def _ask(sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return list(cursor.fetchall())
