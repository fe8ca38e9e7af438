"""What goes into the planner and what comes out: plain values, no database, no clock. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from reflection.states import Action

SKIPPED_KEPT = 500  # records left out that a plan lists; more are counted


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Standing:
    """Where one memory stands: all that expire, decay and archive look at. All times are aware UTC."""

    id: UUID
    version: int
    memory_type: str  # episodic, semantic, procedural, working, identity
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    reactivated_at: datetime | None = None  # when somebody brought it back into the active set
    importance: float  # as stored
    base: float  # importance at `anchor`
    anchor: datetime
    pinned: bool = False
    held: bool = False  # under legal hold
    is_summary: bool = False  # written by a pass
    undated: bool = False  # nobody knows when it was said: `created_at` is only when it was imported

    @property
    def protected(self) -> str | None:
        """Why a pass must not change this row, or None."""
        if self.held:
            return "legal hold"
        if self.pinned:
            return "pinned"
        return "identity" if self.memory_type == "identity" else None

    @property
    def last_touched(self) -> datetime:
        """The last of use, edit, being brought back and coming here: an import sets the anchor to its own time."""
        known = (self.updated_at, self.anchor, self.last_used_at, self.reactivated_at)
        return max(at for at in known if at is not None)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Row(Standing):
    """One active, visible memory as summarize and promote see it, with its words and its meaning."""

    owner_id: UUID
    team_id: UUID | None
    bucket: str
    scope: str | None
    path: str
    content: str
    folded: str  # content normalised (NFKC, case, accents, white space): equal text compares equal
    trust: int
    session: str | None = None  # provenance session id
    speaker: str | None = None  # who says it, where the record's metadata names somebody
    cited_by: UUID | None = None  # the active summary that cites this row
    cites: tuple[UUID, ...] = ()  # for a summary or fact: the rows it cites, in source order
    vector: NDArray[np.float32] | None = None  # unit length; None while the embedding is still due

    @property
    def boundary(self) -> tuple[UUID, UUID | None, str, str | None]:
        """Rows of different boundaries never meet in one cluster."""
        return (self.owner_id, self.team_id, self.bucket, self.scope)


@dataclass(frozen=True, slots=True)
class Window:
    """The look-back window of summarize and promote: `since <= created_at < until`.

    Events of up to `reach` before it belong to an episode that goes on in it.
    """

    since: datetime
    until: datetime
    reach: timedelta = timedelta()

    def __contains__(self, at: datetime) -> bool:
        return self.since <= at < self.until

    def reaches(self, at: datetime) -> bool:
        """Whether an event of that moment may be told with one in the window."""
        return self.since - at <= self.reach and at < self.until


@dataclass(frozen=True, slots=True)
class Cited:
    """One record a proposal changes or cites, with the version seen at planning."""

    memory_id: UUID
    version: int
    changes: bool = False
    quote: str = ""  # the words taken from it, verbatim; empty where nothing is quoted


@dataclass(frozen=True, slots=True)
class Proposal:
    """One change a pass would make.

    `target_id` is the record to change, or None for a new one. `before` and `after` hold only what differs
    (`importance`, `status`) or, for a new or superseded record, its fields (`content`, `path`, `memory_type`,
    `importance`, `confidence`, `trust`, `bucket`, `scope`, `owner_id`, `team_id`, `span`). `why` holds `rule`
    (a stable name), `text` (a sentence a person can check by hand) and the rule's inputs.
    """

    action: Action
    target_id: UUID | None
    before: dict[str, Any]
    after: dict[str, Any]
    why: dict[str, Any]
    basis: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record or cluster that qualified and is left out all the same, or that one gate stopped."""

    action: Action
    memory_ids: tuple[UUID, ...]
    gate: str  # protected, already_known, untrusted, repeated, independent, declarative, too_few …
    text: str


@dataclass(slots=True)
class Plan:
    """The planner's answer, proposals in canonical order (action, then created_at and id of the first basis row)."""

    proposals: list[Proposal] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)  # the first SKIPPED_KEPT
    near_misses: list[Skipped] = field(default_factory=list)
    cut: int = 0  # how many proposals the limit left for a later pass
    more_skipped: int = 0  # how many were skipped beside those listed

    def counts(self) -> dict[str, int]:
        """How many proposals there are of each action, all five named."""
        found = {action.value: 0 for action in Action}
        for proposal in self.proposals:
            found[proposal.action.value] += 1
        return found


Rows = Sequence[Row]
