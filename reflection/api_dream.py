"""The JSON door for clients that call a pass a dream: settings, runs, and one item confirmed at a time."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, read, read_query
from console.errors import Invalid, NotFound
from console.saying import phrase
from memories.access import Actor, Space, may_use
from memories.api.shapes import Given, Team, Whole
from memories.services import fields
from reflection import queries, report
from reflection.api_setup import Values, space_of
from reflection.filters import space_of as named_space
from reflection.models import ReflectionPolicy, ReflectPass
from reflection.services import dream, policies

EACH_ITEM = "confirm_each_run"  # the mode, as clients know it: nothing is written but what was confirmed


class TeamShape(serializers.Serializer):
    """Whose runs and settings. Left out, they are one's own, or those of the team a token is bound to."""

    team_id = Team(required=False)


class SettingsShape(serializers.Serializer):
    """POST me/dream/settings."""

    settings = Values()
    expected_version = Whole(least=1, most=1_000_000_000, required=False)


class ConfirmShape(serializers.Serializer):
    """POST me/dream/runs/{id}/confirm. `candidate_id` is another name of `item_id`."""

    item_id = Given(required=False)
    candidate_id = Given(required=False)
    expected_run_version = Whole(least=0, most=1_000)
    expected_settings_version = Whole(least=0, most=1_000_000_000, required=False)


class Settings(Door):
    """GET and POST me/dream/settings."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """The policy under which runs are made, and what the caller may do with them."""
        return _settings(policies.current(_space(request)), actor_of(request))

    def post(self, request: Request) -> Response:
        """Change some of it; what is left out stays."""
        actor, sent = actor_of(request), read(SettingsShape, body_of(request), strict=True)
        space = _space(request)
        seen = sent.get("expected_version", policies.current(space).number)
        made = policies.adopt(space_id=space.id, given=sent["settings"], seen_version=seen, actor=actor)
        return _settings(made, actor)


class Runs(Door):
    """POST me/dream/runs."""

    def post(self, request: Request) -> Response:
        """Preview a run: 200 with its items, or 202 while the worker makes the plan. Takes what reflect takes.

        `window_days` looks back so many days, and `team_id` may stand in the address instead.
        """
        made = dream.preview(given=_given(request), actor=actor_of(request))
        return Response(_run_json(made), status=202 if dream.run_version(made) == 0 else 200)


class OneRun(Door):
    """GET me/dream/runs/{id}."""

    needs = "memory:read"

    def get(self, request: Request, pass_id: str) -> Response:
        """The run with its items."""
        return Response(_run_json(_find(pass_id, request)))


class Confirm(Door):
    """POST me/dream/runs/{id}/confirm."""

    def post(self, request: Request, pass_id: str) -> Response:
        """Apply one item; the others are left. 202 with the page to go to where a person has to approve."""
        sent, actor = read(ConfirmShape, body_of(request), strict=True), actor_of(request)
        key = _find(pass_id, request).pk
        named = sent.get("item_id", sent.get("candidate_id"))
        if named is None:
            raise Invalid.field("item_id", phrase("It is missing. Send the id of an item."))
        item, seen = fields.record_id(named), sent["expected_run_version"]
        found = dream.confirm(
            pass_id=key,
            candidate_id=item,
            expected_run_version=seen,
            expected_settings_version=sent.get("expected_settings_version"),
            actor=actor,
        )
        if dream.run_version(found) == seen:
            url = report.candidate_address(found.pk, item)
            return Response(_run_json(found) | {"status": "awaiting_approval", "url": url}, status=202)
        return Response(_run_json(found))


def _team(request: Request) -> UUID | None:
    team: UUID | None = read_query(TeamShape, request).get("team_id")
    return team


def _space(request: Request) -> Space:
    """The space that the address names, or the one the caller stands in. Raises NotAllowed."""
    team = _team(request)
    return named_space(str(team), actor_of(request)) if team else space_of({}, actor_of(request))


def _given(request: Request) -> dict[str, Any]:
    """What the body asks for, in the team that the address names. Raises Invalid where the body names another."""
    sent, team = body_of(request), _team(request)
    if team is None:
        return sent
    if str(sent.get("team_id") or team).lower() != str(team):
        raise Invalid.field("team_id", phrase("The address names another team than the body. Name one."))
    return sent | {"team_id": str(team)}


def _find(pass_id: str, request: Request) -> ReflectPass:
    """The run, of the team that the address names. Raises NotFound, NotAllowed, BadId."""
    found = queries.find(fields.record_id(pass_id), actor=actor_of(request))
    if _team(request) and found.space_id != _space(request).id:
        raise NotFound(phrase("There is nothing here with this id."))
    return found


def _settings(policy: ReflectionPolicy, actor: Actor) -> Response:
    body = {
        "version": policy.number,
        "settings": policies.flat(policy),
        "enabled": True,
        "mode": EACH_ITEM,
        "entitlement": {
            "can_preview": may_use(actor, "memory:read"),
            "can_apply": may_use(actor, "memory:read") and may_use(actor, "memory:write"),
        },
    }
    return Response(body, headers=etag(policy.number))


def _run_json(found: ReflectPass) -> dict[str, Any]:
    candidates = queries.candidates_of(found)
    basis = queries.basis_of(candidates)
    version = dream.run_version(found)
    return {
        **report.summary_json(found),
        "run": {
            "id": str(found.pk),
            "run_id": str(found.pk),
            "status": dream.status_told(found),
            "confirmation_version": str(version),
            "settings_version": found.policy.number,
        },
        "run_id": str(found.pk),
        "run_version": version,
        "needs_approval": dream.asks_a_person(found),
        "items": [report.candidate_json(one, basis[one.pk]) for one in candidates],
    }
