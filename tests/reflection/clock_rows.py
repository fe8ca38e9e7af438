"""A plan over fixed rows as text, for processes that run on other clocks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from reflection.planner import plan
from reflection.planner.rows import Window
from reflection.policy import Policy
from reflection.states import Action
from tests.reflection.planner_rows import row

AS_OF = datetime(2026, 3, 8, 10, 30, tzinfo=UTC)


def report() -> str:
    """What a pass over a day with a leap of the clock would do, every number of it."""
    texts = ["The queue stopped at nine.", "The worker was restarted.", "All parcels had their labels."]
    told = [(text, 9 - n, {"session": "day", "path": "atlas/day"}) for n, text in enumerate(texts)]
    said = [("Deploys happen on Thursdays.", 2 * n + 1, {"session": f"t{n}", "path": f"atlas/{n}"}) for n in range(3)]
    due = [("The code is 4417.", 50 * 24, {"expires_at": AS_OF}), ("The printer was moved.", 40 * 24, {})]
    rows = [
        row(n, text, created_at=AS_OF - timedelta(hours=hours), **more)
        for n, (text, hours, more) in enumerate([*told, *said, *due])
    ]
    found = plan(
        rows,
        actions=list(Action),
        window=Window(AS_OF - timedelta(days=2), AS_OF),
        as_of=AS_OF,
        policy=Policy(),
        limit=500,
    )
    return repr([(one.action, one.before, one.after, one.why) for one in found.proposals]) + repr(found.near_misses)
