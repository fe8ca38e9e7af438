"""The JSON door for clients that call a pass a dream: settings, runs, and one item confirmed at a time."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, read
from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor
from memories.api.shapes import Given, Whole
from memories.services import fields
from reflection import queries, report
from reflection.api_setup import Values, space_of
from reflection.models import ReflectionPolicy, ReflectPass
from reflection.services import dream, policies


class SettingsShape(serializers.Serializer):
    """POST me/dream/settings."""

    settings = Values()
    expected_version = Whole(least=1, most=1_000_000_000, required=False)


class ConfirmShape(serializers.Serializer):
    """POST me/dream/runs/{id}/confirm. `candidate_id` is another name of `item_id`."""

    item_id = Given(required=False)
    candidate_id = Given(required=False)
    expected_run_version = Whole(least=0, most=1_000)


class Settings(Door):
    """GET and POST me/dream/settings."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """The policy under which runs are made."""
        return _settings(policies.current(space_of({}, actor_of(request))))

    def post(self, request: Request) -> Response:
        """Change some of it; what is left out stays."""
        actor, sent = actor_of(request), read(SettingsShape, body_of(request), strict=True)
        space = space_of({}, actor)
        seen = sent.get("expected_version", policies.current(space).number)
        return _settings(policies.adopt(space_id=space.id, given=sent["settings"], seen_version=seen, actor=actor))


class Runs(Door):
    """POST me/dream/runs."""

    def post(self, request: Request) -> Response:
        """Preview a run: 200 with its items, or 202 while the worker makes the plan. Takes what reflect takes."""
        made = dream.preview(given=body_of(request), actor=actor_of(request))
        return Response(_run_json(made), status=202 if dream.run_version(made) == 0 else 200)


class OneRun(Door):
    """GET me/dream/runs/{id}."""

    needs = "memory:read"

    def get(self, request: Request, pass_id: str) -> Response:
        """The run with its items."""
        return Response(_run_json(_find(pass_id, actor_of(request))))


class Confirm(Door):
    """POST me/dream/runs/{id}/confirm."""

    def post(self, request: Request, pass_id: str) -> Response:
        """Apply one item; the others are left. 202 with the page to go to where a person has to approve."""
        key, sent, actor = (
            fields.record_id(pass_id),
            read(ConfirmShape, body_of(request), strict=True),
            actor_of(request),
        )
        named = sent.get("item_id", sent.get("candidate_id"))
        if named is None:
            raise Invalid.field("item_id", phrase("It is missing. Send the id of an item."))
        item, seen = fields.record_id(named), sent["expected_run_version"]
        found = dream.confirm(pass_id=key, candidate_id=item, expected_run_version=seen, actor=actor)
        if dream.run_version(found) == seen:
            url = report.candidate_address(found.pk, item)
            return Response(_run_json(found) | {"status": "awaiting_approval", "url": url}, status=202)
        return Response(_run_json(found))


def _find(pass_id: str, actor: Actor) -> ReflectPass:
    return queries.find(fields.record_id(pass_id), actor=actor)


def _settings(policy: ReflectionPolicy) -> Response:
    body = {"version": policy.number, "settings": policies.flat(policy)}
    return Response(body, headers=etag(policy.number))


def _run_json(found: ReflectPass) -> dict[str, Any]:
    candidates = queries.candidates_of(found)
    basis = queries.basis_of(candidates)
    return {
        **report.summary_json(found),
        "run_id": str(found.pk),
        "run_version": dream.run_version(found),
        "needs_approval": dream.asks_a_person(found),
        "items": [report.candidate_json(one, basis[one.pk]) for one in candidates],
    }
