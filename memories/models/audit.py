"""The audit trail: one chain per space, written only by the database function `audit_append` (migration 0001)."""

from __future__ import annotations

from django.db import models
from django.db.models import F

# Done with the rights of the console, not of the space in whose chain the line stands. The policy in the database and
# the index below name the same.
CONSOLE_ACTS = (
    "team.create",
    "team.name_admin",
    "user.create",
    "user.deactivate",
    "user.invite",
    "user.reactivate",
    "user.reset_password",
    "user.set_administrator",
    "user.set_email",
)


class AuditRecord(models.Model):
    """Who did what to which record, when, why, through which channel. Never changed, never removed, no content.

    `space_id` is the team or person whose chain this is, the nil UUID for acts outside any (a failed sign-in).
    `hash` is the SHA-256 of `prev_hash` and the row's canonical JSON.
    """

    id = models.UUIDField(primary_key=True)
    space_id = models.UUIDField()
    seq = models.BigIntegerField()
    at = models.DateTimeField()
    action = models.CharField(max_length=50)
    result = models.CharField(max_length=10)  # done, refused
    actor_id = models.UUIDField(null=True)
    actor_name = models.CharField(max_length=150)
    auth_method = models.CharField(max_length=20)
    token_id = models.UUIDField(null=True)
    channel = models.CharField(max_length=10)
    agent_id = models.CharField(max_length=200)
    ip = models.CharField(max_length=45)
    request_id = models.CharField(max_length=100)
    audit_id = models.UUIDField(null=True)
    object_type = models.CharField(max_length=20)
    object_id = models.UUIDField(null=True)
    pass_id = models.UUIDField(null=True)
    reason = models.CharField(max_length=500)
    detail = models.JSONField()
    prev_hash = models.BinaryField()
    hash = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space_id", "seq"], name="audit_seq_once")]
        indexes = [
            models.Index(fields=["object_id", "seq"], name="audit_object"),
            models.Index(fields=["pass_id", "seq"], name="audit_pass", condition=models.Q(pass_id__isnull=False)),
            models.Index(F("space_id"), F("at").desc(), F("id").desc(), name="audit_newest"),
            models.Index(fields=["audit_id"], name="audit_request"),
            models.Index(
                F("at").desc(),
                F("id").desc(),
                name="audit_console",
                condition=models.Q(action__in=CONSOLE_ACTS),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.space_id} #{self.seq} {self.action}"


class AuditHead(models.Model):
    """The last link of each chain, so that a cut tail is noticed."""

    space_id = models.UUIDField(primary_key=True)
    seq = models.BigIntegerField()
    hash = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.space_id} #{self.seq}"
