"""The JSON door to reflection: run a pass, look at passes, decide on them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, read, read_query
from console.errors import Conflict, Invalid
from console.saying import phrase
from memories.access import Actor, check_may_use
from memories.api.render import event_json
from memories.api.shapes import Given, Text, Trail, Whole
from memories.api.trail import lines_of, page_of
from memories.services import fields
from reflection import queries, report
from reflection.models import ReflectPass
from reflection.services import decide, demands
from reflection.services.revert import plan_revert
from reflection.services.run import awaits_approval, reflect
from reflection.services.undo import roll_back
from reflection.services.undo_some import take_back
from reflection.states import Action, Reversal, Status

AWAITING = "awaiting_approval"


class Ids(Given):
    """A list of ids."""

    default_error_messages = {"ids": _("This is no list of ids. Send whole UUIDs in a list.")}

    def to_internal_value(self, data: Any) -> frozenset[UUID]:
        """The ids."""
        if not isinstance(data, list):
            self.fail("ids")
        try:
            return frozenset(UUID(one) for one in data)
        except (ValueError, TypeError, AttributeError):
            return self.fail("ids")


class ListShape(serializers.Serializer):
    """GET passes."""

    status = Text(required=False)
    limit = Whole(least=1, most=200, default=50)
    cursor = Text(required=False)


class CandidatesShape(serializers.Serializer):
    """GET candidates."""

    action = Text(required=False)
    limit = Whole(least=1, most=500, default=100)
    cursor = Whole(least=0, most=1_000_000, required=False)


class DecisionShape(serializers.Serializer):
    """POST of a decision."""

    digest = Text(required=False)
    exclude = Ids(default=frozenset())
    comment = Text(default="")


class RollBackShape(DecisionShape):
    """POST of an undo."""

    candidates = Ids(required=False)


class ConsolidationShape(Trail):
    """GET audit consolidation."""

    action_type = Text(required=False)


class Reflect(Door):
    """POST reflect."""

    def post(self, request: Request) -> Response:
        """Run one bounded pass and report it: 200, or 202 where it waits for a person, or for its plan to be made."""
        made = reflect(given=body_of(request), actor=actor_of(request))
        waits = awaits_approval(made) or made.status == Status.PLANNING
        return Response(report.as_json(made), status=202 if waits else 200)


class Passes(Door):
    """GET passes."""

    needs = "memory:read"
    query = ListShape

    def get(self, request: Request) -> Response:
        """Passes without their candidates, newest first; `next_cursor` asks for the rest."""
        wanted = read_query(ListShape, request)
        actor, most = actor_of(request), wanted["limit"]
        rows = _in_status(queries.passes_of(actor), wanted.get("status", "%"))
        if "cursor" in wanted:
            rows = queries.older(rows, _pass_at(wanted["cursor"], actor))
        found = list(rows.order_by("-planned_at", "-pk")[: most + 1])
        following = str(found[most - 1].pk) if len(found) > most else None
        return Response({"passes": [report.summary_json(one) for one in found[:most]], "next_cursor": following})


class OnePass(Door):
    """GET passes/{id}."""

    needs = "memory:read"

    def get(self, request: Request, pass_id: str) -> Response:
        """The whole report."""
        return Response(report.as_json(queries.find(fields.record_id(pass_id), actor=actor_of(request))))


class Candidates(Door):
    """GET passes/{id}/candidates."""

    needs = "memory:read"
    query = CandidatesShape

    def get(self, request: Request, pass_id: str) -> Response:
        """Candidates in the plan's order, each with its evidence; `next_cursor` asks for the rest."""
        found = queries.find(fields.record_id(pass_id), actor=actor_of(request))
        wanted = read_query(CandidatesShape, request)
        most, rows = wanted["limit"], found.candidates.filter(position__gt=wanted.get("cursor", -1))
        if wanted.get("action", "%") != "%":
            rows = rows.filter(action=_action(wanted["action"], "action"))
        page = list(rows.order_by("position")[: most + 1])
        basis = queries.basis_of(page[:most])
        body = {"pass_id": found.pk, "status": report.status_of(found), "digest": found.digest}
        body["candidates"] = [report.candidate_json(one, basis[one.pk]) for one in page[:most]]
        return Response(body | {"next_cursor": page[most - 1].position if len(page) > most else None})


class Revert(Door):
    """POST passes/revert."""

    def post(self, request: Request) -> Response:
        """Plan to take back what a token wrote: 202, a person reviews it in the console; 200 where there is nothing."""
        made = plan_revert(given=body_of(request), actor=actor_of(request))
        return Response(report.as_json(made), status=202 if awaits_approval(made) else 200)


class Approve(Door):
    """POST passes/{id}/approve."""

    def post(self, request: Request, pass_id: str) -> Response:
        """Approve the plan of `digest` without `exclude`. Only a person in the console may."""
        key, sent = fields.record_id(pass_id), read(DecisionShape, body_of(request), strict=True)
        return _answer(decide.approve(pass_id=key, **{"digest": "", **sent}, actor=actor_of(request)))


