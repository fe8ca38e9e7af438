"""Many requests under one key at the same moment, and answers that get lost."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.http import HttpResponse

from memories.api import writing
from memories.models import KeptAnswer, Memory
from tests.memories.api_client import Api, code
from tests.memories.at_once import at_once
from tests.memories.factories import ann

pytestmark = pytest.mark.django_db(transaction=True)
TEA = {"content": "The zebra drinks tea.", "path": "p"}


def test_one_key_has_one_effect_however_many_send_it() -> None:
    api = Api(ann())
    for turn in range(15):
        found: list[HttpResponse] = at_once(*[lambda t=turn: api.post("remember", TEA, Idempotency_Key=f"k-{t}")] * 4)
        good = [one for one in found if one.status_code == 200]
        assert good and {one.status_code for one in found} <= {200, 409}
        assert len({one.content for one in good}) == 1
        assert sum("Idempotent-Replayed" not in one for one in good) == 1
    assert Memory.objects.count() == KeptAnswer.objects.count() == 15


def test_a_twin_of_a_request_under_way_is_told_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    api, begun, go_on = Api(ann()), threading.Event(), threading.Event()
    plain = writing.store

    def slow(*args: Any) -> Any:
        begun.set()
        assert go_on.wait(10)
        return plain(*args)

    monkeypatch.setattr(writing, "store", slow)

    def second() -> HttpResponse:
        assert begun.wait(10)
        answer = api.post("remember", TEA, Idempotency_Key="k")
        go_on.set()
        return answer

    first, twin = at_once(lambda: api.post("remember", TEA, Idempotency_Key="k"), second)
    assert (first.status_code, twin.status_code, code(twin)) == (200, 409, "conflict")
    assert api.post("remember", TEA, Idempotency_Key="k").content == first.content


def test_what_was_committed_but_never_heard_of_is_answered_again() -> None:
    api = Api(ann())
    for turn in range(20):
        lost = api.post("remember", TEA, Idempotency_Key=f"k-{turn}")  # committed; the reader is gone
        again = api.post("remember", TEA, Idempotency_Key=f"k-{turn}")
        assert again.content == lost.content and again["Idempotent-Replayed"] == "true"
    assert Memory.objects.count() == 20


def test_an_effect_that_is_rolled_back_keeps_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    api, plain = Api(ann()), writing.store

    def broken(*args: Any) -> Any:
        plain(*args)
        raise RuntimeError("after the effect")

    monkeypatch.setattr(writing, "store", broken)
    assert api.post("remember", TEA, Idempotency_Key="k").status_code == 500
    assert not Memory.objects.exists() and not KeptAnswer.objects.exists()
    monkeypatch.setattr(writing, "store", plain)
    assert api.post("remember", TEA, Idempotency_Key="k").status_code == 200
