"""Records beside memories, TODOs and money: decisions, snapshots of working state, and marks of use."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from memories.models.memory import Memory
from memories.models.record import Boundary, Lifecycle, lifecycle_constraints, new_id


class Decision(Boundary, Lifecycle):
    """A question with its options, and what was decided."""

    context = models.TextField()
    options = models.JSONField(default=list)  # texts, in the order given
    due_at = models.DateTimeField(null=True)
    resolution = models.TextField(default="")
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    source = models.CharField(max_length=100, default="")
    source_id = models.CharField(max_length=200, null=True)
    hold = models.CharField(max_length=100, default="")

    class Meta:
        indexes = [models.Index(F("space_id"), F("created_at").desc(), F("id").desc(), name="decision_newest")]
        constraints = [
            *lifecycle_constraints("decision"),
            models.UniqueConstraint(fields=["owner", "source", "source_id"], name="decision_source_once"),
            models.CheckConstraint(condition=~Q(bucket=""), name="decision_bucket_named"),
            models.CheckConstraint(
                condition=Q(resolved_at__isnull=True, resolved_by__isnull=True, resolution="")
                | Q(resolved_at__isnull=False, resolved_by__isnull=False) & ~Q(resolution=""),
                name="decision_resolved_paired",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class Snapshot(Boundary, Lifecycle):
    """The working state of an agent at one moment, to start again from. `state` is {state_key: slot fields}."""

    label = models.CharField(max_length=200, default="")
    session = models.CharField(max_length=200, null=True)
    state = models.JSONField(default=dict)
    source = models.CharField(max_length=100, default="")
    source_id = models.CharField(max_length=200, null=True)
    hold = models.CharField(max_length=100, default="")

    class Meta:
        indexes = [models.Index(F("space_id"), F("created_at").desc(), F("id").desc(), name="snapshot_newest")]
        constraints = [
            *lifecycle_constraints("snapshot"),
            models.UniqueConstraint(fields=["owner", "source", "source_id"], name="snapshot_source_once"),
            models.CheckConstraint(condition=~Q(bucket=""), name="snapshot_bucket_named"),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class MemoryUse(models.Model):
    """One time a memory was of use; what it was used for stays with the agent."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="uses")
    action = models.CharField(max_length=50)
    tracking_id = models.CharField(max_length=200, null=True)
    context = models.TextField(default="")
    metadata = models.JSONField(default=dict)
    at = models.DateTimeField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    agent_id = models.CharField(max_length=200, default="")

    class Meta:
        indexes = [models.Index(F("memory"), F("at").desc(), name="use_newest")]
        constraints = [models.UniqueConstraint(fields=["memory", "tracking_id"], name="use_tracked_once")]

    def __str__(self) -> str:
        return f"{self.memory_id}: {self.action}"


class SpaceSettings(models.Model):
    """What a space has chosen. Without a row: nothing is ever purged."""

    space_id = models.UUIDField(primary_key=True)
    trash_days = models.PositiveIntegerField(null=True)  # null: the trash is kept for ever
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "space settings"
        constraints = [
            models.CheckConstraint(
                condition=Q(trash_days__isnull=True) | Q(trash_days__gte=1, trash_days__lte=3650),
                name="settings_trash_days_in_range",
            )
        ]

    def __str__(self) -> str:
        return str(self.space_id)
