"""TODOs; clients of the contract call them reminders."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from memories.models.record import Boundary, Lifecycle, lifecycle_constraints


class Todo(Boundary, Lifecycle):
    """Something to do, with a due date where there is one."""

    content = models.TextField()
    due_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)
    completed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    note = models.TextField(default="")
    source = models.CharField(max_length=100, default="")
    source_id = models.CharField(max_length=200, null=True)
    hold = models.CharField(max_length=100, default="")

    class Meta:
        indexes = [models.Index(F("space_id"), F("due_at"), F("id"), name="todo_due")]
        constraints = [
            *lifecycle_constraints("todo"),
            models.UniqueConstraint(fields=["owner", "source", "source_id"], name="todo_source_once"),
            models.CheckConstraint(condition=~Q(bucket=""), name="todo_bucket_named"),
            models.CheckConstraint(
                condition=Q(completed_at__isnull=True, completed_by__isnull=True)
                | Q(completed_at__isnull=False, completed_by__isnull=False),
                name="todo_completed_paired",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def item_status(self) -> str:
        """`open` or `completed`, as the contract spells it."""
        return "completed" if self.completed_at else "open"
