"""decay: importance follows a closed form of its anchor, so how often a pass ran cannot matter. Pure.

The form is the exponential forgetting curve with a half-life of Settles and Meeder 2016, "A trainable spaced repetition
model for language learning":

    importance(t) = floor + (base - floor) * 2 ** (-(t - anchor) / half_life)
"""

from __future__ import annotations

import math
from datetime import datetime, timedelta

import numpy as np

from reflection.planner.columns import KINDS, Columns, Mask, Shares, micros
from reflection.planner.rows import Cited, Proposal, Standing
from reflection.planner.wording import day, elapsed
from reflection.policy import Policy
from reflection.states import Action

_DAY = timedelta(days=1)
_DIGITS = 6  # of a stored importance
NEAR = 2e-6  # closer than this to a limit, `importance_at` itself decides: numpy may differ from it in the last bit


def importance_at(row: Standing, as_of: datetime, policy: Policy) -> float:
    """The row's importance at `as_of`, in [0, 1].

    Equals `base` before the anchor, for a type without a half-life, and where `base` is at or under the floor already.
    """
    return faded(row.base, row.anchor, row.memory_type, as_of, policy)


def faded(base: float, anchor: datetime, memory_type: str, as_of: datetime, policy: Policy) -> float:
    """What is left at `as_of` of an importance of `base` at `anchor`."""
    base = min(1.0, max(0.0, base))
    half_life = policy.half_life_days.get(memory_type)
    floor = policy.decay_floor
    if memory_type == "identity" or not half_life or base <= floor:
        return base
    days = max(0.0, (as_of - anchor) / _DAY)
    return floor + (base - floor) * math.exp2(-days / half_life)


def importances_at(columns: Columns, as_of: datetime, policy: Policy) -> Shares:
    """`importance_at` of all rows at once, true to about 15 digits."""
    base = np.clip(columns.base, 0.0, 1.0)
    half_life = _half_lives(policy)[columns.kinds]
    floor = policy.decay_floor
    days = np.maximum(0.0, (micros(as_of) - columns.anchors) / 86_400_000_000)
    decays = (half_life != 0) & (base > floor)
    falling = np.exp2(-days / np.where(decays, half_life, 1.0))
    found: Shares = np.where(decays, floor + (base - floor) * falling, base)
    return found


def due(columns: Columns, as_of: datetime, policy: Policy) -> Mask:
    """Which rows have a stored importance that is off by at least `policy.decay_step`."""
    off = np.abs(columns.importance - importances_at(columns, as_of, policy))
    found: Mask = (_half_lives(policy)[columns.kinds] != 0) & (off >= policy.decay_step - NEAR)
    for place in np.flatnonzero(found & (off <= policy.decay_step + NEAR)).tolist():
        row = columns.standing(place)
        value = round(importance_at(row, as_of, policy), _DIGITS)
        found[place] = round(abs(row.importance - value), 9) >= policy.decay_step
    return found


def _half_lives(policy: Policy) -> Shares:
    """Days for each of KINDS; 0 for those that do not decay."""
    lives = [0.0 if kind == "identity" else policy.half_life_days.get(kind) or 0.0 for kind in KINDS]
    return np.array(lives, dtype=np.float64)


def proposal(row: Standing, as_of: datetime, policy: Policy) -> Proposal:
    """The proposal for one row that is due."""
    value = round(importance_at(row, as_of, policy), _DIGITS)
    half_life = policy.half_life_days[row.memory_type]
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
            "days": round(max(0.0, (as_of - row.anchor) / _DAY), 3),
            "half_life_days": half_life,
            "floor": policy.decay_floor,
            "as_of": as_of.isoformat(),
        },
        basis=(Cited(row.id, row.version, changes=True),),
    )
