"""Marks of use: importance rises once per use and decays from there."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from memories.models import AuditRecord, MemoryUse, MemoryVersion
from tests.memories.api_client import Api, problems, rows
from tests.memories.factories import PAST, ann, bea, bob, memory, team

pytestmark = pytest.mark.django_db


def test_a_use_is_counted_and_makes_the_memory_more_important() -> None:
    note, api = memory(ann(), "Tea.", importance=0.5, base=0.5, anchor=timezone.now()), Api(ann())
    answer = api.post(
        f"memories/{note.pk}/usage", {"action": "cited", "context": "in the report", "metadata": {"page": 3}}
    )
    assert (answer.status_code, answer.json()["use_count"], answer["ETag"]) == (200, 1, '"2"')
    note.refresh_from_db()
    state = note.state
    assert (state.importance, state.base, state.use_count, state.version) == (0.55, 0.55, 1, 2)
    assert state.anchor == state.last_used_at and (timezone.now() - state.anchor).total_seconds() < 30
    assert note.updated_at == PAST and not MemoryVersion.objects.exists()
    use = MemoryUse.objects.get()
    assert (use.action, use.context, use.metadata) == ("cited", "in the report", {"page": 3})
    line = AuditRecord.objects.get(action="memory.use")
    assert line.detail == {"importance": [0.5, 0.55], "uses": 1, "version": 2}


def test_a_known_tracking_id_counts_once() -> None:
    note, api = memory(ann(), "Tea."), Api(ann())
    answers = [api.post(f"memories/{note.pk}/usage", {"usage_tracking_id": "t1"}).json() for _ in range(3)]
    assert [one["counted"] for one in answers] == [True, False, False]
    note.state.refresh_from_db()
    assert (note.state.use_count, note.state.version) == (1, 2)
    assert AuditRecord.objects.filter(action="memory.use").count() == 1
    assert api.post(f"memories/{note.pk}/usage", {"usage_tracking_id": "t2"}).json()["use_count"] == 2


def test_importance_never_exceeds_one() -> None:
    note, api = memory(ann(), "Tea.", importance=0.98, base=0.98, anchor=timezone.now()), Api(ann())
    for _ in range(2):
        assert api.post(f"memories/{note.pk}/usage", {}).json()["importance"] == 1.0


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"surprise": 1}, "surprise"),
        ({"action": ""}, "action"),
        ({"action": "x" * 51}, "action"),
        ({"action": 5}, "action"),
        ({"context": []}, "context"),
        ({"context": "x" * 4001}, "context"),
        ({"usage_tracking_id": ""}, "usage_tracking_id"),
        ({"usage_tracking_id": "a\nb"}, "usage_tracking_id"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"a": "x" * 16_000}}, "metadata"),
    ],
)
def test_bad_and_unknown_fields_are_refused(body: dict[str, Any], named: str) -> None:
    note, api = memory(ann(), "Tea."), Api(ann())
    before = rows()
    assert problems(api.post(f"memories/{note.pk}/usage", body)) == [named]
    note.state.refresh_from_db()
    assert rows() == before and note.state.version == 1


def test_strangers_deleted_records_and_other_kinds_are_not_there() -> None:
    note, gone = memory(ann(), "Tea."), memory(ann(), "Gone.", status="deleted")
    todo = Api(ann()).post("reminders", {"content": "a"}).json()["id"]
    assert Api(bob()).post(f"memories/{note.pk}/usage", {}).status_code == 404
    for key in (gone.pk, todo, "01a22ca2-8482-7386-8256-67939b2aa67b"):
        assert Api(ann()).post(f"memories/{key}/usage", {}).status_code == 404
    assert Api(ann(), scopes=["memory:read"]).post(f"memories/{note.pk}/usage", {}).status_code == 403
    assert not MemoryUse.objects.exists()


def test_a_member_marks_what_the_team_shares() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    note = memory(ann(), "Ours.", team=atlas)
    assert Api(bea()).post(f"memories/{note.pk}/usage", {}).json()["use_count"] == 1
