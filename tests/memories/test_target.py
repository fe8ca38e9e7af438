"""A descriptive target means exactly one record, or is refused."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from console.errors import Conflict, Invalid, NotFound
from memories.models import Decision, LedgerEntry, Todo
from memories.services.target import resolve
from tests.memories.factories import actor, ann, bea, bob, memory, team, token_actor

pytestmark = pytest.mark.django_db


def timed() -> dict[str, Any]:
    return {"owner": ann(), "created_at": timezone.now(), "updated_at": timezone.now()}


def todo(content: str, **fields: Any) -> Todo:
    return Todo.objects.create(content=content, **timed(), **fields)


def entry(item: str) -> LedgerEntry:
    money = {"transaction_type": "expense", "amount": Decimal("2.50"), "currency": "EUR"}
    return LedgerEntry.objects.create(item=item, occurred_on=date(2026, 1, 1), **timed(), **money)


def decision(context: str) -> Decision:
    return Decision.objects.create(context=context, **timed())


def meant(target: str) -> Any:
    return resolve(target, actor=actor(ann()))


def test_an_exact_id_inside_the_target_decides() -> None:
    one = memory(ann(), "Tea at four.")
    memory(ann(), f"about {uuid4()}")
    assert meant(f"the record {one.pk}, please") == meant(str(one.pk).upper()) == one.pk


@pytest.mark.parametrize("make", [todo, entry, decision])
def test_the_id_and_the_text_of_any_kind_are_found(make: Any) -> None:
    one = make("Call the dentist")
    assert meant(str(one.pk)) == meant("call the  DENTIST") == one.pk


def test_an_id_wins_over_the_words_around_it_and_two_ids_are_refused() -> None:
    one, two = memory(ann(), "Tea."), memory(ann(), "Coffee.")
    assert meant(f"Coffee. {one.pk}") == one.pk
    with pytest.raises(Conflict) as refusal:
        meant(f"{one.pk} {two.pk}")
    assert {match["id"] for match in refusal.value.detail["matches"]} == {str(one.pk), str(two.pk)}


def test_one_of_two_ids_that_is_not_there_refuses_both() -> None:
    one = memory(ann(), "Tea.")
    with pytest.raises((NotFound, Conflict)):
        meant(f"{one.pk} {uuid4()}")


@pytest.mark.parametrize("field", [{"semantic_key": "User:Name"}, {"path": "notes/v1..2"}])
def test_a_key_or_path_names_its_record(field: dict[str, str]) -> None:
    one = memory(ann(), "Ann.", **field)
    assert meant(next(iter(field.values())).lower()) == one.pk


def test_two_records_with_the_same_text_are_refused_and_listed() -> None:
    found = [memory(ann(), "Same old"), todo("same  OLD")]
    with pytest.raises(Conflict) as refusal:
        meant("Same old")
    assert refusal.value.status == 409 and refusal.value.detail["count"] == 2
    assert [match["kind"] for match in refusal.value.detail["matches"]] == ["memory", "todo"]
    assert {match["id"] for match in refusal.value.detail["matches"]} == {str(one.pk) for one in found}


def test_shared_words_alone_match_nothing() -> None:
    one = memory(ann(), "D6 scratch")
    memory(ann(), "scratch note")
    assert meant("D6 scratch") == one.pk
    for target in ("scratch", "D6 scratch xyzzy", "note D6", "scratchy"):
        with pytest.raises((NotFound, Conflict)):
            meant(target)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("The wifi password is hunter2; keep it.", "wifi password is HUNTER2"),
        ("重跑gen-itgc后", "gen-itgc"),
        ("今日は成語しりとりをした", "成語"),
        ("Café crème à Lyon", "cafe creme"),
        ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
    ],
)
def test_a_whole_phrase_is_found_between_word_boundaries(text: str, target: str) -> None:
    one = memory(ann(), text)
    memory(ann(), "something else")
    assert meant(target) == one.pk


@pytest.mark.parametrize("target", ["ifi pass", "passwor", "password wifi", "%", "_", "wi_i", "…", "'; --", "끝말"])
def test_parts_of_words_other_orders_and_wildcards_match_nothing(target: str) -> None:
    memory(ann(), "The wifi password is hunter2")
    memory(ann(), "오늘 끝말잇기 게임")
    with pytest.raises(NotFound):
        meant(target)


def test_a_phrase_in_two_records_is_refused_with_short_excerpts() -> None:
    memory(ann(), "blue kettle " + "x" * 200)
    decision("A blue kettle or a red one?")
    with pytest.raises(Conflict) as refusal:
        meant("blue kettle")
    assert all(len(match["text"]) <= 80 for match in refusal.value.detail["matches"])


def test_what_is_deleted_archived_expired_or_foreign_is_no_match() -> None:
    gone = memory(ann(), "zebra kiosk", status="deleted")
    memory(ann(), "zebra kiosk", status="archived")
    memory(ann(), "zebra kiosk", expires_at=timezone.now() - timedelta(seconds=1))
    strange = memory(bob(), "zebra kiosk")
    todo("zebra kiosk", status="deleted", deleted_at=timezone.now(), deleted_by=ann(), status_before_delete="active")
    for target in ("zebra kiosk", "zebra", str(gone.pk), str(strange.pk)):
        with pytest.raises(NotFound):
            meant(target)


def test_an_archived_record_is_reached_by_its_id() -> None:
    one = memory(ann(), "zebra kiosk", status="archived")
    assert meant(str(one.pk)) == one.pk


def test_the_bounds_of_a_token_hold() -> None:
    memory(ann(), "zebra kiosk", bucket="home")
    with pytest.raises(NotFound):
        resolve("zebra kiosk", actor=token_actor(ann(), buckets=["work"]))


def test_a_team_mate_finds_what_is_shared_only() -> None:
    atlas = team("Atlas", ann="member", bea="member")
    shared = memory(ann(), "zebra kiosk", team=atlas)
    memory(ann(), "zebra kiosk")
    assert resolve("zebra kiosk", actor=actor(bea())) == shared.pk


def test_a_token_that_may_not_read_is_shown_no_text() -> None:
    memory(ann(), "zebra kiosk")
    memory(ann(), "zebra kiosk")
    with pytest.raises(Conflict) as refusal:
        resolve("zebra kiosk", actor=token_actor(ann(), scopes=["memory:write"]))
    assert [set(match) for match in refusal.value.detail["matches"]] == [{"id", "kind"}] * 2


@pytest.mark.parametrize("target", ["", "  \u200b", "a\0b", "x" * 1_001])
def test_a_target_that_says_nothing_or_too_much_is_invalid(target: str) -> None:
    with pytest.raises(Invalid):
        meant(target)


def test_a_shortened_id_is_told_to_be_one() -> None:
    one = memory(ann(), "Tea.")
    for target in (str(one.pk)[:8], f"mem_…{str(one.pk)[-6:]}"):
        with pytest.raises(NotFound, match="whole id"):
            meant(target)
