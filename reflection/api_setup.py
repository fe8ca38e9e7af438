"""The JSON door to how a space is set up: its policy with versions and preview, and its schedules."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, if_match, read, read_query
from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor, Space
from memories.api.shapes import Given, Text, Whole
from memories.services import fields
from reflection import report
from reflection.models import ReflectionPolicy, Schedule, ScheduledRun
from reflection.numbers import LIFETIME, RULES
from reflection.planner.rows import Proposal
from reflection.services import policies, preview, schedules


class Values(Given):
    """Values of a policy by name."""

    default_error_messages = {"values": _("This is no object of values. Send names with their values.")}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The object."""
        if not isinstance(data, dict):
            self.fail("values")
        return dict(data)


class SpaceShape(serializers.Serializer):
    """Which space: a team's id, or one's own. Left out, it is one's own, or the team a token is bound to."""

    space = Text(required=False)


class VersionsShape(SpaceShape):
    """GET versions."""

    limit = Whole(least=1, most=200, default=50)


class PolicyShape(serializers.Serializer):
    """PUT policy: the version that was seen, here or in If-Match, and the values that change."""

    version = Whole(least=1, most=1_000_000_000, required=False)
    values = Values()


class PreviewShape(serializers.Serializer):
    """POST preview."""

    values = Values()


class Policy(Door):
    """GET and PUT reflect/policy."""

    needs = "memory:read"
    query = SpaceShape

    def get(self, request: Request) -> Response:
        """What is in force, and what each value means."""
        space = space_of(read_query(SpaceShape, request), actor_of(request))
        now_is = policies.current(space)
        return Response(_policy_json(now_is, space) | _meaning(), headers=etag(now_is.number))

    def put(self, request: Request) -> Response:
        """Put `values` into force as a new version; what is left out stays."""
        actor = actor_of(request)
        space = space_of(read_query(SpaceShape, request), actor)
        sent = read(PolicyShape, body_of(request), strict=True)
        with if_match(request) as tagged:
            seen = sent.get("version", tagged)
            if seen is None:
                raise Invalid.field("version", phrase("It is missing. Send the version you saw, or If-Match."))
            made = policies.adopt(space_id=space.id, given=sent["values"], seen_version=seen, actor=actor)
        return Response(_policy_json(made, space), headers=etag(made.number))


class Versions(Door):
    """GET reflect/policy/versions."""

    needs = "memory:read"
    query = VersionsShape

    def get(self, request: Request) -> Response:
        """All versions, newest first, each with what it changed."""
        actor = actor_of(request)
        wanted = read_query(VersionsShape, request)
        space = space_of(wanted, actor)
        rows = list(policies.versions(space.id, actor=actor)[: wanted["limit"] + 1])
        former = dict(zip(rows, rows[1:], strict=False))
        found = [
            _policy_json(row, space) | {"changed": _changes_json(former[row], row) if row in former else []}
            for row in rows[: wanted["limit"]]
        ]
        return Response({"versions": found})


class Preview(Door):
    """POST reflect/policy/preview."""

    changes = False
    query = SpaceShape

    def post(self, request: Request) -> Response:
        """What the next dry run would do now and with `values`. Nothing is written."""
        actor = actor_of(request)
        space = space_of(read_query(SpaceShape, request), actor)
        now_is = policies.current(space)
        proposed = policies.draft(read(PreviewShape, body_of(request), strict=True)["values"], now_is)
        found = preview.effect(proposed=proposed, actor=actor)
        body = {"version": now_is.number, "changed": _changes_json(now_is, proposed), "records": found.records}
        return Response(body | _effect_json(found))


class Schedules(Door):
    """GET reflect/schedules."""

    needs = "memory:read"
    query = SpaceShape

    def get(self, request: Request) -> Response:
        """The schedules of the caller's spaces. People make them in the console: each acts in somebody's name."""
        actor = actor_of(request)
        wanted = read_query(SpaceShape, request)
        rows = schedules.schedules_of(actor)
        if "space" in wanted:
            rows = rows.filter(space_id=space_of(wanted, actor).id)
        found = list(rows.order_by("made_at", "pk"))
        last = schedules.last_runs(found)
        return Response({"schedules": [_schedule_json(one, last.get(one.pk)) for one in found]})


