"""Many ticked records: shown again, the number typed in, and what became of each."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from memories.models import AuditRecord, Erasure, Memory
from tests.memories.factories import ann, bob, memory
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db


def ticks(*some: Memory) -> list[str]:
    return [f"{one.pk}:{one.state.version}" for one in some]


def post(verb: str, include: list[str], **data: Any) -> Any:
    return signed_in(ann()).post(f"/records/selected/{verb}", {"include": include, **data})


def stands(*some: Memory) -> list[str]:
    return [Memory.objects.get(pk=one.pk).state.status for one in some]


@pytest.mark.parametrize(("path", "status"), [("/memories", "active"), ("/trash", "deleted")])
def test_rows_can_be_ticked_without_scripts(path: str, status: str) -> None:
    one = memory(ann(), "a", status=status)
    body = signed_in(ann()).get(path).content.decode()
    assert f'name="include" value="{one.pk}:1" form="selection"' in body and 'id="selection" method="post"' in body


def test_ticked_records_are_shown_and_nothing_moves_before_the_button_that_names_the_number() -> None:
    some = [memory(ann(), f"note {n}") for n in range(3)]
    response = post("forget", ticks(*some))
    body = text_of(response)
    assert response.status_code == 200 and "Move 3 records to trash" in body and stands(*some) == ["active"] * 3
    assert all(one.content in body and str(one.pk) in body for one in some)
    assert "Type the number" not in body and 'type="hidden" name="count" value="3"' in response.content.decode()


@pytest.mark.parametrize(("many", "typed"), [(50, False), (51, True)])
def test_only_what_fills_more_than_a_page_is_typed_in(many: int, typed: bool) -> None:
    body = text_of(post("forget", [f"{uuid4()}:1" for _ in range(many)]))
    assert (f"Type the number of records: {many}" in body) is typed


def test_restoring_asks_nothing_and_says_what_came_back() -> None:
    some = [memory(ann(), f"note {n}", status="deleted") for n in range(2)]
    body = text_of(post("restore", ticks(*some)))
    assert "Restored: 2 of 2" in body and all(one.content in body for one in some)
    assert stands(*some) == ["active"] * 2


def test_with_the_number_all_move_and_the_undo_brings_all_back() -> None:
    some = [memory(ann(), f"note {n}") for n in range(3)]
    body = text_of(post("forget", ticks(*some), count="3", reason="spring"))
    assert "Moved to trash: 3 of 3" in body and stands(*some) == ["deleted"] * 3
    again = [f"{one.pk}:2" for one in some]
    assert "Restored: 3 of 3" in text_of(post("restore", again, count="3")) and stands(*some) == ["active"] * 3


@pytest.mark.parametrize("count", ["2", "", "three"])
def test_a_wrong_number_is_refused_beside_its_field(count: str) -> None:
    one = memory(ann(), "a")
    response = post("forget", ticks(one), count=count)
    assert response.status_code == 422 and "needs another look" in text_of(response)
    assert stands(one) == ["active"]


def test_each_refusal_is_named_beside_its_record() -> None:
    good, changed, strange = memory(ann(), "a"), memory(ann(), "b", version=2), memory(bob(), "secret")
    body = text_of(post("forget", [*ticks(good), f"{changed.pk}:1", f"{strange.pk}:1"], count="3"))
    assert "1 of 3" in body and "changed since you saw it" in body and "no such record" in body
    assert "secret" not in body and stands(good, changed, strange) == ["deleted", "active", "active"]


def test_a_stranger_sees_no_line_of_what_they_tick() -> None:
    one = memory(bob(), "secret")
    assert "secret" not in post("forget", ticks(one)).content.decode()


@pytest.mark.parametrize(("verb", "count", "most"), [("forget", 501, 500), ("restore", 501, 500), ("erase", 101, 100)])
def test_more_than_the_cap_is_refused_with_its_sentence(verb: str, count: int, most: int) -> None:
    response = post(verb, [f"{uuid4()}:1" for _ in range(count)])
    assert response.status_code == 422 and f"at most {most} go at once" in text_of(response)


@pytest.mark.parametrize("include", [[], ["x"], [f"{uuid4()}"], [f"{uuid4()}:-1"], ["x:1"]])
def test_a_selection_that_cannot_be_read_is_refused(include: list[str]) -> None:
    assert post("forget", include, count="1").status_code == 422


def test_there_is_no_other_verb() -> None:
    assert post("purge", [f"{uuid4()}:1"]).status_code == 404


def test_a_hard_delete_shows_all_ids_and_needs_number_word_and_reason() -> None:
    some = [memory(ann(), f"note {n}", status="deleted") for n in range(2)]
    body = text_of(post("erase", ticks(*some)))
    assert "cannot be undone" in body and all(str(one.pk) in body for one in some)
    full = {"count": "2", "word": "delete", "reason": "asked to"}
    for name in full:
        assert post("erase", ticks(*some), **full | {name: ""}).status_code == 422
    assert Memory.objects.count() == 2
    response = post("erase", ticks(*some), **full)
    assert "Deleted for good: 2 of 2" in text_of(response) and f"/erased/{some[0].pk}" in response.content.decode()
    assert Erasure.objects.count() == 2 and not Memory.objects.exists()
    assert AuditRecord.objects.filter(action="records.erase_many").count() == 1


def test_a_hard_delete_asks_for_the_password_and_carries_the_selection_along() -> None:
    one = memory(ann(), "a", status="deleted")
    client = signed_in(ann(), seconds_ago=3600)
    response = client.post("/records/selected/erase", {"include": ticks(one)})
    assert response.status_code == 403 and ticks(one)[0] in response.content.decode()
    sent = {"next": "/records/selected/erase", "include": ticks(one), "password": "correct horse battery staple"}
    again = client.post("/sign-in-again", sent)
    assert again.status_code == 307 and again["Location"] == "/records/selected/erase"
    assert "Delete 1 record for good?" in text_of(client.post(again["Location"], {"include": ticks(one)}))
