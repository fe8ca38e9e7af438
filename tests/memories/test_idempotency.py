"""A POST with an idempotency key has its effect once, and its answer can be had again."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.http import HttpResponse

from memories.models import KeptAnswer, Membership, Memory, Todo
from memories.services import answers
from memories.services.erase import erase, places_quoting
from memories.services.forget import forget
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import actor, ann, bob, memory, team

pytestmark = pytest.mark.django_db
TEA = {"content": "The zebra drinks tea.", "path": "p"}
KEYS: list[dict[str, Any]] = [
    {"Idempotency_Key": "k-1"},
    {"X_Idempotency_Key": "k-1"},
    {"Idempotency_Key": "k-1", "X_Idempotency_Key": "k-1"},
]


def replayed(answer: HttpResponse) -> bool:
    return answer.get("Idempotent-Replayed") == "true"


@pytest.mark.parametrize("headers", KEYS)
@pytest.mark.parametrize("second", ["/v1/remember", "/api/v1/remember"])
def test_a_retry_gets_the_first_answer_and_changes_nothing(headers: dict[str, Any], second: str) -> None:
    api = Api(ann())
    first = api.post("/v1/remember", TEA, **headers)
    before = rows()
    again = api.post(second, TEA, **headers)
    assert not replayed(first) and replayed(again) and rows() == before
    assert (again.status_code, again.content, again["ETag"]) == (200, first.content, first["ETag"])
    assert again["Content-Type"] == first["Content-Type"] and Memory.objects.count() == 1


def test_the_key_may_stand_in_the_body_and_is_the_same_key() -> None:
    api = Api(ann())
    first = api.post("remember", TEA | {"idempotency_key": "k-1"})
    assert api.post("remember", TEA, Idempotency_Key="k-1").content == first.content
    assert api.post("memories/" + first.json()["id"] + "/usage", {"idempotency_key": "u"}).status_code == 200
    assert problems(api.post("remember", TEA | {"idempotency_key": "a"}, Idempotency_Key="b")) == ["idempotency_key"]
    assert problems(api.post("remember", TEA | {"idempotency_key": 7})) == ["idempotency_key"]
    assert problems(api.post("remember", TEA, Idempotency_Key="k" * 256)) == ["Idempotency-Key"]


def test_another_request_under_the_same_key_is_refused() -> None:
    api, first = Api(ann()), TEA | {"metadata": {"a": 1, "b": 2}}
    api.post("remember", first, Idempotency_Key="k")
    assert replayed(api.post("remember", TEA | {"metadata": {"b": 2, "a": 1}}, Idempotency_Key="k"))
    assert problems(api.post("remember", TEA, Idempotency_Key="k")) == ["Idempotency-Key"]
    assert Memory.objects.count() == 1


def test_a_key_belongs_to_one_token_and_one_address() -> None:
    api = Api(ann())
    answer = api.post("remember", TEA, Idempotency_Key="k")
    assert not replayed(Api(ann()).post("remember", TEA, Idempotency_Key="k"))
    assert not replayed(Api(bob()).post("remember", TEA, Idempotency_Key="k"))
    assert not replayed(api.post("reminders", TEA, Idempotency_Key="k"))
    one, other = answer.json()["id"], memory(ann(), "x").pk
    assert not replayed(api.post(f"memories/{one}/forget", Idempotency_Key="k"))
    assert not replayed(api.post(f"memories/{other}/forget", Idempotency_Key="k"))
    assert (Memory.objects.count(), Todo.objects.count()) == (4, 1)


def lines(*texts: str) -> str:
    return "".join(json.dumps({"content": text, "path": "p"}) + "\n" for text in texts)


def test_all_pages_of_an_import_may_have_one_key_and_each_has_its_effect_once() -> None:
    api, sent = Api(ann()), {"jsonl": lines("a", "b", "c"), "limit": 2, "dry_run": False, "idempotency_key": "k"}
    first = api.post("memories/import", sent | {"cursor": 0})
    second = api.post("memories/import", sent | {"cursor": first.json()["next_cursor"]})
    assert [one.json()["imported"] for one in (first, second)] == [2, 1] and second.json()["next_cursor"] is None
    before = rows()
    for cursor, once in ((0, first), (None, first), ("2", second), (2, second)):
        again = api.post("memories/import", sent | {"cursor": cursor})
        assert replayed(again) and again.content == once.content, cursor
    rest = api.post("memories/import", sent | {"cursor": 3})
    assert (replayed(rest), rest.json()["imported"]) == (False, 0)
    assert rows() == before | {"KeptAnswer": before["KeptAnswer"] + 1} and Memory.objects.count() == 3


@pytest.mark.parametrize(
    "other", [{"jsonl": lines("a", "b", "x")}, {"bucket": "home"}, {"limit": 1}, {"jsonl": lines("a", "b", "c") + "\n"}]
)
@pytest.mark.parametrize("cursor", [0, 2, 3])
def test_other_lines_under_the_key_of_an_import_are_refused_on_whatever_page(
    other: dict[str, Any], cursor: int
) -> None:
    api, sent = Api(ann()), {"jsonl": lines("a", "b", "c"), "limit": 2, "cursor": 0}
    api.post("memories/import", sent, Idempotency_Key="k")
    before = rows()
    answer = api.post("memories/import", sent | other | {"cursor": cursor}, Idempotency_Key="k")
    assert problems(answer) == ["Idempotency-Key"] and rows() == before


def test_a_dry_run_of_an_import_takes_no_key() -> None:
    api, sent = Api(ann()), {"jsonl": lines("a"), "idempotency_key": "k"}
    for dry in (True, "true"):
        assert not replayed(api.post("memories/import", sent | {"dry_run": dry}))
    assert not KeptAnswer.objects.exists()
    assert api.post("memories/import", sent | {"dry_run": False}).json()["imported"] == 1


def test_what_was_refused_may_be_tried_again_under_its_key() -> None:
    api = Api(ann())
    assert api.post("remember", {"path": "p"}, Idempotency_Key="k").status_code == 422
    assert api.post("remember", TEA, Idempotency_Key="k").status_code == 200


def test_what_only_reads_is_not_kept() -> None:
    api = Api(ann())
    api.post("recall/context", {"query": "tea"}, Idempotency_Key="k")
    api.post("projects/1/context", Idempotency_Key="k")
    api.post("skill/operations", {"operation": "recall", "arguments": {"query": "tea"}}, Idempotency_Key="k")
    assert not KeptAnswer.objects.exists()
    sent = {"operation": "remember", "arguments": {"content": "tea"}}
    assert replayed([api.post("skill/operations", sent, Idempotency_Key="k") for _ in range(2)][1])


@pytest.mark.parametrize("operation", ["recall", "remember"])
def test_a_key_that_is_none_is_refused_whatever_the_operation(operation: str) -> None:
    sent = {"operation": operation, "arguments": {"query": "tea", "content": "tea"}}
    refused = Api(ann()).post("skill/operations", sent, Idempotency_Key="k" * 256)
    assert problems(refused) == ["Idempotency-Key"]


def test_a_forgotten_record_is_forgotten_once_and_a_restored_one_stays() -> None:
    api, key = Api(ann()), memory(ann(), "x").pk
    first = api.post(f"memories/{key}/forget", Idempotency_Key="k")
    api.post(f"memories/{key}/restore")
    assert api.post(f"memories/{key}/forget", Idempotency_Key="k").content == first.content
    assert api.get(f"memories/{key}").json()["status"] == "active"


def test_after_a_day_the_key_is_free_and_the_answer_is_swept() -> None:
    api = Api(ann())
    api.post("remember", TEA, Idempotency_Key="k")
    KeptAnswer.objects.update(created_at=F("created_at") - timedelta(hours=25))
    assert not replayed(api.post("remember", TEA, Idempotency_Key="k"))
    assert replayed(api.post("remember", TEA, Idempotency_Key="k")) and KeptAnswer.objects.count() == 1
    KeptAnswer.objects.update(created_at=F("created_at") - timedelta(hours=25))
    assert (answers.sweep(), KeptAnswer.objects.count()) == (1, 0)


def test_stored_answers_say_nothing_and_not_the_key() -> None:
    answer = Api(ann()).post("reminders", {"content": "zebra kiosk"}, Idempotency_Key="client-key-1")
    [kept] = KeptAnswer.objects.values()
    stored = b"".join(
        bytes(value) if isinstance(value, memoryview | bytes) else str(value).encode() for value in kept.values()
    )
    assert b"zebra" in answer.content
    assert b"zebra" not in stored and b"client-key" not in stored and b"content" not in stored


def test_an_erased_record_takes_the_answers_that_name_it_along() -> None:
    api = Api(ann())
    key = memory(ann(), "zebra").pk
    other = api.post("remember", TEA, Idempotency_Key="other")
    api.post(f"memories/{key}/usage", Idempotency_Key="k")
    assert places_quoting(key)["answers kept for a retry"] == 1
    forget(record_id=key, actor=actor(ann()))
    version = Memory.objects.get(pk=key).state.version
    erase(record_id=key, typed=str(key)[-6:], reason="x", seen_version=version, actor=actor(ann()))
    assert places_quoting(key)["answers kept for a retry"] == 0
    assert api.post("remember", TEA, Idempotency_Key="other").content == other.content


def test_an_answer_about_a_team_goes_with_the_membership() -> None:
    atlas = team("Atlas", ann="member")
    api, sent = Api(ann()), {"content": "of the team", "team_id": str(atlas.pk)}
    api.post("reminders", sent, Idempotency_Key="k")
    Membership.objects.all().delete()
    answer = api.post("reminders", sent, Idempotency_Key="k")
    assert (answer.status_code, code(answer)) == (403, "permission_denied")
