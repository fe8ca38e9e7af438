"""What memories, TODOs and ledger entries have in common: where they belong and where they stand."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from uuid6 import uuid7


def new_id() -> Any:
    """A UUIDv7: unique, and sorted by the time it was made."""
    return uuid7()


class LifecycleStatus(models.TextChoices):
    """Where a record stands. Only `active` records are found by search."""

    ACTIVE = "active"
    EXPIRED = "expired"
    ARCHIVED = "archived"
    DELETED = "deleted"


class Boundary(models.Model):
    """Where a record belongs. `space_id` is the team, or the owner of a private record: who may see it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    team = models.ForeignKey("memories.Team", models.PROTECT, null=True, related_name="+")
    space_id = models.GeneratedField(
        expression=Coalesce(F("team_id"), F("owner_id")), output_field=models.UUIDField(), db_persist=True
    )
    bucket = models.CharField(max_length=100, default="work")
    scope = models.CharField(max_length=200, null=True)
    path = models.CharField(max_length=500, default="")
    agent_id = models.CharField(max_length=200, default="")  # the agent that wrote it; a token can be bound to one
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        abstract = True


class Lifecycle(models.Model):
    """Where a record stands, and the version that every change moves on."""

    status = models.CharField(max_length=10, choices=LifecycleStatus, default=LifecycleStatus.ACTIVE)
    version = models.PositiveIntegerField(default=1)
    expired_at = models.DateTimeField(null=True)
    archived_at = models.DateTimeField(null=True)
    deleted_at = models.DateTimeField(null=True)
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    status_before_delete = models.CharField(max_length=10, default="", choices=LifecycleStatus)

    class Meta:
        abstract = True


def lifecycle_constraints(name: str) -> list[models.CheckConstraint]:
    """The truths of Lifecycle for the table `name`: each marker stands exactly when its status says so."""
    deleted = Q(status="deleted")
    return [
        models.CheckConstraint(condition=Q(status__in=LifecycleStatus.values), name=f"{name}_status_known"),
        models.CheckConstraint(condition=Q(version__gte=1), name=f"{name}_version_positive"),
        models.CheckConstraint(
            condition=Q(deleted, deleted_at__isnull=False, deleted_by__isnull=False)
            & Q(status_before_delete__in=["active", "expired", "archived"])
            | ~deleted & Q(deleted_at__isnull=True, deleted_by__isnull=True, status_before_delete=""),
            name=f"{name}_deleted_marked",
        ),
        models.CheckConstraint(
            condition=~Q(status="active") | Q(archived_at__isnull=True, expired_at__isnull=True),
            name=f"{name}_active_unmarked",
        ),
        models.CheckConstraint(
            condition=~Q(status="archived") | Q(archived_at__isnull=False), name=f"{name}_archived_marked"
        ),
        models.CheckConstraint(
            condition=~Q(status="expired") | Q(expired_at__isnull=False), name=f"{name}_expired_marked"
        ),
    ]
