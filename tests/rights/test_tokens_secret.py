"""The key of a token stands in the one answer that shows it, and nowhere else: no page, no log, no table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from console.demo import load
from memories.models import ApiToken
from tests.logs import everything_written
from tests.mcp.here import Agent
from tests.memories.asking import filled, routes
from tests.memories.factories import ann, memory
from tests.memories.page_client import signed_in
from tests.memories.test_tokens_pages import key_in, sent

pytestmark = pytest.mark.django_db(transaction=True)

SHOWN = 9  # characters of a key that lists show
PIECE = 6  # characters beyond these in a row that are a part of the secret


@dataclass
class Heard:
    """All that came back, but for the answers that show a key: they are looked at by whoever asked for one."""

    answers: list[str] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)

    def keep(self, answer: HttpResponse) -> HttpResponse:
        body = answer.getvalue().decode()
        self.answers.append(f"{answer.status_code} {dict(answer.items())} {answer.cookies} {body}")
        return answer


def by_command(heard: Heard) -> str:
    out, told = StringIO(), StringIO()
    call_command("token", "create", "ann", "--name", "cron", stdout=out, stderr=told)
    call_command("token", "list", "ann", stdout=told)
    heard.answers.append(told.getvalue())
    return out.getvalue().strip()


def by_page(heard: Heard) -> str:
    browser = signed_in(ann())
    heard.keep(browser.post("/tokens/new", sent(browser, name="")))
    form = sent(browser)
    key = key_in(browser.post("/tokens/new", form))
    heard.keep(browser.post("/tokens/new", form))  # sent once more
    return key


def by_device(heard: Heard) -> str:
    """The agent is signed in already and sends a key for its requests, so that a retry would get the same answer."""
    post: Any = lambda path, body, **headers: Client().post(  # noqa: E731
        f"/v1/auth/device/{path}", json.dumps(body), content_type="application/json", headers=headers
    )
    started = post("start", {"client_id": "hermes"}).json()
    heard.keep(signed_in(ann()).get(f"/device-login?code={started['user_code']}"))
    verdict = {"code": started["user_code"], "verdict": "approve", "scopes": ["memory:read"]}
    heard.keep(signed_in(ann()).post("/device-login", verdict))
    again = {"Idempotency-Key": "look-1", "Authorization": f"Bearer {heard.keys['command']}"}
    asked = {"device_code": started["device_code"]}
    key = post("token", asked, **again).json()["access_token"]
    heard.keep(post("token", asked, **again))
    heard.keep(post("token", asked))
    return str(key)


DOORS: dict[str, Callable[[Heard], str]] = {"command": by_command, "page": by_page, "device": by_device}


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ann with a memory, and one address that breaks."""
    memory(ann(), "The kettle leaks.")

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("something broke")

    monkeypatch.setattr("memories.services.todos.listed", broken)
    yield


def test_a_key_is_nowhere_but_in_the_answer_that_shows_it(console: None, owner_connection: BaseDatabaseWrapper) -> None:
    heard = Heard()
    with everything_written() as lines:
        for door, make in DOORS.items():
            heard.keys[door] = make(heard)
        for key in heard.keys.values():
            used(key, heard)
        every_page(heard)
    assert len(set(heard.keys.values())) == len(DOORS) and ApiToken.objects.count() >= len(DOORS)
    assert any("something broke" in line for line in lines)
    stored = dump(owner_connection)
    assert all(key[:SHOWN] in stored for key in heard.keys.values())
    for door, key in heard.keys.items():
        nowhere(key, {"a table": stored, "a log": "\n".join(lines), "an answer": "\n".join(heard.answers)}, door)


def test_the_keys_of_the_demo_are_printed_and_nowhere_else(owner_connection: BaseDatabaseWrapper) -> None:
    with everything_written() as lines:
        load.load()
        keys = [one["token"] for one in load.describe()["tokens"]]
        heard = Heard()
        for path in ("/tokens", "/access", "/audit"):
            heard.keep(signed_in(ann()).get(path))
    assert len(keys) > 2
    stored = dump(owner_connection)
    for key in keys:
        nowhere(key, {"a table": stored, "a log": "\n".join(lines), "an answer": "\n".join(heard.answers)}, "demo")


def nowhere(key: str, places: dict[str, str], door: str) -> None:
    """Raises where more of a key is found than lists show."""
    pieces = [key[start : start + PIECE] for start in range(SHOWN, len(key) - PIECE + 1)]
    found = {
        place: text[: text.index(piece)][-200:] for place, text in places.items() for piece in pieces if piece in text
    }
    assert found == {}, (door, "before it stands", found)


