"""What is private stays private, what is text stays text, and what fails shows nothing of the inside."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.contrib.sessions.backends.signed_cookies import SessionStore as SignedSession
from django.http import HttpRequest, HttpResponse
from django.test import Client

from memories.models import Memory, Team
from memories.services import decisions, ledger, snapshots, state, todos
from reflection.services.plan import plan
from tests.memories.api_client import ALL, Api, code
from tests.memories.asking import ID, filled, routes
from tests.memories.factories import PASSWORD, actor, ann, bea, bob, memory, team, token
from tests.memories.mutations import note
from tests.memories.page_client import HTMX, records_now, signed_in
from tests.reflection import life
from tests.reflection.mutations import applied

pytestmark = pytest.mark.django_db

CANARY = "zebra kiosk"
BOUNDS: dict[str, dict[str, Any]] = {
    "no bucket": {"buckets": []},
    "a bucket without rows": {"buckets": ["cellar"]},
    "a path without rows": {"path_prefix": "attic"},
    "a scope without rows": {"scope": "tenant:9"},
    "an agent without rows": {"agent_id": "newcomer"},
}


def of_every_kind() -> None:
    """Records of Ann that hold the canary."""
    me = actor(ann())
    memory(ann(), CANARY, path="attics/x", memory_type="episodic")
    money = {"transaction_type": "expense", "amount": 3, "currency": "EUR", "occurred_on": "2026-05-01"}
    todos.add(content=CANARY, actor=me)
    assert Api(ann()).post("me/ledger/transactions", {"item": CANARY, **money}).status_code == 200
    decisions.ask(context=CANARY, actor=me)
    state.update(content=CANARY, actor=me)
    snapshots.take(label=CANARY, actor=me)
    Api(ann()).post("timeline/events", {"content": CANARY})
    plan(given={}, actor=me)


def said(answer: HttpResponse) -> str:
    """All of an answer, also of one that is sent while it is read."""
    return b"".join(answer).decode()


def api_reads() -> list[str]:
    return [f"/{path}" for path, entry in routes() if path.startswith("v1/") and "<" not in path and _reads(entry)]


def _reads(entry: Any) -> bool:
    return hasattr(getattr(entry.callback, "cls", None), "get")


@pytest.mark.parametrize("bounds", BOUNDS)
def test_a_token_bound_to_nothing_reads_nothing(bounds: str) -> None:
    of_every_kind()
    api, paths = Api(ann(), **BOUNDS[bounds]), api_reads()
    assert len(paths) > 12
    for path in paths:
        answer = api.get(path, query="*", item_status="%", month=5, year=2026)
        answer = api.get(path) if answer.status_code == 422 else answer  # some take no words that they do not know
        if path == "/v1/audit/verify":  # which proves a whole chain, and is refused to whoever sees a part
            assert answer.status_code == 403
            continue
        assert answer.status_code == 200 and CANARY not in said(answer), path
        assert answer.streaming or float(answer.json().get("total", 0)) == 0, path
    for query in ("*", "zebra", "attics/x"):
        body = api.get("memories/search", query=query).json()
        assert body["results"] == [] and CANARY not in json.dumps(body)
    assert api.post("recall/context", {"query": "zebra"}).json()["items"] == []


WRITES: dict[str, dict[str, Any]] = {
    "remember": {"content": "x", "path": "p"},
    "update_state": {"content": "x"},
    "timeline/events": {"content": "x"},
    "reminders": {"content": "x"},
    "decisions": {"context": "x"},
    "restart/snapshot": {"label": "x"},
    "me/ledger/transactions": {"item": "x", "amount": "3", "currency": "EUR", "occurred_on": "2026-05-01"},
}


@pytest.mark.parametrize("path", WRITES)
def test_a_write_into_a_foreign_team_or_bucket_leaves_nothing(path: str) -> None:
    theirs = team("Theirs", bob="admin")
    api, bound = Api(ann()), Api(ann(), buckets=["work"])
    before = records_now()
    for team_id in (theirs.pk, uuid4(), "T%"):
        answer = api.post(path, {**WRITES[path], "team_id": str(team_id)})
        assert (answer.status_code, code(answer)) == (403, "permission_denied"), answer.content
    for bucket in ("home", "w_rk", "%"):
        answer = bound.post(path, {**WRITES[path], "bucket": bucket})
        assert answer.status_code in (403, 422), (bucket, answer.content)
    assert records_now() == before


@pytest.mark.parametrize("path", sorted(WRITES.keys() - {"update_state", "restart/snapshot"}))
@pytest.mark.parametrize("place", [0, False, [], {}])
def test_a_place_that_is_no_text_is_refused(path: str, place: Any) -> None:
    before = records_now()
    answer = Api(ann()).post(path, {**WRITES[path], "path": place})
    assert answer.status_code == 422 and answer.json()["detail"][0]["loc"] == ["body", "path"]
    assert records_now() == before


@pytest.mark.parametrize("path", WRITES)
def test_a_token_bound_to_an_agent_meets_only_what_that_agent_wrote(path: str) -> None:
    alpha, beta = Api(ann(), agent_id="alpha"), Api(ann(), agent_id="beta")
    answer = alpha.post(path, WRITES[path])
    assert answer.status_code == 200, answer.content
    key = answer.json()["id"]
    for refused in (beta.post(f"memories/{key}/forget"), beta.post("restart/restore", {"snapshot_id": key})):
        assert (refused.status_code, code(refused)) == (404, "not_found"), refused.content
    assert alpha.post(f"memories/{key}/forget").status_code == 200


def test_every_address_that_writes_something_new_is_tried_with_a_foreign_team() -> None:
    takes = {path for path, entry in routes() if path.startswith("v1/") and "<" not in path and _posts(entry)}
    others = {
        "forget",
        "recall/context",
        "restart/restore",
        "auth/token/revoke-self",
        "passes/revert",
        "reflect",
        "reflect/policy/preview",
        "export",
        "import",  # tests/console/test_formats_hostile.py
        "memories/export",
        "memories/import",  # tests/memories/test_transfer.py
        "skill/operations",  # tests/memories/test_skill.py
        "me/dream/settings",
        "me/dream/runs",
        "auth/device/start",
        "auth/device/token",
    }  # make no record there
    assert {path.removeprefix("v1/") for path in takes} - others == set(WRITES)


def _posts(entry: Any) -> bool:
    return hasattr(getattr(entry.callback, "cls", None), "post")


FORMS: dict[str, dict[str, Any]] = {
    "/memories/new": {"content": "x", "type": "semantic", "bucket": "work", "importance": "0.5"},
    "/todos": {"content": "x"},
    "/ledger": {"item": "x", "type": "expense", "amount": "3", "currency": "EUR", "occurred_on": "2026-05-01"},
}


@pytest.mark.parametrize("path", FORMS)
def test_a_form_for_a_foreign_space_leaves_nothing(path: str) -> None:
    spaces = [team("Theirs", bob="admin").pk, bob().pk, uuid4(), "%"]
    browser, before = signed_in(ann()), records_now()
    for space in spaces:
        answer = browser.post(path, {**FORMS[path], "bucket": "work", "space": str(space)})
        assert answer.status_code in (403, 422) and records_now() == before
    assert browser.post("/passes/new", {"actions": ["expire"], "team_id": str(spaces[0])}).status_code == 403
    assert records_now() == before


def shared_and_private() -> Team:
    """A team of Ann and Bea with evidence of Ann in it, and the same kind of evidence in her own space."""
    atlas = team("Atlas", ann="admin", bea="reviewer")
    life.fill(ann(), team=atlas)
    life.fill(ann())
    Memory.objects.filter(owner=ann(), team=None).update(content=CANARY)
    return atlas


def test_a_team_mates_plan_quotes_nothing_that_is_private() -> None:
    atlas = shared_and_private()
    api, browser = Api(bea()), signed_in(bea())
    for given in ({"team_id": str(atlas.pk)}, {}):
        report = api.post("reflect", {**given, "dry_run": True})
        assert report.status_code == 200 and CANARY not in report.content.decode()
        key = report.json()["pass_id"]
        assert CANARY not in api.get(f"passes/{key}/candidates", limit=500).content.decode()
        for page in ("", "/report", "?group=summarize"):
            assert CANARY not in browser.get(f"/passes/{key}{page}").content.decode()
    assert api.post("reflect", {"team_id": str(atlas.pk), "dry_run": True}).json()["counts"]["expired"] == 1
    for path in ("/", "/memories", "/search?query=zebra", "/audit"):
        assert CANARY not in browser.get(path).content.decode()


def test_a_link_into_anothers_space_is_told_by_no_address() -> None:
    foreign, mine = memory(bob(), CANARY), memory(ann(), "Here.")
    mine.links.create(target=foreign, kind="relates_to", created_at=mine.created_at)
    body = Api(ann()).get(f"memories/{mine.pk}/explain").content.decode()
    page = signed_in(ann()).get(f"/memories/{mine.pk}?links=all").content.decode()
    assert not any(word in body + page for word in (CANARY, str(foreign.pk)))


def forged() -> list[str]:
    """Values that a session cookie could be given by somebody who does not have one."""
    signed = SignedSession("x")
    signed.update({"_auth_user_id": str(ann().pk), "_auth_user_hash": ann().get_session_auth_hash()})
    good = Client()
    good.force_login(ann())
    real = good.cookies[settings.SESSION_COOKIE_NAME].value
    return ["1", "admin", str(ann().pk), "x" * 32, signed._get_session_key(), real[:-1], real.upper(), ""]


def test_a_forged_cookie_leads_to_the_sign_in() -> None:
    for value in forged():
        client = Client()
        client.cookies[settings.SESSION_COOKIE_NAME] = value
        for path in ("/", "/memories", "/audit", f"/memories/{note()}"):
            answer = client.get(path)
            assert answer.status_code == 302 and answer["Location"].startswith("/login?"), (value, path)
        assert client.post("/todos", {"content": "x", "space": str(ann().pk)}).status_code == 401
        assert client.get("/memories", headers=HTMX).status_code == 401


def test_a_session_ends_when_its_person_loses_access() -> None:
    browser, who = signed_in(ann()), ann()
    who.is_active = False
    who.save()
    assert browser.get("/memories").status_code == 302
    assert not Client().login(username=who.username, password=PASSWORD)


HOSTILE = """<img src=x onerror=alert(1)>"'</script><script>alert(2)</script>{{7*7}}<a href="javascript:alert(3)">"""


