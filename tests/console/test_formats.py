"""Files of other programs, read row by row: what they say, what is wrong with them, and the same at the second time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from console.formats import FORMATS, document
from console.formats.guess import guessed
from console.uploads import Report, take
from memories.models import AuditRecord, Memory, MemoryLink
from memories.services.import_lines import Place
from tests.console import foreign
from tests.console.foreign import FILES, as_json, as_lines
from tests.memories.api_client import rows
from tests.memories.factories import actor, ann, bob, team

pytestmark = pytest.mark.django_db


def taken(format_name: str, data: bytes | str, name: str = "file", **more: Any) -> Report:
    more = {"place": Place(), "dry_run": False, "actor": actor(ann())} | more
    return take(format_name=format_name, name=name, data=data.encode() if isinstance(data, str) else data, **more)


def contents() -> set[str]:
    return set(Memory.objects.values_list("content", flat=True))


def test_mem0_memories_keep_their_words_their_time_and_what_was_said_about_them() -> None:
    report = taken("mem0", FILES["mem0"][1])
    assert report.counts == {"new": 3, "known": 0, "wrong": 1} and report.wrong[0].where == "memory 3"
    one = Memory.objects.get(content="Ann likes green tea")
    assert (one.source, one.source_id, one.path, one.agent_id) == (
        "mem0",
        foreign.MEM0["results"][0]["id"],
        "mem0/ann",
        "helper",
    )
    assert one.metadata["category"] == "food" and one.metadata["mem0"]["categories"] == ["preferences"]
    assert one.created_at.isoformat() == "2024-07-01T17:00:00.123456+00:00" and one.updated_at.day == 2
    assert Memory.objects.get(content="ann lives in porto").metadata["relation"] == "lives_in"


@pytest.mark.parametrize(
    "value",
    [foreign.MEM0["results"][:2], {"memories": foreign.MEM0["results"][:2]}, {"results": foreign.MEM0["results"][:2]}],
)
def test_mem0_comes_in_the_shapes_of_its_versions(value: Any) -> None:
    assert taken("mem0", as_json(value)).count("new") == 2


def test_mem0_pages_may_stand_one_a_line() -> None:
    pages = as_lines([{"results": [{"id": "1", "memory": "one"}]}, {"results": [{"id": "2", "memory": "two"}]}])
    assert taken("mem0", pages).count("new") == 2 and contents() == {"one", "two"}


def test_each_observation_of_a_graph_is_a_memory_and_each_relation_leads_to_both_ends() -> None:
    report = taken("mcp-memory", FILES["mcp-memory"][1])
    assert contents() == {
        "Ann: Speaks Portuguese",
        "Ann: Drinks tea",
        "Acme (organization)",
        "Ann works at Acme",
        "Ann dreams of Nowhere",
    }
    assert [one.where for one in report.wrong] == ["line 5"]
    relation = Memory.objects.get(content="Ann works at Acme")
    assert {link.target.content for link in relation.links.all()} == {"Ann: Speaks Portuguese", "Acme (organization)"}
    assert relation.metadata == {"from": "Ann", "relation": "works_at", "to": "Acme"}


def test_a_graph_that_has_grown_adds_only_what_is_new() -> None:
    taken("mcp-memory", FILES["mcp-memory"][1])
    grown = [foreign.GRAPH[0] | {"observations": ["Speaks Portuguese", "Drinks tea", "Has cats"]}, *foreign.GRAPH[1:]]
    report = taken("mcp-memory", as_lines(grown))
    assert report.count("new") == 1 and "Ann: Has cats" in contents()


def test_a_graph_as_its_tool_answers_it_and_lines_of_observations_are_read() -> None:
    whole = {"entities": [foreign.GRAPH[0]], "relations": [{"from": "Ann", "to": "Ann", "relationType": "knows"}]}
    assert taken("mcp-memory", json.dumps(whole, indent=1)).count("new") == 3
    more = {"type": "observation", "entityName": "Ann", "contents": ["Rows"]}
    assert taken("mcp-memory", as_lines([more])).count("new") == 1


def test_notes_keep_title_tags_place_time_and_links() -> None:
    report = taken("markdown", foreign.NOTES)
    assert report.counts == {"new": 2, "known": 0, "wrong": 0}
    assert set(report.passed_over) == {".obsidian/a.md", "__MACOSX/._Coffee.md", "tea.png"}
    tea = Memory.objects.get(source_id="drinks/green-tea")
    assert tea.content.startswith("# Green tea\n- [fact]") and tea.path == "notes/drinks"
    assert tea.metadata == {
        "title": "Green tea",
        "tags": ["drinks", "hot"],
        "note_type": "note",
        "front_matter": {"status": "draft: 2"},
    }
    assert tea.created_at.isoformat() == "2024-05-01T08:00:00+00:00"
    links = MemoryLink.objects.values_list("origin__source_id", "target__source_id", "quote")
    assert set(links) == {
        ("drinks/green-tea", "Coffee.md", "pairs_with Coffee"),
        ("Coffee.md", "drinks/green-tea", "follows Green tea"),
    }


def test_one_note_without_front_matter_is_a_note() -> None:
    taken("markdown", "Just words.\n\n---\n\nMore.", name="a.md")
    [one] = Memory.objects.all()
    assert (one.content, one.metadata, one.source_id) == ("Just words.\n\n---\n\nMore.", {"title": "a"}, "a.md")


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("a: &x 1\nb: *x", "anchors"),
        ("a: !!python/object/apply:os.system ['true']", "tags"),
        ("a: 1\na: 2", "twice"),
        ("- a\n- b", "names nothing"),
        ("a: [", "not YAML"),
        ("a: " + "[" * 40 + "]" * 40, "nested"),
        ("a: " + "x" * 40_000, "longer"),
        ("? [a, b]\n: 1", "name that is no text"),
    ],
)
def test_front_matter_that_is_more_than_names_and_texts_is_named(head: str, why: str) -> None:
    [row] = document("markdown", "a.md", f"---\n{head}\n---\nwords".encode()).rows
    assert row.values is None and why in row.why and row.why.endswith(".")


def test_front_matter_guesses_no_types() -> None:
    head = "title: yes\ntags: hot, drinks\nversion: 1.10\nwhen: 2024-01-01\nnested:\n  a: [1, 2]\ncreated: soon"
    [row] = document("markdown", "a.md", f"---\n{head}\n---\nwords".encode()).rows
    assert row.values is not None and "created_at" not in row.values
    assert row.values["metadata"] == {
        "title": "yes",
        "tags": ["hot", "drinks"],
        "front_matter": {"version": "1.10", "when": "2024-01-01", "nested": {"a": ["1", "2"]}},
    }


def test_each_line_of_a_plain_list_is_a_memory() -> None:
    taken("chatgpt", foreign.CHATGPT)
    assert contents() == {"Drinks green tea.", "Lives in Porto.", "Has two cats."}
    assert set(Memory.objects.values_list("path", flat=True)) == {"chatgpt"}


@pytest.mark.parametrize("format_name", ["chatgpt", "claude"])
def test_dated_lines_between_fences_are_the_memories_and_what_is_around_them_is_not(format_name: str) -> None:
    taken(format_name, foreign.DATED)
    found = dict(Memory.objects.values_list("content", "created_at"))
    assert set(found) == {"Drinks green tea, never black.", "Lives in Porto.", "Has two cats,\nMiso and Nori."}
    assert found["Drinks green tea, never black."].isoformat() == "2024-05-01T00:00:00+00:00"


@pytest.mark.parametrize(
    "value",
    [
        ["Drinks tea.", "Has cats."],
        {"memories": [{"id": "m1", "content": "Drinks tea.", "updated_at": "2025-01-01T00:00:00Z"}, "Has cats."]},
        [{"text": "Drinks tea.", "created_at": 1735689600}, {"memory": "Has cats."}],
    ],
)
def test_a_list_may_be_json(value: Any) -> None:
    assert taken("chatgpt", as_json(value)).count("new") == 2 and contents() == {"Drinks tea.", "Has cats."}


def test_bullets_and_paragraphs_below_headings_are_memories_with_their_heading() -> None:
    taken("claude", foreign.CLAUDE)
    found = set(Memory.objects.values_list("content", "path"))
    assert found == {
        ("Ann builds kettles.\nShe likes it.", "claude/Work"),
        ("Two cats", "claude/Home"),
        ("Green tea", "claude/Home"),
    }


def test_memories_of_an_account_and_of_its_projects_are_read_also_out_of_the_whole_export() -> None:
    taken("claude", FILES["claude"][1])
    assert Memory.objects.get(content="Uses htmx").metadata == {"project": "p-1"}
    whole = foreign.zipped({"memories.json": FILES["claude"][1], "conversations.json": "[]", "users.json": "[]"})
    report = taken("claude", whole)
    assert report.counts == {"new": 0, "known": 3, "wrong": 0}
    assert report.passed_over == ("conversations.json", "users.json")


@pytest.mark.parametrize("format_name", FILES)
def test_a_second_time_makes_nothing_and_another_person_gets_their_own(format_name: str) -> None:
    name, data = FILES[format_name]
    first = taken(format_name, data, name)
    count, trail = rows(), AuditRecord.objects.count()
    again = taken(format_name, data, name)
    assert again.counts == {"new": 0, "known": first.count("new"), "wrong": first.count("wrong")}
    assert rows() == count and AuditRecord.objects.count() == trail
    other = taken(format_name, data, name, actor=actor(bob()))
    assert other.counts == first.counts
    ids = [set(Memory.objects.filter(owner=who).values_list("pk", flat=True)) for who in (ann(), bob())]
    assert len(ids[0]) == len(ids[1]) == first.count("new") and not ids[0] & ids[1]
    assert MemoryLink.objects.filter(origin__owner=ann(), target__owner=bob()).count() == 0


@pytest.mark.parametrize("format_name", FILES)
def test_a_dry_run_says_of_each_row_what_a_real_one_does_and_writes_nothing(format_name: str) -> None:
    name, data = FILES[format_name]
    count = rows()
    dry = taken(format_name, data, name, dry_run=True)
    assert rows() == {**count, "User": 1} and not AuditRecord.objects.exists()
    wet = taken(format_name, data, name)
    assert dry.outcomes == wet.outcomes and dry.made == wet.made
    assert AuditRecord.objects.filter(action="records.import").count() == 1


@pytest.mark.parametrize("format_name", FILES)
def test_the_format_is_seen_from_the_file(format_name: str) -> None:
    assert guessed(*FILES[format_name]) in (format_name, None if format_name == "chatgpt" else format_name)


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("a.jsonl", b'{"format":"memory-console/1","content":"x"}\n', "memory-console"),
        ("a.json", as_json(foreign.MEM0["results"]), "mem0"),
        ("a.json", b'{"memories": ["x"]}', "chatgpt"),
        ("a.md", foreign.TEA.encode(), "markdown"),
        ("a.txt", b"words", None),
        ("a.bin", b"\xff\xfe\x00", None),
        ("a.json", b"{", None),
    ],
)
def test_what_speaks_for_no_format_is_not_guessed(name: str, data: bytes, found: str | None) -> None:
    assert guessed(name, data) == found


def test_a_place_is_kept_to_and_a_foreign_team_is_refused() -> None:
    atlas = team("Atlas", ann="member")
    taken("chatgpt", "Drinks tea.", place=Place(team_id=atlas.pk, bucket="home"))
    [one] = Memory.objects.all()
    assert (one.team_id, one.bucket, one.owner_id) == (atlas.pk, "home", ann().pk)
    with pytest.raises(Exception, match="not a member"):
        taken("chatgpt", "Drinks tea.", place=Place(team_id=atlas.pk), actor=actor(bob()))


def test_every_format_has_a_file_here() -> None:
    assert FORMATS.keys() == FILES.keys() | {"memory-console"}


def test_a_graph_of_one_entity_is_its_observations() -> None:
    line = '{"type": "entity", "name": "Tea", "entityType": "drink", "observations": ["is green"]}'
    [row] = document("mcp-memory", "memory.jsonl", line.encode()).rows
    assert row.values is not None and row.values["content"] == "Tea: is green"
