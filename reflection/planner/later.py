"""What passes archive one after the other, if nothing else happens in between. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime

from reflection.planner.columns import Columns, micros
from reflection.planner.survey import Survey


def archived_after(
    columns: Columns, moments: Iterable[datetime], look: Callable[[Columns, datetime], Survey]
) -> list[int]:
    """How many rows are archived after a pass at each of the rising `moments`; `look` says what one would do.

    What a pass took away no later one looks at, as if its time had been over: it tells nothing any more, keeps
    nothing, and does not expire either.
    """
    total, found = 0, []
    for at in moments:
        away = look(columns, at).archived.places
        expires = columns.expires.copy()
        expires[away] = micros(at)
        columns, total = replace(columns, expires=expires), total + len(away)
        found.append(total)
    return found
