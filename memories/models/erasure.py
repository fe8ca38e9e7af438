"""What stays of an erased record, and what waits for a person before it is erased."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from memories.models.record import new_id


class Erasure(models.Model):
    """The erasure ledger: a record that is gone for good, so that no import or backup brings it back."""

    record_id = models.UUIDField(primary_key=True)
    kind = models.CharField(max_length=10)  # memory, todo, ledger
    space_id = models.UUIDField()
    owner_id = models.UUIDField()
    source = models.CharField(max_length=100, default="")
    source_id = models.CharField(max_length=200, null=True)
    erased_at = models.DateTimeField()
    erased_by_id = models.UUIDField()
    audit_id = models.UUIDField()
    because_of = models.UUIDField(null=True)  # the source whose erasure took this derived record along

    class Meta:
        indexes = [models.Index(fields=["owner_id", "source", "source_id"], name="erasure_source")]

    def __str__(self) -> str:
        return str(self.record_id)


class ErasureRequest(models.Model):
    """A hard delete that a token asked for and a person has to confirm in the console: single use, ten minutes."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    record_id = models.UUIDField()
    kind = models.CharField(max_length=10)
    version = models.PositiveIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    token_id = models.UUIDField(null=True)
    reason = models.CharField(max_length=500, default="")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="erasure_request_expires_later")
        ]

    def __str__(self) -> str:
        return str(self.pk)
