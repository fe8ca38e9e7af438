"""Every address that changes something leaves its lines, and a route without a case here fails by name."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.http import HttpResponse

from memories import audit
from memories.models import AuditRecord, Memory
from reflection.models import ReflectPass
from tests.memories.api_client import Api
from tests.memories.asking import WHY, Case, unsafe_routes
from tests.memories.factories import actor, ann, bob
from tests.memories.mutations import CASES, NEUTRAL, REFUSED
from tests.memories.page_client import records_now, signed_in, text_of
from tests.reflection import life

pytestmark = pytest.mark.django_db

SIGN_INS = {"POST login", "POST sign-in-again"}
SPEAKING = {"status", "version", "ids", "count", "restored", "changed"}


def test_every_address_that_may_change_something_has_a_case() -> None:
    known = {case.route for case in CASES} | set(NEUTRAL) | set(REFUSED)
    assert sorted(unsafe_routes() - known) == [], "write a case for each of these in tests/memories/mutations.py"
    assert sorted(known - unsafe_routes()) == [], "these are no addresses any more"


def lines_after(case: Case, **token: Any) -> tuple[HttpResponse, UUID | None, list[AuditRecord]]:
    """The answer to a good request, the id of its record, and the lines that it left, in order."""
    key, body = case.given()
    before = set(AuditRecord.objects.values_list("pk", flat=True))
    answer, _ = Case(case.route, lambda: (key, body), case.actions).ask(**token)
    return answer, key, list(AuditRecord.objects.exclude(pk__in=before).order_by("space_id", "seq"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.route)
def test_a_change_leaves_its_lines_with_who_why_and_what(case: Case) -> None:
    answer, key, lines = lines_after(case)
    assert answer.status_code in (200, 202, 302), answer.content
    assert {line.action for line in lines} == set(case.actions) and len(lines) >= len(case.actions)
    channel = "api" if " v1/" in case.route else "console"
    for line in lines:
        assert (line.result, line.actor_id, line.actor_name, line.channel) == ("done", ann().pk, "ann", channel)
        assert str(line.audit_id) == answer["X-XMemo-Audit-ID"] and line.request_id == answer["X-Request-ID"]
        assert line.object_id is not None and (line.token_id is not None) == (channel == "api")
    if key is not None:
        named = [(line.object_id, line.space_id, line.detail.get("membership")) for line in lines]
        assert str(key) in {str(one) for each in named for one in each}
    assert audit.verify() == []


def reason_sent(body: dict[str, Any]) -> str:
    return str(body.get("reason") or (body.get("comment") or ""))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.route)
def test_a_line_holds_the_reason_given_and_what_was_before(case: Case) -> None:
    key, body = case.given()
    _, _, lines = lines_after(Case(case.route, lambda: (key, body), case.actions))
    given = reason_sent(body)
    said = [line for line in lines if not line.action.startswith("reflect.")]
    assert {line.reason for line in said} == {given} and given in ("", WHY)
    for line in lines if case.route not in SIGN_INS else []:
        pairs = [value for value in line.detail.values() if isinstance(value, list) and len(value) == 2]
        assert pairs or SPEAKING & line.detail.keys(), (line.action, line.detail)
        if line.action.endswith(".create"):
            assert line.detail["status"][0] is None


@pytest.mark.parametrize("route", NEUTRAL)
def test_what_changes_nothing_leaves_no_line_and_every_row(route: str) -> None:
    key, body = NEUTRAL[route]()
    rows, lines = records_now(), AuditRecord.objects.count()
    Case(route, lambda: (key, body), ()).ask()
    assert records_now() == rows and AuditRecord.objects.count() == lines


@pytest.mark.parametrize("route", REFUSED)
def test_what_a_token_may_not_decide_is_noted_as_refused(route: str) -> None:
    key, body = REFUSED[route]()
    rows = records_now()
    answer, _, lines = lines_after(Case(route, lambda: (key, body), ()))
    assert answer.status_code == 403 and records_now() == rows
    assert [(line.result, line.channel, line.detail["status"]) for line in lines] == [("refused", "api", 403)]


READS = ["memory:read", "ledger:read", "audit"]
OPEN_TO_READERS = (
    "POST v1/auth/token/revoke-self",
    "POST v1/me/dream/runs",
)  # the latter plans and writes nothing else
API_CASES = [case for case in CASES if " v1/" in case.route and case.route not in OPEN_TO_READERS]


@pytest.mark.parametrize("case", API_CASES, ids=lambda case: case.route)
def test_a_token_that_only_reads_changes_nothing_anywhere(case: Case) -> None:
    key, body = case.given()
    rows = records_now()
    answer, _, lines = lines_after(Case(case.route, lambda: (key, body), ()), scopes=READS)
    assert answer.status_code == 403 and records_now() == rows, answer.content
    assert [line.result for line in lines] == ["refused"]


def test_the_first_line_of_a_memory_says_that_it_was_not_there_before() -> None:
    key = Api(ann()).post("remember", {"content": "Tea.", "path": "p"}).json()["id"]
    [line] = AuditRecord.objects.filter(object_id=key)
    assert (line.action, line.detail["status"]) == ("memory.create", [None, "active"])
    page = text_of(signed_in(ann()).get(f"/memories/{key}"))
    history = page.partition("All lines of this record")[2]
    assert "Memory written" in history and "deleted" not in history


def archived() -> tuple[Memory, ReflectPass]:
    spent = life.fill(ann())["spent"]
    return spent, life.applied(life.plan_all(actor(ann()), actions_csv="archive"), actor(ann()))


def test_what_a_pass_put_away_says_why_and_by_which_pass() -> None:
    spent, made = archived()
    [line] = AuditRecord.objects.filter(object_id=spent.pk)
    assert line.reason and line.pass_id == made.pk
    response = signed_in(ann()).get(f"/memories/{spent.pk}")
    assert line.reason in text_of(response) and f'href="/passes/{made.pk}' in response.content.decode()
    [told] = Api(ann()).get("audit/consolidation", action_type="archive", limit=500).json()["records"][-1:]
    assert told["reason"] and told["memory_id"]


def test_the_page_of_the_audit_shows_and_counts_nothing_of_others() -> None:
    spent, _ = archived()
    for query in ({}, {"object": str(spent.pk)}, {"actor": "ann"}):
        response = signed_in(bob()).get("/audit", query)
        assert list(response.context["page"].rows) == [] and response.context["page"].range_text == ""
        assert str(spent.pk) not in text_of(response).replace(query.get("object", "-"), "")
