"""No address in the settings leads to where clouds hand out keys of the machine, however it is written."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from console import endpoints, environment
from console.endpoints import hands_out_keys

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


KINDS = [("EMBEDDING", endpoints.EMBEDDINGS), ("SUMMARIZER", endpoints.CHAT)]


@pytest.mark.parametrize(("kind", "path"), KINDS)
@pytest.mark.parametrize(
    ("url", "name", "advice"),
    [
        ("http://127.0.0.1:9/v1", "", "Set {kind}_MODEL to the name of the model"),
        ("http://127.0.0.1:9/v1", "  ", "Set {kind}_MODEL to the name of the model"),
        ("ftp://host/v1", "m", "{kind}_URL must be an http:// or https://"),
        ("http://[::1/v1", "m", "{kind}_URL must be an http:// or https://"),
        ("http://me:key@host/v1", "m", "a key belongs into {kind}_API_KEY"),
        ("http://[fe80::1]:8000/v1", "m", "{kind}_URL leads to fe80::1"),
    ],
)
def test_a_model_that_could_not_be_asked_stops_the_start_with_advice(
    kind: str, path: str, url: str, name: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{kind}_URL", url)
    monkeypatch.setenv(f"{kind}_MODEL", name)
    with pytest.raises(ImproperlyConfigured, match=advice.format(kind=kind)):
        environment.endpoint(f"{kind}_URL", f"{kind}_MODEL", path)


@pytest.mark.parametrize("kind", ["EMBEDDING", "SUMMARIZER"])
def test_the_settings_ask_for_the_name_of_the_model(kind: str) -> None:
    values = os.environ | {f"{kind}_URL": "http://127.0.0.1:9/v1", f"{kind}_MODEL": ""}
    done = subprocess.run(
        [sys.executable, "-c", "import console.settings"],
        cwd=ROOT,
        env=values,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and f"Set {kind}_MODEL to the name of the model" in done.stderr


@pytest.mark.parametrize(
    "url", ["", "file:///etc/passwd", "http://", "//host/v1", "http://host:99999/v1", "http://x/v1?key=1", "host/v1"]
)
def test_an_address_that_cannot_be_posted_to_is_refused_with_advice(url: str) -> None:
    with pytest.raises(ValueError, match="SUMMARIZER_URL must be"):
        endpoints.completed("SUMMARIZER_URL", url, endpoints.CHAT)


@pytest.mark.parametrize("url", ["http://x", "http://x/v1/", "http://x/v1/chat/completions"])
def test_an_address_is_completed_once(url: str) -> None:
    assert endpoints.completed("SUMMARIZER_URL", url, endpoints.CHAT) == "http://x/v1/chat/completions"
