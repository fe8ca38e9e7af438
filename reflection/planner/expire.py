"""expire: a record whose time is over leaves the active set. Pure."""

from __future__ import annotations

from datetime import datetime

from reflection.planner.columns import Columns, Mask, micros
from reflection.planner.rows import Cited, Proposal, Standing
from reflection.planner.wording import moment
from reflection.states import Action


def due(columns: Columns, as_of: datetime) -> Mask:
    """Which rows have expired at `as_of`; the instant of expiry itself counts as expired."""
    found: Mask = columns.expires <= micros(as_of)
    return found


def proposal(row: Standing, as_of: datetime) -> Proposal:
    """The proposal for one row that is due."""
    assert row.expires_at is not None
    return Proposal(
        action=Action.EXPIRE,
        target_id=row.id,
        before={"status": "active"},
        after={"status": "expired"},
        why={
            "rule": "expired",
            "text": f"Its time was over on {moment(row.expires_at)}.",
            "expires_at": row.expires_at.isoformat(),
            "as_of": as_of.isoformat(),
        },
        basis=(Cited(row.id, row.version, changes=True),),
    )
