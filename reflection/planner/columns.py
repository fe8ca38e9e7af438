"""All rows of a pass as columns: where each stands, without words and meanings. Pure.

A pass looks at every record of a space and proposes at most a few hundred. Rules that need no words are decided over
these arrays; only what comes of it is made into rows. Times are whole microseconds since EPOCH, as PostgreSQL keeps
them, so that comparing loses nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from reflection.planner.rows import Row, Standing

Places = NDArray[np.int64]  # positions in the columns, rising
Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Shares = NDArray[np.float64]

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
NEVER, NOT_YET = np.iinfo(np.int64).max, np.iinfo(np.int64).min  # as PostgreSQL's infinity and -infinity
NOBODY, ELSEWHERE = -1, -2  # cited by no summary; by one that is not among the rows
UNNAMED = 0  # no speaker is known
KINDS = ("episodic", "semantic", "procedural", "working", "identity")
_MICROSECOND = timedelta(microseconds=1)


def micros(at: datetime) -> int:
    """Microseconds from EPOCH to `at`, which is aware."""
    return (at - EPOCH) // _MICROSECOND


def span(length: timedelta) -> int:
    """A length of time in microseconds."""
    return length // _MICROSECOND


def days(count: float) -> int:
    """That many days in microseconds, rounded as timedelta does; more than time itself where nothing is as long."""
    try:
        return span(count * timedelta(days=1))
    except OverflowError:
        return int(NEVER)


def moment(at: int) -> datetime:
    """The aware moment `at` microseconds from EPOCH."""
    return EPOCH + timedelta(microseconds=int(at))


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """One array per field, all of one length, in order of (created, id)."""

    ids: NDArray[np.bytes_]  # 16 bytes each
    versions: Numbers
    kinds: Numbers  # positions in KINDS
    created: Numbers
    updated: Numbers
    used: Numbers  # NOT_YET: never; so is the next
    reactivated: Numbers
    expires: Numbers  # NEVER: not at all
    anchors: Numbers
    importance: Shares
    base: Shares
    pinned: Mask
    held: Mask
    summaries: Mask
    undated: Mask  # created is only when they were imported
    boundaries: Numbers  # equal where the boundary is equal; so are the next two for their fields
    paths: Numbers
    speakers: Numbers  # equal where the speaker is; UNNAMED: nobody knows
    words: NDArray[np.bytes_]  # boundary, type, speaker and normalised content in one; empty: no words
    cited_by: Numbers  # the place of the active summary that cites this row, or NOBODY, or ELSEWHERE
    cites: tuple[Places, Places]  # places of summaries, and of what they cite: one pair each

    def __len__(self) -> int:
        return len(self.ids)

    def kind(self, name: str) -> Mask:
        """Which rows are of this type."""
        found: Mask = self.kinds == KINDS.index(name)
        return found

    @property
    def protected(self) -> Mask:
        """Which rows a pass must not change."""
        return self.held | self.pinned | self.kind("identity")

    @property
    def touched(self) -> Numbers:
        """The last of use, edit, being brought back and coming here."""
        found: Numbers = np.max([self.updated, self.anchors, self.used, self.reactivated], axis=0)
        return found

    @property
    def originals(self) -> Mask:
        """Events that may be told: episodic, not written by a pass, not under hold."""
        return self.kind("episodic") & ~self.summaries & ~self.held

    @property
    def placed_in_time(self) -> Mask:
        """Originals of which somebody knows when they were: only these can make up an episode."""
        return self.originals & ~self.undated

    def id_of(self, place: int) -> UUID:
        """The id of one row."""
        return UUID(bytes=bytes(self.ids[place]).ljust(16, b"\0"))

    def ids_at(self, places: Places) -> Container[UUID]:
        """The ids of many rows, to be looked up in."""
        return _Ids(frozenset(self.ids[places].tolist()))

    def standing(self, place: int) -> Standing:
        """One row, as far as it stands here."""
        expires, used, back = self.expires[place], self.used[place], self.reactivated[place]
        return Standing(
            id=self.id_of(place),
            version=int(self.versions[place]),
            memory_type=KINDS[self.kinds[place]],
            created_at=moment(self.created[place]),
            updated_at=moment(self.updated[place]),
            expires_at=None if expires == NEVER else moment(expires),
            last_used_at=None if used == NOT_YET else moment(used),
            reactivated_at=None if back == NOT_YET else moment(back),
            importance=float(self.importance[place]),
            base=float(self.base[place]),
            anchor=moment(self.anchors[place]),
            pinned=bool(self.pinned[place]),
            held=bool(self.held[place]),
            is_summary=bool(self.summaries[place]),
            undated=bool(self.undated[place]),
        )


@dataclass(frozen=True, slots=True)
class _Ids:
    """Ids as numpy gives them, without the zeros at their end."""

    known: frozenset[bytes]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, UUID) and key.bytes.rstrip(b"\0") in self.known


def columns_of(rows: Sequence[Row]) -> Columns:
    """The columns of `rows`, which are sorted by (created_at, id)."""
    places = {row.id: place for place, row in enumerate(rows)}
    pairs = [(places[row.id], places[key]) for row in rows if row.is_summary for key in row.cites if key in places]
    return Columns(
        ids=np.array([row.id.bytes for row in rows], dtype="S16"),
        versions=_whole([row.version for row in rows]),
        kinds=_whole([KINDS.index(row.memory_type) for row in rows]),
        created=_whole([micros(row.created_at) for row in rows]),
        updated=_whole([micros(row.updated_at) for row in rows]),
        used=_whole([NOT_YET if row.last_used_at is None else micros(row.last_used_at) for row in rows]),
        reactivated=_whole([NOT_YET if row.reactivated_at is None else micros(row.reactivated_at) for row in rows]),
        expires=_whole([NEVER if row.expires_at is None else micros(row.expires_at) for row in rows]),
        anchors=_whole([micros(row.anchor) for row in rows]),
        importance=np.array([row.importance for row in rows], dtype=np.float64),
        base=np.array([row.base for row in rows], dtype=np.float64),
        pinned=np.array([row.pinned for row in rows], dtype=bool),
        held=np.array([row.held for row in rows], dtype=bool),
        summaries=np.array([row.is_summary for row in rows], dtype=bool),
        undated=np.array([row.undated for row in rows], dtype=bool),
        boundaries=_codes([row.boundary for row in rows]),
        paths=_codes([row.path for row in rows]),
        speakers=_whole(_speakers(rows)),
        words=_words(rows),
        cited_by=_whole([NOBODY if row.cited_by is None else places.get(row.cited_by, ELSEWHERE) for row in rows]),
        cites=(_whole([origin for origin, _ in pairs]), _whole([target for _, target in pairs])),
    )


def _whole(values: Sequence[int]) -> Numbers:
    return np.array(values, dtype=np.int64)


def _codes(values: Sequence[object]) -> Numbers:
    """Equal numbers for equal values."""
    known: dict[object, int] = defaultdict(lambda: len(known))
    return _whole([known[value] for value in values])


def _speakers(rows: Sequence[Row]) -> list[int]:
    known: dict[str | None, int] = {None: UNNAMED}
    return [known.setdefault(row.speaker, len(known)) for row in rows]


def _words(rows: Sequence[Row]) -> NDArray[np.bytes_]:
    codes = _codes([(*row.boundary, row.memory_type, row.speaker, row.folded) for row in rows])
    found = [b"%d" % code if row.folded else b"" for row, code in zip(rows, codes, strict=True)]
    return np.array(found, dtype="S16")
