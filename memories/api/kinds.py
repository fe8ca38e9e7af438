"""What the resources of TODOs, money, events and decisions share: filters, the place of a record, one page."""

from __future__ import annotations

from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, QuerySet
from rest_framework import serializers

from memories.api import shapes
from memories.models import Decision, LedgerEntry, Snapshot, Todo
from memories.services import kinds

LIMIT_MOST = 500
EMPTY_IS_NONE = ("scope", "due_at")
Row = TypeVar("Row", bound=Model)


class Placed(serializers.Serializer):
    """Where a new record is to stand."""

    bucket = shapes.Given(required=False)
    scope = shapes.Given(required=False)
    team_id = shapes.Team(required=False)
    path = shapes.Given(required=False)


class Narrowed(serializers.Serializer):
    """The filters of every list, and its page."""

    query = shapes.Text(default="")
    bucket = shapes.Filter(default=kinds.ANY)
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)
    limit = shapes.Whole(least=1, most=LIMIT_MOST, default=100)
    offset = shapes.Whole(least=0, most=1_000_000, default=0)


def filters_of(sent: dict[str, Any]) -> dict[str, Any]:
    """What was asked for without the page, by the names of `kinds.Filter`."""
    rest = {name: value for name, value in sent.items() if name not in ("limit", "offset", "team_id")}
    return {**rest, "space_id": sent.get("team_id")}


def page_of(rows: QuerySet[Row], sent: dict[str, Any]) -> tuple[list[Row], int]:
    """The page asked for, and how many rows there are in all."""
    page = list(rows[sent["offset"] : sent["offset"] + sent["limit"]])
    return page, rows.order_by().count()


def written(sent: dict[str, Any]) -> dict[str, Any]:
    """What was sent of a new record; an empty scope is none."""
    return {name: value for name, value in sent.items() if not (name in EMPTY_IS_NONE and value == "")}


def changed(sent: dict[str, Any], raw: dict[str, Any], *, clears: tuple[str, ...]) -> dict[str, Any]:
    """What was sent of a change: an empty text clears a scope, a null those of `clears`."""
    changes = {name: None if name in EMPTY_IS_NONE and value == "" else value for name, value in sent.items()}
    return changes | {name: None for name in clears if name in raw and raw[name] is None}


def standing_json(record: Todo | LedgerEntry | Decision | Snapshot) -> dict[str, Any]:
    """Where a record belongs and where it stands."""
    team_id: UUID | None = record.team_id
    return {
        "bucket": record.bucket,
        "scope": record.scope,
        "team_id": team_id,
        "owner_id": record.owner_id,
        "path": record.path,
        "status": record.status,
        "version": record.version,
        "source": record.source,
        "agent_id": record.agent_id,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
    }
