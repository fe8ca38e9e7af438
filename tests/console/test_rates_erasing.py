"""How often somebody may destroy what was said: what happened counts, and over the limit nothing does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db.models import F
from django.http import HttpResponse
from django.test import Client

from memories.models import AuditRecord, ErasureRequest, Memory, RateCount
from tests.mcp.here import Agent
from tests.memories.api_client import Api, code
from tests.memories.factories import ann, bob, memory
from tests.memories.mutations import confirmed, note, ticked, trashed
from tests.memories.page_client import HTMX, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def limits(settings: Any) -> Any:
    """Two deletions an hour, everything else as often as anybody likes."""
    settings.RATE_LIMITS = True
    settings.RATES = {"erase": (2, 3_600), **dict.fromkeys(("search", "plan", "write", "code"), (0, 60))}
    return settings


def erased(browser: Client, key: UUID, **more: Any) -> HttpResponse:
    sent, headers = confirmed(key)[1], more.pop("headers", None)
    return browser.post(f"/records/{key}/erase", {**sent, **more}, headers=headers)


def test_a_person_over_the_limit_deletes_nothing_and_reads_when_to_come_back() -> None:
    browser, keys = signed_in(ann()), [trashed() for _ in range(4)]
    assert [erased(browser, key).status_code for key in keys[:3]] == [302, 302, 429]
    page, part = erased(browser, keys[2]), erased(browser, keys[3], headers=HTMX)
    for answer in (page, part):
        said = answer.content.decode()
        assert answer.status_code == 429 and 0 < int(answer["Retry-After"]) <= 3_601
        assert "more than 2 deletions for good in an hour" in said and ("Try again in" in said or "Wait a" in said)
    assert Memory.objects.count() == 2
    RateCount.objects.update(begins=F("begins") - timedelta(hours=1))
    assert erased(browser, keys[2]).status_code == 302


def test_another_person_is_not_held_up_and_another_browser_of_the_same_one_is() -> None:
    for _ in range(2):
        erased(signed_in(ann()), trashed())
    his = memory(bob(), "A kettle.", status="deleted").pk
    assert erased(signed_in(ann()), trashed()).status_code == 429
    assert erased(signed_in(bob()), his).status_code == 302


def test_what_was_not_deleted_does_not_count() -> None:
    browser, key = signed_in(ann()), trashed()
    for _ in range(3):
        assert erased(browser, key, typed="000000").status_code == 422
        assert erased(browser, note()).status_code == 409
        assert erased(signed_in(ann(), seconds_ago=3_600), key).status_code == 403
    assert not RateCount.objects.exists()
    assert erased(browser, key).status_code == 302


def test_ticked_records_count_once_and_are_refused_as_one() -> None:
    browser, answers = signed_in(ann()), []
    for _ in range(3):
        chosen = [f"{trashed()}:1" for _ in range(3)]
        _, sent = ticked(trashed(), word="delete", count="3")
        answers.append(browser.post("/records/selected/erase", {**sent, "include": chosen}))
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert Memory.objects.filter(state__status="deleted").count() == 3 + 3  # and those that `ticked` made


@pytest.mark.parametrize("door", ["api", "skill", "mcp"])
def test_a_token_may_ask_for_as_many_and_its_asking_takes_nothing_from_the_person(door: str) -> None:
    agent = Agent(ann()) if door == "mcp" else Api(ann())
    assert [asked(agent, door, trashed()) for _ in range(3)] == [None, None, "too_many_requests"]
    assert ErasureRequest.objects.count() == 2
    assert [erased(signed_in(ann()), trashed()).status_code for _ in range(2)] == [302, 302]


def asked(agent: Any, door: str, key: UUID) -> str | None:
    """Ask for a hard delete; the code of the refusal, if it was one."""
    if door == "mcp":
        said = agent.call("forget", memory_id=str(key), mode="hard")
        return None if said.code == "confirmation_required" else said.code
    if door == "skill":
        sent = {"operation": "forget", "arguments": {"memory_id": str(key), "mode": "hard"}}
        answer = agent.post("skill/operations", sent)
    else:
        answer = agent.post(f"memories/{key}/forget", {"mode": "hard"})
    if answer.status_code < 300:
        return None
    assert int(answer["Retry-After"]) > 0 and "requests to delete for good in an hour" in answer.content.decode()
    return code(answer)


def test_more_tokens_ask_for_three_times_as_much_and_no_more() -> None:
    assert [asked(Api(ann()), "api", trashed()) for _ in range(7)] == [None] * 6 + ["too_many_requests"]


@pytest.mark.parametrize("door", ["api", "skill", "mcp"])
def test_a_token_redacts_as_many_and_over_the_limit_the_words_stay(door: str) -> None:
    agent, keys = Agent(ann()) if door == "mcp" else Api(ann()), [note() for _ in range(3)]
    assert [redacted(agent, door, key) for key in keys] == [None, None, "too_many_requests"]
    assert Memory.objects.filter(redacted_at=None).get().pk == keys[2]
    assert page_redacted(signed_in(ann()), keys[2]).status_code == 302  # the person has a count of their own
    RateCount.objects.update(begins=F("begins") - timedelta(hours=1))
    assert redacted(agent, door, note()) is None


def redacted(agent: Any, door: str, key: UUID) -> str | None:
    """Redact a memory; the code of the refusal, if it was one."""
    if door == "mcp":
        said = agent.call("redact_memory", memory_id=str(key))
        return said.code if said.failed else None
    sent = {"memory_id": str(key), "mode": "redact"}
    if door == "skill":
        answer = agent.post("skill/operations", {"operation": "forget", "arguments": sent})
    else:
        answer = agent.post(f"memories/{key}/forget", {"mode": "redact"})
    if answer.status_code == 200:
        return None
    assert int(answer["Retry-After"]) > 0 and "redactions in an hour" in answer.content.decode()
    return code(answer)


def page_redacted(browser: Client, key: UUID) -> HttpResponse:
    return browser.post(f"/memories/{key}/redact", {"version": 1, "replacement_content": "-", "reason": "as agreed"})


def test_a_person_over_the_limit_redacts_nothing_and_may_still_delete() -> None:
    browser, keys = signed_in(ann()), [note() for _ in range(3)]
    assert [page_redacted(browser, key).status_code for key in keys] == [302, 302, 429]
    assert Memory.objects.filter(redacted_at=None).count() == 1
    assert erased(browser, trashed()).status_code == 302


def test_a_redaction_that_was_refused_does_not_count() -> None:
    api, key = Api(ann()), trashed()
    for _ in range(3):
        assert api.post(f"memories/{key}/forget", {"mode": "redact"}).status_code == 409
        assert api.post(f"memories/{note()}/forget", {"mode": "redact", "replacement_content": " "}).status_code == 422
    assert not RateCount.objects.exists()


def test_more_tokens_redact_three_times_as_much_and_no_more() -> None:
    assert [redacted(Api(ann()), "api", note()) for _ in range(7)] == [None] * 6 + ["too_many_requests"]


def test_each_refusal_over_the_limit_is_written_into_the_audit(limits: Any) -> None:
    browser = signed_in(ann())
    for _ in range(4):
        erased(browser, trashed())
    lines = AuditRecord.objects.filter(result="refused")
    assert [line.detail for line in lines] == [{"status": 429, "code": "too_many_requests"}] * 2
    limits.RATES = {**limits.RATES, "erase": (0, 3_600)}
    assert {erased(browser, trashed()).status_code for _ in range(3)} == {302}
