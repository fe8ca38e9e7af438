"""Importing JSON Lines: as it is, again, with bad lines, for many owners."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories.models import AuditRecord, Memory, User
from memories.services.forget import forget
from tests.memories import factories

pytestmark = pytest.mark.django_db
TURN = {"conversation": "26", "session": 1, "speaker": "Caroline", "created_at": "2023-05-08T13:56:40+00:00"}


def file_of(tmp_path: Path, *rows: Any) -> str:
    path = tmp_path / "memories.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return str(path)


def imported(*arguments: str, **options: Any) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("import_jsonl", *arguments, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


@pytest.fixture(autouse=True)
def ann():
    return factories.ann()


def test_locomo_turns_are_taken_as_they_are(tmp_path):
    path = file_of(
        tmp_path, TURN | {"id": "26:D1:3", "content": "I went to a support group.", "image_caption": "a room"}
    )
    imported(path, owner="locomo-{conversation}", create_owners=True)
    memory = Memory.objects.get()
    assert memory.owner.username == "locomo-26"
    assert (memory.path, memory.bucket, memory.memory_type) == ("conversations/26/session-1", "personal", "episodic")
    assert (memory.source_id, memory.session) == ("26:D1:3", "26/1")
    assert memory.metadata == {"speaker": "Caroline", "image_caption": "a room"}
    assert memory.created_at.isoformat() == TURN["created_at"]


def test_importing_again_adds_nothing(tmp_path):
    path = file_of(tmp_path, {"id": "a", "content": "one"}, {"id": "b", "content": "two", "path": "x"})
    assert "2 imported" in imported(path, owner="ann")[0]
    assert "0 imported, 2 known already" in imported(path, owner="ann")[0]
    assert Memory.objects.count() == 2


def test_lines_without_an_id_are_known_by_their_words(tmp_path):
    path = file_of(tmp_path, {"content": "one"}, {"content": "one", "path": "x"}, {"content": "one"})
    assert "2 imported, 0 known already, 1 repeated in this file, 0 bad" in imported(path, owner="ann")[0]
    assert "0 imported, 2 known already" in imported(path, owner="ann")[0]
    assert Memory.objects.count() == 2


def test_what_was_moved_to_the_trash_is_not_imported_again(tmp_path, ann):
    path = file_of(tmp_path, {"id": "a", "content": "one"})
    imported(path, owner="ann")
    forget(record_id=Memory.objects.get().pk, actor=factories.actor(ann))
    imported(path, owner="ann")
    assert Memory.objects.count() == 1


def test_one_bad_line_stops_the_whole_file_and_each_is_named(tmp_path):
    path = file_of(
        tmp_path,
        {"id": "a", "content": "one"},
        "{not json",
        {"id": "b"},
        {"id": "c", "content": "three", "importance": 7},
        {"id": "d", "content": "four", "created_at": "yesterday"},
        {"id": "a", "content": "again"},
        "[1, 2]",
        {"id": "e", "content": "a\u0000b"},
    )
    err = io.StringIO()
    with pytest.raises(CommandError, match="7 bad lines, nothing was imported"):
        call_command("import_jsonl", path, owner="ann", stdout=io.StringIO(), stderr=err)
    assert [line.split(":")[0] for line in err.getvalue().splitlines()] == [f"line {n}" for n in range(2, 9)]
    assert not Memory.objects.exists()
    assert not AuditRecord.objects.filter(action="memory.import").exists()


def test_bad_lines_may_be_left_out(tmp_path):
    path = file_of(tmp_path, {"id": "a", "content": "one"}, "{not json")
    out, err = imported(path, owner="ann", skip_bad=True)
    assert "1 imported" in out and "line 2: it is not JSON" in err


def test_owners_are_not_made_by_a_file_that_is_refused(tmp_path):
    path = file_of(tmp_path, TURN | {"id": "1", "content": "hello there"}, "{")
    with pytest.raises(CommandError):
        imported(path, owner="locomo-{conversation}", create_owners=True)
    assert User.objects.count() == 1


def test_an_owner_or_team_that_does_not_exist_is_refused_with_advice(tmp_path):
    path = file_of(tmp_path, {"id": "a", "content": "one"})
    with pytest.raises(CommandError, match="--create-owners"):
        imported(path, owner="nobody")
    with pytest.raises(CommandError, match="no team"):
        imported(path, owner="ann", team="Nowhere")
    factories.team("Atlas", bea="admin")
    with pytest.raises(CommandError, match="no member"):
        imported(path, owner="ann", team="Atlas")


def test_fields_may_be_mapped(tmp_path):
    path = file_of(tmp_path, {"key": "n1", "text": "buy chalk", "folder": "school"})
    imported(path, "--map", "content={text}", "--map", "source_id={key}", "--map", "path=notes/{folder}", owner="ann")
    memory = Memory.objects.get()
    assert (memory.content, memory.source_id, memory.path) == ("buy chalk", "n1", "notes/school")
    with pytest.raises(CommandError, match="no such field"):
        imported(path, "--map", "colour={text}", owner="ann")


def test_each_imported_record_has_its_audit_line(tmp_path):
    imported(file_of(tmp_path, {"id": "a", "content": "one"}, {"id": "b", "content": "two"}), owner="ann")
    lines = AuditRecord.objects.filter(action="memory.import")
    assert set(lines.values_list("object_id", flat=True)) == set(Memory.objects.values_list("pk", flat=True))
