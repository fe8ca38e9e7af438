"""No address in the settings leads to where clouds hand out keys of the machine, however it is written."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from console import environment
from console.endpoints import hands_out_keys
from memories.embedding import EmbeddingUnavailable
from memories.embedding.http import HttpEmbedder
from reflection.services import plan
from reflection.summarizer import Source
from reflection.summarizer.http import HttpSummarizer

ROOT = Path(__file__).resolve().parent.parent.parent
FORBIDDEN = [
    "169.254.169.254",
    "169.254.0.1",
    "169.254.43518",
    "2852039166",
    "0xA9FEA9FE",
    "fe80::1",
    "fe80::1%eth0",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "fd00:ec2::254",
    "168.63.129.16",
    "100.100.100.200",
    "Metadata.Google.Internal.",
]
FINE = [
    "127.0.0.1",
    "localhost",
    "::1",
    "10.0.0.7",
    "192.168.1.4",
    "172.16.3.3",
    "fd00::7",
    "models.example",
    "8.8.8.8",
]


@pytest.mark.parametrize("host", FORBIDDEN)
def test_a_host_that_hands_out_keys_is_known_in_every_spelling(host: str) -> None:
    assert hands_out_keys(host, look_up=False)


@pytest.mark.parametrize("host", FINE)
def test_loopback_private_and_public_hosts_may_serve_a_model(host: str) -> None:
    assert not hands_out_keys(host, look_up=False)


@pytest.fixture
def misleading(monkeypatch: pytest.MonkeyPatch) -> str:
    """A name that leads to an address of a cloud besides a plain one."""
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (to, 0)) for to in ("127.0.0.1", "169.254.169.254")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *asked, **more: found)
    return "models.example"


def test_a_name_that_leads_there_is_known_when_something_is_to_be_sent(misleading: str) -> None:
    assert hands_out_keys(misleading) and not hands_out_keys(misleading, look_up=False)


def test_a_name_that_nobody_knows_is_left_to_whoever_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*asked: Any, **more: Any) -> Any:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert not hands_out_keys("models.example")


@pytest.mark.parametrize("name", ["EMBEDDING_URL", "SUMMARIZER_URL"])
def test_such_an_address_stops_the_start_with_advice(name: str) -> None:
    values = os.environ | {name: "http://169.254.169.254/v1"}
    code = "import console.settings"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=values, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert f"{name} leads to 169.254.169.254" in done.stderr and "Name the host that serves the model" in done.stderr


@pytest.mark.parametrize(
    ("values", "advice"),
    [
        ({"SUMMARIZER_URL": "http://127.0.0.1:9/v1"}, "Set SUMMARIZER_MODEL to the name of the model"),
        ({"SUMMARIZER_URL": "http://127.0.0.1:9/v1", "SUMMARIZER_MODEL": "  "}, "Set SUMMARIZER_MODEL to the name"),
        ({"SUMMARIZER_URL": "ftp://host/v1", "SUMMARIZER_MODEL": "m"}, "SUMMARIZER_URL must be an http:// or https://"),
        (
            {"SUMMARIZER_URL": "http://[::1/v1", "SUMMARIZER_MODEL": "m"},
            "SUMMARIZER_URL must be an http:// or https://",
        ),
    ],
)
def test_a_model_that_no_plan_could_ask_stops_the_start_with_advice(
    values: dict[str, str], advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SUMMARIZER_MODEL", raising=False)
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=advice):
        environment.chat_endpoint("SUMMARIZER_URL", "SUMMARIZER_MODEL")


def test_the_settings_ask_for_the_name_of_the_model() -> None:
    values = os.environ | {"SUMMARIZER_URL": "http://127.0.0.1:9/v1", "SUMMARIZER_MODEL": ""}
    done = subprocess.run(
        [sys.executable, "-c", "import console.settings"],
        cwd=ROOT,
        env=values,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "Set SUMMARIZER_MODEL to the name of the model" in done.stderr


def test_what_is_no_address_is_judged_where_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMBEDDING_URL", "http://[::1/v1")
    assert environment.endpoint("EMBEDDING_URL") == "http://[::1/v1"
    monkeypatch.setenv("EMBEDDING_URL", "http://[fe80::1]:8000/v1")
    with pytest.raises(ImproperlyConfigured, match="fe80::1"):
        environment.endpoint("EMBEDDING_URL")


@pytest.fixture
def unsent(monkeypatch: pytest.MonkeyPatch) -> Callable[[httpx.Request], httpx.Response]:
    """Fails the test when a request is sent."""

    def sent(*args: Any, **more: Any) -> httpx.Response:
        raise AssertionError("a request was sent")

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", sent)
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", sent)
    return sent


@pytest.mark.parametrize("host", ["169.254.169.254", "models.example"])
def test_no_text_is_sent_there_to_be_embedded(host: str, misleading: str, unsent: Any) -> None:
    embedder = HttpEmbedder(f"http://{host}/v1", "m")
    with pytest.raises(EmbeddingUnavailable, match=f"EMBEDDING_URL leads to {host}"):
        embedder.embed_query("kettle")
    embedder.close()


@pytest.mark.parametrize("host", ["169.254.169.254", "models.example"])
def test_no_text_is_sent_there_to_be_summarized(host: str, misleading: str, unsent: Any, settings: Any) -> None:
    settings.SUMMARIZER_URL, settings.SUMMARIZER_MODEL = f"http://{host}/v1", "m"
    summarizer = plan.summarizer(plan.chat())
    assert isinstance(summarizer, HttpSummarizer)
    told = summarizer.summarize([Source(UUID(int=1), "The ferry was late.", datetime(2026, 5, 1, tzinfo=UTC))], 280)
    assert told.method == "extractive" and "SUMMARIZER_URL leads to" in told.note
