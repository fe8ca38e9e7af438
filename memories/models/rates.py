"""How often somebody did something in a span of time."""

from __future__ import annotations

from django.db import models


class RateCount(models.Model):
    """One span of one kind for one token, person or address. It holds no more than a number."""

    kind = models.CharField(max_length=10)
    who = models.UUIDField()
    begins = models.DateTimeField()
    count = models.PositiveIntegerField()
    pk = models.CompositePrimaryKey("who", "kind", "begins")

    class Meta:
        indexes = [models.Index(fields=["begins"], name="rate_oldest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.begins:%H:%M}: {self.count}"
