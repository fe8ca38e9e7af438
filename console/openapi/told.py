"""How one operation is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rest_framework import serializers

from console.openapi.fields import Schema

Shape = type[serializers.Serializer]


@dataclass(frozen=True, slots=True)
class Told:
    """What an operation does in one line, the scopes it needs, what it takes, what it answers, and an example.

    Several scopes have spaces between them. `answers` are statuses of success beside 200, with what they mean. `open_`
    needs no credential; of what is `partly_open` some needs none.
    """

    summary: str
    answer: Schema
    scope: str = ""
    query: Shape | None = None
    body: Shape | Schema | None = None
    example: dict[str, Any] | None = None
    answers: dict[int, str] = field(default_factory=dict)
    versioned: bool = False  # takes If-Match
    changes: bool = True  # of a POST: takes an Idempotency-Key
    open_: bool = False
    partly_open: bool = False
    refusals: tuple[int, ...] = ()
    media: str = "application/json"  # of what is answered
