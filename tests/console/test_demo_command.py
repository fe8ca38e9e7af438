"""The command that loads the demo: what it prints for scripts works, and a second time changes nothing."""

from __future__ import annotations

import io
import json
from typing import Any, NoReturn

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from memories.embedding import EmbeddingUnavailable, store
from memories.models import LedgerEntry, Memory, Todo
from memories.models.memory import MemoryType
from reflection.models import ReflectPass
from tests.memories.factories import ann
from tests.memories.page_client import records_now

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo comes without vectors too, and sooner."""

    def down() -> NoReturn:
        raise EmbeddingUnavailable("There is no model here.")

    monkeypatch.setattr(store, "drain", down)


def demo(*options: str) -> dict[str, Any]:
    out, err = io.StringIO(), io.StringIO()
    call_command("demo", "--json", *options, stdout=out, stderr=err)
    assert "no vectors yet" in err.getvalue() or "--if-empty" in options
    told: dict[str, Any] = json.loads(out.getvalue())
    return told


def test_people_passwords_and_tokens_that_are_printed_work() -> None:
    told = demo()
    assert set(told) == {"url", "users", "tokens"} and told["url"].startswith("http")
    assert [one["username"] for one in told["users"]] == ["ann", "bea", "bob"]
    for one in told["users"]:
        assert Client().login(username=one["username"], password=one["password"]) and one["teams"]
    for one in told["tokens"]:
        answer = Client().get("/v1/auth/token/validate", headers={"Authorization": f"Bearer {one['token']}"})
        assert answer.status_code == 200 and set(answer.json()["scopes"]) >= set(one["scopes"])


def test_there_is_something_of_everything_and_a_second_time_changes_nothing() -> None:
    told = demo()
    assert Memory.objects.count() > 200 and Todo.objects.exists() and LedgerEntry.objects.exists()
    assert set(Memory.objects.values_list("memory_type", flat=True)) == set(MemoryType.values)
    assert {"planned", "applied", "rolled_back", "rejected"} <= set(
        ReflectPass.objects.values_list("status", flat=True)
    )
    before = records_now()
    assert demo() == demo("--if-empty") == told
    assert records_now() == before


def test_people_who_are_here_already_stay_alone() -> None:
    ann()
    before = records_now()
    with pytest.raises(CommandError, match="fresh database"):
        demo()
    assert demo("--if-empty")["tokens"] == [] and records_now() == before
