"""What passes changed, summed up over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import IntegerField, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from memories.access import Actor
from memories.services.tallies import among
from reflection import queries
from reflection.states import Action, PassKind


def applied(moments: Sequence[datetime], *, actor: Actor) -> dict[Action, list[int]]:
    """For each action how many changes visible passes made in each of the periods that begin at `moments`.

    What was undone later counts all the same: it happened.
    """
    rows = queries.passes_of(actor).filter(kind=PassKind.REFLECT, applied_at__gte=moments[0])
    sums = {
        action.value: Sum(Cast(KeyTextTransform(action.value, "applied_counts"), IntegerField()), default=0)
        for action in Action
    }
    found: dict[Action, list[int]] = {action: [0] * len(moments) for action in Action}
    counted: Iterable[Any] = rows.order_by().values(period=among("applied_at", moments)).annotate(**sums)
    for row in counted:
        for action in Action:
            found[action][row["period"] - 1] = row[action.value]
    return found
