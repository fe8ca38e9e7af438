"""How often somebody may do something: counted for token and person, in the database, refusals included."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F, Sum
from django.test import Client

from console import rates
from memories.models import AuditRecord, Memory, RateCount
from memories.services.rates import Limit, TooMany, sweep, take
from tests.mcp.here import Agent
from tests.memories.api_client import Api, code
from tests.memories.at_once import at_once
from tests.memories.factories import ann, bob, token_actor
from tests.memories.page_client import signed_in

TEA = {"content": "Tea.", "path": "p"}


@pytest.fixture(autouse=True)
def limits(settings: Any) -> Any:
    """Two of everything for one token, so six for one person."""
    settings.RATE_LIMITS = True
    settings.RATES = {"search": (2, 60), "plan": (2, 3_600), "write": (2, 60), "code": (2, 60), "export": (2, 60)}
    return settings


def searched(api: Api, **sent: Any) -> int:
    return api.get("memories/search", **{"query": "tea", **sent}).status_code


@pytest.mark.django_db
def test_a_token_that_searches_too_often_waits() -> None:
    api = Api(ann())
    assert [searched(api) for _ in range(3)] == [200, 200, 429]
    answer = api.get("recall", query="tea")
    assert (code(answer), 1 <= int(answer["Retry-After"]) <= 61) == ("too_many_requests", True)
    assert answer.json()["detail"]["retry_after"] == int(answer["Retry-After"])
    assert api.get("memories").status_code == 200  # what is not limited goes on
    assert searched(Api(bob())) == 200
    RateCount.objects.update(begins=F("begins") - timedelta(minutes=1))
    assert searched(api) == 200


@pytest.mark.django_db
def test_downloads_are_counted_for_tokens_and_people() -> None:
    api, browser = Api(ann()), signed_in(bob())
    assert [api.get("export/csv").status_code for _ in range(3)] == [200, 200, 429]
    files = ["/memories.csv", "/memories.jsonl", "/todos.csv", "/ledger.csv", "/audit.csv", "/memory-console.jsonl"]
    assert [browser.get(file).status_code for file in (*files, files[0])] == [200] * 6 + [429]


@pytest.mark.django_db
def test_more_tokens_do_not_make_more_of_a_person() -> None:
    assert [searched(Api(ann())) for _ in range(7)] == [200] * 6 + [429]
    assert signed_in(ann()).get("/search", {"query": "tea"}).status_code == 429


@pytest.mark.django_db
def test_refusals_count_and_headers_that_claim_another_address_change_nothing() -> None:
    api = Api(ann())
    assert [searched(api, limit=0), searched(api, limit=0), searched(api)] == [422, 422, 429]
    codes = [
        Client()
        .post(
            "/v1/auth/device/start",
            "{}",
            content_type="application/json",
            headers={"X-Forwarded-For": f"10.0.0.{number}"},
        )
        .status_code
        for number in range(7)
    ]
    assert codes == [200] * 6 + [429]


@pytest.mark.django_db
def test_a_page_and_a_fragment_say_it_too() -> None:
    browser = signed_in(ann())
    answers = [browser.get("/search", {"query": "tea"}) for _ in range(7)]
    page, part = answers[-1], browser.get("/search", {"query": "tea"}, headers={"HX-Request": "true"})
    for answer in (page, part):
        assert answer.status_code == 429 and int(answer["Retry-After"]) > 0
        assert "more than 6 searches a minute" in answer.content.decode()
    assert "<html" in page.content.decode() and "<html" not in part.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("second", ["/v1/", "/api/v1/"])
def test_a_flood_of_writes_is_stopped_and_noted_once(second: str) -> None:
    api = Api(ann())
    assert [api.post("remember", TEA).status_code for _ in range(2)] == [200, 200]
    assert [api.post(f"{second}remember", TEA).status_code for _ in range(3)] == [429, 429, 429]
    assert Memory.objects.count() == 2
    [line] = AuditRecord.objects.filter(result="refused")
    assert line.detail == {"status": 429, "code": "too_many_requests"}


@pytest.mark.django_db
def test_plans_have_a_limit_of_their_own() -> None:
    api = Api(ann())
    asked = [api.post("reflect", {"dry_run": True}) for _ in range(2)]
    assert [answer.status_code for answer in asked] == [200, 200]
    RateCount.objects.filter(kind="write").delete()
    answer = api.post("me/dream/runs")
    assert answer.status_code == 429 and "plans an hour" in answer.json()["detail"]["message"]


@pytest.mark.django_db
def test_limits_can_be_put_off_one_by_one_or_all(limits: Any) -> None:
    api = Api(ann())
    limits.RATES = {**limits.RATES, "search": (0, 60)}
    assert {searched(api) for _ in range(9)} == {200}
    limits.RATE_LIMITS = False
    assert {api.post("remember", TEA).status_code for _ in range(9)} == {200}
    assert not RateCount.objects.exists()


@pytest.mark.django_db
def test_tools_of_the_bridge_are_counted_with_the_same_counter() -> None:
    api, actor = Api(ann()), token_actor(ann())
    for _ in range(2):
        rates.count_tool("mcp.search_memory", actor, writes=False)
    with pytest.raises(TooMany):
        rates.count_tool("mcp.recall", actor, writes=False)
    rates.count_tool("mcp.get_mcp_identity", actor, writes=False)
    assert searched(api) == 200 and RateCount.objects.filter(kind="search", who=ann().pk).get().count == 4


@pytest.mark.django_db
def test_a_tool_over_the_limit_is_refused_at_the_bridge_with_the_time_to_wait() -> None:
    agent = Agent(ann())
    said = [agent.call("search_memory", query="tea") for _ in range(3)]
    assert [one.failed for one in said] == [False, False, True]
    assert said[2].code == "too_many_requests"
    assert "more than 2 searches a minute" in said[2].text
    wait = re.search(r"^Retry after: (\d+)$", said[2].text, re.MULTILINE)
    assert wait is not None and 1 <= int(wait[1]) <= 61
    assert agent.call("recall", query="tea").failed  # counted together
    assert not agent.call("get_mcp_identity").failed
    kept = [agent.call("remember", **TEA) for _ in range(3)]
    assert [one.failed for one in kept] == [False, False, True]
    assert Memory.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_at_the_same_moment_not_one_is_lost() -> None:
    one = Limit("search", uuid4(), 20, 3_600, "searches an hour")
    found = [answer for _ in range(5) for answer in at_once(*[lambda: take([one])] * 8)]
    assert sum(isinstance(answer, TooMany) for answer in found) == 20
    assert RateCount.objects.aggregate(total=Sum("count"))["total"] == 40


@pytest.mark.django_db
def test_old_counts_are_swept() -> None:
    take([Limit("search", uuid4(), 20, 60, "searches a minute")])
    assert sweep() == 0
    RateCount.objects.update(begins=F("begins") - timedelta(hours=3))
    assert sweep() == 1
