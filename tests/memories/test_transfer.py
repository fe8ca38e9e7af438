"""Out of one console and into another: what comes back is what went out, once, for its new owner alone."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db.models import F
from django.utils import timezone

from memories.models import Memory, MemoryEmbedding, MemoryLink, MemoryState, MemoryVersion
from memories.services import export as exporting
from memories.services.erase import erase
from memories.services.forget import forget
from tests.memories.api_client import ALL, Api, problems, rows
from tests.memories.factories import actor, ann, bob, memory, team, version

pytestmark = pytest.mark.django_db
ADMIN = [*ALL, "admin"]


def filled() -> dict[str, Memory]:
    """Memories in every state, with a history and links."""
    now = timezone.now()
    fact = memory(ann(), "The zebra “Zoë” waits 🦓.\nTwice.", metadata={"a": [1, {"b": None}]}, semantic_key="zebra")
    version_of = memory(ann(), "The kettle is new.", version=3, importance=0.91, path="a/b", pinned=True, hold="Case 1")
    version(version_of, 1, "The kettle leaks.")
    version(version_of, 2, "The kettle is mended.")
    summary = memory(ann(), "Zebra and kettle.", derivation="summary", pass_id=uuid4(), provenance={"span": ["a", "b"]})
    for place, one in enumerate((fact, version_of)):
        MemoryLink.objects.create(
            origin=summary, target=one, kind="derived_from", position=place, quote="zebra", created_at=now
        )
    event = memory(ann(), "It boiled.", memory_type="episodic", event_type="boiling", occurred_at=now, session="s-1")
    memory(
        ann(), "old", status="archived", expires_at=now + timedelta(days=9), confidence=0.4, bucket="home", scope="x"
    )
    gone = memory(ann(), "gone", status="deleted", source="mail", source_id="7")
    memory(bob(), "of Bob")
    return {"fact": fact, "kettle": version_of, "summary": summary, "event": event, "gone": gone}


def everything(api: Api, **sent: Any) -> list[str]:
    """All lines of all pages."""
    found: list[str] = []
    cursor: Any = None
    while True:
        page = api.post("memories/export", {"include_deleted": True, **sent, "cursor": cursor}).json()
        found += page["jsonl"].splitlines()
        assert page["count"] == len(page["jsonl"].splitlines())
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def imported(api: Api, lines: list[str], **sent: Any) -> dict[str, Any]:
    answer = api.post("memories/import", {"jsonl": "\n".join(lines), **sent})
    assert answer.status_code == 200, answer.content
    return answer.json()


def emptied() -> None:
    """As a console where Ann has nothing."""
    for model in (MemoryLink, MemoryVersion, MemoryEmbedding, MemoryState, Memory):
        model.objects.all().delete()


def test_what_comes_back_is_what_went_out_once_however_often() -> None:
    filled()
    api = Api(ann(), scopes=ADMIN)
    before = everything(api)
    emptied()
    told = imported(api, before)
    assert (told["imported"], told["known"], told["links_left"], told["errors"]) == (6, 0, 0, [])
    assert everything(api) == before
    count = rows()
    again = imported(api, before)
    assert (again["imported"], again["known"], again["errors"]) == (0, 6, []) and rows() == count
    assert everything(api) == before


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_pages_of_an_export_and_parts_of_an_import_make_the_whole(limit: int) -> None:
    filled()
    api = Api(ann(), scopes=ADMIN)
    before = everything(api, limit=limit)
    assert before == everything(api) and len(before) == 6
    emptied()
    cursor, parts = 0, 0
    while cursor is not None:
        cursor, parts = imported(api, before, limit=limit, cursor=cursor)["next_cursor"], parts + 1
    assert everything(api) == before and parts == -(-6 // limit)


def test_another_person_gets_records_of_their_own_with_their_links() -> None:
    made = filled()
    lines = everything(Api(ann(), scopes=ADMIN))
    api = Api(bob(), scopes=ADMIN)
    assert imported(api, lines)["imported"] == 6 and imported(api, lines)["known"] == 6
    copies = {one.content: one for one in Memory.objects.filter(owner=bob())}
    copy = copies[made["summary"].content]
    assert copy.pk != made["summary"].pk and copy.links.count() == 2
    assert {link.target.owner_id for link in copy.links.all()} == {bob().pk}
    assert Memory.objects.filter(owner=ann()).count() == 6
    assert [line.count("of Bob") for line in everything(Api(ann()))] == [0] * 6


def test_a_dry_run_says_what_would_come_and_writes_nothing() -> None:
    filled()
    lines = everything(Api(ann()))
    api, count = Api(bob(), scopes=ADMIN), rows()
    told = imported(api, [*lines, "{", '{"content": ""}'], dry_run=True)
    assert (told["imported"], told["dry_run"], [one["line"] for one in told["errors"]]) == (6, True, [7, 8])
    assert {**rows(), "ApiToken": 0} == {**count, "ApiToken": 0}


WRONG = [
    '{"path": "p"}',
    '{"content": 5}',
    '{"content": "x", "importance": 2}',
    '{"content": "x", "state": {"status": "away"}}',
    '{"content": "x", "state": {"version": 0}}',
    '{"content": "x", "state": {"version": 1e400}}',
    '{"content": "x", "state": []}',
    '{"content": "x", "id": "none"}',
    '{"content": "x", "versions": [{"number": 1, "content": ""}]}',
    '{"content": "x", "versions": [{"number": 1, "content": "a"}, {"number": 1, "content": "b"}]}',
    '{"content": "x", "links": [{}]}',
    '{"content": "x", "links": {"a": 1}}',
    '{"content": "x", "created_at": "yesterday"}',
    '{"content": "x", "derivation": "summary"}',
    '{"content": "x", "derivation": "magic"}',
    '{"content": "x", "trust": 9}',
    '{"content": "x", "pinned": "yes"}',
    '{"content": "x", "bucket": {}}',
    '{"content": "x", "memory_type": "none"}',
    '{"content": "a\\u0000b"}',
    '{"content": "x", "content": "y"}',
    "[]",
    "not json",
]


def test_wrong_lines_are_named_and_the_others_come() -> None:
    told = imported(Api(ann(), scopes=ADMIN), [*WRONG, '{"content": "good", "path": "p"}'])
    assert [one["line"] for one in told["errors"]] == list(range(1, len(WRONG) + 1))
    assert all(one["message"].endswith(".") for one in told["errors"])
    assert told["imported"] == 1 and Memory.objects.get().content == "good"


def test_nobody_writes_for_another_or_gives_themselves_trust() -> None:
    sent = {
        "content": "x",
        "owner_id": str(bob().pk),
        "owner": "bob",
        "team_id": str(uuid4()),
        "space_id": str(bob().pk),
        "token_id": str(uuid4()),
    }
    api = Api(ann())
    assert imported(api, [json.dumps(sent)])["imported"] == 1
    made = Memory.objects.get()
    assert (made.owner_id, made.team_id, made.space_id) == (ann().pk, None, ann().pk)
    for grave in ({"trust": 2}, {"hold": "Case"}):
        told = imported(api, [json.dumps({"content": "y", **grave})])
        assert told["imported"] == 0 and "admin" in told["errors"][0]["message"]
    line = json.dumps({"content": "z", "path": "p"})
    assert api.post("memories/import", {"jsonl": line, "owner_id": str(bob().pk)}).json()["imported"] == 1
    assert not Memory.objects.exclude(owner_id=ann().pk).exists()
    assert api.post("memories/import", {"jsonl": "{}", "team_id": str(team("A", bob="admin").pk)}).status_code == 403


def test_what_was_deleted_for_good_does_not_come_back() -> None:
    made = filled()["fact"]
    api = Api(ann(), scopes=ADMIN)
    line = next(line for line in everything(api) if str(made.pk) in line and "Zoë" in line)
    forget(record_id=made.pk, actor=actor(ann()))
    seen = MemoryState.objects.get(pk=made.pk).version
    erase(record_id=made.pk, typed=str(made.pk)[-6:], reason="x", seen_version=seen, actor=actor(ann()))
    for _ in range(2):
        told = imported(api, [line])
        assert told["imported"] == 0 and "deleted for good" in told["errors"][0]["message"]


def test_a_bounded_token_exports_and_imports_inside_its_bounds() -> None:
    made = filled()
    home = Api(ann(), buckets=["home"])
    [line] = everything(home)
    assert json.loads(line)["content"] == "old"
    told = imported(home, everything(Api(ann())))
    assert told["imported"] == 0 and len(told["errors"]) == 5
    assert imported(home, ['{"content": "new", "bucket": "work"}'], bucket="home")["imported"] == 1
    assert Api(ann(), scopes=["memory:write"]).post("memories/export").status_code == 403
    assert Api(ann(), scopes=["memory:read"]).post("memories/import", {"jsonl": line}).status_code == 403
    assert UUID(json.loads(line)["id"]) not in {one.pk for one in made.values()}


def test_a_link_to_what_the_reader_may_not_see_is_left_out() -> None:
    made = filled()
    Memory.objects.filter(pk=made["summary"].pk).update(bucket="home")
    line = next(line for line in everything(Api(ann(), buckets=["home"])) if "Zebra and kettle" in line)
    assert json.loads(line)["links"] == []


def test_limits_are_looked_at_before_anything_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    api = Api(ann())
    assert problems(api.post("memories/export", {"limit": 5_001})) == ["limit"]
    assert problems(api.post("memories/import", {"jsonl": " \n", "colour": 1})) == ["jsonl"]
    assert problems(api.post("memories/import", {"jsonl": " \n"})) == ["jsonl"]
    for wrong in ("x", -1, 1.5, 2**53, str(memory(ann(), "z").pk)):
        assert problems(api.post("memories/export", {"cursor": wrong})) == ["cursor"]
    assert api.post("memories/import", {"jsonl": "x" * 1_000_001}).status_code == 413
    monkeypatch.setattr(exporting, "BYTES_MOST", 1_500)
    filled()
    assert everything(api) and api.post("memories/export", {}).json()["count"] < 5


def test_a_page_of_an_export_fits_into_one_request_of_an_import() -> None:
    for number in range(12):
        memory(ann(), f'{number} "quoted" ' * 5_000)
    api, lines = Api(ann()), []
    cursor: Any = None
    while True:
        page = api.post("memories/export", {"cursor": cursor}).json()
        lines.append(page["count"])
        assert api.post("memories/import", {"jsonl": page["jsonl"]}).status_code == 200
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sum(lines) == 12 and len(lines) > 1


def test_an_export_goes_on_by_growing_whole_numbers_and_loses_and_doubles_nothing_under_writes() -> None:
    at_first = {memory(ann(), f"zebra {number}").pk for number in range(9)}
    api, found, cursor, later = Api(ann()), [], 0, set()
    for page_number in range(1, 20):
        page = api.post("memories/export", {"limit": 2, "bucket": "%", "cursor": cursor}).json()
        told = [UUID(json.loads(line)["id"]) for line in page["jsonl"].splitlines()]
        found += told
        if not page["next_cursor"]:
            break
        assert isinstance(page["next_cursor"], int) and cursor < page["next_cursor"] < 2**53
        cursor = page["next_cursor"]
        Memory.objects.filter(pk=told[-1]).delete()
        forget(record_id=told[0], actor=actor(ann()))
        MemoryState.objects.update(version=F("version") + 1)
        if page_number < 4:
            later.add(memory(ann(), "older by its id", id=UUID(int=page_number)).pk)
    assert len(found) == len(set(found)) and at_first <= set(found) <= at_first | later


def test_vectors_come_along_on_request() -> None:
    made = memory(ann(), "x")
    MemoryEmbedding.objects.create(memory=made, space_id=ann().pk, model="m", dimension=2, vector=[0.5, 0.25])
    api = Api(ann())
    assert "embedding" not in everything(api)[0]
    assert json.loads(everything(api, include_embeddings=True)[0])["embedding"]["vector"] == [0.5, 0.25]
