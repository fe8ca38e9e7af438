"""The audit of the caller's own spaces."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, read_query
from console.errors import Invalid, NotAllowed
from console.saying import phrase
from memories import audit
from memories.access import Actor, Bounds, in_spaces
from memories.api import shapes
from memories.api.render import event_json
from memories.models import AuditRecord
from memories.patterns import ilike
from memories.services import fields, hands


class AuditEvents(Door):
    """GET audit/events."""

    needs = "audit"

    def get(self, request: Request) -> Response:
        """The newest lines; `action` is a pattern in which % stands for any text."""
        wanted = read_query(shapes.Events, request)
        return Response({"events": events(wanted, actor_of(request))})


class VerifyAudit(Door):
    """GET audit/verify."""

    needs = "audit"

    def get(self, request: Request) -> Response:
        """Whether each line follows from the one before, in every space of the caller; else the first that does not."""
        actor = actor_of(request)
        if actor.bounds != Bounds():
            raise NotAllowed(
                phrase("This token is bound to a part of its spaces; a chain is proven whole. Use one that is not.")
            )
        found = audit.chains(actor)
        return Response(
            {"whole": all(one.broken is None for one in found), "chains": [_chain_json(one) for one in found]}
        )


def _chain_json(chain: audit.Chain) -> dict[str, Any]:
    broken = chain.broken
    fault = {"seq": broken.seq, "id": broken.record_id, "fault": broken.fault} if broken else None
    return {"space_id": chain.space_id, "name": chain.name, "lines": chain.length, "broken": fault}


def events(wanted: dict[str, Any], actor: Actor) -> list[dict[str, Any]]:
    """One page of the audit. Raises BadId, Invalid."""
    pattern = wanted.get("action", "%")[:50]
    rows = lines_of(actor) if pattern == "%" else lines_of(actor).filter(ilike("action", pattern))
    if "target_id" in wanted:
        rows = rows.filter(object_id=fields.record_id(wanted["target_id"]))
    return [event_json(line) for line in page_of(rows, wanted, actor)]


def lines_of(actor: Actor) -> QuerySet[AuditRecord]:
    """The audit that the actor may see: its spaces'; for a bounded token, only what that token did."""
    rows = in_spaces(actor, AuditRecord.objects.all())
    return rows if actor.bounds == Bounds() else rows.filter(token_id=actor.token_id)


def page_of(rows: QuerySet[AuditRecord], wanted: dict[str, Any], actor: Actor) -> list[Any]:
    """One page of the range `[since, until)`, newest first. Raises Invalid."""
    since, until = wanted.get("since"), wanted.get("until")
    if since and until and until <= since:
        raise Invalid.field("until", phrase("until must be later than since. Change one of them."), where="query")
    if since:
        rows = rows.filter(at__gte=since)
    if until:
        rows = rows.filter(at__lt=until)
    return hands.attach(audit.newest(rows, actor, limit=wanted["limit"], offset=wanted["offset"]), actor=actor)
