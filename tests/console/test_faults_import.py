"""Files as other programs write them: taken where that is safe, refused as a whole with each bad line named."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memories.models import AuditRecord, Memory, User
from memories.search.search import Search, search
from tests.memories import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def ann() -> User:
    return factories.ann()


def imported(path: Path, **options: Any) -> str:
    out = io.StringIO()
    call_command("import_jsonl", str(path), stdout=out, stderr=io.StringIO(), **{"owner": "ann", **options})
    return out.getvalue()


def refused(path: Path) -> list[str]:
    """What is said of each bad line; nothing may have been stored."""
    err = io.StringIO()
    with pytest.raises(CommandError, match="nothing was imported"):
        call_command("import_jsonl", str(path), owner="ann", stdout=io.StringIO(), stderr=err)
    assert not Memory.objects.exists() and not AuditRecord.objects.exists()
    return err.getvalue().splitlines()


def file_of(tmp_path: Path, *lines: bytes) -> Path:
    path = tmp_path / "memories.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def rows(count: int) -> list[bytes]:
    return [json.dumps({"id": f"r{number}", "content": f"row {number}"}).encode() for number in range(count)]


def contents() -> list[str]:
    return sorted(Memory.objects.values_list("content", flat=True))


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    path = file_of(tmp_path, b'\xef\xbb\xbf{"id": "a", "content": "one"}\r', b"\r", b'{"id": "b", "content": "two"}\r')
    assert "2 imported" in imported(path)
    assert contents() == ["one", "two"]


def test_a_last_line_without_its_end_is_read(tmp_path: Path) -> None:
    path = tmp_path / "memories.jsonl"
    path.write_bytes(b'{"content": "one"}\n{"content": "two"}')
    imported(path)
    assert contents() == ["one", "two"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_another_encoding_is_named(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "memories.jsonl"
    path.write_bytes('{"content": "é"}\n'.encode(encoding))
    assert refused(path)[0] in ("line 1: it is not UTF-8", "line 1: it is not JSON")


@pytest.mark.parametrize(
    "line", [b'{"content": "one", "content": "two"}', b'{"content": "a", "metadata": {"k": 1, "k": 2}}']
)
def test_a_name_given_twice_is_refused_and_never_chosen_between(tmp_path: Path, line: bytes) -> None:
    [said] = refused(file_of(tmp_path, line))
    assert said.startswith("line 1: it names") and "twice" in said


OPTIONAL = [
    "path",
    "bucket",
    "scope",
    "memory_type",
    "semantic_key",
    "importance",
    "confidence",
    "created_at",
    "expires_at",
    "source",
    "session",
    "agent_id",
    "language",
    "metadata",
    "provenance",
    "id",
    "title",
]


def test_optional_fields_may_be_missing_or_null(tmp_path: Path) -> None:
    nulls: dict[str, Any] = {"content": "all null", **dict.fromkeys(OPTIONAL)}
    path = file_of(tmp_path, b'{"content": "only content"}', json.dumps(nulls).encode())
    assert "2 imported" in imported(path)
    assert {(one.bucket, one.path, one.expires_at) for one in Memory.objects.all()} == {("work", "", None)}


def test_one_bad_line_among_a_thousand_leaves_nothing_behind(tmp_path: Path) -> None:
    lines = rows(1_000)
    lines[499] = b'{"id": "r499", "content": ""}'
    [said] = refused(file_of(tmp_path, *lines))
    assert said.startswith("line 500: content: The content is empty")


UNFIT = {
    "nul": b'{"content": "one", "metadata": {"k": ["a\\u0000b"]}}',
    "nul in a name": b'{"content": "one", "metadata": {"a\\u0000b": 1}}',
    "surrogate": b'{"content": "one", "provenance": {"k": "\\ud800"}}',
    "not a number": b'{"content": "one", "metadata": {"k": NaN}}',
    "infinity": b'{"content": "one", "metadata": {"k": 1e999}}',
    "deep": b'{"content": "one", "metadata": ' + b'{"a":' * 300 + b"1" + b"}" * 301,
    "very deep": b'{"content": "one", "metadata": ' + b"[" * 90_000,
    "a type": b'{"content": "one", "memory_type": "foo"}',
    "a bucket": b'{"content": "one", "bucket": " "}',
    "a step upwards": b'{"content": "one", "path": "../etc"}',
    "a text that is a list": b'{"content": ["one"]}',
    "a time": b'{"content": "one", "created_at": "2026-13-01"}',
    "an importance": b'{"content": "one", "importance": "high"}',
    "accents alone": b'{"content": "\\u00b8\\u0301"}',
}


@pytest.mark.parametrize("name", UNFIT)
def test_what_cannot_be_kept_is_named_and_nothing_is_stored(tmp_path: Path, name: str) -> None:
    [said] = refused(file_of(tmp_path, *rows(3), UNFIT[name]))
    assert said.startswith("line 4: ") and len(said) < 300


def test_a_name_with_two_dots_inside_is_taken(tmp_path: Path) -> None:
    imported(file_of(tmp_path, b'{"content": "one", "path": "notes/v1..2"}'))
    assert Memory.objects.get().path == "notes/v1..2"


def test_the_same_file_again_adds_nothing_and_for_another_owner_everything(tmp_path: Path) -> None:
    factories.bob()
    path = file_of(tmp_path, *rows(5))
    assert "5 imported" in imported(path)
    assert "0 imported, 5 known already" in imported(path)
    assert "5 imported" in imported(path, owner="bob")
    assert Memory.objects.count() == 10 and len(set(Memory.objects.values_list("pk", flat=True))) == 10


def test_what_was_imported_is_found_at_once(tmp_path: Path, ann: User) -> None:
    imported(file_of(tmp_path, '{"content": "今天玩成语接龙游戏"}'.encode(), b'{"content": "<|endoftext|> said"}'))
    for query, text in (("成语", "今天玩成语接龙游戏"), ("<|endoftext|>", "<|endoftext|> said")):
        assert [hit.memory.content for hit in search(factories.actor(ann), Search(query)).hits] == [text]
