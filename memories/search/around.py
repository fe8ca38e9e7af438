"""What was said just before and after a memory in the same session of the same space."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from django.db import connection

from memories.search.strength import BESIDE

WINDOWS = """
SELECT anchor.id, near.id, near.distance
FROM unnest(%(ids)s::uuid[]) AS wanted (id)
JOIN memories_memory anchor ON anchor.id = wanted.id AND anchor.session IS NOT NULL
CROSS JOIN LATERAL (
  (SELECT m.id, -row_number() OVER (ORDER BY m.created_at DESC, m.id DESC) AS distance
   FROM memories_memory m
   WHERE m.space_id = anchor.space_id AND m.session = anchor.session
     AND (m.created_at, m.id) < (anchor.created_at, anchor.id)
   ORDER BY m.created_at DESC, m.id DESC LIMIT %(most)s)
  UNION ALL
  (SELECT m.id, row_number() OVER (ORDER BY m.created_at, m.id)
   FROM memories_memory m
   WHERE m.space_id = anchor.space_id AND m.session = anchor.session
     AND (m.created_at, m.id) > (anchor.created_at, anchor.id)
   ORDER BY m.created_at, m.id LIMIT %(most)s)
) AS near
"""


def beside(anchors: Sequence[UUID]) -> dict[UUID, dict[int, UUID]]:
    """For each of `anchors`, and for each row found near one: the ids beside it by distance (-4 … 4, without 0).

    The rows are not checked against anybody's boundary; whoever uses them reads them through what is visible.
    """
    if not anchors:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(WINDOWS, {"ids": list(anchors), "most": len(BESIDE)})
        found = cursor.fetchall()
    windows: dict[UUID, dict[int, UUID]] = defaultdict(dict)
    for anchor, near, distance in found:
        windows[anchor][distance] = near
    around: dict[UUID, dict[int, UUID]] = defaultdict(dict)
    for anchor, window in windows.items():
        places = [(0, anchor), *window.items()]
        for here, one in places:
            around[one].update({at - here: other for at, other in places if 0 < abs(at - here) <= len(BESIDE)})
    return around
