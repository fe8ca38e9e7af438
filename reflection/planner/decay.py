"""decay: importance follows a closed form of its anchor, so how often a pass ran cannot matter. Pure.

The form is the exponential forgetting curve with a half-life of Settles and Meeder 2016, "A trainable spaced repetition
model for language learning":

    importance(t) = floor + (base - floor) * 2 ** (-(t - anchor) / half_life)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime, timedelta

from reflection.planner.rows import Cited, Proposal, Row, Rows
from reflection.planner.wording import day, elapsed
from reflection.policy import Policy
from reflection.states import Action

_DAY = timedelta(days=1)


def importance_at(row: Row, as_of: datetime, policy: Policy) -> float:
    """The row's importance at `as_of`, in [0, 1].

    Equals `base` before the anchor, for a type without a half-life, and where `base` is at or under the floor already.
    """
    base = min(1.0, max(0.0, row.base))
    half_life = policy.half_life_days.get(row.memory_type)
    floor = policy.decay_floor
    if row.memory_type == "identity" or not half_life or base <= floor:
        return base
    days = max(0.0, (as_of - row.anchor) / _DAY)
    return floor + (base - floor) * math.exp2(-days / half_life)


def candidates(rows: Rows, *, as_of: datetime, policy: Policy) -> Iterator[Proposal]:
    """One proposal for each row whose stored importance is off by at least `policy.decay_step`."""
    for row in rows:
        half_life = policy.half_life_days.get(row.memory_type)
        if not half_life or row.memory_type == "identity":
            continue
        value = round(importance_at(row, as_of, policy), 6)
        if round(abs(row.importance - value), 9) >= policy.decay_step:
            yield _proposal(row, value, half_life, as_of, policy.decay_floor)


def _proposal(row: Row, value: float, half_life: float, as_of: datetime, floor: float) -> Proposal:
    days = round(max(0.0, (as_of - row.anchor) / _DAY), 3)
    return Proposal(
        action=Action.DECAY,
        target_id=row.id,
        before={"importance": row.importance},
        after={"importance": value},
        why={
            "rule": "half_life",
            "text": (
                f"Importance {row.base:.3f} on {day(row.anchor)}, {elapsed(row.anchor, as_of)} ago; "
                f"with a half-life of {half_life:g} days it is now {value:.3f}."
            ),
            "base": row.base,
            "anchor": row.anchor.isoformat(),
            "days": days,
            "half_life_days": half_life,
            "floor": floor,
            "as_of": as_of.isoformat(),
        },
        basis=(Cited(row.id, row.version, changes=True),),
    )
