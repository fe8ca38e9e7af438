"""Who is told outside the console that passes wait, and what was told."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy

from memories.models.record import new_id


class Channel(models.TextChoices):
    """How somebody is told."""

    EMAIL = "email", gettext_lazy("E-mail")
    WEBHOOK = "webhook", gettext_lazy("Webhook")


class Subscription(models.Model):
    """A wish to be told of the passes that wait in a space: by e-mail to a person, or at an address of theirs."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space_id = models.UUIDField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    channel = models.CharField(max_length=7, choices=Channel)
    address = models.CharField(max_length=500)  # where it goes: an e-mail address or an https URL
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["space_id", "made_at"], name="subscription_space")]
        constraints = [
            models.UniqueConstraint(fields=["space_id", "user", "channel", "address"], name="subscription_once"),
            models.CheckConstraint(condition=Q(channel__in=Channel.values), name="subscription_channel_known"),
            models.CheckConstraint(condition=~Q(address=""), name="subscription_leads_somewhere"),
        ]

    def __str__(self) -> str:
        return f"{self.channel} for {self.space_id}"


class Notice(models.Model):
    """One pass of which one subscriber is told, once. `next_at` says when to try, null that it is done with."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    subscription = models.ForeignKey(Subscription, models.CASCADE, related_name="notices")
    reflect_pass = models.ForeignKey("reflection.ReflectPass", models.CASCADE, related_name="+")
    space_id = models.UUIDField()
    made_at = models.DateTimeField(default=timezone.now)
    next_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    why_not = models.CharField(max_length=300, default="")  # what the last attempt met

    class Meta:
        indexes = [models.Index(F("next_at"), name="notice_due", condition=Q(next_at__isnull=False))]
        constraints = [
            models.UniqueConstraint(fields=["subscription", "reflect_pass"], name="notice_once"),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(next_at__isnull=True), name="notice_sent_is_done"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reflect_pass_id} to {self.subscription_id}"
