"""What pages say is what happened: failures are shown as failures, clearing clears, ages and empty values are told."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn
from uuid import uuid4

import pytest
from django.utils import timezone

from console.errors import Invalid
from memories.embedding import EmbeddingUnavailable, store
from memories.models import Memory, MemoryEmbedding, Todo
from memories.search import rank
from memories.services import lifecycle
from reflection.services import decide
from tests.memories.api_client import Api, problems
from tests.memories.doors import DOORS, found, listed, many, taken, written
from tests.memories.factories import actor, ann, memory, version
from tests.memories.page_client import HTMX, everything, signed_in, text_of
from tests.reflection import life
from tests.reflection.pages import address, form

pytestmark = pytest.mark.django_db

each_door = pytest.mark.parametrize("door", DOORS)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def breaks(*_: Any, **__: Any) -> NoReturn:
    raise RuntimeError("a fault of ours")


@pytest.mark.parametrize("path", ["/memories", "/todos", "/trash", "/audit", "/timeline"])
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_list_that_cannot_be_made_is_an_error_with_a_way_to_try_again(
    path: str, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory(ann(), "zebra")
    client = signed_in(ann())
    monkeypatch.setattr("memories.pages.keyset.page", breaks)
    answer = client.get(f"{path}?limit=7", headers=headers)
    body = answer.content.decode()
    assert answer.status_code == 500 and f'<a href="{path}?limit=7">Try again</a>' in body
    assert "yet" not in text_of(answer) and "No m" not in text_of(answer) and "fault of ours" not in body
    assert ("<!doctype html>" in body) == (not headers)


def test_an_approval_that_breaks_is_shown_as_a_failure_and_nothing_says_it_was_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    life.fill(ann())
    plan = life.plan_all(actor(ann()), actions_csv="expire")
    client = signed_in(ann())
    before = everything()
    monkeypatch.setattr(decide, "move", breaks)
    answer = client.post(address(plan, "approve"), form(plan))
    assert answer.status_code == 500 and "Something went wrong" in text_of(answer)
    assert everything() == before
    assert "Approved" not in text_of(client.get(address(plan)))


@each_door
def test_an_unknown_type_is_refused_and_never_rewritten(door: str) -> None:
    assert not taken(written(door, ann(), "zebra", memory_type="foo"))
    assert not Memory.objects.exists()
    one = memory(ann(), "kiosk")
    assert problems(Api(ann()).patch(f"memories/{one.pk}", {"memory_type": "foo"})) == ["memory_type"]
    assert problems(Api(ann()).get("memories", memory_type="foo")) == ["memory_type"]
    assert signed_in(ann()).get("/memories?type=foo").status_code == 422


FULL: dict[str, Any] = {
    "metadata": {"tags": ["a"]},
    "expires_at": NOON + timedelta(days=900),
    "scope": "s",
    "path": "a/b",
    "confidence": 0.5,
}


def test_a_patch_clears_what_it_sends_empty() -> None:
    one = memory(ann(), "zebra", **FULL)
    sent = {"metadata": {}, "expires_at": None, "scope": "", "path": "", "confidence": None}
    body = Api(ann()).patch(f"memories/{one.pk}", sent).json()
    assert {name: body[name] for name in sent} == {**sent, "scope": None}
    assert body["version"] == 2 and Api(ann()).get(f"memories/{one.pk}").json() == body


def test_a_patch_clears_an_expiry_that_is_an_empty_text() -> None:
    one = memory(ann(), "zebra", **FULL)
    assert Api(ann()).patch(f"memories/{one.pk}", {"expires_at": ""}).json()["expires_at"] is None


def test_an_edit_on_the_page_clears_what_is_left_empty() -> None:
    one = memory(ann(), "zebra", **FULL)
    fields = {"content": "zebra", "bucket": "work", "type": "semantic", "importance": "0.5", "version": "1"}
    empty = {"path": "", "scope": "", "expires_at": ""}
    assert signed_in(ann()).post(f"/memories/{one.pk}/edit", fields | empty).status_code == 302
    one.refresh_from_db()
    assert (one.path, one.scope, one.expires_at) == ("", None, None)
    assert one.metadata == FULL["metadata"]


def test_a_todo_loses_its_date_through_both_doors() -> None:
    todos = [
        Todo.objects.create(owner=ann(), content=f"{n}", due_at=NOON, created_at=NOON, updated_at=NOON) for n in "ab"
    ]
    assert Api(ann()).patch(f"reminders/{todos[0].pk}", {"due_at": None}).json()["due_at"] is None
    sent = {"content": "b", "due_at": "", "bucket": "work", "scope": "", "path": "", "note": "", "version": "1"}
    assert signed_in(ann()).post(f"/todos/{todos[1].pk}", sent).status_code == 302
    assert set(Todo.objects.values_list("due_at", flat=True)) == {None}


def test_the_age_of_a_memory_is_told_in_days_and_its_time_in_utc() -> None:
    at = timezone.now() - timedelta(days=6, hours=1)
    one = memory(ann(), "zebra", created_at=at)
    assert "6 days ago" in text_of(signed_in(ann()).get(f"/memories/{one.pk}"))
    told = Api(ann()).get(f"memories/{one.pk}").json()["created_at"]
    assert datetime.fromisoformat(told) == at


def test_what_is_not_there_is_told_in_words_and_never_as_a_value_of_a_program() -> None:
    one = memory(ann(), "zebra")
    version(one, 1, "giraffe")
    one.versions.update(replaced_by=None)
    todo = Todo.objects.create(owner=ann(), content="call", created_at=NOON, updated_at=NOON)
    client = signed_in(ann())
    for path in (
        f"/memories/{one.pk}",
        f"/todos/{todo.pk}",
        "/",
        "/todos",
        "/memories",
        "/audit",
        "/access",
        "/passes",
    ):
        text = re.sub(r"\{ \"id\": .*? \}", "", text_of(client.get(path)))  # the JSON, which a page shows as such
        assert not re.search(r"\b(None|null|undefined|NaN|N/A|Invalid Date)\b", text), path
    assert "by nobody" in text_of(client.get(f"/memories/{one.pk}"))
    assert Api(ann()).get(f"memories/{one.pk}/versions").json()["versions"][0]["replaced_by"] is None


@each_door
def test_until_leaves_a_row_of_that_very_moment_out_and_since_takes_it_in(door: str) -> None:
    memory(ann(), "zebra", created_at=NOON)
    moment, later = NOON.isoformat(), (NOON + timedelta(seconds=1)).isoformat()
    assert found(door, ann(), "zebra", since=moment, until=later) == ["zebra"]
    assert found(door, ann(), "zebra", until=moment) == []


@each_door
def test_what_is_over_is_left_out_of_search_and_still_told_by_its_page_and_audit(door: str) -> None:
    assert taken(written(door, ann(), "zebra"))
    one = Memory.objects.get()
    Memory.objects.update(expires_at=timezone.now() - timedelta(days=1))
    assert found(door, ann(), "zebra") == [] and listed(door, ann()) == []
    assert "zebra" in text_of(signed_in(ann()).get(f"/memories/{one.pk}"))
    assert Api(ann()).get(f"memories/{one.pk}").json()["status"] == "expired"
    assert len(Api(ann()).get("audit/events", target_id=str(one.pk)).json()["events"]) == 1
    assert str(one.pk) in signed_in(ann()).get("/audit").content.decode()


@each_door
def test_a_memory_is_kept_while_the_model_is_down_and_gets_its_vector_later(
    door: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down() -> NoReturn:
        raise EmbeddingUnavailable("The model is down.")

    with monkeypatch.context() as patch:
        patch.setattr(rank, "get_embedder", down)
        patch.setattr(store, "get_embedder", down)
        assert taken(written(door, ann(), "zebra kiosk"))
        assert found(door, ann(), "zebra") == ["zebra kiosk"]
        with pytest.raises(EmbeddingUnavailable):
            store.drain()
    assert not MemoryEmbedding.objects.exists()
    assert store.drain() == 1 and found(door, ann(), "zebra") == ["zebra kiosk"]


MANY = 40_000  # more than one statement of PostgreSQL takes as parameters of its own


def test_a_list_of_forty_thousand_ids_is_taken_or_refused_but_never_a_fault() -> None:
    many(ann(), 300, "row {}", newest=NOON)
    who = actor(ann())
    ids = [*Memory.objects.values_list("pk", flat=True), *(uuid4() for _ in range(MANY))]
    assert len(lifecycle.lock_many(ids, actor=who)) == 300
    plan = life.plan_all(who)
    with pytest.raises(Invalid):
        decide.approve(pass_id=plan.pk, digest=plan.digest, exclude=ids, actor=who)


@pytest.mark.parametrize("verb", ["forget", "restore", "erase"])
def test_a_form_with_forty_thousand_ticks_is_refused_and_moves_nothing(verb: str) -> None:
    memory(ann(), "zebra")
    client = signed_in(ann())
    before = everything()
    answer = client.post(f"/records/selected/{verb}", {"include": [f"{uuid4()}:1" for _ in range(MANY)]})
    assert answer.status_code in (400, 413, 422)
    assert everything() == before
