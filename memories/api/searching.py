"""Strict search: only what answers, or an explicit “no strong match”; and its tolerant siblings, recall and a pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, read, read_query
from console.errors import Invalid, Problem
from console.saying import phrase, told
from memories.access import check_may_use
from memories.api import shapes
from memories.api.render import boundary_json, ids
from memories.search.pack import TOKENS_MOST, Pack, recall_context
from memories.search.search import Found, Hit, Search, recall, search
from memories.search.strength import STRONG
from memories.search.wanted import ANY, CREATED, LIMIT_MOST

ORDERS = {"asc": "oldest", "desc": "newest"}


class Place(shapes.Filter):
    """A path to filter by. A star at its end is any text, as clients that know no patterns write it."""

    def to_internal_value(self, data: Any) -> str:
        """The pattern."""
        found = super().to_internal_value(data)
        return f"{found[:-1]}{ANY}" if found.endswith("*") else found


class Times(serializers.Serializer):
    """From when to when, in which order, and which time of a memory is meant."""

    since = shapes.Moment(required=False)
    until = shapes.Moment(required=False)
    time_order = shapes.Text(required=False)
    temporal_axis_mode = shapes.Text(default=CREATED)


class RecallShape(Times):
    """GET recall."""

    query = shapes.Text(default="")
    limit = shapes.Whole(least=1, most=LIMIT_MOST, default=5)
    bucket = shapes.Filter(default="%")
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)
    memory_type = shapes.Text(default="%")
    path = Place(default="%")
    prefer_working = shapes.Flag(default=False)
    explain = shapes.Flag(default=False)
    threshold = shapes.Share(required=False)


class SearchShape(RecallShape):
    """GET memories/search."""

    query_mode = shapes.Text(default="topic")


class Strength(shapes.Share):
    """A number of JSON; the search says from where to where."""

    def to_internal_value(self, data: Any) -> float:
        """The number."""
        if isinstance(data, int | float) and not isinstance(data, bool):
            return float(data) if abs(data) < 1e9 else self.fail("share")
        return super().to_internal_value(data)


class ContextShape(Times):
    """POST recall/context."""

    query = shapes.Text(default="")
    path = Place(default=ANY)
    bucket = shapes.Filter(default=ANY)
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)
    memory_type = shapes.Text(default=ANY)
    status = shapes.Text(default="active")
    threshold = Strength(required=False)
    max_items = shapes.Whole(least=1, most=LIMIT_MOST, default=10)
    max_tokens = shapes.Whole(least=1, most=TOKENS_MOST, default=2_000)
    prefer_working = shapes.Flag(default=False)
    query_mode = shapes.Text(default="topic")


class SearchMemories(Door):
    """GET memories/search."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """Ranked hits; where nothing is strong enough, none, and the filters in force."""
        wanted = wanted_of(request)
        actor = actor_of(request)
        return Response(
            found_json(search(actor, wanted), explain=wanted.explain) | {"agent_boundary": boundary_json(actor)}
        )


class Recall(Door):
    """GET recall."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """The best there is in the order of a search, weak ones too; `strong` tells which a search would show."""
        sent = read_query(RecallShape, request)
        wanted, actor = Search(**sent | {"time_order": order_of(sent)}), actor_of(request)
        body = recalled_json(recall(actor, wanted), explain=wanted.explain)
        return Response(body | {"agent_boundary": boundary_json(actor)})


class RecallContext(Door):
    """POST recall/context. It writes nothing; the question stands in the body because it may be long."""

    changes = False

    def post(self, request: Request) -> Response:
        """The best memories as one text, never more items or tokens than asked."""
        actor = actor_of(request)
        check_may_use(actor, "memory:read")
        sent = read(ContextShape, {name: value for name, value in body_of(request).items() if value != ""})
        _check_status(sent.pop("status"))
        limits = {name: sent.pop(name) for name in ("max_items", "max_tokens")}
        if sent["memory_type"] == "auto":
            sent["memory_type"] = ANY
        with in_the_body():
            pack = recall_context(actor, _asked(sent, body_of(request), "body"), **limits)
        boundary = {"agent_boundary": boundary_json(actor), "scope": sent.get("scope")}
        return Response(pack_json(pack, **limits) | boundary)


def _check_status(status: str) -> None:
    if status not in ("active", ANY):
        raise Invalid.field("status", phrase("Only active memories are recalled. Send active, or leave status out."))


@contextmanager
def in_the_body() -> Iterator[None]:
    """The search takes its fields for those of a query; here they stand in the body."""
    try:
        yield
    except Invalid as refusal:
        raise Invalid(*(replace(one, loc=("body", *one.loc[1:])) for one in refusal.problems)) from None


def order_of(sent: dict[str, Any]) -> str | None:
    """The order of time that was asked for, by the name of the search."""
    order = sent.get("time_order")
    return ORDERS.get(order, order) if order else None


def wanted_of(request: Request) -> Search:
    """The search that the query asks for. Raises Invalid, and NotAllowed for what cannot be a team."""
    return _asked(read_query(SearchShape, request), request.query_params, "query")


def _asked(sent: dict[str, Any], raw: Mapping[str, Any], where: str) -> Search:
    mode = sent.pop("query_mode")
    if mode not in ("topic", "activity_log"):
        raise Invalid.field("query_mode", phrase("This mode is unknown. Send topic or activity_log."), where=where)
    if mode == "activity_log":
        _check_log(sent, raw, where)
        sent["query"] = sent["query"] or "*"
        sent.setdefault("time_order", "newest")
    return Search(**sent | {"time_order": order_of(sent)})


def _check_log(sent: dict[str, Any], raw: Mapping[str, Any], where: str) -> None:
    """An activity log is of a span that leaves no doubt: both ends, with offsets."""
    problems = []
    for name in ("since", "until"):
        text = str(raw.get(name, "")).strip()
        if sent.get(name) is None:
            problems.append(
                Problem(
                    (where, name), phrase("An activity log needs %(name)s. Send a time with its offset.", name=name)
                )
            )
        elif not (text[-1:] in "Zz" or text[-6:-5] in ("+", "-")):
            problems.append(
                Problem((where, name), phrase("%(name)s has no offset. Add one, e.g. 2026-03-01T00:00:00Z.", name=name))
            )
    if problems:
        raise Invalid(*problems)


def found_json(found: Found, *, explain: bool) -> dict[str, Any]:
    """The answer: `results`, and `no_match` where there are none."""
    body: dict[str, Any] = {
        "results": [_hit_json(hit, explain=explain) for hit in found.hits],
        "coverage": found.coverage,
        "filters": found.filters,
    }
    if found.no_match is not None:
        filters = {one["name"]: one["value"] for one in found.no_match.filters}
        body["no_match"] = {"reason": told(found.no_match.reason), "filters": filters}
    return body


def recalled_json(found: Found, *, explain: bool) -> dict[str, Any]:
    """What a tolerant search found; `strong` tells which a strict one would show."""
    body = found_json(replace(found, no_match=None), explain=explain)
    for shown, hit in zip(body["results"], found.hits, strict=True):
        shown["strong"] = hit.score >= STRONG
    return body


def pack_json(pack: Pack, *, max_items: int, max_tokens: int) -> dict[str, Any]:
    """`budget` holds what was used, tokens as an estimate, and what was allowed."""
    memories = [hit.memory for hit in pack.items]
    return {
        "items": [{**ids(one.pk), "path": one.path, "bucket": one.bucket, "scope": one.scope} for one in memories],
        "context_text": pack.text,
        "budget": {
            "tokens": pack.tokens,
            "items": len(pack.items),
            "max_tokens": max_tokens,
            "max_items": max_items,
        },
        "coverage": pack.coverage,
        "filters": pack.filters,
    }


def _hit_json(hit: Hit, *, explain: bool) -> dict[str, Any]:
    memory = hit.memory
    body: dict[str, Any] = {
        **ids(memory.pk),
        "content": memory.content,
        "path": memory.path,
        "bucket": memory.bucket,
        "scope": memory.scope,
        "memory_type": memory.memory_type,
        "similarity": hit.score,
        "created_at": memory.created_at,
        "agent_boundary": {
            "boundary": hit.whose,
            "owner_id": memory.owner_id,
            "team_id": memory.team_id,
            "bucket": memory.bucket,
            "scope": memory.scope,
            "agent_id": memory.agent_id or None,
        },
    }
    if explain:
        body["explanation"] = {
            "words": hit.words,
            "meaning": hit.meaning,
            "beside": hit.beside,
            "matched": list(hit.matched),
            "marks": [list(span) for span in hit.marks],
            "visible_because": hit.why_visible,
        }
    return body