def used(key: str, heard: Heard) -> None:
    """The key as clients send it: rightly, wrongly, in the wrong place, with a typing error, and after its end."""
    client, browser = Client(raise_request_exception=False), signed_in(ann())
    browser.raise_request_exception = False
    good, bad = {"Authorization": f"Bearer {key}"}, {"Authorization": f"Bearer {key}x"}
    for path in ("/v1/memories", "/v1/reminders", "/v1/nothing", "/v1/audit/events"):
        for headers in (good, bad, {"X-API-Key": key}, *misplaced(key, good)):
            heard.keep(client.get(path, headers=headers))
    for path in ("/v1/remember", "/v1/recall/context", "/v1/skill/operations"):
        for body in ({"token": key}, {"content": "x", "path": "p", "api_key": key, "authorization": f"Bearer {key}"}):
            heard.keep(client.post(path, json.dumps(body), content_type="application/json", headers=good))
    for path in ("/memories", "/todos", "/search", "/v1/memories", "/v1/memories/search", "/login", "/nothing", "/mcp"):
        for query in ({"token": key}, {"query": key}, {key: "x"}, {"next": f"/memories?token={key}"}):
            heard.keep((browser if not path.startswith("/v1/") else client).get(path, query, headers=good))
            heard.keep(Client().get(path, query))
    for path in (f"/memories/{key}", f"/v1/memories/{key}", f"/{key}"):
        heard.keep(client.get(path, headers=good))
        heard.keep(browser.get(path))
    heard.keep(Client().post("/login", {"username": "ann", "password": key}))
    Client().post("/login", {"username": key, "password": "x"})  # the form shows the name again that was typed
    by_the_bridge(key, heard)
    ended(key, heard)


def misplaced(key: str, good: dict[str, str]) -> list[dict[str, str]]:
    """A key in headers that are for something else, alone and beside a good one."""
    names = ("X-Request-ID", "X-Memory-OS-Agent-ID", "X-Memory-OS-Agent-Instance-ID", "Idempotency-Key", "If-Match")
    wrong = [{name: key} for name in (*names, "Cookie", "User-Agent", "Referer", "Accept-Language")]
    wrong += [{"Authorization": key}, {"Authorization": f"Basic {key}"}, {"X-API-Key": f"Bearer {key}"}]
    return [*wrong, *({**good, **one} for one in wrong if "Authorization" not in one)]


def by_the_bridge(key: str, heard: Heard) -> None:
    agent = Agent(headers={"Authorization": f"Bearer {key}", "X-Memory-OS-Agent-ID": key, "X-Request-ID": key})
    for name, given in (
        ("search_memory", {"query": "kettle"}),
        ("todos", {"action": "list"}),
        ("remember", {"token": key}),
    ):
        heard.answers.append(repr(agent.calls(name, given)))
    for headers in ({"Authorization": f"Bearer {key}x"}, {"X-API-Key": f"Bearer {key}"}):
        _, response = Agent(headers=headers).knock()
        heard.answers.append(f"{dict(response.items())} {b''.join(response)!r}")


def ended(key: str, heard: Heard) -> None:
    """What is said of an expired token, and of a revoked one."""
    token = ApiToken.objects.get(prefix=key[:SHOWN])
    past = timezone.now() - timedelta(days=1)
    for change in ({"created_at": past - timedelta(days=1), "expires_at": past}, {"revoked_at": past}):
        ApiToken.objects.filter(pk=token.pk).update(**change)
        heard.keep(Client().get("/v1/memories", headers={"X-API-Key": key}))
        Agent(headers={"X-API-Key": key}).knock()


def every_page(heard: Heard) -> None:
    """All that can be read afterwards, by the person and with a token of theirs that is good."""
    browser, api = signed_in(ann()), {"X-API-Key": by_page(Heard())}
    browser.raise_request_exception = False
    token = ApiToken.objects.order_by("created_at").first()
    assert token is not None
    for path, _ in routes():
        if path != "logout":
            client = Client(raise_request_exception=False) if path.startswith("v1/") else browser
            headers = api if path.startswith("v1/") else {}
            heard.keep(client.get(filled(path, token.pk if "token_id" in path else uuid4()), headers=headers))


TABLES = """
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
"""


def dump(connection: BaseDatabaseWrapper) -> str:
    """Every column of every table as text, bytes also as the letters they are, and what sessions hold."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        tables = [name for (name,) in cursor.fetchall()]
        assert {"public.memories_apitoken", "public.memories_auditrecord"} <= set(tables)
        found = []
        for table in tables:
            cursor.execute(f"SELECT * FROM {table}")
            found += [f"{table} {_plain(value)}" for row in cursor.fetchall() for value in row]
    found += [repr(session.get_decoded()) for session in Session.objects.all()]
    return "\n".join(found)


def _plain(value: Any) -> str:
    return bytes(value).decode("latin-1") if isinstance(value, bytes | memoryview) else str(value)
