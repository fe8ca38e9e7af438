"""Which agent wrote a memory: its token by name for its person, by the beginning of its key for everybody else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories import audit
from memories.access import bearer
from memories.models import ApiToken, Memory
from memories.services.forget import forget
from memories.services.remember import NewMemory, remember
from memories.services.revise import revise
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, bea, memory, team, token, user
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db


def written(content: str = "The kettle is blue.", **bounds: Any) -> tuple[Memory, ApiToken]:
    """A memory of Ann's that an agent wrote in the team Hearth, whose admin is Hal."""
    hearth = team("Hearth", ann="member", bea="member", hal="admin")
    made, _ = token(ann(), **({"team": hearth} | bounds))
    ApiToken.objects.filter(pk=made.pk).update(name="laptop helper")
    new = NewMemory(content=content, team_id=hearth.pk)
    return remember(new=new, actor=bearer(ApiToken.objects.get(pk=made.pk))).memory, made


def test_facts_and_audit_name_the_token_to_its_person() -> None:
    note, made = written()
    for path in (f"/memories/{note.pk}", f"/audit?object={note.pk}", f"/memories/{note.pk}/lineage", "/"):
        said = text_of(signed_in(ann()).get(path))
        assert "laptop helper" in said and f"{made.prefix}…" in said, path


@pytest.mark.parametrize(("reader", "opens"), [("bea", False), ("hal", True)])
def test_others_read_the_beginning_of_the_key_and_never_its_name(reader: str, opens: bool) -> None:
    note, made = written()
    browser = signed_in(user(reader))
    for path in (f"/memories/{note.pk}", f"/audit?object={note.pk}", f"/memories/{note.pk}/lineage", "/audit.csv"):
        response = browser.get(path)
        body = response.getvalue().decode() if response.streaming else response.content.decode()
        assert "laptop helper" not in body and made.prefix in body, path
        if not response.streaming:
            assert (f'href="/tokens/{made.pk}"' in body) == opens, path


def test_the_timeline_names_it_beside_each_event() -> None:
    note, made = written()
    Memory.objects.filter(pk=note.pk).update(event_type="talk", occurred_at=note.created_at)
    assert "laptop helper" in text_of(signed_in(ann()).get("/timeline"))
    others = text_of(signed_in(bea()).get("/timeline"))
    assert "laptop helper" not in others and f"{made.prefix}…" in others


def test_a_token_without_a_team_opens_for_its_person_alone() -> None:
    note, made = written(team=None)
    assert f'href="/tokens/{made.pk}"' not in signed_in(user("hal")).get(f"/memories/{note.pk}").content.decode()
    assert f'href="/tokens/{made.pk}"' in signed_in(ann()).get(f"/memories/{note.pk}").content.decode()


def test_tables_and_events_have_columns_for_it() -> None:
    note, made = written()
    for name in ("audit", "memories"):
        head, *rows = signed_in(ann()).get(f"/{name}.csv").getvalue().decode().splitlines()
        assert head.endswith('"token_prefix","token_name"')
        assert any(row.endswith(f'"{made.prefix}","laptop helper"') for row in rows), name
    for who, name in ((ann(), None), (bea(), None)):
        events = Api(who, scopes=["audit"]).get("audit/events", target_id=str(note.pk)).json()["events"]
        assert [(one["token_prefix"], one["token_name"]) for one in events] == [(made.prefix, name)]


def test_a_page_of_the_audit_reads_all_tokens_at_once() -> None:
    note, _ = written()
    one = _queries(f"/audit?object={note.pk}")
    for number in range(5):
        made, _ = token(ann())
        remember(new=NewMemory(content=f"Note {number}."), actor=bearer(made))
    assert _queries("/audit") == one


def _queries(path: str) -> int:
    browser = signed_in(ann())
    browser.get(path)
    with CaptureQueriesContext(
        connection,
    ) as seen:
        assert browser.get(path).status_code == 200
    return sum("memories_apitoken" in row["sql"] for row in seen.captured_queries)


def test_the_chain_holds_as_it_did() -> None:
    note, _ = written()
    assert audit.verify(note.space_id) == []


def test_the_story_tells_the_writer_then_who_brought_it_and_who_corrected_it() -> None:
    line = {"content": "The gate is shut at nine.", "source": "mcp", "agent_id": "claude-code"}
    line |= {"created_at": "2024-08-03T10:00:00Z"}
    browser = signed_in(ann())
    answer = Api(ann()).post("memories/import", {"jsonl": json.dumps(line)})
    assert answer.status_code == 200, answer.content
    note = Memory.objects.get(content=line["content"])
    revise(memory_id=note.pk, changes={"content": "The gate is shut at ten."}, actor=actor(ann()))
    said = text_of(browser.get(f"/memories/{note.pk}/lineage"))
    began = said.index("Agent claude-code wrote it through mcp")
    assert (
        began < said.index("So the imported file says.") < said.index("Memory imported") < said.index("Memory changed")
    )
    facts = text_of(browser.get(f"/memories/{note.pk}"))
    assert "Since then" in facts and facts.index("Memory imported") < facts.index("Memory changed")


def test_a_story_without_a_line_says_so_and_leaves_out_what_only_weighs() -> None:
    note = memory(ann(), "Nobody noted me.")
    revise(memory_id=note.pk, changes={"importance": 0.9}, actor=actor(ann()))
    forget(record_id=note.pk, seen_version=2, actor=actor(ann()))
    said = text_of(signed_in(ann()).get(f"/memories/{note.pk}/lineage"))
    story = said.split("How it came to be")[1].split("What it rests on")[0]
    assert "No line of the audit that you see tells by whom." in story and "Memory" not in story
    assert "trust: normal" in said


def test_a_long_story_names_how_many_changes_it_leaves_out() -> None:
    note = remember(new=NewMemory(content="Version 0"), actor=actor(ann())).memory
    for number in range(1, 13):
        revise(memory_id=note.pk, changes={"content": f"Version {number}"}, actor=actor(ann()))
    said = text_of(signed_in(ann()).get(f"/memories/{note.pk}/lineage"))
    assert "3 changes in between are not shown." in said and said.count("Memory changed") == 9
