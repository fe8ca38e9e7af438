"""The values by which a list of memories can be narrowed, and how many rows each of them would leave.

One statement reads the narrow columns of the visible memories once. A row counts towards a facet when it passes the
filters of all the others: then the count of a value is what the list holds after that value is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import OperationalError, connection, transaction
from django.db.models import Case, F, Func, IntegerField, Q, QuerySet, TextField, Value, When
from django.db.models.expressions import Combinable
from psycopg.errors import QueryCanceled

from memories.access import Actor, visible_to
from memories.models import Memory
from memories.patterns import ilike

BUDGET_MS = 300
MOST = 50  # values of a facet that are told
FACETS = ("status", "type", "age", "space", "owner", "bucket", "under", "scope")
MANY = ("bucket", "under", "scope")  # facets that may have very many values
COLUMNS = {"type": "memory_type", "space": "space_id", "owner": "owner_id", "bucket": "bucket", "scope": "scope"}
AGES = {"day": 1, "week": 7, "month": 30, "quarter": 90, "year": 365}  # up to how many days, each from the one before
OLDER = "older"
KEPT = ("active", "archived", "expired")
TOP = "/"  # where a memory stands that is in no folder

# Facets of few values are counted together, those of many each by itself: of the groups that this makes, each value is
# a sum. In a group that is not of a facet, its value is NULL.
_COUNT = """
WITH counted AS (
  SELECT failing, {columns}, count(*) AS n
  FROM ({rows}) AS seen GROUP BY GROUPING SETS ({sets})
), found AS (
  SELECT facet, value, sum(n)::bigint AS n
  FROM counted CROSS JOIN LATERAL (VALUES {values}) AS each_one (facet, value)
  WHERE failing IN (0, facet) AND value IS NOT NULL GROUP BY facet, value
), ranked AS (
  SELECT facet, value, n, count(*) OVER (PARTITION BY facet) AS known,
         row_number() OVER (PARTITION BY facet ORDER BY n DESC, value) AS place FROM found
)
SELECT facet, value, n, known FROM ranked WHERE place <= %s OR value = ANY (%s) ORDER BY facet, place
"""
# One pass: a sort for each facet would take longer than the counting.
_LIMITS = """SELECT set_config('statement_timeout', %s, true), set_config('jit', 'off', true),
  set_config('enable_sort', 'off', true), set_config('hash_mem_multiplier', '8', true)"""


@dataclass(slots=True)
class Counts:
    """The values of one facet with their rows, the most frequent first, and how many values there are in all."""

    rows: dict[str, int] = field(default_factory=dict)
    known: int = 0


def narrowed(rows: QuerySet[Memory], given: dict[str, Any], *, at: datetime) -> QuerySet[Memory]:
    """Those of `rows` that the filters in `given` let through, all but that of the status."""
    for name in FACETS:
        if name != "status" and given.get(name):
            rows = rows.filter(_condition(name, given[name], at))
    return rows.filter(ilike("path", given["path"])) if given.get("path") else rows


def count(*, given: dict[str, Any], at: datetime, actor: Actor) -> dict[str, Counts] | None:
    """The values of every facet within the filters of all the others; None where counting takes too long.

    The savepoint is always rolled back: it wrote nothing, and the limits end with it.
    """
    sql, params = _statement(given, actor, at)
    with transaction.atomic(savepoint=False):
        savepoint = transaction.savepoint()
        try:
            return _sorted(_read(sql, params))
        except OperationalError as error:
            if isinstance(error.__cause__, QueryCanceled):
                return None
            raise
        finally:
            _go_back_to(savepoint)


def _read(sql: str, params: list[Any]) -> list[tuple[int, str, int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(_LIMITS, [str(BUDGET_MS)])
        cursor.execute(sql, params)
        found: list[tuple[int, str, int, int]] = cursor.fetchall()
    return found


def _go_back_to(savepoint: str) -> None:
    """The limit holds for the way back too; on a busy machine even that can take longer. An error ends the limit."""
    try:
        transaction.savepoint_rollback(savepoint)
    except OperationalError:
        transaction.savepoint_rollback(savepoint)
    transaction.savepoint_commit(savepoint)


def _sorted(found: Sequence[tuple[int, str, int, int]]) -> dict[str, Counts]:
    counts = {name: Counts() for name in FACETS}
    for bit, value, rows, known in found:
        one = counts[FACETS[bit.bit_length() - 1]]
        one.rows[value], one.known = rows, known
    return counts


def _statement(given: dict[str, Any], actor: Actor, at: datetime) -> tuple[str, list[Any]]:
    rows = visible_to(actor, Memory.objects.filter(state__status__in=KEPT)).order_by()
    if given.get("path"):
        rows = rows.filter(ilike("path", given["path"]))
    rows = rows.annotate(**{f"f_{name}": _expression(name, at) for name in FACETS})
    in_force = {name: 1 << place for place, name in enumerate(FACETS) if given.get(name)}
    rows = rows.annotate(failing=_failing(in_force, given, at)).filter(failing__in=[0, *in_force.values()])
    columns = [f"f_{name}" for name in reversed(FACETS)]  # the first facet has the lowest bit
    sql, params = rows.values("failing", *columns).query.sql_with_params()
    few = ", ".join(column for column in columns if column.removeprefix("f_") not in MANY)
    parts = {
        "columns": ", ".join(columns),
        "sets": ", ".join(f"(failing, {together})" for together in (few, *(f"f_{name}" for name in MANY))),
        "values": ", ".join(f"({1 << place}, f_{name}::text)" for place, name in enumerate(FACETS)),
    }
    return _COUNT.format(rows=sql, **parts), [*params, MOST, [str(given[name]) for name in in_force]]


def _failing(in_force: dict[str, int], given: dict[str, Any], at: datetime) -> Combinable:
    """The filters that a row fails, as one bit each."""
    total: Combinable = Value(0, output_field=IntegerField())
    for name, bit in in_force.items():
        passes = Q(f_status=given[name]) if name == "status" else _condition(name, given[name], at)
        total = total + Case(When(passes, then=Value(0)), default=Value(bit), output_field=IntegerField())
    return total


def _expression(name: str, at: datetime) -> Any:
    """What a row's value is in this facet."""
    if name in COLUMNS:
        return F(COLUMNS[name])
    if name == "under":
        first = Func(F("path"), Value("/"), Value(1), function="split_part", output_field=TextField())
        nowhere = Q(path="") | Q(path__startswith="/")
        return Case(When(nowhere, then=Value(TOP)), default=first, output_field=TextField())
    if name == "age":
        whens = [When(created_at__gt=at - timedelta(days=days), then=Value(age)) for age, days in AGES.items()]
        return Case(*whens, default=Value(OLDER), output_field=TextField())
    overdue = Q(state__status="active", expires_at__lte=at)
    return Case(When(overdue, then=Value("expired")), default=F("state__status"), output_field=TextField())


def _condition(name: str, value: Any, at: datetime) -> Q:
    """What a row has to be for this value of a facet to show it."""
    if name in COLUMNS:
        return Q(**{COLUMNS[name]: value})
    if name == "under":
        folder = value.rstrip("/")
        return Q(path=folder) | Q(path__startswith=f"{folder}/")
    ages = list(AGES)
    place = ages.index(value) if value in AGES else len(ages)
    wanted = Q(created_at__gt=at - timedelta(days=AGES[value])) if value in AGES else Q()
    return wanted & Q(created_at__lte=at - timedelta(days=AGES[ages[place - 1]])) if place else wanted
