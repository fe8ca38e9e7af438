"""expire: a record whose time is over leaves the active set. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from reflection.planner.rows import Cited, Proposal, Row, Rows
from reflection.planner.wording import moment
from reflection.states import Action


def due(row: Row, as_of: datetime) -> bool:
    """Whether the row has expired at `as_of`; the instant of expiry itself counts as expired."""
    return row.expires_at is not None and row.expires_at <= as_of


def candidates(rows: Rows, *, as_of: datetime) -> Iterator[Proposal]:
    """One proposal for each row that is due, in the order of `rows`."""
    for row in rows:
        if row.expires_at is None or not due(row, as_of):
            continue
        yield Proposal(
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
