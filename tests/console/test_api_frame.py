"""What holds for every address of the API: credentials, headers, bodies, verbs, and errors as JSON."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from console.urls import api as mounted
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import ann, bob, memory, token

pytestmark = pytest.mark.django_db

SOME_ID = "01890000-0000-7000-8000-000000000001"
OPEN = {"onboarding/status", "openapi.json", "auth/device/start", "auth/device/token"}


def addresses() -> list[str]:
    """Every address of the API, with an id where one belongs."""
    found: list[str] = []
    for entry in mounted:
        patterns = [entry] if isinstance(entry, URLPattern) else entry.url_patterns
        for one in patterns:
            route = str(one.pattern)
            for name in ("record_id", "pass_id"):
                route = route.replace(f"<str:{name}>", SOME_ID)
            found.append(route.replace("<int:number>", "1"))
    return found


CLOSED = [route for route in addresses() if route not in OPEN]


def test_the_api_has_all_its_addresses() -> None:
    assert len(CLOSED) >= 19


def test_every_address_answers_under_both_prefixes_without_redirect() -> None:
    client = Client()
    for route in addresses():
        statuses = {client.options(f"{prefix}{route}").status_code for prefix in ("/v1/", "/api/v1/")}
        assert statuses == ({204} if route in OPEN else {401}), route


@pytest.mark.parametrize("route", CLOSED)
def test_without_a_credential_it_is_401(route: str) -> None:
    answers = [getattr(Client(), verb)(f"/v1/{route}") for verb in ("get", "post", "patch", "head")]
    assert [one.status_code for one in answers] == [401] * 4
    assert answers[0]["WWW-Authenticate"].startswith("Bearer")
    assert code(answers[0]) == "not_authenticated"


def bad_keys() -> list[dict[str, str]]:
    past = timezone.now() - timedelta(days=1)
    gone, expired = token(ann(), revoked_at=past)[1], token(ann())
    type(expired[0]).objects.filter(pk=expired[0].pk).update(created_at=past - timedelta(days=1), expires_at=past)
    left = bob()
    _, orphan = token(left)
    left.is_active = False
    left.save()
    keys = [gone, expired[1], orphan, "mc_" + "x" * 43, "short", "é" * 30]
    bearers = [{"Authorization": f"Bearer {key}"} for key in keys]
    return [*bearers, {"X-API-Key": gone}, {"Authorization": "Basic YTpi"}, {"Authorization": "Bearer "}]


def test_with_a_bad_credential_it_is_403_everywhere() -> None:
    wrong = bad_keys()
    before = rows()
    answers = [Client().get("/v1/memories", headers=one) for one in wrong]
    answers += [Client().post(f"/v1/{route}", headers=wrong[0]) for route in CLOSED]
    assert {(one.status_code, code(one)) for one in answers} == {(403, "permission_denied")}
    assert rows() == before


def test_a_session_is_no_credential_for_the_api() -> None:
    client = Client()
    client.force_login(ann())
    assert client.get("/v1/memories").status_code == 401


def test_both_headers_may_be_sent_for_one_person() -> None:
    one, other = token(ann()), token(ann(), scopes=["audit"])
    foreign = token(bob())
    both = {"X-API-Key": one[1], "Authorization": f"Bearer {other[1]}"}
    assert Client().get("/v1/memories", headers=both).status_code == 200
    swapped = {"X-API-Key": other[1], "Authorization": f"Bearer {one[1]}"}
    assert Client().get("/v1/memories", headers=swapped).status_code == 403
    mixed = {"X-API-Key": one[1], "Authorization": f"Bearer {foreign[1]}"}
    assert Client().get("/v1/memories", headers=mixed).status_code == 403


@pytest.mark.parametrize("path", ["/health", "/ready", "/v1/memories", "/v1/nothing", "/v1/memories/7", "/v1/passes"])
def test_every_answer_carries_an_audit_id_and_the_request_id(path: str) -> None:
    answer = Api(ann()).call("GET", path, X_Request_ID="call-7")
    UUID(answer["X-XMemo-Audit-ID"])
    assert answer["X-Request-ID"] == "call-7"
    assert answer["Content-Type"].startswith("application/json")
    assert answer["Cache-Control"] == "no-store"


@pytest.mark.parametrize("given", ["", "two words", "x" * 101, "ä"])
def test_a_request_id_that_is_no_plain_token_is_replaced(given: str) -> None:
    answer = Api(ann()).call("GET", "memories", X_Request_ID=given)
    assert answer["X-Request-ID"] == answer["X-XMemo-Audit-ID"]


@pytest.mark.parametrize("path", ["/v1/nothing", "/api/v1/nothing", "/v1/memories/", "/v1/remember/", "/v1/"])
def test_an_unknown_address_is_404_as_json_and_never_a_redirect(path: str) -> None:
    for verb in ("GET", "POST"):
        answer = Api(ann()).call(verb, path, {})
        assert (answer.status_code, code(answer)) == (404, "not_found")


@pytest.mark.parametrize("route", CLOSED)
def test_another_verb_is_405_as_json_with_the_verbs_that_work(route: str) -> None:
    answer = Api(ann()).call("TRACE", route)
    assert (answer.status_code, code(answer)) == (405, "method_not_allowed")
    assert answer["Allow"].endswith("OPTIONS")


def test_head_and_options_are_answered() -> None:
    api = Api(ann())
    head, options = api.call("HEAD", "memories"), api.call("OPTIONS", "remember")
    assert (head.status_code, head.content) == (200, b"")
    assert (options.status_code, options.content, options["Allow"]) == (204, b"", "POST, OPTIONS")


POSTS = [
    "remember",
    "recall/context",
    "reflect",
    f"memories/{SOME_ID}/forget",
    f"memories/{SOME_ID}/restore",
    *(f"passes/{SOME_ID}/{verb}" for verb in ("approve", "reject", "apply", "rollback")),
]
BODIES: list[tuple[bytes, int]] = [
    (b"{", 400),
    (b"[]", 400),
    (b'"text"', 400),
    (b"null", 400),
    (b'{"reason": NaN}', 400),
    (b'{"reason": Infinity}', 400),
    (b'{"reason": 1e400}', 400),
    (b'{"reason": "\xff"}', 400),
    (b'{"reason": ' + b"[" * 30 + b"]" * 30 + b"}", 400),
    (b"[" * 100_000, 400),
    (b'{"reason": ' + b"9" * 5_000 + b"}", 400),
    (b'{"reason": "a\\u0000b"}', 422),
    (b'{"reason": "\\ud800"}', 422),
    (b'{"a\\u0000": 1}', 422),
]


@pytest.mark.parametrize("route", POSTS)
def test_a_body_that_cannot_be_read_is_refused_and_changes_nothing(route: str) -> None:
    api = Api(ann())
    before = rows()
    found = [(body, api.call("POST", route, body).status_code) for body, _ in BODIES]
    assert found == BODIES
    assert rows() == before


@pytest.mark.parametrize("route", POSTS)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_another_content_type_is_415(route: str, kind: str) -> None:
    api = Api(ann())
    before = rows()
    answer = api.call("POST", route, b"content=x", Content_Type=kind)
    assert (answer.status_code, code(answer)) == (415, "unsupported_media_type")
    assert rows() == before


@pytest.mark.parametrize("route", POSTS)
def test_a_body_over_the_limit_is_413(route: str) -> None:
    answer = Api(ann()).call("POST", route, b'{"content": "' + b"x" * 2_000_000 + b'"}')
    assert (answer.status_code, code(answer)) == (413, "too_large")


def test_json_with_a_charset_and_a_byte_order_mark_is_read() -> None:
    body = b'\xef\xbb\xbf{"content": "x", "path": "p"}'
    answer = Api(ann()).call("POST", "remember", body, Content_Type="application/json; charset=utf-8")
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "path", ["memories", "memories/search", "recall", "audit/events", "audit/consolidation", "passes"]
)
def test_a_nul_in_a_query_is_named(path: str) -> None:
    assert problems(Api(ann()).get(path, query="a\0b")) == ["query"]


def test_a_query_over_the_limit_is_414() -> None:
    assert Api(ann()).get("memories", path_prefix="x" * 8_001).status_code == 414


def test_json_comes_whatever_is_accepted() -> None:
    for accept in ("text/html", "application/xml", "nonsense", "application/json, text/event-stream"):
        answer = Api(ann()).call("GET", "memories", query={"format": "xml"}, Accept=accept)
        assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")


def test_what_breaks_inside_shows_nothing_of_the_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("secret place /srv/x SELECT 1")

    monkeypatch.setattr("memories.api.writing.remember", broken)
    answer = Api(ann()).post("remember", {"content": "x", "path": "p"})
    assert (answer.status_code, code(answer)) == (500, "internal_error")
    assert "secret" not in answer.content.decode()
    assert answer["X-XMemo-Audit-ID"] in answer.json()["detail"]["message"]


def test_the_open_addresses_need_no_token() -> None:
    client = Client()
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json()["ready"] is True
    for prefix in ("/v1", "/api/v1"):
        assert client.get(f"{prefix}/onboarding/status").json() == {"ready": True}
    assert client.post("/health").status_code == 405


def test_discovery_names_addresses_and_no_token(settings: Any) -> None:
    settings.CONSOLE_URL = "https://memory.example"
    body = Client().get("/.well-known/agent-discovery.json").json()
    assert body["urls"] == {
        "api_base": "https://memory.example",
        "mcp": "https://memory.example/mcp",
        "root_discovery": "https://memory.example/.well-known/memory-os.json",
    }
    assert body["auth"] == {"token_in_discovery": False}
    assert body["security"] == {"no_remote_code_execution": True, "token_in_discovery": False}
    assert {"service", "protocol", "schema_version"} < set(body)
    root = Client().get("/.well-known/memory-os.json").json()
    assert set(root) == {"service", "version", "urls"}
    assert root["urls"]["onboarding_status"] == "https://memory.example/v1/onboarding/status"


def test_a_token_learns_its_scopes_and_bounds() -> None:
    body = Api(ann(), scopes=["memory:write"], buckets=["work"]).get("auth/token/validate").json()
    assert (body["status"], body["scopes"]) == ("valid", ["memory:restore", "memory:write"])
    assert body["setup_state"] == "ready"
    assert body["agent_boundary"]["buckets"] == ["work"]


def test_a_token_ends_itself_at_once() -> None:
    api, other = Api(ann()), Api(ann())
    assert api.post("auth/token/revoke-self").json()["status"] == "revoked"
    assert [one.get("auth/token/validate").status_code for one in (api, other)] == [403, 200]
    line = other.get("audit/events", action="token.revoke").json()["events"][0]
    assert (line["target_id"], line["target_type"]) == (str(api.token.pk), "token")


def test_a_refusal_rolls_back_and_is_audited() -> None:
    one, api = memory(ann(), "Tea."), Api(ann())
    api.patch(f"memories/{one.pk}", {"bucket": "work", "team_id": "nope"})
    events = api.get("audit/events").json()["events"]
    assert [(line["action"], line["result"], line["detail"]["status"]) for line in events] == [
        ("api_memory", "refused", 403)
    ]


def test_no_address_of_the_api_is_shadowed_by_a_page() -> None:
    resolver = get_resolver()
    for route in addresses():
        name = resolver.resolve(f"/v1/{route}").url_name
        assert name and name.startswith("api_")


def test_two_writers_of_the_same_are_a_conflict_and_no_fault_of_ours(monkeypatch):
    owner = ann()
    _, key = token(owner)

    def lost_race(**given):
        memory(owner, "one", source="api", source_id="x")
        memory(owner, "one", source="api", source_id="x")

    monkeypatch.setattr("memories.api.writing.remember", lost_race)
    answer = Client().post(
        "/v1/remember",
        {"content": "one", "path": "a"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert (answer.status_code, answer.json()["detail"]["code"]) == (409, "conflict")
    assert "memory_source_once" not in answer.content.decode()
