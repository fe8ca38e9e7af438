"""What the states of a pass are called, for sentences and for pages."""

from __future__ import annotations

from console.saying import phrase_of
from reflection.states import Status

STATES = {
    Status.PLANNING: phrase_of("state of a pass", "being planned"),
    Status.PLANNED: phrase_of("state of a pass", "planned"),
    Status.APPROVED: phrase_of("state of a pass", "approved"),
    Status.APPLYING: phrase_of("state of a pass", "applying"),
    Status.APPLIED: phrase_of("state of a pass", "applied"),
    Status.REJECTED: phrase_of("state of a pass", "rejected"),
    Status.EXPIRED: phrase_of("state of a pass", "expired"),
    Status.FAILED: phrase_of("state of a pass", "failed"),
    Status.ROLLED_BACK: phrase_of("state of a pass", "undone"),
}