def hostile() -> dict[str, UUID]:
    """Hostile text in every field that people and agents write."""
    who = ann()
    who.display_name = HOSTILE
    who.save()
    atlas = team(HOSTILE[:100], ann="admin")
    me = actor(who)
    places = {"bucket": HOSTILE[:100], "scope": HOSTILE, "path": HOSTILE}
    token(who, buckets=[HOSTILE[:100]], scope=HOSTILE, path_prefix=HOSTILE, agent_id=HOSTILE)
    made = {
        "memory": memory(
            who,
            HOSTILE,
            metadata={"a": HOSTILE},
            provenance={"b": HOSTILE},
            source=HOSTILE[:100],
            session=HOSTILE,
            agent_id=HOSTILE,
            hold=HOSTILE[:100],
            semantic_key=HOSTILE,
            team=atlas,
            **places,
        ).pk,
        "gone": memory(who, HOSTILE, status="deleted", **places).pk,
        "todo": todos.add(content=HOSTILE, actor=me).pk,
        "entry": _entry(me),
        "decision": decisions.ask(context=HOSTILE, options=[HOSTILE], actor=me).pk,
        "snapshot": snapshots.take(label=HOSTILE, actor=me).pk,
        "pass": applied().pk,
    }
    Api(who).post(f"memories/{made['todo']}/forget", {"reason": HOSTILE})
    signed_in(who).post(f"/todos/{made['todo']}/restore", {"version": 2, "reason": HOSTILE})
    return made


