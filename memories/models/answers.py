"""Answers kept for a client that asks again because the first answer was lost."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from memories.models.record import new_id


class KeptAnswer(models.Model):
    """What one request with an idempotency key was answered. Without that key nobody can read it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    digest = models.BinaryField(max_length=32, unique=True)  # keyed hash of who asked, where, and their key
    fingerprint = models.BinaryField(max_length=32)  # keyed hash of what was sent
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    spaces = ArrayField(models.UUIDField())  # the boundary in which it was answered
    record_ids = ArrayField(models.UUIDField())  # what the answer names: it goes when one of them is erased
    status = models.PositiveSmallIntegerField()
    etag = models.CharField(max_length=40, default="")
    sealed = models.BinaryField()
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            GinIndex(fields=["record_ids"], name="answer_names"),
            models.Index(fields=["created_at"], name="answer_oldest"),
        ]

    def __str__(self) -> str:
        return str(self.pk)
