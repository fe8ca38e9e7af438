"""Places are what they say: wildcards only where a pattern is asked for, no widening, nothing blank, odd characters."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest

from memories.models import Memory
from tests.memories.api_client import Api, problems
from tests.memories.doors import DOORS, found, listed, taken, written
from tests.memories.factories import ann, bob, memory, team
from tests.memories.page_client import everything, signed_in, text_of
from tests.reflection import life
from tests.reflection.pages import browser

pytestmark = pytest.mark.django_db

each_door = pytest.mark.parametrize("door", DOORS)
ODD = ["a,b", "a b", "a'b", 'a"b', "a/b", "agent::ch/user #1?", "a&b=c;d", "日本", "<b>", "é\u0301", "100%", "v1..2"]
BLANK = ["", " ", "\t", "\u200b", "\u00a0"]


@pytest.mark.parametrize("prefix", ["a/b", "/a/b", "a/b/", "/a/b/"])
@pytest.mark.parametrize("sent", ["a/b/c", "/a/b/c", "a/b/c/"])
def test_slashes_around_a_path_or_the_bound_of_a_token_mean_nothing(prefix: str, sent: str) -> None:
    api = Api(ann(), path_prefix=prefix)
    made = api.post("remember", {"content": "A zebra.", "path": sent})
    assert made.status_code == 200, made.content
    assert [one["path"] for one in api.get("memories").json()["memories"]] == ["a/b/c"]
    for outside in ("a/bc", "/a", "", "b/a/b"):
        assert api.post("remember", {"content": "A zebra.", "path": outside}).status_code == 403


def test_a_path_prefix_holds_no_wildcard() -> None:
    inside, outside = memory(ann(), "a zebra", path="foo_bar/n"), memory(ann(), "b zebra", path="fooXbar/n")
    api = Api(ann(), path_prefix="foo_bar")
    for answer in (api.get("memories"), Api(ann()).get("memories", path_prefix="/foo_bar")):
        assert [one["content"] for one in answer.json()["memories"]] == ["a zebra"]
    for address in ("memories/search", "recall"):
        assert [one["id"] for one in api.get(address, query="zebra").json()["results"]] == [str(inside.pk)]
    assert api.get(f"memories/{outside.pk}").status_code == 404
    assert api.patch(f"memories/{outside.pk}", {"content": "mine"}).status_code == 404
    assert api.post(f"memories/{outside.pk}/forget").status_code == 404
    assert api.post("remember", {"content": "c", "path": "fooXbar/c"}).status_code == 403
    assert api.post("remember", {"content": "c", "path": "foo_bar/c"}).status_code == 200


def test_a_token_bound_to_a_path_reaches_none_that_only_begins_like_it() -> None:
    inside, beside = memory(ann(), "a zebra", path="a/b/c"), memory(ann(), "b zebra", path="a/bc/d")
    api = Api(ann(), path_prefix="a/b")
    for answer in (api.get("memories"), api.get("memories/stats")):
        assert answer.json().get("total", answer.json().get("total_count")) == 1
    for address in ("memories/search", "recall"):
        assert [one["id"] for one in api.get(address, query="zebra").json()["results"]] == [str(inside.pk)]
    assert api.get(f"memories/{beside.pk}").status_code == 404
    assert api.post(f"memories/{beside.pk}/forget").status_code == 404


@each_door
def test_in_a_pattern_the_documented_wildcards_mean_what_they_say(door: str) -> None:
    for name in ("foo_bar/n", "fooXbar/n", "foo\\_bar/n", "foobar/n"):
        memory(ann(), name, path=name)
    assert sorted(listed(door, ann(), path="foo_bar/%")) == ["fooXbar/n", "foo_bar/n"]
    assert listed(door, ann(), path="foo\\_bar/%") == ["foo\\_bar/n"]
    assert sorted(found(door, ann(), "*", path="foo_bar/%")) == ["fooXbar/n", "foo_bar/n"]


def test_no_wildcard_widens_whose_records_are_touched() -> None:
    atlas, boreas = team("Atlas", ann="admin"), team("Boreas", bob="admin")
    memory(ann(), "mine", bucket="personal")
    memory(ann(), "elsewhere", bucket="pXrsonal")
    memory(ann(), "shared", bucket="personal", team=atlas)
    memory(bob(), "foreign", bucket="personal", team=boreas)
    api = Api(ann(), buckets=["personal"])
    for owner in ("%", "b%", "bob", "_nn", str(bob().pk)):
        assert Api(ann()).post("reflect", {"dry_run": True, "owner_filter": owner}).status_code == 403
    for name in ("T%", "%", "Boreas", str(boreas.pk), str(uuid4())):
        assert Api(ann()).post("reflect", {"dry_run": True, "team_id": name}).status_code == 403
        assert Api(ann()).get("memories", team_id=name).status_code == 403
        assert Api(ann()).get("memories/search", query="*", team_id=name).status_code == 403
    for filters in ({"bucket": "p_rsonal"}, {"path": "%"}, {"bucket": "%"}, {"path": "%", "bucket": "_%"}):
        assert {one["content"] for one in api.get("memories", **filters).json()["memories"]} == {"mine", "shared"}
    assert set(listed("page", ann(), path="%")) == {"mine", "elsewhere", "shared"}


@each_door
@pytest.mark.parametrize("name", ["bucket", "scope", "path"])
def test_a_name_is_no_part_of_a_longer_one(door: str, name: str) -> None:
    for text in ("test", "testing", "a test", "tes"):
        memory(ann(), f"zebra {text}", **{name: text})
    assert listed(door, ann(), **{name: "test"}) == ["zebra test"]
    assert found(door, ann(), "zebra", **{name: "test"}) == ["zebra test"]


@pytest.mark.parametrize(("name", "filter_name"), [("bucket", "bucket"), ("scope", "scope"), ("path", "path_filter")])
def test_a_pass_takes_a_name_as_it_stands(name: str, filter_name: str) -> None:
    who = ann()
    due = {"expires_at": life.datetime(2025, 1, 1, tzinfo=life.timezone.get_fixed_timezone(0))}
    kept = memory(who, "one", **{name: "test"}, **due)
    memory(who, "two", **{name: "testing"}, **due)
    asked = {"dry_run": True, "actions_csv": "expire", filter_name: "test"}
    report = Api(who).post("reflect", asked).json()
    assert [one["memory_id"] for one in report["lifecycle"]["expired"]] == [str(kept.pk)]


@each_door
@pytest.mark.parametrize("name", ["bucket", "scope"])
@pytest.mark.parametrize("text", ODD)
def test_a_name_of_odd_characters_is_kept_and_found(door: str, name: str, text: str) -> None:
    assert taken(written(door, ann(), "zebra", **{name: text}))
    memory(ann(), "another", **{name: "a"})
    one = Memory.objects.get(content="zebra")
    assert getattr(one, name) == text
    assert listed(door, ann(), **{name: text}) == ["zebra"]
    assert found(door, ann(), "*", **{name: text}) == ["zebra"]


@pytest.mark.parametrize("text", ODD)
def test_links_of_a_page_lead_to_records_of_odd_places(text: str) -> None:
    one = memory(ann(), "zebra", path=text, bucket=text, scope=text)
    for number in range(3):
        memory(ann(), f"more {number}", path=text, bucket=text, scope=text)
    client = signed_in(ann())
    page = client.get(f"/memories/{one.pk}").content.decode()
    link = f'href="/memories?path={quote(text, safe="")}"'
    assert link.replace("'", "&#x27;") in page or link in page
    first = client.get("/memories", {"bucket": text, "scope": text, "limit": 2})
    second = client.get(first.context["page"].next_url)
    assert [row.line for row in second.context["page"].rows] == ["more 0", "zebra"]
    back = client.get(second.context["page"].prev_url)
    assert [row.line for row in back.context["page"].rows] == ["more 2", "more 1"]
    [bucket, _] = first.context["chips"]
    assert len(client.get(bucket["remove_url"]).context["chips"]) == 1


@pytest.mark.parametrize("text", ODD)
def test_a_token_bound_to_an_odd_place_reaches_it_and_no_other(text: str) -> None:
    mine = memory(ann(), "zebra", bucket=text, path=f"{text}/n")
    memory(ann(), "another", bucket="a", path="a/n")
    for bounds in ({"buckets": [text]}, {"path_prefix": text}):
        body = Api(ann(), **bounds).get("memories").json()
        assert [one["id"] for one in body["memories"]] == [str(mine.pk)]


@each_door
@pytest.mark.parametrize("text", BLANK, ids=ascii)
def test_a_blank_bucket_is_refused_and_stores_nothing(door: str, text: str) -> None:
    who = ann()
    assert written(door, who, "zebra", bucket=text).status_code == 422
    assert not Memory.objects.exists()


@pytest.mark.parametrize("name", ["bucket", "scope"])
@pytest.mark.parametrize("text", [" ", "\u00a0", "\t "], ids=ascii)
def test_a_blank_filter_is_refused_and_never_means_everything(name: str, text: str) -> None:
    memory(ann(), "zebra")
    client, api = signed_in(ann()), Api(ann())
    for address in ("/memories", "/search", "/todos", "/ledger", "/timeline"):
        answer = client.get(address, {"query": "zebra", name: text})
        assert answer.status_code == 422 and "white space" in text_of(answer), address
    for address in ("memories", "memories/search", "recall", "reminders", "timeline", "me/ledger/transactions"):
        assert problems(api.get(address, query="zebra", **{name: text})) == [name], address


@pytest.mark.parametrize("name", ["bucket", "scope", "path_filter", "team_id", "owner_filter"])
def test_a_blank_filter_of_a_pass_is_refused_and_plans_nothing(name: str) -> None:
    life.fill(ann())
    client = browser(ann())
    before = everything()
    asked = {"actions": ["expire"], "path_filter": "%", "bucket": "%", name: " "}
    page = client.post("/passes/new", asked)
    assert everything() == before
    answer = Api(ann()).post("reflect", {"dry_run": True, name: "\u00a0 "})
    assert page.status_code in (403, 422) and answer.status_code in (403, 422)


@pytest.mark.parametrize("include", [[""], [" "], ["%"], ["*"], [f"{uuid4()}:%"], []])
@pytest.mark.parametrize("verb", ["forget", "restore", "erase"])
def test_a_blank_selection_of_many_is_refused_and_moves_nothing(verb: str, include: list[str]) -> None:
    memory(ann(), "zebra")
    memory(ann(), "kiosk", status="deleted")
    client = signed_in(ann())
    before = everything()
    sent: dict[str, Any] = {"include": include, "count": str(len(include)), "word": "delete", "reason": "x"}
    assert client.post(f"/records/selected/{verb}", sent).status_code == 422
    assert everything() == before


@each_door
def test_two_dots_inside_a_name_are_fine_and_a_step_upwards_is_not(door: str) -> None:
    assert taken(written(door, ann(), "zebra", path="notes/v1..2"))
    for path in ("../etc", "a/../b", "a/..", ".."):
        assert not taken(written(door, ann(), "kiosk", path=path))
    assert [one.path for one in Memory.objects.all()] == ["notes/v1..2"]


def test_a_place_with_space_around_it_stays_when_something_else_is_edited() -> None:
    one = memory(ann(), "zebra", bucket=" a ", scope=" b", path="c ")
    fields = {"bucket": " a ", "scope": " b", "path": "c ", "type": "semantic", "importance": "0.5", "version": "1"}
    client = signed_in(ann())
    assert client.post(f"/memories/{one.pk}/edit", {"content": "kiosk", **fields}).status_code == 302
    one.refresh_from_db()
    assert (one.content, one.bucket, one.scope, one.path) == ("kiosk", " a ", " b", "c ")
