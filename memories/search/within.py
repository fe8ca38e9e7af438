"""Rows as the FROM and WHERE of a statement: compiled once for a search and used in all of its statements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db.models import Q, QuerySet

from memories.models import Memory

MEMORY = '"memories_memory"'
NEWEST_FIRST = f'{MEMORY}."created_at" DESC, {MEMORY}."id" DESC'


@dataclass(frozen=True, slots=True)
class Sql:
    """A piece of SQL with the values of its placeholders. The text is made of constants and of what Django compiled."""

    text: str
    params: tuple[Any, ...] = ()

    def __and__(self, other: Sql) -> Sql:
        """Both as conditions."""
        return Sql(f"{self.text} AND ({other.text})", (*self.params, *other.params))


@dataclass(frozen=True, slots=True, eq=False)
class Within:
    """The rows of a queryset, as `FROM … WHERE …`."""

    queryset: QuerySet[Memory]
    rows: Sql
    spaces: str  # that the rows stand in, as an array

    @classmethod
    def of(cls, rows: QuerySet[Memory], spaces: Iterable[UUID]) -> Within:
        """`rows`, which have at least one condition: the boundary of `spaces`."""
        inside = array_of([str(key) for key in spaces])
        try:
            text, params = rows.order_by().values("pk").query.sql_with_params()
        except EmptyResultSet:  # the boundary admits nothing at all, such as an empty list of buckets
            return cls(rows, Sql(f"FROM {MEMORY} WHERE false"), inside)
        return cls(rows, Sql(text[text.index(" FROM ") + 1 :], tuple(params)), inside)

    def narrowed(self, condition: Q) -> Within:
        """Those of the rows that also meet `condition`."""
        rows = self.queryset.filter(condition)
        return replace(self, queryset=rows, rows=Within.of(rows, ()).rows)

    def select(self, columns: Sql, condition: Sql | None = None, *, order: Sql | None = None, most: int = 0) -> Sql:
        """A statement that reads `columns` of the rows that meet `condition`, in `order`, at most `most` (0: all)."""
        rows = self.rows if condition is None else self.rows & condition
        text, params = f"SELECT {columns.text} {rows.text}", (*columns.params, *rows.params)
        if order is not None:
            text, params = f"{text} ORDER BY {order.text}", (*params, *order.params)
        return Sql(f"{text} LIMIT {most}" if most else text, params)


def among(ids: list[str]) -> Sql:
    """A condition: the row is one of these."""
    return Sql(f'{MEMORY}."id" = ANY(%s::uuid[])', (array_of(ids),))


def array_of(ids: list[str]) -> str:
    """Ids as PostgreSQL reads an array, which is quicker than to have each of them quoted."""
    return "{" + ",".join(ids) + "}"
