"""Lists as pages: the overview, memories, trash and audit, with filters and pages in the address."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories import audit
from memories.models import LedgerEntry, Todo
from memories.pages import keyset
from memories.services.forget import forget
from tests.memories.factories import actor, ann, bea, bob, memory, team, token
from tests.memories.page_client import HTMX, signed_in, text_of

pytestmark = pytest.mark.django_db
KEY = "01a22ca2-8482-7386-8256-67939b2aa67b"


def fill(count: int, **fields: Any) -> None:
    now = timezone.now()
    for number in range(count):
        memory(
            ann(), f"note {number:03}", path=f"notes/{number % 2}", created_at=now - timedelta(hours=number), **fields
        )


def notes(response: Any) -> list[str]:
    return re.findall(r"note \d{3}", response.content.decode())


def link(response: Any, rel: str) -> str:
    found = re.search(rf'rel="{rel}" href="([^"]+)"', response.content.decode())
    return unescape(found[1]) if found else ""


def test_memories_are_listed_newest_first_with_an_exact_count() -> None:
    fill(3)
    response = signed_in(ann()).get("/memories")
    assert notes(response) == ["note 000", "note 001", "note 002"]
    assert "1–3 of 3" in text_of(response)


def test_pages_follow_each_other_in_years_of_three_digits_and_fewer() -> None:
    for number, year in enumerate((2024, 812, 7)):
        memory(ann(), f"note {number:03}", created_at=datetime(year, 5, 1, tzinfo=UTC))
    client = signed_in(ann())
    pages = [client.get("/memories?limit=1")]
    for _ in range(2):
        pages.append(client.get(link(pages[-1], "next")))
    assert [notes(one) for one in pages] == [["note 000"], ["note 001"], ["note 002"]]
    assert notes(client.get(link(pages[-1], "prev"))) == ["note 001"]


def test_pages_follow_each_other_and_lead_back() -> None:
    fill(7)
    client = signed_in(ann())
    first = client.get("/memories?limit=3")
    second = client.get(link(first, "next"))
    third = client.get(link(second, "next"))
    assert [*notes(first), *notes(second), *notes(third)] == [f"note {number:03}" for number in range(7)]
    assert "4–6 of 7" in text_of(second) and link(third, "next") == "" and link(first, "prev") == ""
    assert notes(client.get(link(third, "prev"))) == notes(second)
    assert notes(client.get(link(second, "prev"))) == notes(first)


def test_rows_of_one_moment_are_neither_lost_nor_doubled_between_pages() -> None:
    at = timezone.now()
    for number in range(5):
        memory(ann(), f"note {number:03}", created_at=at)
    client, seen, url = signed_in(ann()), [], "/memories?limit=2"
    while url:
        response = client.get(url)
        seen += notes(response)
        url = link(response, "next")
    assert sorted(seen) == [f"note {number:03}" for number in range(5)]


def test_a_long_list_is_counted_only_up_to_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyset, "COUNT_CAP", 4)
    fill(7)
    client = signed_in(ann())
    first = client.get("/memories?limit=3")
    assert "1–3 of 4+" in text_of(first)
    third = client.get(link(client.get(link(first, "next")), "next"))
    assert "1 after the first 4, of 4+" in text_of(third)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("type=working", "note of working"),
        ("bucket=home", "note of bucket"),
        ("scope=trip", "note of scope"),
        ("path=Proj%25", "note of path"),
        ("status=archived", "note of archive"),
        ("status=expired", "note of clock"),
    ],
)
def test_each_filter_narrows_the_list(query: str, expected: str) -> None:
    memory(ann(), "note of working", memory_type="working")
    memory(ann(), "note of bucket", bucket="home")
    memory(ann(), "note of scope", scope="trip")
    memory(ann(), "note of path", path="projects/atlas")
    memory(ann(), "note of archive", status="archived")
    memory(ann(), "note of clock", expires_at=timezone.now() - timedelta(minutes=1))
    response = signed_in(ann()).get(f"/memories?{query}")
    assert re.findall(r"note of \w+", response.content.decode()) == [expected]
    assert "Remove filter" in text_of(response)


def test_a_space_shows_its_own_records_only() -> None:
    atlas = team("Atlas", ann="member")
    memory(ann(), "note 001")
    memory(ann(), "note 002", team=atlas)
    client = signed_in(ann())
    assert notes(client.get(f"/memories?space={atlas.pk}")) == ["note 002"]
    assert notes(client.get(f"/memories?space={ann().pk}")) == ["note 001"]


def test_the_list_can_be_sorted_by_the_last_change() -> None:
    now = timezone.now()
    memory(ann(), "note 001", created_at=now - timedelta(days=2), updated_at=now)
    memory(ann(), "note 002", created_at=now - timedelta(days=1), updated_at=now - timedelta(days=1))
    client = signed_in(ann())
    assert notes(client.get("/memories")) == ["note 002", "note 001"]
    assert notes(client.get("/memories?order=updated")) == ["note 001", "note 002"]


BAD_FILTERS = [
    "limit=0",
    "limit=201",
    "limit=x",
    "type=odd",
    "status=gone",
    "order=size",
    "space=7",
    f"path={'x' * 201}",
    f"path={'%25' * 21}",
    "after=yesterday",
    "before=2026-01-01T00:00:00Z_7",
    f"after=2026-01-01_{KEY}",
    f"after=0001-01-01T00:00:00%2B23:00_{KEY}",
]


@pytest.mark.parametrize("query", BAD_FILTERS)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_bad_filter_is_refused_with_a_sentence(query: str, headers: dict[str, str]) -> None:
    memory(ann(), "note 001")
    response = signed_in(ann()).get(f"/memories?{query}", headers=headers)
    assert response.status_code == 422
    assert notes(response) == []


def test_a_null_character_in_a_filter_is_refused() -> None:
    assert signed_in(ann()).get("/memories?path=%00").status_code == 422


def test_a_foreign_space_is_forbidden() -> None:
    other = team("Other", bob="admin")
    response = signed_in(ann()).get(f"/memories?space={other.pk}")
    assert response.status_code == 403 and "not a member of this team" in text_of(response)


def test_empty_lists_say_whether_nothing_is_there_or_nothing_matches() -> None:
    client = signed_in(ann())
    assert "Nothing is remembered yet" in text_of(client.get("/memories"))
    memory(ann(), "note 001")
    assert "No memory matches these filters" in text_of(client.get("/memories?type=identity"))


@pytest.mark.parametrize("url", ["/memories", "/trash", "/audit", "/", "/search?query=note"])
def test_a_page_asks_the_database_no_more_for_fifty_rows_than_for_five(
    url: str, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    atlas = team("Atlas", ann="admin")
    for number in range(5):
        _row(number, atlas)
    client = signed_in(ann())
    client.get(url)
    with django_assert_max_num_queries(1000) as few:
        client.get(url)
    for number in range(5, 50):
        _row(number, atlas)
    with django_assert_max_num_queries(len(few)):
        client.get(url)


def _row(number: int, atlas: Any) -> None:
    memory(ann(), f"note {number:03}", team=atlas if number % 2 else None)
    forget(record_id=memory(ann(), f"gone {number:03}", team=atlas).pk, actor=actor(ann()))


def test_the_trash_holds_every_kind_newest_deleted_first() -> None:
    now = timezone.now()
    common = {"owner": ann(), "created_at": now, "updated_at": now}
    todo = Todo.objects.create(content="call the plumber", **common)
    entry = LedgerEntry.objects.create(
        item="new tap", amount=20, currency="EUR", transaction_type="expense", occurred_on=now.date(), **common
    )
    note = memory(ann(), "a leaking tap")
    memory(ann(), "a dry floor")
    for record in (todo, entry, note):
        forget(record_id=record.pk, actor=actor(ann()))
    client = signed_in(ann())
    body = text_of(client.get("/trash"))
    assert body.index("a leaking tap") < body.index("new tap") < body.index("call the plumber")
    assert "a dry floor" not in body and "Ann" in body
    first = client.get("/trash?limit=1")
    assert "new tap" in text_of(client.get(link(first, "next")))
    assert "call the plumber" not in text_of(client.get("/trash?kind=ledger"))
    assert client.get("/trash?kind=pass").status_code == 422
    assert client.get("/trash?limit=0").status_code == 422


def test_a_trash_without_what_is_asked_for_is_not_called_empty() -> None:
    client = signed_in(ann())
    memory(ann(), "old note", status="deleted")
    for query in ("?kind=ledger", "?type=identity"):
        body = text_of(client.get(f"/trash{query}"))
        assert "Nothing here" in body and "Clear filters" in body and "The trash is empty" not in body
    assert "The trash is empty" in text_of(signed_in(bob()).get("/trash"))


def test_the_overview_counts_what_the_clock_expired_as_expired() -> None:
    memory(ann(), "one")
    memory(ann(), "two", status="archived")
    memory(ann(), "three", expires_at=timezone.now() - timedelta(minutes=1))
    memory(ann(), "four", status="deleted")
    memory(bob(), "five")
    body = text_of(signed_in(ann()).get("/"))
    assert "live 1 archived 1 expired 1 in the trash 1" in body
    assert "Semantic 1 1 1 1" in body and "five" not in body


def test_the_overview_of_a_new_person_says_what_to_do_first() -> None:
    assert "Write a memory" in text_of(signed_in(ann()).get("/"))


def test_the_audit_shows_the_lines_of_ones_spaces_and_no_others() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    audit.record(actor(bea()), "memory.update", "memory", None, space_id=atlas.pk, reason="seen by the team")
    audit.record(actor(bea()), "memory.update", "memory", None, reason="seen by Bea alone")
    body = text_of(signed_in(ann()).get("/audit"))
    assert "seen by the team" in body and "seen by Bea alone" not in body


def test_the_audit_is_filtered_by_its_address() -> None:
    first, second = memory(ann(), "one"), memory(ann(), "two")
    forget(record_id=first.pk, reason="because of one", actor=actor(ann()))
    forget(record_id=second.pk, reason="because of two", actor=actor(ann()))
    audit.record(actor(ann()), "request", "memory", None, result="refused", reason="not allowed")
    client = signed_in(ann())
    assert "because of two" not in text_of(client.get(f"/audit?object={first.pk}"))
    assert "because of one" not in text_of(client.get("/audit?result=refused"))
    assert "not allowed" not in text_of(client.get("/audit?action=memory.forget&actor=ann"))
    assert "because of" not in text_of(client.get("/audit?until=2020-01-01T00:00"))


BAD_AUDIT_FILTERS = [
    "object=7",
    "pass_id=x",
    "since=tomorrow",
    "until=2026-02-30T00:00",
    "limit=0",
    "result=maybe",
    "after=x",
]


@pytest.mark.parametrize("query", BAD_AUDIT_FILTERS)
def test_a_bad_audit_filter_is_refused(query: str) -> None:
    assert signed_in(ann()).get(f"/audit?{query}").status_code == 422


def test_the_audit_says_whether_each_of_ones_chains_is_whole() -> None:
    atlas = team("Atlas", ann="admin")
    audit.record(actor(ann()), "memory.update", "memory", None, space_id=atlas.pk)
    team("Other", bob="admin")
    body = text_of(signed_in(ann()).get("/audit?verify=1"))
    assert "Private: whole, 0 lines" in body and "Atlas: whole, 1 line" in body and "Other" not in body


def test_my_access_lists_spaces_and_tokens_but_no_key() -> None:
    atlas = team("Atlas", ann="reviewer")
    made, key = token(ann(), team=atlas, buckets=["work"])
    token(bob(), agent_id="elsewhere")
    body = text_of(signed_in(ann()).get("/access"))
    assert "Atlas reviewer" in body and made.prefix in body and "bucket work" in body
    assert key not in body and "elsewhere" not in body


def test_a_token_is_revoked_by_its_person_alone() -> None:
    made, key = token(ann())
    revoke = f"/tokens/{made.pk}/revoke"
    assert signed_in(bob()).post(revoke).status_code == 404
    ask = {"Authorization": f"Bearer {key}"}
    assert Client().get("/v1/memories", headers=ask).status_code == 200
    client = signed_in(ann())
    assert revoke in client.get("/access").content.decode()
    body = text_of(client.post(revoke, follow=True))
    assert f"The token {made.prefix}… is revoked." in body and "Revoke it" not in body
    assert Client().get("/v1/memories", headers=ask).status_code == 403
