"""Two people who do the same, one through the API and one through the bridge, and what each of them finds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from memories.models import LedgerEntry, Memory, MemoryVersion, Todo
from tests.mcp.bridge import Bridge
from tests.memories import factories

NOWHERE = "01990000-0000-7000-8000-000000000000"
CONTENTS = [
    "The kettle broke.",
    "Tea at four.",
    "Chá às quatro.",
    "お茶は四時です。",
    "Ann moved to Lisbon in 2024.",
    "",
]
PATHS = ["home", "home/kitchen", "work/plan", "home", "../up"]
MODES = ["", "soft", "soft_delete", "redact", "purge"]

contents, paths = st.sampled_from(CONTENTS), st.sampled_from(PATHS)
keys = st.sampled_from(["", "", "tea", "kettle"])
shares = st.sampled_from([0.0, 0.3, 0.5, 1, 1.5])

_names = count(1)


@dataclass(frozen=True, slots=True)
class Pair:
    """The same record on both sides."""

    api: str
    mcp: str


@dataclass(slots=True)
class Twin:
    """One side: the agent, and how its answer is told: the outcome, and the data where it was carried out."""

    bridge: Bridge
    seen: list[str] = field(default_factory=list)

    def asked(self, verb: str, path: str, body: Any = None) -> tuple[str, Any]:
        """Through the API: `done` or the code of the refusal, and what came back."""
        sent = b"" if body is None else json.dumps(body).encode()
        reply = self.bridge.post(sent, path=f"/v1/{path}", verb=verb, Accept="application/json")
        found = json.loads(reply.body)
        if reply.status < 400:
            return "done", found
        assert reply.status < 500, reply
        detail = found["detail"]
        return ("validation_error" if isinstance(detail, list) else detail["code"]), None

    def called(self, tool: str, **arguments: Any) -> tuple[str, Any]:
        """Through the bridge: the same."""
        said = self.bridge.call(tool, **arguments)
        return (said.code, None) if said.failed else ("done", said.data)


class Twins(RuleBasedStateMachine):
    """Each rule does one thing on both sides; the outcomes, the answers and all that is stored must be the same."""

    server: str
    memories: Bundle[Pair] = Bundle("memories")
    todos: Bundle[Pair] = Bundle("todos")

    def __init__(self) -> None:
        super().__init__()
        number = next(_names)
        self.people = [factories.user(f"twin{number}{side}") for side in ("a", "m")]
        self.api, self.mcp = (Twin(Bridge(self.server, one)) for one in self.people)

    def same(self, api: tuple[str, Any], mcp: tuple[str, Any]) -> tuple[Any, Any] | None:
        """Both outcomes are equal; what came back, where both were carried out."""
        assert api[0] == mcp[0], (api, mcp)
        return (api[1], mcp[1]) if api[0] == "done" else None

    @initialize(target=memories)
    def some_memories(self) -> Any:
        kept = [
            self.remember(content, path, key, 0.5, False)
            for content, path, key in zip(CONTENTS[:4], PATHS[:3] * 2, ["tea", "", "", ""], strict=False)
        ]
        return multiple(Pair(NOWHERE, NOWHERE), *kept)

    @initialize(target=todos)
    def some_todos(self) -> Any:
        return multiple(*(self.add_a_todo(content, None) for content in CONTENTS[:2]))

    @rule(target=memories, content=contents, path=paths, key=keys, importance=shares, dedupe=st.booleans())
    def remember(self, content: str, path: str, key: str, importance: float, dedupe: bool) -> Any:
        sent = {"content": content, "path": path, "semantic_key": key, "importance": importance, "dedupe": dedupe}
        sent = {name: value for name, value in sent.items() if value != "" or name == "content"}
        done = self.same(self.api.asked("POST", "remember", sent), self.mcp.called("remember", **sent))
        if done is None:
            return multiple()
        assert [one["status"] for one in done] == [done[0]["status"]] * 2
        return Pair(done[0]["id"], done[1]["id"])

    @rule(
        of=memories,
        changes=st.fixed_dictionaries({}, optional={"content": contents, "path": paths, "importance": shares}),
    )
    def change(self, of: Pair, changes: dict[str, Any]) -> None:
        done = self.same(
            self.api.asked("PATCH", f"memories/{of.api}", changes),
            self.mcp.called("update_memory", memory_id=of.mcp, **changes),
        )
        assert done is None or looks(done[0]) == looks(done[1])

    @rule(of=memories, mode=st.sampled_from(MODES), reason=st.sampled_from(["", "Out of date."]))
    def forget(self, of: Pair, mode: str, reason: str) -> None:
        if mode == "redact":
            api = self.api.asked("POST", f"memories/{of.api}/forget", {"mode": mode, "reason": reason})
            mcp = self.mcp.called("redact_memory", memory_id=of.mcp, reason=reason)
        else:
            api = self.api.asked("POST", f"memories/{of.api}/forget", {"mode": mode, "reason": reason})
            mcp = self.mcp.called("forget", memory_id=of.mcp, mode=mode, reason=reason)
        done = self.same(api, mcp)
        assert done is None or done[0]["status"] == done[1]["status"]

    @rule(described=st.sampled_from([*CONTENTS, "kettle", "tea"]))
    def forget_what_is_described(self, described: str) -> None:
        self.same(self.api.asked("POST", "forget", {"target": described}), self.mcp.called("forget", target=described))

    @rule(of=memories | todos)
    def restore(self, of: Pair) -> None:
        done = self.same(
            self.api.asked("POST", f"memories/{of.api}/restore", {}),
            self.mcp.called("restore_memory", memory_id=of.mcp),
        )
        assert done is None or done[0]["status"] == done[1]["status"]

    @rule(of=memories)
    def versions(self, of: Pair) -> None:
        done = self.same(
            self.api.asked("GET", f"memories/{of.api}/versions"),
            self.mcp.called("list_memory_versions", memory_id=of.mcp),
        )
        assert (
            done is None
            or [[(one["version"], one["content"]) for one in side["versions"]] for side in done]
            == [[(one["version"], one["content"]) for one in done[0]["versions"]]] * 2
        )

    @rule(
        query=st.sampled_from(["kettle", "tea four", "お茶", "cha", "Lisbon 2024", "nothing of it", ""]),
        strict=st.booleans(),
    )
    def search(self, query: str, strict: bool) -> None:
        tool, path = ("search_memory", "memories/search") if strict else ("recall", "recall")
        done = self.same(
            self.api.asked("GET", f"{path}?query={quote(query)}&limit=5"), self.mcp.called(tool, query=query, limit=5)
        )
        if done is not None:
            found = [[(hit["content"], hit["path"], hit["similarity"]) for hit in side["results"]] for side in done]
            assert found[0] == found[1]

    @rule(target=todos, content=contents, due=st.sampled_from([None, "2030-01-01T09:00:00Z", "soon"]))
    def add_a_todo(self, content: str, due: str | None) -> Any:
        sent = {"content": content} | ({"due_at": due} if due else {})
        done = self.same(self.api.asked("POST", "reminders", sent), self.mcp.called("todos", action="add", **sent))
        return multiple() if done is None else Pair(done[0]["id"], done[1]["todo"]["id"])

    @rule(of=todos, verb=st.sampled_from(["complete", "reopen"]))
    def move_a_todo(self, of: Pair, verb: str) -> None:
        self.same(
            self.api.asked("POST", f"reminders/{of.api}/{verb}", {}),
            self.mcp.called("todos", action=verb, todo_id=of.mcp),
        )

    @rule(of=consumes(todos))
    def forget_a_todo(self, of: Pair) -> None:
        self.same(self.api.asked("POST", f"memories/{of.api}/forget", {}), self.mcp.called("forget", memory_id=of.mcp))

    @rule(
        amount=st.sampled_from(["3.50", "0.10", "12", "-1"]),
        currency=st.sampled_from(["EUR", "EUR", "JPY", "XXX"]),
        kind=st.sampled_from(["expense", "refund", "income", "gift"]),
    )
    def spend(self, amount: str, currency: str, kind: str) -> None:
        sent = {"item": "Tea", "amount": amount, "currency": currency, "transaction_type": kind}
        self.same(
            self.api.asked("POST", "me/ledger/transactions", sent), self.mcp.called("ledger", action="add", **sent)
        )

    @rule(actions=st.sampled_from([["archive"], ["summarize", "promote"], ["expire", "decay"], ["tidy"]]))
    def preview(self, actions: list[str]) -> None:
        sent = {"actions": actions, "dry_run": True}
        done = self.same(self.api.asked("POST", "reflect", sent), self.mcp.called("reflect", **sent))
        assert done is None or done[0]["counts"] == done[1]["counts"]

    @invariant()
    def stored_alike(self) -> None:
        api, mcp = (stored_by(one) for one in self.people)
        assert api == mcp


def looks(memory: dict[str, Any]) -> dict[str, Any]:
    """What a memory looks like, but for its id and its times."""
    return {name: memory[name] for name in ("content", "path", "memory_type", "status", "importance", "version")}


def stored_by(who: Any) -> list[list[tuple[Any, ...]]]:
    """All records of `who`, in order of their making."""
    fields = ("content", "path", "memory_type", "semantic_key", "state__status", "state__importance", "state__version")
    return [
        list(Memory.objects.filter(owner=who).order_by("pk").values_list(*fields)),
        list(
            MemoryVersion.objects.filter(memory__owner=who)
            .order_by("memory", "number")
            .values_list("number", "content")
        ),
        list(
            Todo.objects.filter(owner=who).order_by("pk").values_list("content", "note", "status", "version", "due_at")
        ),
        list(LedgerEntry.objects.filter(owner=who).order_by("pk").values_list("item", "amount", "currency", "status")),
    ]