def _entry(me: Any) -> UUID:
    money = {"transaction_type": "expense", "amount": Decimal(3), "currency": "EUR", "occurred_on": date(2026, 5, 1)}
    made: UUID = ledger.add(item=HOSTILE, category=HOSTILE[:50], note=HOSTILE, actor=me, **money).pk
    return made


def test_hostile_text_is_text_on_every_page() -> None:
    keys, browser, seen = hostile(), signed_in(ann()), set()
    for path, _ in routes():
        if path.startswith("v1/") or path in ("logout",):
            continue
        for key in keys.values() if ID.search(path) else [None]:
            for query in ({}, {"query": HOSTILE, "bucket": HOSTILE[:90], "action": HOSTILE[:40], "links": "all"}):
                answer = browser.get(filled(path, key), query)
                assert answer.status_code < 500, path
                body = said(answer)
                _inert(answer, body, path)
                seen |= {path} if "alert(" in body else set()
    assert len(seen) > 12, seen


def _inert(answer: HttpResponse, body: str, path: str) -> None:
    if answer.headers.get("Content-Type", "").startswith("text/html"):
        for raw in ("<img src=x", "<script>alert", '"javascript:', "'javascript:", "</script><script>"):
            assert raw not in body, (path, raw)
        assert "&gt;49&lt;" not in body, path
    else:
        assert answer["X-Content-Type-Options"] == "nosniff", path