class OneSchedule(Door):
    """GET reflect/schedules/{id}."""

    needs = "memory:read"

    def get(self, request: Request, schedule_id: str) -> Response:
        """One schedule."""
        found = schedules.find(fields.record_id(schedule_id), actor=actor_of(request))
        return Response(_schedule_json(found, schedules.last_runs([found]).get(found.pk)))


def space_of(wanted: dict[str, Any], actor: Actor) -> Space:
    """The space that was named, or the one the caller stands in. Raises Invalid, NotFound."""
    text = wanted.get("space", "")
    if text:
        try:
            return actor.space(UUID(text))
        except ValueError:
            text = phrase("This is no id of a space. Send a whole UUID.")
            raise Invalid.field("space", text, where="query") from None
    if actor.own in actor.spaces or len(actor.spaces) != 1:
        return actor.space(actor.own)
    return next(iter(actor.spaces.values()))


def _policy_json(policy: ReflectionPolicy, space: Space) -> dict[str, Any]:
    return {
        "space": str(space.id),
        "name": space.name,
        "version": policy.number,
        "values": policies.flat(policy),
        "created_at": policy.created_at if policy.pk and not policy._state.adding else None,
        "created_by": policy.created_by.username if policy.created_by else None,
    }


def _meaning() -> dict[str, Any]:
    """What each value means, and what it may be."""
    numbers = [
        {
            "name": rule.name,
            "group": rule.group,
            "label": rule.label,
            "unit": rule.unit,
            "least": rule.least,
            "most": rule.most,
            "whole": rule.whole,
            "optional": rule.optional,
            "help": rule.help,
        }
        for rule in (LIFETIME, *RULES)
    ]
    choices = [{"name": one.name, "label": one.label, "values": one.words} for one in policies.SETTINGS]
    return {"numbers": numbers, "choices": choices}


def _changes_json(before: ReflectionPolicy, after: ReflectionPolicy) -> list[dict[str, Any]]:
    return [
        {"name": one.name, "before": one.before, "after": one.after, "unit": one.unit or None}
        for one in policies.changes(before, after)
    ]


def _effect_json(found: preview.Effect) -> dict[str, Any]:
    return {
        "compared": found.now is not None,
        "without_model": found.without_model,
        "now": _side_json(found.now),
        "proposed": _side_json(found.proposed),
        "differences": [
            {
                "action": part.action,
                **{
                    kind: {
                        "count": getattr(part, f"{kind}_count"),
                        "first": [_candidate_json(one) for one in getattr(part, kind)],
                    }
                    for kind in ("comes", "goes", "differs")
                },
            }
            for part in found.differences
        ],
        "later": [{"at": one.at, "archived_now": one.now, "archived_proposed": one.proposed} for one in found.later],
    }


def _side_json(side: preview.Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {"counts": {name: side.counts[action] for action, name in report.COUNT_NAMES.items()}, "cut": side.cut}


def _candidate_json(one: Proposal) -> dict[str, Any]:
    return {
        "memory_id": str(one.target_id) if one.target_id else None,
        "cites": [str(cited.memory_id) for cited in one.basis if not cited.changes],
        "before": one.before,
        "after": one.after,
        "why": one.why,
    }


def _schedule_json(one: Schedule, last: ScheduledRun | None) -> dict[str, Any]:
    return {
        "id": str(one.pk),
        "space": str(one.space_id),
        "asked": schedules.as_given(one),
        "words": schedules.rhythm_of(one).words(),
        "status": "on" if one.next_at else "paused",
        "next_at": one.next_at,
        "paused_why": one.paused_why or None,
        "made_by": one.made_by.username,
        "made_at": one.made_at,
        "version": one.version,
        "last": {"slot": last.slot, "at": last.at, "pass_id": str(last.reflect_pass_id)} if last else None,
    }
