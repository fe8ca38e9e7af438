"""No key, password or token reaches a log, a page or an answer, at whatever level it is logged."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from console import gunicorn_conf
from memories.models import AuditRecord
from memories.services import tokens
from tests.logs import everything_written
from tests.memories.api_client import ALL
from tests.memories.asking import filled, routes
from tests.memories.factories import PASSWORD, actor, ann
from tests.memories.mutations import note
from tests.memories.page_client import everything, signed_in

ROOT = Path(__file__).resolve().parent.parent.parent
SECRET = "Sw0rdfish-in-the-address"


@pytest.fixture
def everything_logged() -> Iterator[list[str]]:
    with everything_written() as lines:
        yield lines


def made() -> str:
    """A key of Ann."""
    until = timezone.now() + timedelta(days=1)
    _, key = tokens.create(user=ann(), name="agent", scopes=[*ALL, "admin"], expires_at=until, actor=actor(ann()))
    return key


def ways(key: str) -> list[dict[str, Any]]:
    """How a client sends a key, rightly and wrongly."""
    return [
        {"headers": {"Authorization": f"Bearer {key}"}},
        {"headers": {"X-API-Key": key}},
        {"headers": {"Authorization": f"Basic {key}"}},
        {"query_params": {"token": key}},
        {"query_params": {"api_key": key, "query": key}},
        {"headers": {"X-API-Key": key}, "query_params": {"token": key}},
        {"headers": {"X-API-Key": key}, "query_params": {"token": key, "limit": "x"}},
        {"headers": {"X-API-Key": key + "x"}},
    ]


@pytest.mark.django_db
def test_a_token_is_in_no_log_whichever_way_it_is_sent(
    everything_logged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = made()
    client = Client(raise_request_exception=False)
    for path in ("/v1/memories", "/v1/remember", "/v1/nothing", "/memories", "/nothing", "/v1/audit/events"):
        for way in ways(key):
            client.get(path, **way)
            client.post(path, **way)

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("something broke")

    monkeypatch.setattr("memories.api.writing.in_status", broken)
    for way in ways(key):
        client.get("/v1/memories", **way)
    assert any("something broke" in line for line in everything_logged) and len(everything_logged) > 50
    assert [line for line in everything_logged if key in line] == []


@pytest.mark.django_db
def test_a_token_is_in_no_table_and_in_no_line_of_the_audit() -> None:
    key = made()
    client = Client()
    for way in ways(key):
        client.get("/v1/memories", **way)
        client.post("/v1/remember", **way)
    rows = [*everything().values(), *AuditRecord.objects.values_list(), *Session.objects.values_list()]
    assert key not in repr(rows)


@pytest.mark.django_db
def test_a_password_is_in_no_log_and_in_no_line_of_the_audit(everything_logged: list[str]) -> None:
    ann()
    for password in (PASSWORD, SECRET):
        Client().post("/login", {"username": "ann", "password": password})
        Client().post("/login", {"username": password, "password": password})
        signed_in(ann()).post("/sign-in-again", {"password": password})
        Client().post("/v1/nothing", {"password": password})
    told = "\n".join(everything_logged)
    kept = repr(list(AuditRecord.objects.values_list()))
    assert everything_logged and not any(secret in told + kept for secret in (PASSWORD, SECRET))


@pytest.mark.django_db
def test_no_page_and_no_answer_repeats_a_token() -> None:
    key, one = made(), note()
    browser, api, seen = signed_in(ann()), Client(), 0
    for path, _ in routes():
        client = api if path.startswith("v1/") else browser
        answer = client.get(filled(path, one), headers={"X-API-Key": key})
        assert key not in answer.getvalue().decode() and key not in repr(answer.headers), path
        seen += answer.status_code == 200
        browser = signed_in(ann()) if path == "logout" else browser
    assert seen > 25
    assert key[:9] in browser.get("/access").content.decode()


def test_the_web_server_writes_no_log_of_requests() -> None:
    settings = {name for name in vars(gunicorn_conf) if not name.startswith("_")}
    assert not settings & {"accesslog", "access_log_format", "capture_output", "logconfig", "logconfig_dict"}
    assert gunicorn_conf.loglevel == "warning"


@pytest.mark.parametrize("command", [["check", "--database", "default"], ["migrate"], ["up", "--no-demo"]])
def test_a_start_at_debug_tells_no_password(command: list[str], tmp_path: Path) -> None:
    url = f"postgres://somebody:{SECRET}@127.0.0.1:1/nothing"
    values = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("DATABASE", "TEST_"))},
        "MEMORY_CONSOLE_HOME": str(tmp_path),
        "MEMORY_CONSOLE_DEBUG": "1",
        "DATABASE_URL": url,
        "EMBEDDING_API_KEY": SECRET,
        "SECRET_KEY": SECRET * 3,
    }
    run = [sys.executable, "-X", "dev", "manage.py", *command, "--traceback"]
    done = subprocess.run(run, cwd=ROOT, env=values, capture_output=True, text=True, timeout=60, check=False)
    said = done.stdout + done.stderr
    assert done.returncode != 0 and len(said) > 50
    assert SECRET not in said and not re.search(r"password=(?!\*)\S+", said)
