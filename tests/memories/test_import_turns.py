"""Imports and whoever works beside them: the same file sent twice, and writers who do not wait for a long one."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from django.db import transaction

from console import uploads
from memories import audit
from memories.models import AuditRecord, Memory
from memories.services import turns
from memories.services.import_lines import Place
from tests.memories.api_client import Api, code
from tests.memories.at_once import at_once
from tests.memories.factories import actor, ann, bob, token_actor
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
LINES = "".join(
    json.dumps({"content": f"The zebra drinks tea number {number}.", "path": "p"}) + "\n" for number in range(50)
)


def sent(api: Api, **more: Any) -> Any:
    return api.post("import", {"format": "memory-console", "text": LINES, **more})


def test_of_the_same_import_sent_twice_the_second_finds_what_the_first_brought() -> None:
    apis = [Api(ann()), Api(ann())]
    for _ in range(5):
        answers = at_once(*[lambda one=one: sent(one) for one in apis])
        assert [one.status_code for one in answers] == [200, 200], [one.content for one in answers]
        assert sorted((one.json()["imported"], one.json()["known"]) for one in answers) == [(0, 50), (50, 0)]
        assert Memory.objects.count() == 50 and audit.verify() == []
        Memory.objects.all().delete()


def test_a_page_sent_twice_by_a_double_click_brings_all_once() -> None:
    browsers = [signed_in(ann()), signed_in(ann())]
    looked = browsers[0].post("/import", {"text": LINES, "format": "memory-console", "space": ann().pk})
    hidden = looked.context["confirm"].initial | {"step": "import"}
    answers = at_once(*[lambda one=one: one.post("/import", hidden) for one in browsers])
    assert [one.status_code for one in answers] == [200, 200]
    assert Memory.objects.count() == 50
    assert AuditRecord.objects.filter(action="records.import").count() == 1


def test_one_that_waits_too_long_is_told_so_and_stores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "IMPORT_SECONDS", 1)
    api, held, told = Api(ann()), threading.Event(), threading.Event()

    def holds() -> None:
        with transaction.atomic():
            turns.import_alone(ann().pk)
            held.set()
            assert told.wait(20)

    def waits() -> Any:
        assert held.wait(20)
        answers = [sent(api), sent(Api(bob())), sent(api, dry_run=True)]
        told.set()
        return answers

    late, anothers, look = at_once(holds, waits)[1]
    assert (late.status_code, code(late), late["Retry-After"]) == (409, "conflict", "1")
    assert "Another import of yours is under way" in late.json()["detail"]["message"]
    assert (anothers.status_code, look.status_code, look.json()["imported"]) == (200, 200, 50)
    assert not Memory.objects.filter(owner=ann()).exists() and sent(api).json()["imported"] == 50


def test_whoever_writes_in_the_space_does_not_wait_for_a_long_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LINES_MOST", 10)
    api, begun, written, plain = Api(ann()), threading.Event(), threading.Event(), uploads._import

    def slow(*args: Any) -> Any:
        found = plain(*args)
        begun.set()
        assert written.wait(20)  # the first part is stored, and others are to come
        return found

    def beside() -> Any:
        assert begun.wait(20)
        answer = api.post("remember", {"content": "The kettle broke.", "path": "p"})
        written.set()
        return answer

    monkeypatch.setattr(uploads, "_import", slow)
    brought, answer = at_once(lambda: sent(Api(ann())), beside)
    assert (answer.status_code, brought.status_code, brought.json()["imported"]) == (200, 200, 50)
    acts = list(AuditRecord.objects.filter(space_id=ann().pk).order_by("seq").values_list("action", flat=True))
    assert acts[0] == "memory.create" and acts.count("memory.import") == 50 and acts.count("records.import") == 5
    assert audit.verify() == []


def test_an_import_that_fails_leaves_no_line_and_the_next_act_writes_its_own() -> None:
    me = actor(ann())
    data = LINES.encode()
    about: dict[str, Any] = {"format_name": "memory-console", "name": "a", "place": Place(), "dry_run": False}
    with pytest.raises(RuntimeError), transaction.atomic():
        uploads.take(data=data, actor=me, **about)
        raise RuntimeError("after it")
    with pytest.raises(RuntimeError), transaction.atomic(), audit.at_the_end():
        audit.record(me, "memory.create", "memory", None)
        raise RuntimeError("within it")
    assert not AuditRecord.objects.exists() and not Memory.objects.exists()
    audit.record(token_actor(ann()), "memory.create", "memory", None)
    assert AuditRecord.objects.count() == 1
