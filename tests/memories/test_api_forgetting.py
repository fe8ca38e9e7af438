"""Forgetting and restoring over the API."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from memories.models import AuditRecord, ErasureRequest, LedgerEntry, Memory, Todo
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import ann, bea, memory, team

pytestmark = pytest.mark.django_db


def todo() -> Todo:
    now = timezone.now()
    return Todo.objects.create(owner=ann(), content="Call Bea.", created_at=now, updated_at=now)


def entry() -> LedgerEntry:
    now = timezone.now()
    money = {"transaction_type": "expense", "item": "Tea", "amount": Decimal("2.50"), "currency": "EUR"}
    return LedgerEntry.objects.create(
        owner=ann(), occurred_on=date(2026, 1, 1), created_at=now, updated_at=now, **money
    )


MAKERS: dict[str, Any] = {"memory": lambda: memory(ann(), "Tea."), "todo": todo, "ledger": entry}


@pytest.mark.parametrize("kind", MAKERS)
def test_soft_and_back_by_the_id_of_any_record(kind: str) -> None:
    one, api = MAKERS[kind](), Api(ann())
    gone = api.post(f"memories/{one.pk}/forget", {"reason": "wrong"}).json()
    expected = {"ok": True, "id": str(one.pk), "memory_id": str(one.pk), "mode": "soft_delete", "status": "deleted"}
    assert {name: gone[name] for name in expected} == expected
    assert gone["forgotten"] is True
    back = api.post(f"memories/{one.pk}/restore", {"reason": "right after all"}).json()
    assert (back["ok"], back["id"], back["restored"], back["status"]) == (True, str(one.pk), True, "active")
    lines = AuditRecord.objects.filter(object_id=one.pk).order_by("seq")
    assert [(line.action, line.reason) for line in lines] == [
        (f"{kind}.forget", "wrong"),
        (f"{kind}.restore", "right after all"),
    ]


@pytest.mark.parametrize("body", [{}, {"mode": ""}, {"mode": None}, {"mode": "soft"}, {"mode": "soft_delete"}])
def test_these_mean_soft(body: dict[str, Any]) -> None:
    one = memory(ann(), "Tea.")
    assert (
        Api(ann()).post(f"memories/{one.pk}/forget", {**body, "bucket": "work", "idempotency_key": "k"}).json()["mode"]
        == "soft_delete"
    )


@pytest.mark.parametrize("mode", ["HARD", "purge", "soft ", 1, True, []])
def test_any_other_mode_is_refused(mode: Any) -> None:
    one, api = memory(ann(), "Tea."), Api(ann())
    before = rows()
    answer = api.post(f"memories/{one.pk}/forget", {"mode": mode})
    assert problems(answer) == ["mode"]
    assert rows() == before
    assert Memory.objects.get(pk=one.pk).state.status == "active"


@pytest.mark.parametrize("mode", ["soft", "hard", ""])
def test_a_replacement_points_to_redaction(mode: str) -> None:
    one = memory(ann(), "Tea.")
    answer = Api(ann()).post(f"memories/{one.pk}/forget", {"mode": mode, "replacement_content": ""})
    assert problems(answer) == ["replacement_content"]
    assert "redact_memory" in answer.json()["detail"][0]["msg"]


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("mode", ["hard", "hard_delete"])
def test_hard_waits_for_a_person_and_deletes_nothing(kind: str, mode: str) -> None:
    one, api = MAKERS[kind](), Api(ann())
    answer = api.post(f"memories/{one.pk}/forget", {"mode": mode, "reason": "asked to"})
    body, request = answer.json(), ErasureRequest.objects.get()
    assert (answer.status_code, body["status"], body["forgotten"]) == (202, "awaiting_confirmation", False)
    assert body["url"] == f"{settings.CONSOLE_URL}/erasure-requests/{request.pk}"
    assert body["expires_at"] == request.expires_at.isoformat().replace("+00:00", "Z")
    assert (request.record_id, request.reason, request.token_id) == (one.pk, "asked to", api.token.pk)
    one.refresh_from_db()
    assert (one.state if kind == "memory" else one).status == "active"


def test_hard_needs_a_scope_of_its_own() -> None:
    one, api = memory(ann(), "Tea."), Api(ann(), scopes=["memory:read", "memory:write"])
    answer = api.post(f"memories/{one.pk}/forget", {"mode": "hard"})
    assert (answer.status_code, code(answer)) == (403, "permission_denied")
    assert not ErasureRequest.objects.exists()


def test_a_member_may_not_ask_to_erase_what_belongs_to_another() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    one = memory(ann(), "ours", team=atlas)
    assert Api(bea()).post(f"memories/{one.pk}/forget", {"mode": "hard"}).status_code == 403
    assert not ErasureRequest.objects.exists()


def test_a_legal_hold_is_named() -> None:
    one = memory(ann(), "Tea.", hold="case 7")
    answer = Api(ann()).post(f"memories/{one.pk}/forget", {"mode": "hard"})
    assert (answer.status_code, answer.json()["detail"]["hold"]) == (403, "case 7")


def test_forgetting_twice_and_restoring_twice_is_refused() -> None:
    one, api = memory(ann(), "Tea."), Api(ann())
    verbs = ("forget", "forget", "restore", "restore")
    assert [api.post(f"memories/{one.pk}/{verb}").status_code for verb in verbs] == [200, 404, 200, 409]


@pytest.mark.parametrize("verb", ["forget", "restore"])
def test_if_match_is_honoured(verb: str) -> None:
    one = memory(ann(), "Tea.", version=4, status="active" if verb == "forget" else "deleted")
    api = Api(ann())
    stale = api.post(f"memories/{one.pk}/{verb}", {}, If_Match='"3"')
    assert (stale.status_code, code(stale)) == (412, "precondition_failed")
    fresh = api.post(f"memories/{one.pk}/{verb}", {}, If_Match='"4"')
    assert (fresh.status_code, fresh["ETag"]) == (200, '"5"')


@pytest.mark.parametrize("verb", ["forget", "restore"])
@pytest.mark.parametrize("reason", ["x" * 501, 5, "a\0b"])
def test_a_reason_that_cannot_be_kept_is_refused(verb: str, reason: Any) -> None:
    one = memory(ann(), "Tea.", status="active" if verb == "forget" else "deleted")
    assert problems(Api(ann()).post(f"memories/{one.pk}/{verb}", {"reason": reason})) == ["reason"]


@pytest.mark.parametrize("verb", ["forget", "restore"])
def test_a_token_that_only_reads_moves_nothing(verb: str) -> None:
    one = memory(ann(), "Tea.", status="active" if verb == "forget" else "deleted")
    assert Api(ann(), scopes=["memory:read"]).post(f"memories/{one.pk}/{verb}").status_code == 403
    one.state.refresh_from_db()
    assert one.state.version == 1


def test_a_bound_token_forgets_only_inside_its_space() -> None:
    one = memory(ann(), "Tea.", bucket="home")
    assert Api(ann(), buckets=["work"]).post(f"memories/{one.pk}/forget").status_code == 404
