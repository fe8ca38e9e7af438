"""The first rows of a long list that is sorted by time, also where it holds several spaces."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db.models import Model, QuerySet
from django.db.models.expressions import RawSQL

Row = TypeVar("Row", bound=Model)


def newest(
    rows: QuerySet[Row], field: str, *, spaces: Collection[UUID], limit: int, offset: int = 0, oldest: bool = False
) -> list[Row]:
    """The latest of `rows` by `field`, then id, all of which lie in `spaces`; with `oldest` the first ones.

    An index has the rows of one space in order, not of several: each space is asked by itself, so that no more of it
    is read than is needed. All in one statement: were a row to leave between two, there would be fewer than `limit`,
    which says that the list ends here.
    """
    sign = "" if oldest else "-"
    order, end = (f"{sign}{field}", f"{sign}pk"), offset + limit
    if len(spaces) < 2:
        return list(rows.order_by(*order)[offset:end])
    parts: list[Any] = [rows.filter(space_id=key).order_by(*order).values("pk", field)[:end] for key in spaces]
    merged = parts[0].union(*parts[1:], all=True).order_by(*order)[offset:end]
    try:
        statement, values = merged.query.sql_with_params()
    except EmptyResultSet:
        return []
    shown = RawSQL(f"SELECT shown.pk FROM ({statement}) AS shown", values)  # noqa: S608, S611 - Django wrote it
    return list(rows.filter(pk__in=shown).order_by(*order))
