"""Remember, list and read over the API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from memories.models import AuditRecord, Memory
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import ann, bea, bob, memory, team

pytestmark = pytest.mark.django_db

FACT = {"content": "Deploys happen on Tuesdays.", "path": "projects/atlas"}


@pytest.mark.parametrize("prefix", ["/v1/", "/api/v1/"])
def test_remember_answers_with_the_id_under_both_names(prefix: str) -> None:
    answer = Api(ann(), prefix).post("remember", FACT)
    body = answer.json()
    assert answer.status_code == 200
    assert body["id"] == body["memory_id"] == str(UUID(body["id"]))
    assert (body["status"], answer["ETag"]) == ("created", '"1"')


def test_remember_keeps_every_field_of_the_contract() -> None:
    more = {"bucket": "private", "scope": "tenant:42", "memory_type": "procedural", "importance": 0.9}
    more |= {"confidence": 0.5, "expires_at": "2090-01-01T00:00:00Z", "source": "cli", "metadata": {"a": [1]}}
    api = Api(ann())
    made = api.post("remember", {**FACT, **more, "provenance": {"tool": "x"}}).json()
    kept = api.get(f"memories/{made['id']}").json()
    assert {name: kept[name] for name in more} == more
    assert kept["provenance"]["tool"] == "x"


def test_remember_takes_nulls_and_ignores_what_it_does_not_know() -> None:
    sent = {**FACT, "scope": None, "team_id": None, "importance": None, "idempotency_key": "k", "colour": "red"}
    assert Api(ann()).post("remember", sent).status_code == 200


def test_a_semantic_key_is_written_again() -> None:
    api = Api(ann())
    states = [
        api.post("remember", {**FACT, "content": text, "semantic_key": "day"}).json()["status"]
        for text in ("Tuesday", "Tuesday", "Friday")
    ]
    assert states == ["created", "unchanged", "updated"]


def test_dedupe_keeps_the_first() -> None:
    api = Api(ann())
    first, second = (api.post("remember", {**FACT, "dedupe": True}).json() for _ in range(2))
    assert (second["id"], second["status"]) == (first["id"], "unchanged")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"content": ""}, "content"),
    ({"content": " \n"}, "content"),
    ({"content": 5}, "content"),
    ({"content": None}, "content"),
    ({"content": "x" * 64_001}, "content"),
    ({"content": "a\0b"}, "content"),
    ({"content": "\ud800"}, "content"),
    ({"path": None}, "path"),
    ({"path": ["a"]}, "path"),
    ({"path": "a/../b"}, "path"),
    ({"bucket": ""}, "bucket"),
    ({"memory_type": "poem"}, "memory_type"),
    ({"memory_type": []}, "memory_type"),
    ({"importance": 1.5}, "importance"),
    ({"importance": 10**400}, "importance"),
    ({"importance": True}, "importance"),
    ({"confidence": "high"}, "confidence"),
    ({"expires_at": "tomorrow"}, "expires_at"),
    ({"expires_at": 5}, "expires_at"),
    ({"expires_at": "0001-01-01T00:00:00+14:00"}, "expires_at"),
    ({"metadata": []}, "metadata"),
    ({"metadata": {"k": "a\0"}}, "k"),
    ({"dedupe": "True"}, "dedupe"),
    ({"dedupe": 1}, "dedupe"),
]


@pytest.mark.parametrize(("fault", "where"), WRONG)
def test_remember_names_the_field_that_is_wrong(fault: dict[str, Any], where: str) -> None:
    api = Api(ann())
    before = rows()
    assert problems(api.post("remember", {**FACT, **fault})) == [where]
    assert rows() == before


def test_remember_asks_for_content_and_path() -> None:
    assert problems(Api(ann()).post("remember", {})) == ["content", "path"]


@pytest.mark.parametrize("team_id", [str(uuid4()), "atlas", 7])
def test_a_foreign_team_is_refused(team_id: Any) -> None:
    api = Api(ann())
    answer = api.post("remember", {**FACT, "team_id": team_id})
    assert (answer.status_code, code(answer)) == (403, "permission_denied")
    assert not Memory.objects.exists()


def test_a_members_team_record_is_seen_by_the_team_only() -> None:
    atlas = team("Atlas", ann="member", bea="reviewer")
    made = Api(ann()).post("remember", {**FACT, "team_id": str(atlas.pk)}).json()
    statuses = [Api(who).get(f"memories/{made['id']}").status_code for who in (bea(), bob())]
    assert statuses == [200, 404]


def test_the_list_shows_live_records_below_a_path_newest_first() -> None:
    owner, now = ann(), timezone.now()
    old = memory(owner, "old", path="a/b", created_at=now - timedelta(days=2))
    new = memory(owner, "new", path="a", created_at=now - timedelta(days=1))
    memory(owner, "elsewhere", path="ab")
    memory(owner, "in the trash", path="a", status="deleted")
    memory(owner, "over", path="a", expires_at=now)
    memory(bob(), "foreign", path="a")
    body = Api(owner).get("memories", path_prefix="a/").json()
    assert [one["id"] for one in body["memories"]] == [str(new.pk), str(old.pk)]
    assert body["total"] == 2


def test_the_list_comes_in_pages_with_the_total() -> None:
    made = [memory(ann(), f"note {number}") for number in range(5)]
    body = Api(ann()).get("memories", limit=2, offset=1).json()
    assert [one["id"] for one in body["memories"]] == [str(made[3].pk), str(made[2].pk)]
    assert body["total"] == 5


@pytest.mark.parametrize("name", ["limit", "offset"])
@pytest.mark.parametrize("value", ["-1", "1.5", "ten", "９", "9" * 30])
def test_the_list_takes_only_whole_numbers(name: str, value: str) -> None:
    answer = Api(ann()).get("memories", **{name: value})
    assert problems(answer) == [name]
    assert answer.json()["detail"][0]["loc"] == ["query", name]


@pytest.mark.parametrize("limit", [0, 501])
def test_the_list_has_1_to_500_records(limit: int) -> None:
    assert problems(Api(ann()).get("memories", limit=limit)) == ["limit"]


def test_a_percent_sign_in_a_path_prefix_is_a_plain_character() -> None:
    memory(ann(), "one", path="abc")
    assert Api(ann()).get("memories", path_prefix="a%").json()["total"] == 0


def test_one_memory_carries_its_version_as_etag() -> None:
    one = memory(ann(), "Tea, not coffee.", version=7)
    answer = Api(ann()).get(f"memories/{one.pk}")
    assert (answer["ETag"], answer.json()["version"], answer.json()["content"]) == ('"7"', 7, "Tea, not coffee.")


def test_past_its_expiry_a_memory_reads_expired() -> None:
    one = memory(ann(), "over", expires_at=timezone.now())
    assert Api(ann()).get(f"memories/{one.pk}").json()["status"] == "expired"


@pytest.mark.parametrize("tail", ["", "/versions"])
def test_a_memory_in_the_trash_is_not_read(tail: str) -> None:
    one = memory(ann(), "gone", status="deleted")
    answer = Api(ann()).get(f"memories/{one.pk}{tail}")
    assert (answer.status_code, code(answer)) == (404, "not_found")


ID_ROUTES = [
    ("GET", ""),
    ("PATCH", ""),
    ("GET", "/versions"),
    ("POST", "/forget"),
    ("POST", "/restore"),
]


@pytest.mark.parametrize(("verb", "tail"), ID_ROUTES)
def test_foreign_and_missing_records_look_the_same(verb: str, tail: str) -> None:
    hers, stranger = memory(ann(), "Ann's secret"), Api(bob())
    before = rows()
    answers = [stranger.call(verb, f"memories/{key}{tail}", {"content": "x"}) for key in (hers.pk, uuid4())]
    assert [one.status_code for one in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    assert rows() == before


@pytest.mark.parametrize(("verb", "tail"), ID_ROUTES)
@pytest.mark.parametrize("key", ["7", "%00", "mem_1", "0" * 32, "not-a-uuid-not-a-uuid-not-a-uuid-not"])
def test_what_is_no_id_is_said_to_be_none(verb: str, tail: str, key: str) -> None:
    answer = Api(ann()).call(verb, f"memories/{key}{tail}", {"content": "x"})
    assert answer.status_code == 400
    assert code(answer) in ("invalid_memory_id", "refused")


@pytest.mark.parametrize(
    ("bounds", "seen"),
    [
        ({}, {"work a", "home b"}),
        ({"buckets": ["work"]}, {"work a"}),
        ({"buckets": []}, set()),
        ({"scope": "s"}, {"home b"}),
        ({"path_prefix": "a"}, {"work a"}),
        ({"agent_id": "scout"}, {"home b"}),
    ],
)
def test_a_bound_token_sees_and_counts_only_its_space(bounds: dict[str, Any], seen: set[str]) -> None:
    memory(ann(), "work a", bucket="work", path="a/x")
    memory(ann(), "home b", bucket="home", path="b", scope="s", agent_id="scout")
    body = Api(ann(), **bounds).get("memories").json()
    assert {one["content"] for one in body["memories"]} == seen
    assert body["total"] == len(seen)


def test_a_token_bound_to_a_team_reaches_nothing_else() -> None:
    atlas = team("Atlas", ann="admin")
    mine, ours = memory(ann(), "mine"), memory(ann(), "ours", team=atlas)
    api = Api(ann(), team=atlas)
    assert [api.get(f"memories/{one.pk}").status_code for one in (mine, ours)] == [404, 200]
    assert api.post("remember", FACT).status_code == 403
    assert api.post("remember", {**FACT, "team_id": str(atlas.pk)}).status_code == 200


def test_a_bound_token_writes_only_into_its_space() -> None:
    one, api = memory(ann(), "x", bucket="work"), Api(ann(), buckets=["work"])
    assert api.post("remember", {**FACT, "bucket": "home"}).status_code == 403
    assert api.patch(f"memories/{one.pk}", {"bucket": "home"}).status_code == 403


@pytest.mark.parametrize(("scopes", "reads", "writes"), [(["memory:read"], 200, 403), (["memory:write"], 403, 200)])
def test_reading_and_writing_take_their_scopes(scopes: list[str], reads: int, writes: int) -> None:
    one, api = memory(ann(), "x"), Api(ann(), scopes=scopes)
    read = [api.get(path).status_code for path in ("memories", f"memories/{one.pk}", f"memories/{one.pk}/versions")]
    assert read == [reads] * 3
    assert api.patch(f"memories/{one.pk}", {"path": "p"}).status_code == 403  # it takes both: the answer tells it all
    assert api.post("remember", FACT).status_code == writes


def test_a_write_leaves_one_audit_line_with_the_request_and_token() -> None:
    api = Api(ann())
    answer = api.post("remember", FACT, X_Request_ID="call-1", X_Memory_OS_Agent_ID="scout")
    line = AuditRecord.objects.get(action="memory.create")
    assert (line.request_id, line.token_id, line.agent_id, line.channel) == ("call-1", api.token.pk, "scout", "api")
    assert str(line.audit_id) == answer["X-XMemo-Audit-ID"]
