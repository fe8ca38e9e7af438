"""An agent that asks a person for a token by a short code."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from memories.models.people import SCOPES
from memories.models.record import new_id


class DeviceLogin(models.Model):
    """One request for a token: what was asked for, and what a person made of it. Both codes are kept as hashes."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    client_id = models.CharField(max_length=100)
    scopes = ArrayField(models.CharField(max_length=20))
    device_digest = models.BinaryField(max_length=32, unique=True)
    user_digest = models.BinaryField(max_length=32, unique=True)
    ip = models.CharField(max_length=64, default="")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True)  # when the device last looked
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    granted = ArrayField(models.CharField(max_length=20), null=True)  # empty: refused
    decided_at = models.DateTimeField(null=True)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(scopes__contained_by=list(SCOPES)), name="device_scopes_known"),
            models.CheckConstraint(
                condition=Q(granted__isnull=True) | Q(granted__contained_by=F("scopes")), name="device_granted_asked"
            ),
            models.CheckConstraint(condition=Q(expires_at__gt=F("created_at")), name="device_expires_later"),
            models.CheckConstraint(
                condition=Q(user__isnull=True, granted__isnull=True, decided_at__isnull=True)
                | Q(user__isnull=False, granted__isnull=False, decided_at__isnull=False),
                name="device_decided_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.client_id}: {', '.join(self.scopes)}"
