"""Operations of a skill on memories."""

from __future__ import annotations

import json
from dataclasses import replace
from textwrap import shorten
from typing import Any

from console.door import read
from console.errors import Invalid
from console.rest import check_value
from console.saying import phrase
from memories.access import Actor, check_may_use, may_use
from memories.api import searching, shapes, stats
from memories.api.finding import memory_of
from memories.api.forgetting import carry_out, named, wanted_of
from memories.api.render import boundary_json, ids, memory_json
from memories.api.writing import change, store
from memories.embedding import EmbeddingUnavailable
from memories.embedding import store as vectors
from memories.search.search import Search, recall, search
from memories.search.wanted import LIMIT_MOST
from memories.services import fields

NUMBERS = ("importance", "confidence")
OBJECTS = ("metadata", "provenance")
LIMIT_SAID = 100
LINE_MOST = 200  # characters of a memory in a line of the activity


class Query(searching.SearchShape):
    """A search or recall; `path_filter` is another name of path. Skills ask for up to 100, and get 50 at most."""

    limit = shapes.Whole(least=1, most=LIMIT_SAID, default=5)
    path_filter = shapes.Filter(required=False)


def typed(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments that came as texts in the types that the services ask for. Raises Invalid."""
    found = dict(given)
    for name in NUMBERS:
        if isinstance(found.get(name), str):
            found[name] = _number(name, found[name])
    for name in OBJECTS:
        if isinstance(found.get(name), str):
            found[name] = _object(name, found[name])
    return found


def _number(name: str, text: str) -> float:
    try:
        return shapes.Share().run_validation(text)
    except shapes.serializers.ValidationError:
        raise Invalid.field(name, phrase("%(name)s is no number. Send one from 0 to 1.", name=name)) from None


def _object(name: str, text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Invalid.field(name, phrase("%(name)s is no JSON. Send an object, or its text.", name=name)) from None
    check_value(value, ("body", name))
    return value


def record_of(given: dict[str, Any], *names: str) -> Any:
    """The id of a record under the first of `names` that is there. Raises Invalid, BadId."""
    named = next((given[name] for name in names if name in given), None)
    if named is None:
        raise Invalid.field(names[0], phrase("It is missing. Send %(name)s.", name=names[0]))
    return fields.record_id(named)


def remembered(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """A new memory; without a path it lies at the top. `logic_path` is another name of path."""
    made = store({"path": given.get("logic_path", ""), **typed(given)}, actor)
    return {**ids(made.memory.pk), "status": made.status, "version": made.memory.state.version}


def _wanted(given: dict[str, Any]) -> Search:
    sent = read(Query, given)
    sent.pop("query_mode")
    sent["path"] = sent.pop("path_filter", sent["path"])
    sent["limit"] = min(sent["limit"], LIMIT_MOST)
    return Search(**sent | {"time_order": searching.order_of(sent)})


def searched(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """Strict: what answers, or an explicit no match."""
    check_may_use(actor, "memory:read")
    wanted = _wanted(given)
    with searching.in_the_body():
        return searching.found_json(search(actor, wanted), explain=wanted.explain)


def recalled(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """Tolerant: the best there is."""
    check_may_use(actor, "memory:read")
    wanted = _wanted(given)
    with searching.in_the_body():
        return searching.recalled_json(recall(actor, wanted), explain=wanted.explain)


def updated(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """A memory with some of its fields changed."""
    memory = memory_of(record_of(given, "memory_id", "id"), actor)
    return memory_json(change(memory, read(shapes.Revise, typed(given)), {}, None, actor))


def forgotten(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """A record into the trash, redacted, or handed to a person who confirms that it goes for good."""
    sent = read(shapes.ForgetTarget, {"memory_id": given.get("id"), **given})
    return carry_out(named(sent, actor), wanted_of(sent), None, actor)


def overview(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """Counts of memories."""
    wanted = read(stats.Counted, given)
    counted = stats.stats_json(wanted, actor)
    stands = counted["status_counts"]
    return counted | {
        "memories_total": counted["total_count"],
        **{f"memories_{name}": stands.get(name, 0) for name in ("active", "archived", "expired")},
        "memories_forgotten": stats.forgotten(wanted, actor),
    }


def activity(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """What was remembered lately, the newest first; in `activity` a line of each."""
    check_may_use(actor, "memory:read")
    wanted = replace(_wanted({"limit": 20, **given, "query": "*"}), time_order="newest")
    with searching.in_the_body():
        found = searching.found_json(search(actor, wanted), explain=False)
    lines = [
        {
            "ts": hit["created_at"],
            "type": hit["memory_type"],
            "summary": shorten(hit["content"], LINE_MOST, placeholder="…"),
            "ref_id": hit["id"],
        }
        for hit in found["results"]
    ]
    return found | {"activity": lines, "total": len(lines)}


def doctor(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """Whether the token and the console are fit for work."""
    scopes = {name: may_use(actor, name) for name in ("memory:read", "memory:write")}
    known = actor.user_id is not None
    return {
        "status": "ok" if all(scopes.values()) else "limited" if known else "anonymous",
        "auth_valid": known,
        "scopes": sorted(actor.scopes),
        "missing": sorted(name for name, has in scopes.items() if not has),
        **({"meaning": _meaning(actor), "agent_boundary": boundary_json(actor)} if known else {}),
    }


def _meaning(actor: Actor) -> str:
    """How far search by meaning is."""
    try:
        waiting = vectors.waiting(actor)
    except EmbeddingUnavailable:
        return "away; search works by words"
    return "ready" if waiting is None or not waiting.count else f"{waiting.count} memories wait for their vector"
