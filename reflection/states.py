"""The states of a pass and of a candidate, and who may follow whom. Pure."""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    """The five actions of reflect, in canonical order."""

    SUMMARIZE = "summarize"
    PROMOTE = "promote"
    EXPIRE = "expire"
    DECAY = "decay"
    ARCHIVE = "archive"


class PassKind(StrEnum):
    """What a pass is for: the maintenance of the contract, or taking back what a token wrote."""

    REFLECT = "reflect"
    REVERT = "revert"


class Reversal(StrEnum):
    """What a pass that takes a token's writes back does to a record."""

    REVERT = "revert"  # give it back what it was
    TRASH = "trash"  # the token made it


CHANGES: dict[PassKind, tuple[Action | Reversal, ...]] = {
    PassKind.REFLECT: tuple(Action),
    PassKind.REVERT: tuple(Reversal),
}


class Status(StrEnum):
    """Where a pass stands."""

    PLANNING = "planning"
    PLANNED = "planned"
    APPROVED = "approved"
    APPLYING = "applying"
    APPLIED = "applied"
    ROLLED_BACK = "rolled_back"
    REJECTED = "rejected"
    EXPIRED = "expired"
    FAILED = "failed"


NEXT: dict[Status, frozenset[Status]] = {
    Status.PLANNING: frozenset({Status.PLANNED, Status.FAILED}),
    Status.PLANNED: frozenset({Status.APPROVED, Status.REJECTED, Status.EXPIRED}),
    Status.APPROVED: frozenset({Status.APPLYING, Status.REJECTED}),
    Status.APPLYING: frozenset({Status.APPLIED, Status.FAILED}),
    Status.APPLIED: frozenset({Status.ROLLED_BACK}),
    Status.ROLLED_BACK: frozenset(),
    Status.REJECTED: frozenset(),
    Status.EXPIRED: frozenset(),
    Status.FAILED: frozenset(),
}

FINAL = frozenset(status for status, after in NEXT.items() if not after)


class Outcome(StrEnum):
    """What became of one candidate."""

    PENDING = "pending"
    EXCLUDED = "excluded"
    APPLIED = "applied"
    DRIFTED = "drifted"
    ROLLED_BACK = "rolled_back"
    KEPT = "kept"  # roll back left it: the record had moved on since the pass wrote it


def may_follow(was: Status, to: Status) -> bool:
    """Whether a pass in `was` may become `to`."""
    return to in NEXT[was]
