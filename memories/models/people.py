"""People, teams, roles and the tokens of their agents."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.crypto import salted_hmac

from memories.models.record import new_id

EMAIL_ONCE = "user_email_folded"


class User(AbstractUser):
    """A person. Records belong to people; tokens act for them.

    `is_superuser` marks an administrator of the console, who looks after people and makes teams, and sees no more of
    anybody's records than others do.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    display_name = models.CharField(max_length=150)
    language = models.CharField(max_length=10, blank=True, default="")  # empty: what the browser asks for
    time_zone = models.CharField(max_length=64, default="UTC")
    single_keys = models.BooleanField(default=True)  # whether single keys are shortcuts
    default_view = models.ForeignKey("memories.SavedView", models.SET_NULL, null=True, related_name="+")
    sessions_ended = models.PositiveIntegerField(default=0)  # how often all of them were ended

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("username"), name="user_username_folded"),
            models.UniqueConstraint(Lower("email"), name=EMAIL_ONCE, condition=~Q(email="")),
        ]

    def __str__(self) -> str:
        return self.display_name or self.username

    def get_session_auth_hash(self) -> str:
        """What a session must know to go on: another password ends it, and so does ending all sessions."""
        found: str = super().get_session_auth_hash()
        if not self.sessions_ended:
            return found
        return salted_hmac("memories.sessions", f"{self.sessions_ended} {found}", algorithm="sha256").hexdigest()

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        """The same under former secrets of the console; those do not outlive the end of all sessions."""
        yield from () if self.sessions_ended else super().get_session_auth_fallback_hash()


class Team(models.Model):
    """A group of people who share records."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(Lower("name"), name="team_name_folded")]

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What a member may do: write; also approve; also erase and manage."""

    MEMBER = "member"
    REVIEWER = "reviewer"
    ADMIN = "admin"


class Membership(models.Model):
    """One person in one team."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "team"], name="membership_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}: {self.role}"


SCOPES = (
    "memory:read",
    "memory:write",
    "memory:delete",
    "memory:restore",
    "ledger:read",
    "ledger:write",
    "audit",
    "admin",
)


class ApiToken(models.Model):
    """A key that acts for its user within its bound space. Only its SHA-256 is kept; the prefix is shown."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=16)
    digest = models.BinaryField(max_length=32, unique=True)
    scopes = ArrayField(models.CharField(max_length=20))
    team = models.ForeignKey(Team, models.CASCADE, null=True, related_name="+")
    buckets = ArrayField(models.CharField(max_length=100), null=True)  # null: any; empty: none
    scope = models.CharField(max_length=200, null=True)
    path_prefix = models.CharField(max_length=500, default="")
    agent_id = models.CharField(max_length=200, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(scopes__contained_by=list(SCOPES)), name="token_scopes_known"),
            models.CheckConstraint(condition=Q(expires_at__gt=models.F("created_at")), name="token_expires_later"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
