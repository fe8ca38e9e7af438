"""Every way on which records leave the console, and which of them each has to show."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from random import Random
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.test import Client

from reflection.models import ReflectPass
from tests.mcp.here import Agent
from tests.rights import command_line
from tests.rights.oracle import Who
from tests.rights.world import World

BROWSER = Client()  # one for all: a new one reads all static files again
PASSES = 6  # of a world, looked at one by one
VIEW = re.compile(r'href="(/memories\?[^"]*)"')


@dataclass(frozen=True)
class Shown:
    """What came back: everything there is to read in it, its status, and how many it says there are."""

    text: str
    status: int = 200
    count: int | None = None


@dataclass(frozen=True)
class Channel:
    """`kinds` that stand `how` are all shown to those with `scope`, and nothing else is. Without `whole`, no more than
    these. `one` asks about one record, named by its word; with `linked` what it cites may be shown beside it, and so
    may those of the kinds in `beside`.
    """

    name: str
    ask: Callable[[Any, str], Shown]
    kinds: tuple[str, ...]
    how: str = "live"
    scope: str = "memory:read"
    whole: bool = True
    one: bool = False
    linked: bool = False
    beside: tuple[str, ...] = ()


class Token:
    """One of the tokens, at API and bridge."""

    def __init__(self, world: World, who: Who) -> None:
        self.key, self.ids = world.keys[who.token], world.ids
        self.headers = {"Authorization": f"Bearer {self.key}"}

    def api(self, verb: str, path: str, body: Any = None, counts: str = "", **query: Any) -> Shown:
        data = json.dumps(body).encode() if body is not None else b""
        answer = BROWSER.generic(
            verb, f"/v1/{path}", data, "application/json", query_params=query or None, headers=self.headers
        )
        return _read(answer, counts)

    def passes(self) -> Shown:
        """The list of passes."""
        return _named(self.api("GET", "passes", limit=200), self.ids)

    def candidates(self) -> Shown:
        """What all passes that there are plan, where they may be seen."""
        found = [self.api("GET", "passes", limit=200)]
        for key in ReflectPass.objects.values_list("pk", flat=True):
            found += [self.api("GET", f"passes/{key}"), self.api("GET", f"passes/{key}/candidates", limit=500)]
        return _together(found, self.ids)

    def command(self, *arguments: str) -> Shown:
        """What a command prints."""
        return Shown(*command_line.said(self.key, *arguments))

    def commands_of_passes(self) -> Shown:
        """What the commands tell of passes."""
        found = [self.command("passes", "list", "--limit", "200")]
        for key in some_passes():
            found += [self.command("passes", "show", key), self.command("passes", "show", key, "--candidates")]
        return _together(found, self.ids)

    def exported(self) -> Shown:
        """The file that the command of an export writes."""
        return Shown(*command_line.exported(self.key))

    def tool(self, name: str, **arguments: Any) -> Shown:
        said = Agent(headers=self.headers).calls(name, arguments)
        status = {"not_found": 404, "permission_denied": 403}.get(said.code, 400) if said.failed else 200
        return Shown(f"{said.text}\n{json.dumps(said.data)}", status)


class Person:
    """Somebody at the console."""

    def __init__(self, world: World, browser: Client) -> None:
        self.ids, self.browser = world.ids, browser
        browser.handler = BROWSER.handler

    def page(self, path: str, **query: Any) -> Shown:
        return _read(self.browser.get(path, query), "")

    def candidates(self) -> Shown:
        """The pages of passes."""
        return _together([self.page("/passes"), *(self.page(f"/passes/{key}") for key in some_passes())], self.ids)

    def opened(self) -> Shown:
        """Every list to which a saved view leads, theirs or not."""
        shown = self.page("/memories/views")
        leads = {unescape(one) for one in VIEW.findall(shown.text)}
        return _together([shown, *(self.page(one) for one in sorted(leads))], {})


def some_passes() -> list[str]:
    """The first ones, each under its id."""
    return [str(key) for key in ReflectPass.objects.order_by("pk").values_list("pk", flat=True)[:PASSES]]


def _together(found: list[Shown], ids: dict[str, UUID]) -> Shown:
    """Several answers as one, by its first; what is not there shows nothing."""
    text = "".join(one.text for one in found if one.status == 200)
    return _named(Shown(text, found[0].status), ids)


def _named(shown: Shown, ids: dict[str, UUID]) -> Shown:
    """The same with the word of each record of which it only tells the id."""
    return Shown(f"{shown.text} {' '.join(word for word, key in ids.items() if str(key) in shown.text)}", shown.status)


def _read(answer: HttpResponse, counts: str) -> Shown:
    body = answer.content.decode()
    count = json.loads(body).get(counts) if counts and answer.status_code == 200 else None
    return Shown(f"{dict(answer.items())}\n{body}", answer.status_code, count)


M, ALL = ("memory",), ("memory", "todo", "ledger", "decision", "snapshot")
PACK = {"query": "*", "max_items": 50, "max_tokens": 50_000}
TOKEN = [
    Channel("list", lambda t, w: t.api("GET", "memories", limit=500, counts="total"), M),
    Channel("list of all", lambda t, w: t.api("GET", "memories", limit=500, status="%", counts="total"), M, "kept"),
    Channel("search *", lambda t, w: t.api("GET", "memories/search", query="*", limit=50), M),
    Channel("recall *", lambda t, w: t.api("GET", "recall", query="*", limit=50), M),
    Channel("context", lambda t, w: t.api("POST", "recall/context", PACK), M),
    Channel(
        "search of a word",
        lambda t, w: _other_words(t.api("GET", "memories/search", query=w, limit=50), w),
        M,
        one=True,
    ),
    Channel("export", lambda t, w: t.api("POST", "memories/export", {"include_deleted": True}), M, "any"),
    Channel("export of everything", lambda t, w: t.api("POST", "export", {}), ALL, "any"),
    Channel(
        "stats",
        lambda t, w: t.api("GET", "memories/stats", group_by="metadata:speaker", top_n=200, counts="total_count"),
        M,
        "kept",
    ),
    Channel("timeline", lambda t, w: t.api("GET", "timeline", counts="total"), ("event",)),
    Channel("TODOs", lambda t, w: t.api("GET", "reminders", item_status="%", counts="total"), ("todo",)),
    Channel(
        "ledger", lambda t, w: t.api("GET", "me/ledger/transactions", counts="total"), ("ledger",), scope="ledger:read"
    ),
    Channel(
        "sums",
        lambda t, w: t.api("GET", "me/ledger/monthly-summary", counts="count"),
        ("ledger",),
        scope="ledger:read",
        whole=False,
    ),
    Channel("decisions", lambda t, w: t.api("GET", "decisions", counts="total"), ("decision",)),
    Channel("snapshots", lambda t, w: t.api("GET", "restart/snapshot", counts="total"), ("snapshot",)),
    Channel("audit", lambda t, w: t.api("GET", "audit/events", limit=500), ("line",), "any", scope="audit"),
    Channel("one", lambda t, w: t.api("GET", f"memories/{t.ids[w]}"), M, "kept", one=True),
    Channel("versions", lambda t, w: t.api("GET", f"memories/{t.ids[w]}/versions"), M, "kept", one=True, whole=False),
    Channel("explain", lambda t, w: t.api("GET", f"memories/{t.ids[w]}/explain"), M, "kept", one=True, linked=True),
    Channel(
        "why", lambda t, w: t.api("GET", f"memories/{t.ids[w]}/why"), M, "kept", one=True, whole=False, linked=True
    ),
    Channel(
        "importance",
        lambda t, w: t.api("GET", f"memories/{t.ids[w]}/importance"),
        M,
        "kept",
        one=True,
        whole=False,
        linked=True,
    ),
    Channel(
        "plan",
        lambda t, w: t.api("POST", "reflect", {"dry_run": True, "actions_csv": "expire,archive"}),
        M,
        "any",
        whole=False,
    ),
    Channel(
        "lineage",
        lambda t, w: t.api("GET", f"memories/{t.ids[w]}/lineage"),
        M,
        "kept",
        one=True,
        whole=False,
        linked=True,
    ),
    Channel("project", lambda t, w: t.api("POST", "projects/7/context", {"max_items": 50}), M, whole=False),
    Channel(
        "skill",
        lambda t, w: t.api("POST", "skill/operations", {"operation": "activity", "arguments": {}}),
        M,
        whole=False,
    ),
    Channel("list of passes", lambda t, w: t.passes(), ("pass",), "any"),
    Channel("passes", lambda t, w: t.candidates(), M, "any", whole=False, beside=("pass",)),
    Channel("tool search", lambda t, w: t.tool("search_memory", query="*", limit=50), M),
    Channel("tool recall", lambda t, w: t.tool("recall", query="*", limit=50), M),
    Channel("tool context", lambda t, w: t.tool("recall_context", **PACK), M),
    Channel("tool todos", lambda t, w: t.tool("todos", action="list", limit=200), ("todo",)),
    Channel("tool ledger", lambda t, w: t.tool("ledger", action="list", limit=200), ("ledger",), scope="ledger:read"),
    Channel("tool audit", lambda t, w: t.tool("query_audit", limit=500), ("line",), "any", scope="audit"),
    Channel("tool overview", lambda t, w: t.tool("memory_overview", group_by="metadata:speaker", top_n=200), M, "kept"),
    Channel(
        "tool explain", lambda t, w: t.tool("explain_memory", memory_id=str(t.ids[w])), M, "kept", one=True, linked=True
    ),
    Channel("command search", lambda t, w: t.command("search", "*", "--limit", "50"), M),
    Channel("command recall", lambda t, w: t.command("recall", "*", "--limit", "50"), M),
    Channel("command show", lambda t, w: t.command("show", str(t.ids[w])), M, "kept", one=True),
    Channel("command audit", lambda t, w: t.command("audit", "--limit", "500"), ("line",), "any", scope="audit"),
    Channel("command export", lambda t, w: t.exported(), ALL, "any"),
    Channel("command passes", lambda t, w: t.commands_of_passes(), M, "any", whole=False, beside=("pass",)),
    Channel("tool preview", lambda t, w: t.tool("reflect_preview", actions_csv="expire"), M, "any", whole=False),
]
EVERYTHING = (*ALL, "line", "pass", "view")
VIEWS = ("view",)
PERSON = [
    Channel("page of memories", lambda p, w: p.page("/memories"), M, beside=VIEWS),
    Channel(
        "page of archived memories", lambda p, w: p.page("/memories", status="archived"), M, "archived", beside=VIEWS
    ),
    Channel("page of facets", lambda p, w: p.page("/memories/facets"), M, whole=False),
    Channel("page of views", lambda p, w: p.page("/memories/views"), VIEWS, "any"),
    Channel("saved views", lambda p, w: p.opened(), M, "any", whole=False, beside=VIEWS),
    Channel("page of a search", lambda p, w: p.page("/search", query="*", limit=50), M, whole=False),
    Channel("page of TODOs", lambda p, w: p.page("/todos"), ("todo",)),
    Channel("page of the ledger", lambda p, w: p.page("/ledger"), ("ledger",)),
    Channel("page of decisions", lambda p, w: p.page("/decisions"), ("decision",)),
    Channel("page of snapshots", lambda p, w: p.page("/snapshots"), ("snapshot",)),
    Channel("page of the timeline", lambda p, w: p.page("/timeline"), ("event",)),
    Channel("trash", lambda p, w: p.page("/trash"), ALL, "deleted"),
    Channel("page of the audit", lambda p, w: p.page("/audit", limit=200), ("line",), "any"),
    Channel("overview", lambda p, w: p.page("/"), EVERYTHING, "any", whole=False),
    Channel("page of one", lambda p, w: p.page(f"/memories/{p.ids[w]}"), M, "any", one=True, linked=True),
    Channel("page of a lineage", lambda p, w: p.page(f"/memories/{p.ids[w]}/lineage"), M, "any", one=True, linked=True),
    Channel(
        "page of why", lambda p, w: p.page(f"/memories/{p.ids[w]}/why"), M, "any", one=True, whole=False, linked=True
    ),
    Channel(
        "page of an importance",
        lambda p, w: p.page(f"/memories/{p.ids[w]}/importance"),
        M,
        "any",
        one=True,
        whole=False,
        linked=True,
    ),
    Channel("JSON of one", lambda p, w: p.page(f"/memories/{p.ids[w]}.json"), M, "kept", one=True),
    Channel("page of passes", lambda p, w: p.page("/passes"), EVERYTHING, "any", whole=False),
    Channel("pages of passes", lambda p, w: p.candidates(), M, "any", whole=False, beside=("pass",)),
    Channel("inbox", lambda p, w: p.page("/inbox"), EVERYTHING, "any", whole=False),
]


def _other_words(shown: Shown, word: str) -> Shown:
    """A search tells in its filters what it was asked; what it found stands before."""
    return Shown(shown.text.replace(f'"query":"{word}"', ""), shown.status)


def case(world: World, roll: Random, askers: dict[Who, Any]) -> tuple[Who, Channel, str]:
    """Somebody, a way, and the word of a memory."""
    who = roll.choice(list(askers))
    channel = roll.choice(TOKEN if who.token else PERSON)
    return who, channel, roll.choice([thing.word for thing in world.things if thing.kind == "memory"])
