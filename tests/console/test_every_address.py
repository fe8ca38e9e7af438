"""What holds for every address: its headers, and that a stranger cannot tell the id of another from one of nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.http import HttpResponse
from django.urls import URLResolver, get_resolver

from memories.models import Memory, User
from memories.services import decisions, ledger, snapshots, todos, views
from memories.services.erase import erase, request_erasure
from reflection.services import schedules
from reflection.services.plan import plan
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, bob, memory, team, token_actor
from tests.memories.page_client import everything, signed_in
from tests.reflection.mutations import subscribed

pytestmark = pytest.mark.django_db

SECRET = "zebra kiosk"
UNKNOWN = UUID("01a22ca2-8482-7386-8256-67939b2aa67b")
VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ID = re.compile(
    r"<(str|uuid):(record|pass|candidate|request|space|schedule|subscription|token|view|user|team|membership)_id>"
)
CSRF = re.compile(r'(name="csrfmiddlewaretoken" value=|"x-csrftoken": )"\w+"')
BODY = {
    "content": "x",
    "replacement_content": "x",
    "reason": "x",
    "hold": "x",
    "resolution": "x",
    "digest": "x",
    "comment": "x",
    "version": 1,
    "status": "archived",
    "role": "admin",
    "named": "bob",
    "name": "x",
    "space": "x",
    "typed": "x",
    "helpful": True,
}


def addresses(resolver: Any = None, prefix: str = "/") -> Iterator[str]:
    """Every address; the second name of the API is the first one's twin."""
    for entry in (resolver or get_resolver()).url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry, path)
        elif not path.startswith("/api/v1/"):
            yield path.replace("<int:number>", "1").replace("<str:verb>", "forget")


def with_id(path: str, key: UUID) -> str:
    return ID.sub(str(key), path)


@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_every_answer_says_what_a_browser_may_do_with_it(verb: str) -> None:
    browser, api = signed_in(ann()), Api(ann())
    for path in [*addresses(), "/nothing/here", "/static/nothing.css"]:
        send = api.call if path.startswith("/v1/") else browser.generic
        answer = send(verb, with_id(path, UNKNOWN))
        UUID(answer["X-XMemo-Audit-ID"])
        policy = answer["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe-" not in policy, path
        assert "frame-ancestors 'none'" in policy and answer["X-Frame-Options"] == "DENY", path
        assert answer["X-Content-Type-Options"] == "nosniff" and answer.status_code < 500, path
        if path == "/logout":
            browser = signed_in(ann())


HOURLY = {"rhythm": "hours", "every_hours": 1, "actions": ["decay"]}


def of_ann() -> dict[str, UUID]:
    """One id of every kind that an address can hold."""
    me = actor(ann())
    gone = memory(ann(), SECRET, status="deleted")
    erase(record_id=gone.pk, typed=str(gone.pk)[-6:], reason=SECRET, seen_version=1, actor=me)
    agent = token_actor(ann(), scopes=["memory:write", "memory:delete"])
    money = {"transaction_type": "expense", "amount": Decimal(3), "currency": "EUR", "occurred_on": date(2026, 5, 1)}
    return {
        "memory": memory(ann(), SECRET, memory_type="episodic").pk,
        "todo": todos.add(content=SECRET, actor=me).pk,
        "entry": ledger.add(item=SECRET, actor=me, **money).pk,
        "decision": decisions.ask(context=SECRET, actor=me).pk,
        "snapshot": snapshots.take(label=SECRET, actor=me).pk,
        "pass": plan(given={}, actor=me).pk,
        "space": ann().pk,
        "schedule": schedules.add(space_id=ann().pk, given=HOURLY, actor=me).pk,
        "subscription": subscribed(),
        "token": agent.token_id,
        "team": (atlas := team("Zebra", ann="admin")).pk,
        "membership": atlas.memberships.get().pk,
        "view": views.add(name=SECRET, query="", space_id=ann().pk, actor=me).pk,
        "request": request_erasure(record_id=Memory.objects.get(content=SECRET).pk, actor=agent).pk,
        "erased": gone.pk,
    }


def test_a_stranger_cannot_tell_anothers_id_from_none_at_any_address() -> None:
    keys, hers, his = of_ann(), Visitor(ann()), Visitor(bob())
    before = of_records()
    paths = [path for path in addresses() if ID.search(path)]
    assert len(paths) > 40
    for path in paths:
        for verb in hers.verbs(path):
            nothing = his.answer(verb, path, UNKNOWN)
            assert nothing[0] in (302, 404, 422), (verb, path, nothing)  # 302: an address of forms leads to its page
            for kind, key in keys.items():
                assert his.answer(verb, path, key) == nothing, (verb, path, kind)
    assert of_records() == before


def of_records() -> dict[str, list[Any]]:
    """All rows but those of tokens, which note their last use."""
    return {name: rows for name, rows in everything().items() if name != "ApiToken"}


def test_reading_changes_no_row() -> None:
    keys, hers = of_ann(), Visitor(ann())
    keys["shared"] = memory(ann(), SECRET, memory_type="episodic", team_id=keys["team"]).pk
    before, read = of_records(), 0
    for path in addresses():
        for key in keys.values() if ID.search(path) else [UNKNOWN]:
            read += hers.send("GET", with_id(path, key)).status_code == 200
        assert of_records() == before, path
    assert read > 100


class Visitor:
    """Somebody with a browser and a token."""

    def __init__(self, who: User) -> None:
        self.browser, self.api = signed_in(who), Api(who)

    def send(self, verb: str, path: str, body: dict[str, Any] | None = None) -> HttpResponse:
        if path.startswith("/v1/"):
            return self.api.call(verb, path, body)
        return self.browser.get(path) if verb == "GET" else self.browser.post(path, body)

    def verbs(self, path: str) -> list[str]:
        """The verbs that an address takes; of the others it says that it takes them not."""
        verbs = VERBS if path.startswith("/v1/") else ("GET", "POST")
        return [verb for verb in verbs if self.send(verb, with_id(path, UNKNOWN)).status_code != 405]

    def answer(self, verb: str, path: str, key: UUID) -> tuple[int, str]:
        """Status and body, without what differs between any two requests."""
        answer = self.send(verb, with_id(path, key), None if verb == "GET" else BODY)
        body = answer.content.decode()
        assert SECRET not in body, path
        return answer.status_code, CSRF.sub("", body.replace(str(key), "").replace(answer["X-XMemo-Audit-ID"], ""))
