"""What a file may bring that no console writes: it is refused or passed over, and breaks nothing later."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.models import Memory, MemoryLink, MemoryVersion
from memories.services.import_all import import_all
from memories.services.import_lines import Place
from memories.services.provenance import sources_gone, span_of
from memories.services.revise import revert
from tests.memories.api_client import Api, problems
from tests.memories.factories import actor, ann, memory, version
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db

ODD_FIELDS: list[dict[str, Any]] = [
    {"path": 5},
    {"path": "a/../b"},
    {"bucket": ""},
    {"bucket": "x" * 101},
    {"scope": []},
    {"memory_type": "dream"},
    {"importance": None},
    {"confidence": 7},
    {"metadata": "none"},
    {"expires_at": "soon"},
    {"expires_at": 5},
]


def brought(*lines: dict[str, Any]) -> Any:
    return import_all(rows=list(enumerate(lines, 1)), place=Place(), actor=actor(ann()))


def with_version(**fields: Any) -> dict[str, Any]:
    return {
        "content": "Tea at four.",
        "state": {"version": 2},
        "versions": [{"number": 1, "content": "Tea at three.", "fields": fields}],
    }


@pytest.mark.parametrize("odd", ODD_FIELDS, ids=str)
def test_a_former_version_that_could_never_be_brought_back_is_named_and_left_out(odd: dict[str, Any]) -> None:
    told = brought(with_version(**odd))
    assert (told.imported, len(told.errors)) == (0, 1) and next(iter(odd)) in told.errors[0][1]
    assert not Memory.objects.exists()


@pytest.mark.parametrize("odd", ODD_FIELDS, ids=str)
def test_one_that_is_here_already_is_refused_when_it_is_brought_back(odd: dict[str, Any]) -> None:
    one = memory(ann(), "Tea at four.", version=2)
    version(one, 1, "Tea at three.")
    MemoryVersion.objects.update(fields=odd)
    assert problems(Api(ann()).post(f"memories/{one.pk}/versions/1/revert")) == [*odd]
    assert Memory.objects.get(pk=one.pk).content == "Tea at four."


def test_the_expiry_of_a_former_version_is_in_utc_where_it_names_no_offset() -> None:
    brought(with_version(expires_at="2999-01-01T10:00:00"))
    one = Memory.objects.get()
    assert one.versions.get().fields == {"expires_at": "2999-01-01T10:00:00+00:00"}
    found = revert(memory_id=one.pk, number=1, actor=actor(ann()))
    assert found.expires_at == datetime(2999, 1, 1, 10, tzinfo=UTC)


def test_a_former_version_does_not_say_it_is_another() -> None:
    brought(with_version(version=9, content="Something else.", replaced_by="bea"))
    told = Api(ann()).get(f"memories/{Memory.objects.get().pk}/versions").json()["versions"][0]
    assert (told["version"], told["content"], told["replaced_by"]) == (1, "Tea at three.", "ann")


@pytest.mark.parametrize(
    "span", ["ever", 5, ["a", "b"], ["2024-01-01T00:00:00+00:00"], ["2024-01-01", "2024-01-02"], {"from": 1}, [1, 2]]
)
def test_a_summary_whose_origin_makes_no_sense_is_shown_without_it(span: Any) -> None:
    brought(
        {
            "content": "Tea was talked of.",
            "derivation": "summary",
            "pass_id": str(uuid4()),
            "provenance": {"span": span, "sources_gone": "many"},
        }
    )
    one = Memory.objects.get()
    page = signed_in(ann()).get(f"/memories/{one.pk}")
    assert page.status_code == 200 and "Sources gone" not in text_of(page)
    assert (span_of(one), sources_gone(one)) == (None, 0)


def test_what_a_pass_noted_of_its_sources_is_read() -> None:
    moments = [datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 2, tzinfo=UTC)]
    about = {"span": [one.isoformat() for one in moments], "sources_gone": 2}
    one = memory(ann(), "Tea was talked of.", derivation="summary", pass_id=uuid4(), provenance=about)
    assert (span_of(one), sources_gone(one)) == (moments, 2)
    assert "Sources gone: 2 of the records" in text_of(signed_in(ann()).get(f"/memories/{one.pk}"))


def test_slots_of_a_snapshot_need_no_time_of_their_own() -> None:
    slots = {"a": {"content": "Tea."}, "b": {"content": "Milk."}, "c": {"content": "Sugar."}}
    slots["b"]["updated_at"] = "2024-01-01T00:00:00Z"
    assert brought({"kind": "snapshot", "label": "noon", "state": slots}).imported == 1
    [told] = Api(ann()).get("restart/snapshot").json()["snapshots"]
    assert told["active_state"]["content"] == "Milk."


def queries_of(*lines: dict[str, Any]) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert brought(*lines).errors == []
    return len(asked)


def test_links_and_versions_that_come_later_are_added_in_as_many_statements_however_many_they_are() -> None:
    some = [memory(ann(), f"note {number}", version=3) for number in range(12)]

    def line(place: int) -> dict[str, Any]:
        was = [{"number": 1, "content": f"note {place} before"}]
        link = {"target": str(some[place + 1].pk), "kind": "relates_to"}
        return {"kind": "history", "id": str(some[place].pk), "versions": was, "links": [link]}

    few = queries_of(line(0))
    many = queries_of(*(line(place) for place in range(1, 11)))
    assert many <= few + 2
    assert (MemoryLink.objects.count(), MemoryVersion.objects.count()) == (11, 11)


def test_of_two_lines_with_one_former_version_the_first_is_kept() -> None:
    one = memory(ann(), "Tea at four.", version=3)
    lines = [
        {"kind": "history", "id": str(one.pk), "versions": [{"number": 1, "content": text}]} for text in ("one", "two")
    ]
    told = brought(*lines, {"kind": "history", "id": str(one.pk), "versions": [{"number": 7, "content": "late"}]})
    assert told.outcomes == {1: "new", 2: "known", 3: "wrong"}
    assert [was.content for was in one.versions.all()] == ["one"]


def test_the_audit_says_that_an_import_only_added_to_what_was_here() -> None:
    one = memory(ann(), "Tea at four.", version=3)
    brought(
        {"content": "Milk is in the fridge."},
        {"kind": "history", "id": str(one.pk), "versions": [{"number": 1, "content": "Tea at three."}]},
    )
    client = signed_in(ann())
    told = text_of(client.get(f"/audit?object={one.pk}"))
    assert "Links, uses or versions of a memory imported" in told and "Memory imported" not in told
    assert "Links, uses or versions of a memory imported" in text_of(client.get(f"/memories/{one.pk}"))
    whole = Memory.objects.get(content="Milk is in the fridge.")
    assert "Memory imported" in text_of(client.get(f"/audit?object={whole.pk}"))
