"""Writes past the services, each of which one constraint of the database refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Model

Write = Callable[[], None]


def of(made: Callable[[], Model], **fields: Any) -> Write:
    """A record as it should be, then these fields changed."""

    def write() -> None:
        record = made()
        with transaction.atomic():
            type(record)._base_manager.filter(pk=record.pk).update(**fields)

    return write


def again(made: Callable[[], Model], **fields: Any) -> Write:
    """A record as it should be, then another one like it but for these fields."""

    def write() -> None:
        record = made()
        of_first = {one.attname: getattr(record, one.attname) for one in record._meta.concrete_fields}
        kept = {one.attname for one in record._meta.concrete_fields if not (one.primary_key or one.generated)}
        with transaction.atomic():
            type(record)._base_manager.create(**{name: of_first[name] for name in kept} | fields)

    return write


def refuses(name: str, write: Write) -> None:
    """Raises where the write comes through, or meets something else than the constraint of this name."""
    with pytest.raises(IntegrityError, match=f'constraint "{name}"'):
        write()


def constraints(models: Iterable[type[Model]]) -> set[str]:
    """The names of all that these models promise."""
    return {one.name for model in models for one in model._meta.constraints}