def test_metadata_is_shown_as_escaped_json() -> None:
    one = memory(ann(), "Tea.", metadata={"a": {"b": "<b>"}, "list": [1, {"c": None}]}, provenance={"d": {"e": "<i>"}})
    page = signed_in(ann()).get(f"/memories/{one.pk}").content.decode()
    for shown in (
        "&quot;b&quot;: &quot;&lt;b&gt;&quot;",
        "&quot;e&quot;: &quot;&lt;i&gt;&quot;",
        "&quot;c&quot;: null",
    ):
        assert shown in page
    assert "[object Object]" not in page and "<b>" not in page.split("<pre")[-1] and "{&#x27;" not in page
    told = Api(ann()).get(f"memories/{one.pk}").json()["metadata"]
    assert told == {"a": {"b": "<b>"}, "list": [1, {"c": None}]}


def broken(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError("secret place /srv/x SELECT password FROM memories_user")


FAILING: dict[str, Callable[[], HttpResponse]] = {
    "page": lambda: signed_in(ann()).get("/memories"),
    "fragment": lambda: signed_in(ann()).get("/memories", headers=HTMX),
    "api": lambda: Api(ann()).get("memories"),
}


@pytest.mark.parametrize("door", FAILING)
def test_what_breaks_shows_a_reference_and_nothing_of_the_inside(door: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.pages.listing.rows", broken)
    monkeypatch.setattr("memories.api.writing.in_status", broken)
    answer = FAILING[door]()
    body = answer.content.decode()
    assert answer.status_code == 500 and answer["X-XMemo-Audit-ID"] in body
    assert not any(word in body for word in ("secret", "/srv", "SELECT", "RuntimeError", "Traceback", ".py"))


def test_a_fault_in_the_frame_itself_shows_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("console.credentials.actor_of", broken)
    client = Client(raise_request_exception=False)
    for path in ("/memories", "/v1/memories"):
        answer = client.get(path)
        assert answer.status_code == 500 and answer["X-XMemo-Audit-ID"] in answer.content.decode()
        assert "secret" not in answer.content.decode() and "SELECT" not in answer.content.decode()


def test_the_api_takes_no_session_and_pages_no_token() -> None:
    _, key = token(ann(), scopes=ALL)
    page = Client().get("/memories", headers={"Authorization": f"Bearer {key}"})
    assert page.status_code == 302 and isinstance(page.wsgi_request, HttpRequest)
    assert signed_in(ann()).get("/v1/memories").status_code == 401
