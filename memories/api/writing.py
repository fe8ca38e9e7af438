"""Remembering, reading and revising memories."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, if_match, read, read_query
from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor, visible_to
from memories.api import shapes
from memories.api.finding import memory_of
from memories.api.render import ids, memory_json, version_json
from memories.models import Memory
from memories.search.wanted import Search, check, narrowed
from memories.services.newest import newest
from memories.services.remember import NewMemory, Remembered, remember
from memories.services.revise import revert, revise
from memories.services.status import VERBS, in_status, standing

EMPTY_IS_NONE = ("scope", "semantic_key", "confidence")
FILTERS = ("path", "bucket", "scope", "team_id", "memory_type", "since", "until")


class Remember(Door):
    """POST remember."""

    def post(self, request: Request) -> Response:
        """Store one memory; fields that are not known are ignored, clients send several."""
        made = store(body_of(request), actor_of(request))
        body = {**ids(made.memory.pk), "status": made.status, "version": made.memory.state.version}
        return Response(body, headers=etag(made.memory.state.version))


class Memories(Door):
    """GET memories."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """The memories within the filters, newest first: the live ones, unless another status is asked for."""
        wanted = read_query(shapes.Listing, request)
        seen = visible_to(actor_of(request), Memory.objects.select_related("state"))
        rows = in_status(seen, status_of(wanted["status"] or "active"))
        rows = narrowed(rows, filters_of(wanted, actor_of(request))).filter(below(wanted.get("path_prefix", "%")))
        spaces = list(actor_of(request).spaces)
        page = newest(rows, "created_at", spaces=spaces, limit=wanted["limit"], offset=wanted["offset"])
        return Response({"memories": [memory_json(memory) for memory in page], "total": rows.count()})


class OneMemory(Door):
    """GET and PATCH memories/{id}."""

    needs = "memory:read"

    def get(self, request: Request, record_id: str) -> Response:
        """The memory; its version is the ETag."""
        memory = memory_of(record_id, actor_of(request))
        return Response(memory_json(memory), headers=etag(memory.state.version))

    def patch(self, request: Request, record_id: str) -> Response:
        """Change some fields. A null in scope or team_id changes nothing, an empty scope clears it."""
        sent = read(shapes.Revise, body_of(request))
        actor = actor_of(request)
        with if_match(request) as seen:
            memory = change(memory_of(record_id, actor), sent, body_of(request), seen, actor)
        return Response(memory_json(memory), headers=etag(memory.state.version))


class Versions(Door):
    """GET memories/{id}/versions."""

    needs = "memory:read"
    query = shapes.Past

    def get(self, request: Request, record_id: str) -> Response:
        """What the memory was before each revision, the latest first, a page at a time."""
        page = read_query(shapes.Past, request)
        body = versions_json(memory_of(record_id, actor_of(request)), **page)
        return Response(body, headers=etag(body["version"]))


class Revert(Door):
    """POST memories/{id}/versions/{number}/revert."""

    def post(self, request: Request, record_id: str, number: int) -> Response:
        """What the memory was at that version, as its newest version."""
        memory = memory_of(record_id, actor_of(request))
        reason = read(shapes.Reason, body_of(request), strict=True).get("reason", "")
        with if_match(request) as seen:
            found = revert(
                memory_id=memory.pk, number=number, reason=reason, seen_version=seen, actor=actor_of(request)
            )
        return Response(memory_json(found), headers=etag(found.state.version))


def store(given: dict[str, Any], actor: Actor) -> Remembered:
    """One memory as it was sent; fields that are not known are ignored."""
    return remember(new=NewMemory(**without_blanks(read(shapes.Remember, given))), actor=actor)


def change(memory: Memory, sent: dict[str, Any], raw: dict[str, Any], seen: int | None, actor: Actor) -> Memory:
    """The memory with the fields that were sent; `raw` tells a null from a field left out."""
    if sent.pop("merge_metadata", False) and isinstance(sent.get("metadata"), dict):
        sent["metadata"] = {**memory.metadata, **sent["metadata"]}
        seen = seen or memory.state.version
    reason = sent.pop("reason", "")
    changes = changes_of(sent, raw, memory)
    return revise(memory_id=memory.pk, changes=changes, reason=reason, seen_version=seen, actor=actor)


def versions_json(memory: Memory, *, limit: int = shapes.VERSIONS, offset: int = 0) -> dict[str, Any]:
    """What the memory was before each revision, the latest first: one page, and how many there are in all."""
    rows = memory.versions.select_related("replaced_by").order_by("-number")
    return {
        **ids(memory.pk),
        "version": memory.state.version,
        "versions": [version_json(row) for row in rows[offset : offset + limit]],
        "total": rows.count(),
    }


def filters_of(wanted: dict[str, Any], actor: Actor) -> Search:
    """The filters of a list, which are those of a search. Raises Invalid, and NotAllowed for a foreign team."""
    named = {name: wanted[name] for name in FILTERS if name in wanted}
    asked = Search("*", **named)
    check(asked, actor)
    return asked


def status_of(name: str) -> str:
    """The status asked for. Raises Invalid."""
    if name not in (*VERBS, "%"):
        known = ", ".join(VERBS)
        raise Invalid.field(
            "status",
            phrase("There is no such status here. Send one of %(known)s, or %% for all.", known=known),
            where="query",
        )
    return name


def below(prefix: str) -> Q:
    """The condition that a path is `prefix` or lies below it."""
    prefix = prefix.strip("/")
    return Q() if prefix in ("", "%") else Q(path=prefix) | Q(path__startswith=prefix + "/")


def without_blanks(sent: dict[str, Any]) -> dict[str, Any]:
    """What was sent; an empty scope, key or time is none."""
    return {name: value for name, value in sent.items() if not (name in EMPTY_IS_NONE and value == "")}


def changes_of(sent: dict[str, Any], raw: dict[str, Any], memory: Memory) -> dict[str, Any]:
    """The fields to revise: an empty text clears, so does a null where that has a meaning; the same value is none."""
    changes = {name: None if name in EMPTY_IS_NONE and value == "" else value for name, value in sent.items()}
    changes |= {name: None for name in ("confidence", "expires_at") if name in raw and raw[name] is None}
    same = {"team_id": memory.team_id, "status": standing(memory)}
    return {name: value for name, value in changes.items() if name not in same or value != same[name]}
