"""`manage.py erase_verify`: in every column, and after the tables were rewritten in every file of the data folder."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from console import traces_files
from console.postgres import launcher, setup
from console.traces import Forms
from memories.services import erase
from memories.services.receipt import look_for
from tests.memories.factories import actor, ann, memory, version

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def ledger_file(tmp_path: Path, settings: Any) -> None:
    settings.ERASURES_FILE = tmp_path / "erasures.jsonl"


def canary() -> str:
    """Words that no other run has written into the shared server."""
    return f"Canary {secrets.token_hex(8)} sings 検疫室の{secrets.token_hex(4)}"


def gone(words: str) -> UUID:
    note = memory(ann(), words, status="deleted")
    version(note, 1, f"{words} before")
    erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    return note.pk


def test_nothing_is_left_of_what_was_erased(capsys: pytest.CaptureFixture[str]) -> None:
    words = canary()
    key = gone(words)
    call_command("erase_verify", str(key), "--canary", words)
    said = capsys.readouterr().out
    assert "Nothing is left" in said and "columns of" in said and words not in said
    assert [place for place in look_for(key) if f"absent       0  by id: {place}\n" not in said] == []


def test_a_copy_is_named_with_its_column(capsys: pytest.CaptureFixture[str]) -> None:
    words = canary()
    key = gone(words)
    memory(ann(), "plain", metadata={"copy": words})
    with pytest.raises(CommandError, match="Something is left"):
        call_command("erase_verify", str(key), "--canary", words)
    assert "public.memories_memory.metadata (text)" in capsys.readouterr().out


def test_a_record_that_was_not_erased_is_refused() -> None:
    with pytest.raises(CommandError, match="not in the erasure ledger"):
        call_command("erase_verify", str(uuid4()), "--canary", "x")
    with pytest.raises(CommandError, match="empty"):
        call_command("erase_verify", str(gone(canary())), "--canary", " ")


def test_the_files_hold_nothing_either(capsys: pytest.CaptureFixture[str]) -> None:
    words = canary()
    note = memory(ann(), words, status="deleted")
    version(note, 1, f"{words} before")
    settings = connections.settings["owner"]
    with setup.superuser(settings) as admin:
        admin.execute("CHECKPOINT")
    folder = launcher.ensure_running(Path(settings["EMBEDDED"]["home"])).data_dir
    needles = {"text": [words.encode()]}
    before = {path.relative_to(folder).parts[0] for path, _ in traces_files.look(folder, needles)}
    assert before == {"base", "pg_wal"}
    erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    assert list(traces_files.look(folder, needles)), "a deleted row stays in its page until that is written anew"
    call_command("erase_verify", str(note.pk), "--canary", words, "--files")
    said = capsys.readouterr().out
    assert "absent       0  by text: files of the data folder" in said and "Nothing is left." in said


def test_a_vector_is_looked_for_as_it_lies_on_the_disk() -> None:
    floats = "0.5,-0.25,0.125,1,2,3,4,5,6"
    found = traces_files.needles_of(Forms({"text": ("x",)}, ()), floats)
    assert [len(one) for one in found["vector"]] == [16, 32]
