"""What is expired by the clock, deleted, archived or foreign appears in no answer of any address without an id."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.urls import URLResolver, get_resolver

from memories.access import live
from memories.models import Memory
from tests.memories.api_client import Api
from tests.memories.factories import ann, bob, memory
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db

CANARY = "zebra kiosk"
NOON = datetime(2030, 5, 1, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)
QUERY = {"query": CANARY.upper()}  # pages repeat the question; in these letters it is no canary
SHOWS = {"/", "/memories", "/search", "/v1/memories", "/v1/memories/search"}  # what shows the canary while it lives
STARTS_ANEW = {"/logout"}


def addresses(resolver: Any = None, prefix: str = "/") -> Iterator[str]:
    """Every address without a part that varies, once."""
    for entry in (resolver or get_resolver()).url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses(entry, path)
        elif "<" not in path and not path.startswith("/api/v1/"):
            yield path


WHOLE = "/memory-console.jsonl"  # a copy of everything somebody has, what is put away included


def said(answer: Any) -> str:
    """An answer as a reader sees it, without the marks of hits."""
    return re.sub("</?mark>", "", b"".join(answer).decode())


def shown(at: datetime, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The addresses whose answer to Ann holds the canary at this moment."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: at)
    browser, api = signed_in(ann()), Api(ann())
    found = set()
    for address in set(addresses()) - STARTS_ANEW:
        answer = api.get(address, **QUERY) if address.startswith("/v1/") else browser.get(address, QUERY)
        found |= {address} if CANARY in said(answer) else set()
    return found


def test_the_boundary_is_the_moment_itself() -> None:
    memory(ann(), CANARY, expires_at=NOON)
    assert live(Memory.objects.all(), at=NOON - TICK).count() == 1
    assert live(Memory.objects.all(), at=NOON).count() == 0


def test_an_expired_memory_is_gone_everywhere_at_its_moment_before_any_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    memory(ann(), CANARY, expires_at=NOON)
    assert shown(NOON - TICK, monkeypatch) >= SHOWS
    assert shown(NOON, monkeypatch) == {WHOLE}


def counts(at: datetime, monkeypatch: pytest.MonkeyPatch) -> tuple[int, ...]:
    monkeypatch.setattr("django.utils.timezone.now", lambda: at)
    api, browser = Api(ann()), signed_in(ann())
    listed, searched = api.get("memories").json(), api.get("memories/search", query="*").json()
    overview = browser.get("/").context["total"]
    return (listed["total"], len(listed["memories"]), len(searched["results"]), overview["active"], overview["expired"])


def test_every_count_changes_at_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    memory(ann(), CANARY, expires_at=NOON)
    memory(ann(), "another")
    assert counts(NOON - TICK, monkeypatch) == (2, 2, 2, 2, 0)
    assert counts(NOON, monkeypatch) == (1, 1, 1, 1, 1)


def test_the_moment_is_one_instant_whatever_the_zone_of_the_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOON - timedelta(days=1))
    for number, moment in enumerate(("2030-05-01T20:00:00+08:00", "2030-05-01T04:00:00-08:00", "2030-05-01T12:00:00")):
        Api(ann()).post("remember", {"content": f"note {number}", "path": "", "expires_at": moment})
    assert {one.expires_at for one in Memory.objects.all()} == {NOON}


GONE: dict[str, Callable[[], Memory]] = {
    "deleted": lambda: memory(ann(), CANARY, status="deleted"),
    "archived": lambda: memory(ann(), CANARY, status="archived"),
    "expired": lambda: memory(ann(), CANARY, status="expired"),
    "foreign": lambda: memory(bob(), CANARY),
}


@pytest.mark.parametrize("kind", GONE)
def test_what_is_gone_is_in_no_answer(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    GONE[kind]()
    kept = {"deleted": {"/trash", WHOLE}, "foreign": set[str]()}
    assert shown(NOON, monkeypatch) == kept.get(kind, {WHOLE})


SPAN = {"query": "*", "since": "2001-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z", "query_mode": "activity_log"}


@pytest.mark.parametrize("kind", GONE)
def test_a_span_of_time_tells_only_what_is_here(kind: str) -> None:
    GONE[kind]()
    memory(ann(), "llama tent")
    api = Api(ann())
    answers = {
        "a log": api.get("memories/search", **SPAN),
        "a search": api.get("memories/search", **SPAN | {"query_mode": "topic", "time_order": "asc"}),
        "recall": api.get("recall", **SPAN),
        "a pack": api.post("recall/context", SPAN),
        "a page": signed_in(ann()).get("/search", SPAN),
    }
    for name, answer in answers.items():
        assert "llama tent" in said(answer) and CANARY not in said(answer), name


def test_the_last_record_that_leaves_does_not_lift_the_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    memory(ann(), CANARY, status="archived")
    assert Api(ann()).get("memories").json()["total"] == 0
    assert Api(ann(), buckets=[]).get("memories").json()["total"] == 0
