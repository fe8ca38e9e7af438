"""A statement that takes too long is stopped: 503 with advice in every form, and nothing half done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import get_resolver, path
from rest_framework.request import Request
from rest_framework.response import Response

from console import urls
from console.door import Door
from console.limits import LONG, LONG_TOOLS
from console.management.commands import worker
from console.mcp.tools import TOOLS
from console.postgres import patience
from console.postgres.patience import IDLE, STATEMENT
from memories import audit
from memories.models import Memory
from memories.services.remember import NewMemory, remember
from tests.browser.running import WEB, running_console
from tests.memories.api_client import Api
from tests.memories.factories import ann, token
from tests.memories.page_client import HTMX, signed_in

ADVICE = "Ask for less at a time, or try again in a moment."


def half(actor: Any, rests: bool) -> None:
    """Write, and then let the database wait for longer than it may."""
    remember(new=NewMemory(content="half done", path="p"), actor=actor)
    if rests:
        with psycopg.connect(**plain(), autocommit=True) as other:
            other.execute("SELECT pg_sleep(0.6)")
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1" if rests else "SELECT pg_sleep(5)")


def plain() -> dict[str, Any]:
    given = connections["default"].get_connection_params()
    return {name: given[name] for name in ("host", "port", "user", "password", "dbname") if given.get(name)}


def slow(request: HttpRequest) -> HttpResponse:
    half(request.actor, "X-Rests" in request.headers)
    return HttpResponse("done")


class Slow(Door):
    """GET slow."""

    def get(self, request: Request) -> Response:
        half(request._request.actor, "X-Rests" in request.headers)
        return Response({})


def limits(request: HttpRequest) -> HttpResponse:
    """What holds within the transaction of this request."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s), current_setting(%s)", [STATEMENT, IDLE])
        return HttpResponse(" ".join(cursor.fetchone()))


urlpatterns = [
    path("slow", slow),
    path("v1/slow", Slow.as_view()),
    path("limits", limits),
    path("long", limits, name="import"),
    *urls.urlpatterns,
]


@pytest.fixture
def impatient(transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Connections as those of a web server that waits for a third of a second."""
    monkeypatch.setattr(patience, "_process", [patience.WEB])
    settings.STATEMENT_SECONDS = {"web": 0.3, "worker": 30}
    settings.IDLE_TRANSACTION_SECONDS = {"web": 0.3, "worker": 40}
    settings.ROOT_URLCONF = __name__
    connection.close()
    yield
    connection.close()


@pytest.mark.parametrize("about", [{}, {"X-Rests": "1"}])
@pytest.mark.usefixtures("impatient")
def test_it_is_said_as_page_fragment_and_json_and_nothing_stays(about: dict[str, str]) -> None:
    browser, api = signed_in(ann()), Api(ann())
    page = browser.get("/slow", headers=about)
    fragment = browser.get("/slow", headers=HTMX | about)
    data = api.call("GET", "/v1/slow", **about)
    for answer in (page, fragment, data):
        assert (answer.status_code, answer["Retry-After"]) == (503, "2")
        assert ADVICE in answer.content.decode()
    assert "<html" in page.content.decode() and "<html" not in fragment.content.decode()
    assert data.json()["detail"]["code"] == "took_too_long"
    assert not Memory.objects.exists() and audit.verify() == []
    assert browser.get("/access").status_code == 200


@pytest.mark.usefixtures("impatient")
def test_what_is_long_by_right_gets_the_time_of_the_worker_and_only_that() -> None:
    browser = signed_in(ann())
    assert browser.get("/limits").content == b"300ms 300ms"
    assert browser.get("/long").content == b"30s 40s"
    assert browser.get("/limits").content == b"300ms 300ms"


def test_every_long_address_and_tool_exists() -> None:
    assert set(get_resolver("console.urls").reverse_dict) >= LONG
    assert {f"mcp.{name}" for name in TOOLS} >= LONG_TOOLS


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "wanted"), [("web", ("5s", "15s")), ("worker", ("1min", "5min")), ("command", ("0", "0"))]
)
@pytest.mark.parametrize("alias", ["default", "owner"])
def test_each_kind_of_process_has_limits_of_its_own_and_migrations_none(
    monkeypatch: pytest.MonkeyPatch, kind: str, wanted: tuple[str, str], alias: str
) -> None:
    monkeypatch.setattr(patience, "_process", [kind])
    fresh = connections.create_connection(alias)
    try:
        with fresh.wrap_database_errors:
            fresh.connect()
        found = fresh.connection.execute("SELECT current_setting(%s), current_setting(%s)", [STATEMENT, IDLE])
        assert found.fetchone() == (wanted if alias == "default" else ("0", "0"))
    finally:
        fresh.close()


@pytest.mark.django_db
def test_the_worker_says_what_it_is_before_it_asks_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_process", [patience.COMMAND])
    monkeypatch.setattr(worker, "follow_parent", lambda: None)
    monkeypatch.setattr(worker, "_problems", lambda: [f"it is the {patience._process[0]}"])
    with pytest.raises(CommandError, match="it is the worker"):
        call_command("worker")


@pytest.mark.django_db(transaction=True)
def test_a_web_server_gives_up_what_it_waits_for(
    database_environment: dict[str, str], owner_connection: BaseDatabaseWrapper
) -> None:
    key = token(ann())[1]
    with running_console(database_environment | {"STATEMENT_SECONDS_WEB": "1"}, [WEB]) as url:
        with owner_connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("LOCK TABLE memories_memory IN ACCESS EXCLUSIVE MODE")
            status, body = asked(url, key)
            cursor.execute("ROLLBACK")
        assert (status, body["detail"]["code"]) == (503, "took_too_long")
        assert asked(url, key)[0] == 200


def asked(url: str, key: str) -> tuple[int, Any]:
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=30)) as client:
        client.request("GET", "/v1/memories", headers={"Authorization": f"Bearer {key}"})
        answer = client.getresponse()
        return answer.status, json.loads(answer.read())


@pytest.mark.usefixtures("impatient")
def test_outside_of_a_transaction_nothing_is_widened() -> None:
    patience.take_time()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s)", [STATEMENT])
        assert cursor.fetchone() == ("300ms",)
    assert Client().get("/health").status_code == 200
