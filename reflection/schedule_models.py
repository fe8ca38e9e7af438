"""Schedules, and the one plan of each of their slots."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from memories.models.record import new_id
from reflection.slots import Kind


class Schedule(models.Model):
    """A plan to be made again and again, for whoever made the schedule. It is on while `next_at` says when it is due.

    Slots are counted in `zone`: see reflection.slots.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space_id = models.UUIDField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField()
    given = models.JSONField()  # parameters of reflect
    rhythm = models.CharField(max_length=6, choices=[(kind.value, kind.value) for kind in Kind])
    at = models.TimeField(null=True)
    weekday = models.PositiveSmallIntegerField(null=True)  # Monday is 0
    every_hours = models.PositiveSmallIntegerField(null=True)
    zone = models.CharField(max_length=64)
    on_since = models.DateTimeField()  # when it was last switched on or given another rhythm
    next_at = models.DateTimeField(null=True)
    paused_at = models.DateTimeField(null=True)
    paused_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    paused_why = models.CharField(max_length=500, default="")
    deleted_at = models.DateTimeField(null=True)
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    version = models.PositiveIntegerField(default=1)
    failures = models.PositiveSmallIntegerField(default=0)  # unexpected errors in a row

    class Meta:
        indexes = [
            models.Index(fields=["next_at"], name="schedule_due", condition=Q(next_at__isnull=False)),
            models.Index(fields=["space_id", "made_at"], name="schedule_space"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(rhythm="daily", at__isnull=False, weekday__isnull=True, every_hours__isnull=True)
                | Q(rhythm="weekly", at__isnull=False, weekday__isnull=False, weekday__lte=6, every_hours__isnull=True)
                | Q(rhythm="hours", at__isnull=True, weekday__isnull=True, every_hours__isnull=False)
                & Q(every_hours__range=(1, 720)),
                name="schedule_rhythm_whole",
            ),
            models.CheckConstraint(
                condition=Q(next_at__isnull=False, paused_at__isnull=True, deleted_at__isnull=True)
                | Q(next_at__isnull=True) & (Q(paused_at__isnull=False) | Q(deleted_at__isnull=False)),
                name="schedule_on_or_not",
            ),
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=True, deleted_by__isnull=True)
                | Q(deleted_at__isnull=False, deleted_by__isnull=False),
                name="schedule_deleted_paired",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk}: {self.rhythm}"


class ScheduledRun(models.Model):
    """The one plan that a schedule made for one of its slots."""

    id = models.BigAutoField(primary_key=True)
    schedule = models.ForeignKey(Schedule, models.PROTECT, related_name="runs")
    slot = models.DateTimeField()  # when it was due
    at = models.DateTimeField()  # when it ran
    reflect_pass = models.OneToOneField("reflection.ReflectPass", models.PROTECT, null=True, related_name="run")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["schedule", "slot"], name="run_once_per_slot")]

    def __str__(self) -> str:
        return f"{self.schedule_id} at {self.slot}"
