"""Nothing is destroyed without a confirmation: every address that could is found in the URL map and tried without."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.utils import timezone

from memories.models import AuditRecord, Memory, SpaceSettings
from memories.services import purge
from tests.memories.api_client import Api, code
from tests.memories.asking import WHY, Case
from tests.memories.factories import actor, ann, memory
from tests.memories.mutations import CASES, entry, note, todo, trashed
from tests.memories.page_client import records_now, signed_in, standing, text_of

pytestmark = pytest.mark.django_db

# What may remove words for good, and which of the fields that its case sends are the confirmation.
DESTROYING: dict[str, tuple[str, ...]] = {
    "POST records/<uuid:record_id>/erase": ("typed", "reason", "version"),
    "POST records/selected/erase": ("word", "count", "reason"),
    "POST memories/<uuid:record_id>/redact": ("reason", "replacement_content", "version"),
    "POST trash/retention": ("typed",),
}
# What hides or moves many at once, or takes back; each wants what the person saw.
MOVING: dict[str, tuple[str, ...]] = {
    "POST records/selected/forget": ("count",),
    "POST records/selected/restore": ("include",),
    "POST memories/<uuid:record_id>/forget": ("version",),
    "POST todos/<uuid:record_id>/forget": ("version",),
    "POST ledger/<uuid:record_id>/forget": ("version",),
    "POST passes/<uuid:pass_id>/approve": ("digest",),
}
GONE_FOR_GOOD = {"erase", "redact", "purge", "trash_retention", "rewrite"}


def test_every_address_whose_lines_speak_of_destroying_is_tried_here() -> None:
    def destroys(case: Case) -> bool:
        return any(GONE_FOR_GOOD & set(action.replace("_many", "").split(".")) for action in case.actions)

    assert {case.route for case in CASES if destroys(case)} == set(DESTROYING)


def case_of(route: str) -> Case:
    return next(case for case in CASES if case.route == route)


def due() -> None:
    """Something that the retention of one day would delete at once."""
    one = memory(ann(), "The kettle leaks.", status="deleted")
    one.state.deleted_at = timezone.now() - timedelta(days=40)
    one.state.save(update_fields=["deleted_at"])


FIELDS = [(route, name) for route, names in {**DESTROYING, **MOVING}.items() for name in names]


@pytest.mark.parametrize("wrong", ["missing", "empty", "other"])
@pytest.mark.parametrize(("route", "name"), FIELDS)
def test_without_its_confirmation_nothing_is_done(route: str, name: str, wrong: str) -> None:
    due()
    key, body = case_of(route).given()
    given = {field: value for field, value in body.items() if field != name}
    if wrong != "missing":
        given[name] = {"empty": "", "other": "7"}[wrong]
    if wrong == "other" and name in ("reason", "replacement_content"):
        given[name] = " "
    before = records_now()
    answer, _ = Case(route, lambda: (key, given), ()).ask()
    only_asked = route.startswith("POST records/selected") and name == "count" and wrong == "missing"
    assert answer.status_code in ((200,) if only_asked else (400, 409, 422))
    assert records_now() == before


@pytest.mark.parametrize("route", DESTROYING)
def test_a_sign_in_of_yesterday_destroys_nothing(route: str, monkeypatch: pytest.MonkeyPatch) -> None:
    due()
    key, body = case_of(route).given()
    path = route.removeprefix("POST ").replace("<uuid:record_id>", str(key))
    before = records_now()
    answer = signed_in(ann(), seconds_ago=86_400).post(f"/{path}", body)
    assert answer.status_code == 403 and "password" in text_of(answer) and records_now() == before


KINDS: dict[str, Callable[..., UUID]] = {"memory": note, "todo": todo, "ledger": entry, "trash": trashed}
HARD: list[dict[str, Any]] = [{"mode": "hard"}, {"mode": "hard_delete", "confirm": True, "typed": "x", "force": True}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sent", HARD)
def test_no_token_deletes_for_good_whatever_it_sends(kind: str, sent: dict[str, Any]) -> None:
    key, api = KINDS[kind](), Api(ann())
    kept = {name: rows for name, rows in records_now().items() if name != "ErasureRequest"}
    for path, body in ((f"memories/{key}/forget", sent), ("forget", {**sent, "memory_id": str(key)})):
        answer = api.post(path, body)
        assert (answer.status_code, answer.json()["forgotten"]) == (202, False)
    now = records_now()
    assert {name: now[name] for name in kept} == kept
    bare = Api(ann(), scopes=["memory:read", "memory:write", "ledger:read", "ledger:write"])
    answer = bare.post(f"memories/{key}/forget", {"mode": "hard"})
    assert (answer.status_code, code(answer)) == (403, "permission_denied")


def test_an_empty_mode_is_never_hard() -> None:
    for sent in ({}, {"mode": ""}, {"mode": None}):
        one = memory(ann(), "The kettle leaks.")
        Api(ann()).post(f"memories/{one.pk}/forget", sent)
        assert Memory.objects.filter(pk=one.pk).exists() and standing(one)[0] in ("deleted", "active")


def test_the_command_that_purges_only_tells_until_it_is_told_to_apply() -> None:
    due()
    SpaceSettings.objects.create(space_id=ann().pk, trash_days=30, changed_at=timezone.now(), changed_by=ann())
    before, said = records_now(), StringIO()
    call_command("purge_trash", "--dry-run", stdout=said)
    assert records_now() == before and not AuditRecord.objects.exists() and "1" in said.getvalue()


def test_what_is_told_before_a_purge_is_what_goes_and_nothing_that_is_held() -> None:
    due()
    goes = Memory.objects.get().pk
    held = memory(ann(), "The contract.", status="deleted", hold="Case 7")
    type(held.state).objects.filter(pk=held.pk).update(deleted_at=timezone.now() - timedelta(days=40))
    SpaceSettings.objects.create(space_id=ann().pk, trash_days=30, changed_at=timezone.now(), changed_by=ann())
    assert purge.preview(ann().pk).ids == (goes,)
    assert purge.purge(ann().pk).ids == (goes,)
    assert list(Memory.objects.values_list("pk", flat=True)) == [held.pk]


def test_an_undo_of_a_pass_is_no_way_to_destroy() -> None:
    case = case_of("POST passes/<uuid:pass_id>/undo")
    key, body = case.given()
    contents = set(Memory.objects.values_list("pk", flat=True))
    Case(case.route, lambda: (key, body), ()).ask()
    assert set(Memory.objects.values_list("pk", flat=True)) == contents
    assert AuditRecord.objects.filter(reason=WHY, pass_id=key, actor_id=actor(ann()).user_id).exists()
