"""Ledger entries: money spent, earned, given back or moved."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from memories.models.record import Boundary, Lifecycle, lifecycle_constraints


class TransactionType(models.TextChoices):
    """Which way the money went."""

    EXPENSE = "expense"
    INCOME = "income"
    REFUND = "refund"
    TRANSFER = "transfer"


class LedgerEntry(Boundary, Lifecycle):
    """One amount, always positive, in one currency (ISO 4217)."""

    transaction_type = models.CharField(max_length=10, choices=TransactionType)
    item = models.CharField(max_length=500)
    amount = models.DecimalField(max_digits=18, decimal_places=4)
    currency = models.CharField(max_length=3)
    category = models.CharField(max_length=100, default="")
    occurred_on = models.DateField()
    note = models.TextField(default="")
    source = models.CharField(max_length=100, default="")
    source_id = models.CharField(max_length=200, null=True)
    hold = models.CharField(max_length=100, default="")

    class Meta:
        verbose_name_plural = "ledger entries"
        indexes = [models.Index(F("space_id"), F("occurred_on").desc(), F("id").desc(), name="ledger_newest")]
        constraints = [
            *lifecycle_constraints("ledger"),
            models.UniqueConstraint(fields=["owner", "source", "source_id"], name="ledger_source_once"),
            models.CheckConstraint(condition=~Q(bucket=""), name="ledger_bucket_named"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="ledger_amount_positive"),
            models.CheckConstraint(condition=Q(transaction_type__in=TransactionType.values), name="ledger_type_known"),
            models.CheckConstraint(condition=Q(currency__regex=r"^[A-Z]{3}$"), name="ledger_currency_code"),
        ]

    def __str__(self) -> str:
        return str(self.pk)
