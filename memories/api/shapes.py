"""The shapes of input: which fields there are, which are required, and their types. Rules stand in the services."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from console.errors import NotAllowed
from console.saying import phrase


class Given(serializers.Field):
    """A value as it came; the service has the rule for it."""

    default_error_messages = {"required": _("It is missing. Send it.")}

    def to_internal_value(self, data: Any) -> Any:
        """`data` itself."""
        return data


class Text(Given):
    """A string."""

    default_error_messages = {"text": _("This is not text. Send a string.")}

    def to_internal_value(self, data: Any) -> str:
        """`data`, untrimmed."""
        if not isinstance(data, str):
            self.fail("text")
        return str(data)


class Filter(Text):
    """A text to filter by. White space alone names nothing and is not taken for "any"."""

    default_error_messages = {"blank": _("It holds nothing but white space. Name one, or leave it out.")}

    def to_internal_value(self, data: Any) -> str:
        """`data`, untrimmed."""
        found = super().to_internal_value(data)
        if found and not found.strip():
            self.fail("blank")
        return found


class Flag(Given):
    """true or false, in a query in lowercase letters."""

    default_error_messages = {"flag": _("This is neither true nor false. Send one of them.")}

    def to_internal_value(self, data: Any) -> bool:
        """The boolean."""
        if isinstance(data, bool):
            return data
        if data not in ("true", "false"):
            self.fail("flag")
        return bool(data == "true")


class Whole(Given):
    """A whole number from `least` to `most`, as a number or as digits."""

    default_error_messages = {"whole": _("This is not a whole number from {least} to {most}. Send one.")}

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        self.least, self.most = least, most
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> int:
        """The number. 5.0, true and ４ are none."""
        plain = isinstance(data, int) and not isinstance(data, bool)
        digits = isinstance(data, str) and data.isascii() and data.isdigit() and len(data) < 20
        if not (plain or digits) or not self.least <= int(data) <= self.most:
            self.fail("whole", least=self.least, most=self.most)
        return int(data)


class Share(Given):
    """A plain decimal number; the service says from where to where."""

    default_error_messages = {"share": _("This is not a number. Send one from 0 to 1.")}

    def to_internal_value(self, data: Any) -> float:
        """The number, finite."""
        if not isinstance(data, str) or not re.fullmatch(r"-?[0-9]{0,9}\.?[0-9]{1,20}", data, re.ASCII):
            self.fail("share")
        return float(data)


class Moment(Given):
    """A time in ISO 8601; without an offset it is UTC, without a time midnight. Empty text is None."""

    default_error_messages = {"moment": _("This is not ISO 8601. Write it like 2026-11-30T10:00:00Z.")}

    def to_internal_value(self, data: Any) -> datetime | None:
        """The aware time in UTC."""
        if data == "":
            return None
        try:
            found = parse_datetime(data.strip()) if isinstance(data, str) and len(data) <= 40 else None
            if found is None and isinstance(data, str) and len(data) == 10:
                found = datetime.fromisoformat(data)
            if found is not None:
                return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        except (ValueError, OverflowError):
            pass
        return self.fail("moment")


class Team(Given):
    """The id of a team. What cannot be one is a foreign team: 403, never an empty answer. Empty text is None."""

    def to_internal_value(self, data: Any) -> UUID | None:
        """The id. Raises NotAllowed."""
        if data == "":
            return None
        try:
            return UUID(data)
        except (ValueError, TypeError, AttributeError):
            raise NotAllowed(phrase("You are not a member of this team, or this token is not bound to it.")) from None


class Remember(serializers.Serializer):
    """POST remember."""

    content = Given()
    path = Given()
    bucket = Given(required=False)
    scope = Given(required=False)
    team_id = Team(required=False)
    memory_type = Given(required=False)
    semantic_key = Given(required=False)
    importance = Given(required=False)
    confidence = Given(required=False)
    expires_at = Moment(required=False)
    source = Given(required=False)  # type: ignore[assignment]
    metadata = Given(required=False)
    provenance = Given(required=False)
    dedupe = Flag(required=False)


class Revise(serializers.Serializer):
    """PATCH of a memory."""

    content = Given(required=False)
    path = Given(required=False)
    bucket = Given(required=False)
    scope = Given(required=False)
    team_id = Team(required=False)
    memory_type = Given(required=False)
    status = Given(required=False)
    importance = Given(required=False)
    confidence = Given(required=False)
    expires_at = Moment(required=False)
    metadata = Given(required=False)
    merge_metadata = Flag(required=False)
    reason = Text(required=False)


class Forget(serializers.Serializer):
    """POST forget."""

    mode = Text(required=False)
    reason = Text(required=False)
    replacement_content = Given(required=False)


class ForgetTarget(Forget):
    """POST forget without an id in the address."""

    memory_id = Given(required=False)
    target = Text(required=False)


class Reason(serializers.Serializer):
    """POST restore, and other verbs that need nothing else."""

    reason = Text(required=False)


class Hold(Reason):
    """PUT hold."""

    name = Given()


VERSIONS = 50  # at once, unless more are asked for


class Past(serializers.Serializer):
    """GET memories/{id}/versions. Each may hold as much text as the memory itself."""

    limit = Whole(least=1, most=200, default=VERSIONS)
    offset = Whole(least=0, most=1_000_000, default=0)


class Listing(serializers.Serializer):
    """GET of many memories. Bucket and path are patterns, in which % stands for any text."""

    path_prefix = Filter(required=False)
    path = Filter(default="%")
    bucket = Filter(default="%")
    scope = Filter(required=False)
    team_id = Team(required=False)
    memory_type = Text(default="%")
    status = Text(default="active")
    limit = Whole(least=1, most=500, default=100)
    offset = Whole(least=0, most=1_000_000, default=0)


class Trail(serializers.Serializer):
    """GET of the audit. `since` is part of the range, `until` is not."""

    since = Moment(required=False)
    until = Moment(required=False)
    limit = Whole(least=1, most=500, default=50)
    offset = Whole(least=0, most=1_000_000, default=0)


class Events(Trail):
    """GET audit events."""

    action = Text(required=False)
    target_id = Text(required=False)
