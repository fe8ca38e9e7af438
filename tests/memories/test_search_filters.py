"""Filters narrow and never widen; hostile input is refused or searched, never an error."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from console.errors import Invalid
from memories.models import MemoryLink
from memories.search.places import places_of
from memories.search.search import Found, Search, recall, search
from memories.search.wanted import PATTERN_LIMIT, QUERY_LIMIT
from tests.memories.factories import PAST, actor, ann, bob, memory, team, token_actor, version

pytestmark = pytest.mark.django_db


def ask(query: str = "*", **filters: Any) -> Found:
    return search(actor(ann()), Search(query, limit=50, **filters))


def texts(found: Found) -> list[str]:
    return sorted(hit.memory.content for hit in found.hits)


def test_underscore_and_percent_in_a_path_are_wildcards_and_a_backslash_is_plain() -> None:
    memory(ann(), "a", path="foo_bar/n")
    memory(ann(), "b", path="fooXbar/n")
    memory(ann(), "c", path="foo\\_bar/n")
    assert texts(ask(path="foo_bar/%")) == ["a", "b"]
    assert texts(ask(path="foo\\_bar/%")) == ["c"]
    assert texts(ask(path="FOO%")) == ["a", "b", "c"]


@pytest.mark.parametrize("pattern", ["%\\", "\\", "%%%", "v1..2", "a'b", "[", ".*", "日本%"])
def test_any_pattern_is_taken(pattern: str) -> None:
    memory(ann(), "a", path="notes/v1..2")
    ask(path=pattern)


def test_each_filter_narrows() -> None:
    atlas = team("Atlas", ann="member")
    memory(ann(), "team", team=atlas)
    memory(ann(), "scoped", scope="tenant:project:42")
    memory(ann(), "drawer", bucket="personal")
    memory(ann(), "event", memory_type="episodic")
    memory(ann(), "late", created_at=datetime(2026, 5, 1, tzinfo=UTC))
    assert texts(ask(team_id=atlas.pk)) == ["team"]
    assert texts(ask(scope="tenant:project:42")) == ["scoped"]
    assert texts(ask(bucket="pers%")) == ["drawer"]
    assert texts(ask(memory_type="episodic")) == ["event"]
    assert texts(ask(since=datetime(2026, 5, 1, tzinfo=UTC))) == ["late"]
    assert "late" not in texts(ask(until=datetime(2026, 5, 1, tzinfo=UTC)))
    assert len(ask(scope="", bucket="%", path="%").hits) == 5


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("query", ""),
        ("query", " \t\n"),
        ("query", "\u200b\u200b"),
        ("query", "a\0b"),
        ("query", "\ud800"),
        ("query", "x" * (QUERY_LIMIT + 1)),
        ("limit", 0),
        ("limit", 51),
        ("limit", -1),
        ("limit", True),
        ("limit", 2.5),
        ("limit", "abc"),
        ("memory_type", "Episodic "),
        ("memory_type", "a,b"),
        ("path", "x" * (PATTERN_LIMIT + 1)),
        ("path", "%a" * 21),
        ("path", "a\0"),
        ("bucket", "_" * 21),
        ("scope", "\udfff"),
        ("scope", "s" * 201),
        ("threshold", 1.01),
        ("threshold", float("nan")),
        ("time_order", "random"),
        ("since", datetime(2026, 1, 1)),  # noqa: DTZ001 - the missing offset is the point
    ],
)
def test_a_wrong_input_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(Invalid) as refusal:
        search(actor(ann()), Search(**{"query": "zebra", field: value}))  # type: ignore[arg-type]
    assert ("query", field) in [problem.loc for problem in refusal.value.problems]


def test_until_must_be_later_than_since() -> None:
    with pytest.raises(Invalid, match="later than since"):
        ask(since=PAST, until=PAST)


def test_the_longest_query_and_pattern_are_taken() -> None:
    memory(ann(), "zebra")
    ask(("zebra " * QUERY_LIMIT)[:QUERY_LIMIT], path="a%" * 20 + "b" * 160)
    ask("日" * QUERY_LIMIT)
    ask("\ufdfa" * QUERY_LIMIT)
    ask(" ".join(f"w{number}" for number in range(200)))


HELD = ["a_b", "a%b", "a\\b", "ab", "日本", "日 本", "a'b", "a-b.a", "bb aa", "%", "_x\\%"]
HOSTILE = st.text(max_size=60) | st.text(
    alphabet="&|!():*'\"\\%_<>-@#$ aé日끝\u0301\u202e\u200b", min_size=1, max_size=40
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=HOSTILE, path=HOSTILE)
@example(query="'", path="\\")
@example(query="a & b | !c:* <-> (d", path="%")
@example(query="\\'", path="'")
@example(query='""""', path="_")
@example(query="1e400 0x1f 12.5.7 a@b.c http://x.y/z?q=1#f", path="")
@example(query="\u0301" * 60, path="%")
@example(query="日" * 60, path="%")
@example(query="{1,2} NULL $1 %s %(a)s", path="%s")
def test_no_string_breaks_search(db: None, query: str, path: str) -> None:
    who = actor(ann())
    try:
        found = recall(who, Search(query, path=path))
    except Invalid:
        return
    assert len(found.hits) <= 5


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(part=st.text(alphabet="ab%_\\'-. 日本", min_size=1, max_size=8).filter(lambda text: text.strip()))
def test_a_phrase_finds_exactly_the_rows_that_hold_it(db: None, part: str) -> None:
    owner = ann()
    if not search(actor(owner), Search("*")).hits:
        for text in HELD:
            memory(owner, text)
    wanted = " ".join(part.split())
    found = search(actor(owner), Search(f'"{part}"', limit=50))
    assert texts(found) == sorted(text for text in HELD if wanted in text)


