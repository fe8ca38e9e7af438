"""Parameters of tools: each is declared once, for the schema that agents read and for the reading of what they send."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rest_framework import serializers
from rest_framework.serializers import SerializerMetaclass

from console import door
from console.errors import Invalid, Problem
from memories.api import shapes

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Parameter:
    """What an agent reads about a parameter, and the field that reads its value. Rules stand in the services."""

    schema: Schema
    field: serializers.Field
    required: bool = False

    def needed(self) -> Parameter:
        """The same, required."""
        return replace(self, required=True)


def given(about: str, **schema: Any) -> Parameter:
    """A value that goes on as it came."""
    return Parameter({"description": about, **schema}, shapes.Given(required=False))


def text(about: str, default: str | None = None, **schema: Any) -> Parameter:
    """A string."""
    usual = {} if default is None else {"default": default}
    return Parameter({"type": "string", "description": about, **usual, **schema}, shapes.Text(required=False))


def pattern(about: str) -> Parameter:
    """A pattern in which % stands for any text and _ for any character."""
    more = f"{about} % stands for any text, _ for any character."
    return Parameter({"type": "string", "description": more, "default": "%"}, shapes.Filter(required=False))


class OneOf(shapes.Text):
    """One of several words."""

    default_error_messages = {"among": "Choose among {among}."}

    def __init__(self, among: Iterable[str], **kwargs: Any) -> None:
        self.among = list(among)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> str:
        """The word."""
        if data not in self.among:
            self.fail("among", among=", ".join(self.among))
        return str(data)


def choice(about: str, among: Iterable[str], default: str | None = None) -> Parameter:
    """One of several words."""
    field = OneOf(among, required=False)
    return Parameter({**text(about, default).schema, "enum": field.among}, field)


def whole(about: str, *, least: int, most: int, default: int | None = None) -> Parameter:
    """A whole number."""
    usual = {} if default is None else {"default": default}
    schema = {"type": "integer", "minimum": least, "maximum": most, "description": about, **usual}
    return Parameter(schema, shapes.Whole(least=least, most=most, required=False))


def number(about: str, *, least: float = 0, most: float = 1) -> Parameter:
    """A number; the service says from where to where."""
    return given(about, type="number", minimum=least, maximum=most)


def flag(about: str, default: bool = False) -> Parameter:
    """true or false."""
    return Parameter({"type": "boolean", "description": about, "default": default}, shapes.Flag(required=False))


def moment(about: str) -> Parameter:
    """A time in ISO 8601."""
    more = f"{about} ISO 8601, such as 2026-11-30T10:00:00Z; without an offset it is UTC."
    return Parameter({"type": "string", "description": more}, shapes.Moment(required=False))


def team() -> Parameter:
    """The team whose records are meant."""
    about = "Id of a team that the token reaches. Leave it out for private records; it never widens what is visible."
    return Parameter({"type": "string", "description": about}, shapes.Team(required=False))


def schema_of(takes: Mapping[str, Parameter], *, strict: bool) -> Schema:
    """The input schema of a tool."""
    schema: Schema = {"type": "object", "properties": {name: one.schema for name, one in takes.items()}}
    if needed := [name for name, one in takes.items() if one.required]:
        schema["required"] = needed
    return schema | ({"additionalProperties": False} if strict else {})


def check_names(takes: Mapping[str, Parameter], sent: Mapping[str, Any], *, strict: bool) -> None:
    """For a tool that reads its parameters itself. Raises Invalid naming those that are missing, and unknown ones."""
    problems = [
        Problem(("arguments", name), f"{name} is missing. Send it.", "required")
        for name, one in takes.items()
        if one.required and sent.get(name) is None
    ]
    problems += [
        Problem(("arguments", name[:50]), f"{name[:50]} is not known here. Leave it out.", "extra_forbidden")
        for name in sorted(set(sent) - set(takes))
        if strict
    ]
    if problems:
        raise Invalid(*problems)


def read(takes: Mapping[str, Parameter], sent: Mapping[str, Any], *, strict: bool) -> dict[str, Any]:
    """What was sent in its types. Raises Invalid naming each problem, NotAllowed for what cannot be a team."""
    fields = {name: _field(one) for name, one in takes.items()}
    shape: type[serializers.Serializer] = SerializerMetaclass("Arguments", (serializers.Serializer,), fields)
    return door.read(shape, sent, where="arguments", strict=strict)


def _field(one: Parameter) -> serializers.Field:
    """A copy: a field belongs to one serializer."""
    field = copy.deepcopy(one.field)
    field.required = one.required
    return field
