"""The page of the timeline."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memories.models import Memory
from memories.services import timeline
from memories.services.forget import forget
from tests.memories.factories import actor, ann, bob, user
from tests.memories.page_client import everything, signed_in, text_of

pytestmark = pytest.mark.django_db

LATE = datetime(2026, 11, 29, 23, 30, tzinfo=UTC)


def happened(content: str, at: datetime = LATE, by: Any = None, **fields: Any) -> Memory:
    return timeline.record(event=timeline.NewEvent(content=content, occurred_at=at, **fields), actor=actor(by or ann()))


def test_an_event_stands_on_the_day_of_its_reader() -> None:
    happened("late at night")
    assert "Sunday, 29 November 2026" in text_of(signed_in(ann()).get("/timeline"))
    ken = user("ken", time_zone="Asia/Tokyo")
    happened("late at night", by=ken)
    text = text_of(signed_in(ken).get("/timeline"))
    assert "Monday, 30 November 2026" in text and "08:30" in text and "29 November" not in text


def test_days_and_pages_follow_each_other_without_loss() -> None:
    for number in range(7):
        happened(f"number {number}", LATE.replace(day=1 + number // 3, hour=number))
    client, url, seen = signed_in(ann()), "/timeline?limit=3", []
    while url:
        context = client.get(url).context
        seen += [event.line for _, events in context["days"] for event in events]
        url = context["page"].next_url
    assert seen == [f"number {number}" for number in range(6, -1, -1)]


def test_filters_narrow() -> None:
    happened("deployed", event_type="deploy", session="s1")
    happened("met", event_type="meeting", bucket="home", at=LATE.replace(day=1))
    client = signed_in(ann())
    for query in ("type=deploy", "session=s1", "bucket=work", "since=2026-11-15T00:00"):
        text = text_of(client.get(f"/timeline?{query}"))
        assert "deployed" in text and "met " not in text
    assert "No event matches" in text_of(client.get("/timeline?type=none"))
    for query in ("since=x", "after=x", "since=2026-11-02T00:00&until=2026-11-01T00:00"):
        assert client.get(f"/timeline?{query}").status_code == 422


def test_it_shows_only_what_is_live_and_ones_own_and_changes_nothing() -> None:
    happened("secret")
    gone = happened("gone <b>")
    forget(record_id=gone.pk, actor=actor(ann()))
    owner, stranger = signed_in(ann()), signed_in(bob())
    before = everything()
    text = text_of(owner.get("/timeline"))
    assert "secret" in text and "gone" not in text
    assert "Nothing has happened yet" in text_of(stranger.get("/timeline"))
    assert everything() == before


def test_what_an_event_says_is_text() -> None:
    happened("<script>alert(1)</script>", event_type="<i>", session="<u>")
    body = signed_in(ann()).get("/timeline").content.decode()
    assert "&lt;script&gt;" in body and "<script>alert" not in body and "<i>" not in body and "<u>" not in body
