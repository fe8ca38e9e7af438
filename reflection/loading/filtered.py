"""Which memories a pass looks at, and how a stored vector becomes one of unit length."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.db.models import Q, QuerySet

from memories.access import Actor, visible_to
from memories.models import Memory
from memories.patterns import ilike
from reflection.filters import Filters


def memories_of(filters: Filters, actor: Actor) -> QuerySet[Memory]:
    """The active, unredacted memories that the filters name, inside the actor's boundary."""
    rows = visible_to(actor, Memory.objects.all()).filter(space_id=filters.space.id, state__status="active")
    rows = rows.filter(redacted_at__isnull=True)
    wanted = Q()
    if filters.owner_id is not None:
        wanted &= Q(owner_id=filters.owner_id)
    if filters.scope is not None:
        wanted &= Q(scope=filters.scope)
    if filters.bucket != "%":
        wanted &= ilike("bucket", filters.bucket)
    if filters.path != "%":
        wanted &= ilike("path", filters.path)
    return rows.filter(wanted)


def unit(vector: Any) -> Any:
    """`vector` as float32 of unit length; None for one without a length."""
    values = np.asarray(vector.to_numpy() if hasattr(vector, "to_numpy") else vector, dtype=np.float32)
    length = float(np.linalg.norm(values))
    return values / length if length else None
