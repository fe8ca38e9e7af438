"""What was said just before and after a memory in the same session of the same space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from django.db import connection

from memories.search.strength import BESIDE, DISTANCES, NOBODY, Places
from memories.search.within import array_of

Window = list[str | None]  # ids at the distances -4 … 4; None: nobody is there
MOST = len(BESIDE)

WINDOWS = """
SELECT anchor.id::text,
  ARRAY(SELECT m.id::text FROM memories_memory m
        WHERE m.space_id = anchor.space_id AND m.session = anchor.session
          AND (m.created_at, m.id) < (anchor.created_at, anchor.id)
        ORDER BY m.created_at DESC, m.id DESC LIMIT %(most)s),
  ARRAY(SELECT m.id::text FROM memories_memory m
        WHERE m.space_id = anchor.space_id AND m.session = anchor.session
          AND (m.created_at, m.id) > (anchor.created_at, anchor.id)
        ORDER BY m.created_at, m.id LIMIT %(most)s)
FROM unnest(%(ids)s::uuid[]) AS wanted (id)
JOIN memories_memory anchor ON anchor.id = wanted.id AND anchor.session IS NOT NULL
"""


def windows(anchors: Sequence[str]) -> list[Window]:
    """For each of `anchors` that was said in a session, who stands around it.

    The rows are not checked against anybody's boundary; whoever uses them reads them through what is visible.
    """
    if not anchors:
        return []
    with connection.cursor() as cursor:
        cursor.execute(WINDOWS, {"ids": array_of(list(anchors)), "most": MOST})
        found = cursor.fetchall()
    return [
        [*[None] * (MOST - len(before)), *reversed(before), anchor, *after, *[None] * (MOST - len(after))]
        for anchor, before, after in found
    ]


def beside(around: Sequence[Window], places: Mapping[str, int]) -> Places:
    """For each row of `places` the places of those beside it, in the columns of DISTANCES; NOBODY where there is none,
    or where it has no place. Rows of a window know each other as well as the row in its middle.
    """
    near = np.full((len(places), len(DISTANCES)), NOBODY, dtype=np.intp)
    if not around:
        return near
    there = np.array([[places.get(one, NOBODY) if one else NOBODY for one in window] for window in around])
    for column, distance in enumerate(DISTANCES):
        ones = there[:, max(-distance, 0) : there.shape[1] - max(distance, 0)].ravel()
        others = there[:, max(distance, 0) : there.shape[1] - max(-distance, 0)].ravel()
        known = (ones != NOBODY) & (others != NOBODY)
        near[ones[known], column] = others[known]
    return near
