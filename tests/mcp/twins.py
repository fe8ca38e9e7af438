"""Two people who do the same, one through the API and one through the bridge, and what each of them finds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import count
from typing import Any
from urllib.parse import urlencode

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from tests.mcp.bridge import Bridge
from tests.mcp.twin_records import CONTENTS, NOWHERE, PATHS, looks, stored_by
from tests.memories import factories

MODES = ["", "soft", "soft_delete", "redact", "purge"]
REASONS = ["", "Out of date.", "Said twice."]

contents, paths = st.sampled_from(CONTENTS), st.sampled_from(PATHS)
keys = st.sampled_from(["", "", "", "tea", "kettle"])
shares = st.sampled_from([0.0, 0.3, 0.5, 1, 1.5])
buckets, scopes = st.sampled_from(["work", "work", "home", ""]), st.sampled_from(["", "tenant:project:7"])
facts = st.sampled_from([{}, {"speaker": "Ann"}, {"speaker": "Bob", "tags": ["tea", "a,b"]}])
reasons, limits = st.sampled_from(REASONS), st.sampled_from([1, 2, 5, 50])
PLACES = {"bucket": buckets, "scope": scopes, "memory_type": st.sampled_from(["auto", "semantic", "episodic", "odd"])}
CHANGES: list[dict[str, Any]] = [
    *({"content": one} for one in CONTENTS),
    *({"path": one} for one in ("home", "work/plan", "../up")),
    *({"importance": one} for one in (0.3, 1, 1.5)),
    *({"confidence": one} for one in (0.0, 0.7)),
    *({"bucket": one} for one in ("home", "")),
    *({"scope": one} for one in ("tenant:project:7", "")),
    *({"memory_type": one} for one in ("procedural", "odd")),
    *({"status": one} for one in ("archived", "active", "deleted")),
    *({"expires_at": one} for one in ("2100-01-01T00:00:00Z", "soon")),
    {"metadata": {"speaker": "Ann"}},
    {"metadata": {"tags": ["tea", "a,b"]}, "merge_metadata": True},
]
changes = st.lists(st.sampled_from(CHANGES), min_size=1, max_size=2).map(
    lambda some: {name: value for one in some for name, value in one.items()}
)

_names = count(1)


@dataclass(frozen=True, slots=True)
class Pair:
    """The same record on both sides."""

    api: str
    mcp: str


Done = tuple[str, Any]  # `done` or the code of the refusal, and what came back


def asked(bridge: Bridge, verb: str, path: str, body: Any = None) -> Done:
    """What the API answers."""
    sent = b"" if body is None else json.dumps(body).encode()
    reply = bridge.post(sent, path=f"/v1/{path}", verb=verb, Accept="application/json")
    found = json.loads(reply.body)
    if reply.status < 400:
        return "done", found
    assert reply.status < 500, reply
    detail = found["detail"]
    return ("validation_error" if isinstance(detail, list) else detail["code"]), None


def called(bridge: Bridge, tool: str, arguments: dict[str, Any]) -> Done:
    """What the bridge answers; it takes objects as texts of JSON."""
    if "metadata" in arguments:
        arguments = {**arguments, "metadata_json": json.dumps(arguments["metadata"])}
        del arguments["metadata"]
    said = bridge.call(tool, **arguments)
    return (said.code, None) if said.failed else ("done", said.data)


class Twins(RuleBasedStateMachine):
    """Each rule does one thing on both sides; the outcomes, the answers and all that is stored must be the same."""

    server: str
    memories: Bundle[Pair] = Bundle("memories")
    todos: Bundle[Pair] = Bundle("todos")
    entries: Bundle[Pair] = Bundle("entries")

    def __init__(self) -> None:
        super().__init__()
        number = next(_names)
        self.people = [factories.user(f"twin{number}{side}") for side in ("a", "m")]
        self.api, self.mcp = (Bridge(self.server, one) for one in self.people)

    def both(self, api: tuple[Any, ...], tool: str, /, **arguments: Any) -> tuple[Any, Any] | None:
        """Both answers, where both were carried out; else both were refused alike."""
        one, other = asked(self.api, *api), called(self.mcp, tool, arguments)
        assert one[0] == other[0], (api, one, other)
        return (one[1], other[1]) if one[0] == "done" else None

    def looked(self, path: str, query: dict[str, Any], names: tuple[str, str], tool: str, /, **arguments: Any) -> None:
        """Two lists are the same, in the same order, and as long as each says."""
        done = self.both(("GET", f"{path}?{urlencode(query)}"), tool, **arguments)
        if done is not None:
            api, mcp = (side[name] for side, name in zip(done, names, strict=True))
            assert [looks(one) for one in api] == [looks(one) for one in mcp]
            assert done[0].get("total") == done[1].get("total")

    @initialize(target=memories)
    def some_memories(self) -> Any:
        kept = [
            self.remember(text, PATHS[0], key, 0.5, False, {}, {})
            for text, key in zip(CONTENTS[3:6], ("tea", "", ""), strict=True)
        ]
        return multiple(Pair(NOWHERE, NOWHERE), *kept)

    @initialize(target=todos)
    def some_todos(self) -> Any:
        return multiple(*(self.add_a_todo(content, None) for content in CONTENTS[:2]))

    @rule(
        target=memories,
        content=contents,
        path=paths,
        key=keys,
        importance=shares,
        dedupe=st.booleans(),
        metadata=facts,
        place=st.fixed_dictionaries({}, optional=PLACES),
    )
    def remember(
        self,
        content: str,
        path: str,
        key: str,
        importance: float,
        dedupe: bool,
        metadata: dict[str, Any],
        place: dict[str, Any],
    ) -> Any:
        sent = {"content": content, "path": path, "importance": importance, "dedupe": dedupe, "metadata": metadata}
        sent |= place | ({"semantic_key": key} if key else {})
        done = self.both(("POST", "remember", sent), "remember", **sent)
        if done is None:
            return multiple()
        assert [one["status"] for one in done] == [done[0]["status"]] * 2
        return Pair(done[0]["id"], done[1]["id"])

    @rule(target=memories, of=memories, content=contents)
    def remember_what_is_there(self, of: Pair, content: str) -> Any:
        """The text of one that is there, or nearly: with `dedupe` nothing new comes of what counts as equal."""
        shown = asked(self.api, "GET", f"memories/{of.api}")[1] or {
            "content": content,
            "path": "home",
            "bucket": "work",
        }
        return self.remember(shown["content"], shown["path"], "", 0.5, True, {}, {"bucket": shown["bucket"]})

    def tour(self) -> None:
        """Each thing once, for whatever chance leaves out."""
        kept, todo = self.remember("Tea at four.", "home", "", 0.5, False, {}, {}), self.add_a_todo("Buy tea.", None)
        entry = self.spend("3.50", "EUR", "expense", "tea")
        for one in CHANGES:
            self.change(kept, one)
            self.stored_alike()
        for mode in MODES:
            self.forget(kept, mode, REASONS[1])
            self.restore(kept, REASONS[2])
            self.stored_alike()
        self.versions(kept)
        self.move_a_todo(todo, "complete", "With milk.")
        for of in (todo, entry):
            self.forget(of, "soft", REASONS[1])
            self.restore(of, REASONS[2])
        self.stored_alike()
        self.looks_around()

    def looks_around(self) -> None:
        """Every list, with two in it, asked for one and for all."""
        self.add_a_todo("Buy milk.", None)
        self.add_a_todo("Buy a kettle.", None)
        self.spend("12", "EUR", "refund", "")
        for content in CONTENTS[:2]:
            self.remember(content, "home", "", 0.5, False, {}, {})
        for limit in (1, 50):
            for status in ("open", "completed", "%"):
                self.list_todos(status, limit)
            self.list_entries("%", limit)
            self.pack("kettle", limit)
            for strict in (True, False):
                self.search("kettle", strict, limit)

    @rule(of=memories, changes=changes)
    def change(self, of: Pair, changes: dict[str, Any]) -> None:
        done = self.both(("PATCH", f"memories/{of.api}", changes), "update_memory", memory_id=of.mcp, **changes)
        assert done is None or looks(done[0]) == looks(done[1])

    @rule(of=memories | todos | entries, mode=st.sampled_from(MODES), reason=reasons)
    def forget(self, of: Pair, mode: str, reason: str) -> None:
        api = ("POST", f"memories/{of.api}/forget", {"mode": mode, "reason": reason})
        if mode == "redact":
            done = self.both(api, "redact_memory", memory_id=of.mcp, reason=reason)
        else:
            done = self.both(api, "forget", memory_id=of.mcp, mode=mode, reason=reason)
        assert done is None or [one["mode"] for one in done] == [done[0]["mode"]] * 2
        assert done is None or done[0]["status"] == done[1]["status"]

    @rule(described=st.sampled_from([*CONTENTS, "kettle", "tea"]))
    def forget_what_is_described(self, described: str) -> None:
        self.both(("POST", "forget", {"target": described}), "forget", target=described)

    @rule(of=memories | todos | entries, reason=reasons)
    def restore(self, of: Pair, reason: str) -> None:
        sent = {"reason": reason}
        done = self.both(("POST", f"memories/{of.api}/restore", sent), "restore_memory", memory_id=of.mcp, **sent)
        assert done is None or done[0]["status"] == done[1]["status"]

    @rule(of=memories)
    def versions(self, of: Pair) -> None:
        done = self.both(("GET", f"memories/{of.api}/versions"), "list_memory_versions", memory_id=of.mcp)
        if done is not None:
            told = [[(one["version"], one["content"], one["reason"]) for one in side["versions"]] for side in done]
            assert told[0] == told[1] and done[0]["version"] == done[1]["version"]

    @rule(
        query=st.sampled_from(["kettle", "tea four", "お茶", "cha", "Lisbon 2024", "nothing of it", "*", ""]),
        strict=st.booleans(),
        limit=limits,
    )
    def search(self, query: str, strict: bool, limit: int) -> None:
        tool, path = ("search_memory", "memories/search") if strict else ("recall", "recall")
        asks = {"query": query, "limit": limit}
        self.looked(path, asks, ("results", "results"), tool, **asks)

    @rule(query=st.sampled_from(["kettle", "*"]), most=limits)
    def pack(self, query: str, most: int) -> None:
        sent = {"query": query, "max_items": most}
        done = self.both(("POST", "recall/context", sent), "recall_context", **sent)
        assert done is None or done[0]["context_text"] == done[1]["context_text"]

    @rule(target=todos, content=contents, due=st.sampled_from([None, "2030-01-01T09:00:00Z", "soon"]))
    def add_a_todo(self, content: str, due: str | None) -> Any:
        sent = {"content": content} | ({"due_at": due} if due else {})
        done = self.both(("POST", "reminders", sent), "todos", action="add", **sent)
        return multiple() if done is None else Pair(done[0]["id"], done[1]["todo"]["id"])

    @rule(of=todos, verb=st.sampled_from(["complete", "reopen"]), note=st.sampled_from(["", "With milk."]))
    def move_a_todo(self, of: Pair, verb: str, note: str) -> None:
        sent = {"note": note} if verb == "complete" else {}
        self.both(("POST", f"reminders/{of.api}/{verb}", sent), "todos", action=verb, todo_id=of.mcp, **sent)

    @rule(status=st.sampled_from(["open", "completed", "%"]), limit=limits)
    def list_todos(self, status: str, limit: int) -> None:
        asks = {"item_status": status, "limit": limit}
        self.looked("reminders", asks, ("reminders", "todos"), "todos", action="list", **asks)

    @rule(of=consumes(todos))
    def forget_a_todo(self, of: Pair) -> None:
        self.both(("POST", f"memories/{of.api}/forget", {}), "forget", memory_id=of.mcp)

    @rule(
        target=entries,
        amount=st.sampled_from(["3.50", "0.10", "12", "-1"]),
        currency=st.sampled_from(["EUR", "EUR", "JPY", "XXX"]),
        kind=st.sampled_from(["expense", "refund", "income", "gift"]),
        category=st.sampled_from(["", "tea"]),
    )
    def spend(self, amount: str, currency: str, kind: str, category: str) -> Any:
        sent = {"item": "Tea", "amount": amount, "currency": currency, "transaction_type": kind, "category": category}
        done = self.both(("POST", "me/ledger/transactions", sent), "ledger", action="add", **sent)
        return multiple() if done is None else Pair(done[0]["id"], done[1]["entry"]["id"])

    @rule(kind=st.sampled_from(["%", "expense", "gift"]), limit=limits)
    def list_entries(self, kind: str, limit: int) -> None:
        asks = {"transaction_type": kind, "limit": limit}
        names = ("transactions", "transactions")
        self.looked("me/ledger/transactions", asks, names, "ledger", action="list", **asks)

    @rule(actions=st.sampled_from([["archive"], ["summarize", "promote"], ["expire", "decay"], ["tidy"]]))
    def preview(self, actions: list[str]) -> None:
        sent = {"actions": actions, "dry_run": True}
        done = self.both(("POST", "reflect", sent), "reflect", **sent)
        assert done is None or done[0]["counts"] == done[1]["counts"]

    @invariant()
    def stored_alike(self) -> None:
        api, mcp = (stored_by(one) for one in self.people)
        assert api == mcp
