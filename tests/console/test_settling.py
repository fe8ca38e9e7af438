"""After the transaction: what was done stays done, and a refusal that cannot be audited is told as what it is."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse

from console import credentials
from console.postgres import patience
from memories import audit
from memories.models import AuditRecord, Memory
from tests.mcp.here import Agent
from tests.memories.api_client import Api
from tests.memories.factories import ann, bob, memory
from tests.memories.page_client import HTMX, signed_in

pytestmark = pytest.mark.django_db(transaction=True)
SCOPES = ["memory:read"]
FACT = {"content": "Tea at four.", "path": "p"}


def run(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone() if cursor.description else None


def breaks(*_: Any, **__: Any) -> None:
    run("SELECT 1 / 0")


def takes_too_long(*_: Any, **__: Any) -> None:
    run("SET LOCAL statement_timeout = 10")
    run("SELECT pg_sleep(30)")


def refused() -> HttpResponse:
    return Api(ann(), scopes=SCOPES).post("remember", FACT)


def test_a_use_that_cannot_be_noted_takes_nothing_from_what_was_done(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(credentials.tokens, "mark_used", breaks)
    assert Api(ann()).post("remember", FACT).status_code == 200
    assert not Agent(ann()).call("remember", content="Tea at five.").failed
    assert Memory.objects.count() == 2
    assert [one.message.split(",")[0] for one in caplog.records if one.name == "console"] == [
        "use of a token not noted"
    ] * 2


def test_a_refusal_is_audited_and_told_though_the_use_cannot_be_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials.tokens, "mark_used", breaks)
    assert refused().status_code == 403
    assert AuditRecord.objects.filter(result="refused").count() == 1


def test_a_refusal_that_cannot_be_audited_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    browser, address = signed_in(ann()), f"/memories/{memory(bob(), 'Not hers.').pk}/pin"
    monkeypatch.setattr(audit, "record", takes_too_long)
    page, fragment = (browser.post(address, {"version": "1"}, headers=about) for about in ({}, HTMX))
    data = refused()
    assert {one.status_code for one in (page, fragment, data)} == {503}
    assert data["Retry-After"] == "2" and data.json()["detail"]["code"] == "took_too_long"
    assert "<html" in page.content.decode() and "<html" not in fragment.content.decode()
    assert Agent(ann(), scopes=SCOPES).call("remember", content="Tea.").code == "took_too_long"
    assert not AuditRecord.objects.filter(result="refused").exists()


def test_the_line_of_a_refusal_gets_the_time_of_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    monkeypatch.setattr(patience, "_process", [patience.WEB])
    monkeypatch.setattr(audit, "record", lambda *_, **__: found.append(run("SHOW statement_timeout")))
    assert refused().status_code == 403
    assert Agent(ann(), scopes=SCOPES).call("remember", content="Tea.").failed
    assert found == [("1min",), ("1min",)]