def test_bob_never_sees_what_is_anns() -> None:
    mine = memory(ann(), "zebra kiosk 42", path="secret/zoo")
    shared = memory(ann(), "zebra kiosk for all", team=team("Atlas", ann="admin"))
    memory(bob(), "my own giraffe")
    for query in ("zebra kiosk", "*", str(mine.pk), str(shared.pk), '"zebra"', "giraffe"):
        for found in (search(actor(bob()), Search(query)), recall(actor(bob()), Search(query))):
            assert {hit.memory.owner_id for hit in found.hits} <= {bob().pk}
            assert found.coverage["records"] == 1
            assert found.coverage["without_vector"] == 1


@pytest.mark.parametrize("filters", [{"bucket": "%"}, {"bucket": "_%"}, {"path": "%"}, {"scope": "%"}, {"scope": ""}])
def test_no_filter_widens_the_bounds_of_a_token(filters: dict[str, str]) -> None:
    memory(ann(), "zebra in the drawer", bucket="personal", path="zoo/a")
    memory(ann(), "zebra outside", bucket="work", path="zoo/a")
    memory(ann(), "zebra elsewhere", bucket="personal", path="zooXa")
    bound = token_actor(ann(), buckets=["personal"], path_prefix="zoo")
    found = recall(bound, Search("zebra", **filters))  # type: ignore[arg-type]
    assert set(texts(found)) <= {"zebra in the drawer"}


def test_without_a_boundary_there_are_no_rows() -> None:
    memory(ann(), "zebra")
    assert recall(replace(actor(ann()), spaces={}), Search("*")).hits == []


def test_the_places_of_a_record_are_counted_until_it_is_gone() -> None:
    mine, other = memory(ann(), "zebra"), memory(ann(), "kiosk")
    version(mine, 1, "zebr")
    MemoryLink.objects.create(origin=mine, target=other, kind="relates_to", created_at=PAST)
    kept = {place: found for place, found in places_of(mine.pk).items() if found}
    assert kept == {"memory": 1, "state": 1, "versions": 1, "links": 1, "search index": 1}
    mine.delete()
    assert set(places_of(mine.pk).values()) == {0}