class Reject(Door):
    """POST passes/{id}/reject."""

    def post(self, request: Request, pass_id: str) -> Response:
        """End the plan. Only a person in the console may."""
        key, sent = fields.record_id(pass_id), read(DecisionShape, body_of(request), strict=True)
        return _answer(decide.reject(pass_id=key, comment=sent["comment"], actor=actor_of(request)))


class Apply(Door):
    """POST passes/{id}/apply."""

    def post(self, request: Request, pass_id: str) -> Response:
        """Wake the worker for an approved pass (202); an applied one is returned as it is."""
        key, actor = fields.record_id(pass_id), actor_of(request)
        read(DecisionShape, body_of(request), strict=True)
        check_may_use(actor, "memory:write")
        found = queries.find(key, actor=actor)
        if found.status in (Status.APPLIED, Status.ROLLED_BACK):
            return _answer(found)
        if found.status not in (Status.APPROVED, Status.APPLYING):
            text = phrase("Only an approved pass is applied. A person approves it in the console.")
            raise Conflict(text, status=found.status)
        transaction.on_commit(lambda: decide.wake(found.pk))
        return _answer(found, status=202)


class RollBack(Door):
    """POST passes/{id}/rollback."""

    def post(self, request: Request, pass_id: str) -> Response:
        """Take the pass back, or only its `candidates`, or all but those in `exclude`. Only a person may."""
        key, sent = fields.record_id(pass_id), read(RollBackShape, body_of(request), strict=True)
        actor, comment = actor_of(request), sent["comment"]
        if "candidates" not in sent and not sent["exclude"]:
            return _answer(roll_back(pass_id=key, comment=comment, actor=actor))
        chosen = sent["candidates"] if "candidates" in sent else queries.applied_of(queries.find(key, actor=actor))
        return _answer(take_back(pass_id=key, candidates=chosen - sent["exclude"], comment=comment, actor=actor))


class Consolidation(Door):
    """GET audit/consolidation."""

    needs = "audit"

    def get(self, request: Request) -> Response:
        """What passes wrote and took back, newest first."""
        wanted = read_query(ConsolidationShape, request)
        return Response({"records": consolidated(wanted, actor_of(request))})


def consolidated(wanted: dict[str, Any], actor: Actor) -> list[dict[str, Any]]:
    """One page of what passes wrote and took back. Raises Invalid."""
    rows = lines_of(actor).filter(action__startswith="reflect.")
    if wanted.get("action_type", "%") != "%":
        name = _action(wanted["action_type"], "action_type")
        rows = rows.filter(action__in=[f"reflect.{name}", f"reflect.undo_{name}"])
    return [_consolidation_json(line) for line in page_of(rows, wanted, actor)]


def _answer(reflect_pass: ReflectPass, status: int = 200) -> Response:
    return Response(report.summary_json(reflect_pass), status=status)


def _in_status(rows: QuerySet[ReflectPass], name: str) -> QuerySet[ReflectPass]:
    """Those of `rows` in this status; `awaiting_approval` are the plans that wait for a person. Raises Invalid."""
    if name == "%":
        return rows
    if name == AWAITING:
        return queries.standing(rows, Status.PLANNED).filter(demands.PERSON, queries.FILLED, dry_run=False)
    if name not in list(Status):
        known = ", ".join([AWAITING, *Status])
        text = phrase("There is no such status. Send one of %(known)s.", known=known)
        raise Invalid.field("status", text, where="query")
    return queries.standing(rows, Status(name))


def _pass_at(cursor: str, actor: Actor) -> ReflectPass:
    """The last pass of the page before. Raises Invalid."""
    found = None
    if len(cursor) == 36 and cursor.count("-") == 4:
        try:
            found = queries.passes_of(actor).filter(pk=UUID(cursor)).first()
        except ValueError:
            found = None
    if found is None:
        text = phrase("This cursor is unknown. Send next_cursor as it was received.")
        raise Invalid.field("cursor", text, where="query")
    return found


def _action(name: str, field: str) -> str:
    """The action of this name. Raises Invalid."""
    known = [*Action, *Reversal]
    if name not in known:
        text = phrase("There is no such action. Send one of %(known)s.", known=", ".join(known))
        raise Invalid.field(field, text, where="query")
    return name


def _consolidation_json(line: Any) -> dict[str, Any]:
    name = line.action.removeprefix("reflect.")
    candidate = line.detail.get("candidate")
    return event_json(line) | {
        "action_type": name.removeprefix("undo_"),
        "undone": name.startswith("undo_"),
        "memory_id": line.object_id,
        "candidate_id": candidate,
        "url": report.candidate_address(line.pass_id, candidate) if line.pass_id and candidate else None,
    }
