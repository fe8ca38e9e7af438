"""Redaction, forgetting by a target, pins and holds over the API."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from memories.models import AuditRecord, ErasureRequest, Memory, Todo
from tests.memories.api_client import ALL, Api, code, problems
from tests.memories.factories import ann, bea, bob, memory, team

pytestmark = pytest.mark.django_db


def redacted(of: Memory, body: dict[str, Any] | None = None, **fields: Any) -> Any:
    return Api(ann(), **fields).post(f"memories/{of.pk}/forget", {"mode": "redact", **(body or {})})


def test_redaction_replaces_the_content_and_keeps_the_record() -> None:
    one = memory(ann(), "The code is 4711.", path="a", metadata={"k": 1})
    answer = redacted(one, {"replacement_content": "The code is secret.", "reason": "leaked"})
    body = answer.json()
    assert (body["ok"], body["id"], body["mode"], body["forgotten"]) == (True, str(one.pk), "redact", True)
    now = Api(ann()).get(f"memories/{one.pk}").json()
    assert (now["content"], now["path"], now["metadata"]) == ("The code is secret.", "a", {"k": 1})
    assert now["redacted_at"] and answer["ETag"] == f'"{now["version"]}"'
    assert AuditRecord.objects.get(pk=body["audit_record_id"]).reason == "leaked"


def test_redaction_has_a_text_of_its_own() -> None:
    one = memory(ann(), "The code is 4711.")
    redacted(one)
    assert Memory.objects.get(pk=one.pk).content == "[REDACTED]"


@pytest.mark.parametrize("replacement", ["", " ", 5, "x" * 64_001])
def test_a_replacement_that_cannot_be_kept_is_refused(replacement: Any) -> None:
    one = memory(ann(), "The code is 4711.")
    assert problems(redacted(one, {"replacement_content": replacement})) == ["replacement_content"]
    assert Memory.objects.get(pk=one.pk).content == "The code is 4711."


def test_redaction_needs_the_scope_for_what_cannot_be_undone_and_no_hold() -> None:
    one, held = memory(ann(), "a"), memory(ann(), "b", hold="case 7")
    assert redacted(one, scopes=["memory:read", "memory:write"]).status_code == 403
    assert redacted(held).json()["detail"]["hold"] == "case 7"
    assert set(Memory.objects.values_list("content", flat=True)) == {"a", "b"}


def target(text: str, **body: Any) -> Any:
    return Api(ann()).post("forget", {"target": text, **body})


def test_a_target_forgets_its_only_record() -> None:
    one, other = memory(ann(), "D6 scratch"), memory(ann(), "scratch note")
    assert target("D6 scratch", reason="old").json()["id"] == str(one.pk)
    assert [Memory.objects.get(pk=each.pk).state.status for each in (one, other)] == ["deleted", "active"]


def test_a_target_that_fits_several_records_is_a_conflict_that_lists_them() -> None:
    now = timezone.now()
    one, two = memory(ann(), "zebra kiosk"), memory(ann(), "Zebra  kiosk")
    todo = Todo.objects.create(owner=ann(), content="zebra kiosk", created_at=now, updated_at=now)
    answer = target("zebra kiosk")
    detail = answer.json()["detail"]
    assert (answer.status_code, code(answer), detail["count"]) == (409, "conflict", 3)
    assert {match["id"] for match in detail["matches"]} == {str(each.pk) for each in (one, two, todo)}
    assert not Memory.objects.filter(state__status="deleted").exists()


def test_a_target_that_fits_nothing_is_not_found() -> None:
    memory(bob(), "zebra kiosk")
    assert target("zebra kiosk").status_code == 404


def test_an_id_is_preferred_to_a_target() -> None:
    one, other = memory(ann(), "zebra"), memory(ann(), "kiosk")
    assert target("kiosk", memory_id=str(one.pk)).json()["id"] == str(one.pk)
    assert Memory.objects.get(pk=other.pk).state.status == "active"


@pytest.mark.parametrize(("body", "status"), [({}, 422), ({"memory_id": "mem_1"}, 400), ({"target": " "}, 422)])
def test_forget_needs_one_record_to_be_named(body: dict[str, Any], status: int) -> None:
    assert Api(ann()).post("forget", body).status_code == status


def test_a_target_works_with_every_mode() -> None:
    memory(ann(), "zebra kiosk")
    assert target("zebra kiosk", mode="redact", replacement_content="gone").json()["status"] == "redacted"
    assert target("gone", mode="hard").status_code == 202 and ErasureRequest.objects.exists()
    assert problems(target("gone", mode="soft", replacement_content="x")) == ["replacement_content"]
    assert target("gone").json()["mode"] == "soft_delete"


def test_a_pin_is_put_and_deleted() -> None:
    one, api = memory(ann(), "Tea."), Api(ann())
    assert api.call("PUT", f"memories/{one.pk}/pin").json()["pinned"] is True
    assert api.get(f"memories/{one.pk}").json()["pinned"] is True
    assert api.call("DELETE", f"memories/{one.pk}/pin", If_Match='"1"').status_code == 412
    assert api.call("DELETE", f"memories/{one.pk}/pin", If_Match='"2"').json()["version"] == 3


def test_a_hold_is_put_refuses_and_is_deleted() -> None:
    one, api = memory(ann(), "Tea."), Api(ann(), scopes=[*ALL, "admin"])
    put = api.call("PUT", f"memories/{one.pk}/hold", {"name": "case 7", "reason": "lawsuit"})
    assert (put.status_code, put.json()["hold"]) == (200, "case 7")
    assert api.get(f"memories/{one.pk}").json()["hold"] == "case 7"
    assert api.post(f"memories/{one.pk}/forget", {"mode": "hard"}).json()["detail"]["hold"] == "case 7"
    other = api.call("PUT", f"memories/{one.pk}/hold", {"name": "case 8"})
    assert (other.status_code, other.json()["detail"]["hold"]) == (409, "case 7")
    assert api.call("DELETE", f"memories/{one.pk}/hold").json()["hold"] is None
    assert api.post(f"memories/{one.pk}/forget", {"mode": "hard"}).status_code == 202


@pytest.mark.parametrize("verb", ["PUT", "DELETE"])
def test_a_hold_needs_the_scope_and_the_role_of_an_admin(verb: str) -> None:
    one = memory(ann(), "Tea.", team=team("Atlas", ann="admin", bea="member"), hold="x" if verb == "DELETE" else "")
    body = {"name": "case 7"} if verb == "PUT" else {}
    assert Api(ann()).call(verb, f"memories/{one.pk}/hold", body).status_code == 403
    assert Api(bea(), scopes=[*ALL, "admin"]).call(verb, f"memories/{one.pk}/hold", body).status_code == 403
    assert Api(bob(), scopes=[*ALL, "admin"]).call(verb, f"memories/{one.pk}/hold", body).status_code == 404


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "x" * 101}, {"name": 5}])
def test_a_hold_has_a_name(body: dict[str, Any]) -> None:
    api = Api(ann(), scopes=[*ALL, "admin"])
    assert api.call("PUT", f"memories/{memory(ann(), 'Tea.').pk}/hold", body).status_code == 422


@pytest.mark.parametrize("what", ["pin", "hold"])
def test_what_is_not_there_is_neither_pinned_nor_held(what: str) -> None:
    api = Api(ann(), scopes=[*ALL, "admin"])
    body = {"name": "case 7"} if what == "hold" else {}
    assert api.call("PUT", f"memories/{uuid4()}/{what}", body).status_code == 404
    assert api.call("PUT", f"memories/mem_1/{what}", body).status_code == 400
