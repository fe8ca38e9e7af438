"""What looks through everything that may quote a record gets the time for it, whatever address or tool asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from console.postgres import patience
from memories.models import Memory
from memories.services import elsewhere, erase
from memories.services.revise import revise
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, memory, team
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db
Asked = Callable[[Memory], Any]


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The longest that a statement may take in each place looked through, as a web server asks."""
    found: list[str] = []

    def look(_: Any) -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting(%s)", [patience.STATEMENT])
            found.append(cursor.fetchone()[0])
        return 0

    monkeypatch.setattr(elsewhere, "SCRUBBERS", [look])
    monkeypatch.setattr(elsewhere, "CHECKS", {"a place": look})
    monkeypatch.setattr(patience, "_process", [patience.WEB])
    return found


def to_the_team(note: Memory) -> str:
    return str(team("Atlas of long work", ann="member").pk)


MOVES: dict[str, Asked] = {
    "page": lambda note: signed_in(ann()).post(
        f"/memories/{note.pk}/space", {"space": to_the_team(note), "version": "1"}
    ),
    "api": lambda note: Api(ann()).patch(f"memories/{note.pk}", {"team_id": to_the_team(note)}),
    "service": lambda note: revise(memory_id=note.pk, changes={"team_id": UUID(to_the_team(note))}, actor=actor(ann())),
}
RECEIPTS: dict[str, Asked] = {
    "page": lambda note: signed_in(ann()).get(f"/erased/{note.pk}"),
    "file": lambda note: signed_in(ann()).get(f"/erased/{note.pk}.json"),
    "api": lambda note: Api(ann()).get(f"erasures/{note.pk}"),
}


@pytest.mark.parametrize("door", MOVES)
def test_a_move_to_another_space_gets_the_time_of_an_erasure(door: str, limits: list[str]) -> None:
    note = memory(ann(), "Tea at four.")
    MOVES[door](note)
    note.refresh_from_db()
    assert note.team_id is not None and limits == ["1min"]


@pytest.mark.parametrize("door", RECEIPTS)
def test_a_receipt_gets_the_time_of_an_erasure(door: str, limits: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    note = memory(ann(), "Tea at four.", status="deleted")
    with monkeypatch.context() as usual:
        usual.setattr(patience, "_process", [patience.COMMAND])
        erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    limits.clear()
    assert RECEIPTS[door](note).status_code == 200
    assert limits == ["1min"]


def test_an_erasure_gets_its_time_whoever_asks(limits: list[str]) -> None:
    note = memory(ann(), "Tea at four.", status="deleted")
    erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    assert limits == ["1min"]
