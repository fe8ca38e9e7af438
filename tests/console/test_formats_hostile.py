"""Files that mean harm, or are broken: refused with a sentence before anything is written, through every door."""

from __future__ import annotations

import base64
import gzip
import io
import json
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import given, settings
from hypothesis import strategies as some

from console import formats
from console.errors import Invalid
from console.formats import FORMATS, archive, document
from console.formats.archive import opened
from console.formats.guess import guessed
from memories.models import Memory
from tests.console.foreign import FILES, NOTES, as_json, zipped
from tests.memories.api_client import ALL, Api
from tests.memories.factories import ann, memory, team
from tests.memories.page_client import records_now, signed_in

BIG = b"a" * 3_000_000


def with_members(*members: tuple[zipfile.ZipInfo | str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as found:
        for member, data in members:
            found.writestr(member, data)
    return packed.getvalue()


def linked() -> bytes:
    link = zipfile.ZipInfo("a.md")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    return with_members((link, b"/etc/passwd"))


def twice(first: str, second: str) -> bytes:
    """Two members; the second's name takes the first's place, which no library writes."""
    data = with_members((first, b"one"), (second, b"two"))
    return data


def patched(data: bytes, at: int, value: int) -> bytes:
    """The last record of the archive with one of its numbers changed."""
    end = data.rindex(b"PK\x05\x06")
    return data[: end + at] + struct.pack("<H", value) + data[end + at + 2 :]


def lying() -> bytes:
    """A member that says it is short and is long."""
    data = bytearray(with_members(("a.md", BIG)))
    for magic, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(magic) + at
        data[place : place + 4] = struct.pack("<I", 5)
    return bytes(data)


def locked() -> bytes:
    data = bytearray(with_members(("a.md", b"x")))
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.index(magic) + at
        data[place] |= 1
    return bytes(data)


def named(raw: bytes) -> bytes:
    """A member with this name, as it stands, unmarked."""
    plain = b"x" * (len(raw) - 3) + b".md"
    return with_members((plain.decode(), b"words")).replace(plain, raw)


HARM: dict[str, tuple[Callable[[], bytes], str]] = {
    "a bomb": (lambda: zipped({"a.md": BIG}), "times its size"),
    "a file that is too large": (lambda: zipped({"a.md": BIG * 3}, zipfile.ZIP_STORED), "larger than"),
    "one file after another": (lambda: zipped({f"{n}.md": BIG for n in range(11)}, zipfile.ZIP_STORED), "larger than"),
    "a length that lies": (lying, "damaged"),
    "a step upwards": (lambda: zipped({"../a.md": "x"}), "outside"),
    "a step upwards inside": (lambda: zipped({"b/../../a.md": "x"}), "outside"),
    "a step upwards of Windows": (lambda: zipped({"..\\a.md": "x"}), "outside"),
    "the root": (lambda: zipped({"/etc/a.md": "x"}), "outside"),
    "a drive": (lambda: zipped({"C:\\a.md": "x"}), "outside"),
    "a link": (linked, "is a link"),
    "a name twice": (lambda: twice("a.md", "A.MD"), "two files with the name"),
    "a name twice in two spellings": (lambda: twice("caf\u00e9.md", "cafe\u0301.md"), "two files with the name"),
    "a name with a line end": (lambda: zipped({"a\nb.md": "x"}), "cannot be written"),
    "a name that is not UTF-8": (lambda: named(b"\xe9\xe8ab.md"), "not UTF-8"),
    "a password": (locked, "password"),
    "an uncommon packing": (lambda: zipped({"a.md": "x"}, zipfile.ZIP_LZMA), "uncommon"),
    "more files than it may": (lambda: patched(zipped({"a.md": "x"}), 10, 60_000), "more than"),
    "a table that is longer than it says": (lambda: patched(zipped({"a.md": "x"}), 12, 3), "damaged"),
    "half an archive": (lambda: NOTES[: len(NOTES) // 2], "cut off"),
    "no end": (lambda: b"PK\x03\x04" + b"\0" * 50, "cut off"),
    "an archive of nothing": (lambda: zipped({}), "holds no"),
    "archives inside": (lambda: zipped({"a.zip": NOTES}), "holds no"),
    "gzip": (lambda: gzip.compress(BIG), "gzip"),
    "7z": (lambda: b"7z\xbc\xaf\x27\x1c" + b"\0" * 20, "7z"),
    "nothing": (lambda: b" \n", "empty"),
}


@pytest.mark.parametrize("name", HARM)
def test_what_means_harm_is_refused_with_a_sentence(name: str) -> None:
    make, said = HARM[name]
    with pytest.raises(Invalid) as refused:
        document("markdown", "notes.zip", make())
    assert said in refused.value.message and refused.value.message.endswith(".")
    assert len(refused.value.message) < 300


@pytest.mark.django_db
@pytest.mark.parametrize("name", HARM)
def test_through_the_page_and_the_api_it_is_a_422_and_nothing_is_stored(name: str) -> None:
    memory(ann(), "here before")
    data, before = HARM[name][0](), records_now()
    sent = {"file": SimpleUploadedFile("n.zip", data), "format": "markdown", "space": ann().pk}
    if len(data) < 5_000_000:
        assert signed_in(ann()).post("/import", sent).status_code == 422
    body = {"format": "markdown", "archive": base64.b64encode(data).decode()}
    assert Api(ann()).post("import", body).status_code == (422 if len(json.dumps(body)) <= 1_000_000 else 413)
    assert records_now() == before


def test_limits_hold_at_their_last_value_and_not_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MEMBERS_MOST", 3)
    assert len(opened(zipped({f"{n}.md": "x" for n in range(3)}), (".md",))[0]) == 3
    with pytest.raises(Invalid, match="more than 3 files"):
        opened(zipped({f"{n}.md": "x" for n in range(4)}), (".md",))
    monkeypatch.setattr(formats, "ROWS_MOST", 2)
    assert len(document("chatgpt", "a", b"one\ntwo", rows_most=2).rows) == 2
    with pytest.raises(Invalid, match="more than 2 rows"):
        document("chatgpt", "a", b"one\ntwo\nthree", rows_most=2)


def test_a_name_in_utf_8_without_its_mark_is_read_as_it_was_meant() -> None:
    [file], _ = opened(named("Grüße.md".encode()), (".md",))
    assert file.name == "Grüße.md"


TEXTS: list[bytes] = [
    b"\xff\xfe\x00\x01",
    b"\x00",
    b"words\x00words",
    b"[" * 50_000,
    b'{"memory": "\\ud800"}',
    b'{"a": 1, "a": 2}',
    b'{"results": {"a": 1}}',
    b'{"results": [1, null, {"memory": 5}, {"memory": "x", "created_at": {"a": 1}}]}',
    b'{"entities": [5], "relations": [null]}',
    b'{"type": "entity", "name": 5}',
    b'{"conversations_memory": 5, "project_memories": []}',
    b'{"memories": 5}',
    b'{"content": NaN}',
    b"1e999",
    "＝\u202e\u200b".encode(),
    b"-" * 100_000,
    b"[[" * 10_000,
    b"- " + b"x" * 70_000,
    b"---\n" * 2_000,
    b"---\n- [[a]]\n---\n",
    b"- a [[" * 5_000,
    b'\xef\xbb\xbf{"content": "x"}\r\n\r\n',
]


@pytest.mark.django_db
@pytest.mark.parametrize("format_name", FORMATS)
def test_whatever_a_text_holds_the_answer_says_it_and_nothing_bad_is_stored(format_name: str) -> None:
    api = Api(ann(), scopes=[*ALL, "admin"])
    for data in TEXTS:
        body = {"format": format_name, "archive": base64.b64encode(data).decode(), "dry_run": True}
        told = api.post("import", body)
        assert told.status_code in (200, 422), (data[:40], told.content)
        if told.status_code == 200:
            rows = told.json()["rows"]
            assert all((row["outcome"] == "wrong") == bool(row["message"]) for row in rows), data[:40]
        assert api.post("import", body | {"dry_run": False}).status_code == told.status_code
    assert not Memory.objects.filter(content="").exists()


@given(some.binary(max_size=300), some.sampled_from(sorted(FORMATS)))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_rows_or_a_refusal(data: bytes, format_name: str) -> None:
    for made in (data, b"PK\x03\x04" + data, b"---\n" + data + b"\n---\n", data.hex().encode()):
        try:
            guessed("a.md", made)
            for row in document(format_name, "a", made).rows:
                assert (row.values is None) == bool(row.why)
        except Invalid as refusal:
            assert refusal.message


@given(some.data())
@settings(max_examples=200, deadline=None)
def test_a_damaged_archive_is_files_or_a_refusal(data: Any) -> None:
    broken = bytearray(NOTES)
    for _ in range(data.draw(some.integers(1, 6))):
        broken[data.draw(some.integers(0, len(broken) - 1))] = data.draw(some.integers(0, 255))
    try:
        document("markdown", "a.zip", bytes(broken))
    except Invalid as refusal:
        assert refusal.message


@pytest.mark.django_db
def test_one_bad_row_among_a_thousand_is_named_and_the_others_come() -> None:
    rows = [{"id": str(n), "memory": f"thing {n}"} for n in range(1_000)]
    rows[499]["memory"] = ""
    told = Api(ann()).post("import", {"format": "mem0", "text": json.dumps(rows)}).json()
    assert (told["imported"], told["error_count"]) == (999, 1)
    assert [row["row"] for row in told["rows"] if row["outcome"] == "wrong"] == ["memory 500"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"format": "mem0"},
        {"format": "magic", "text": "x"},
        {"format": "mem0", "text": "x", "archive": "eA=="},
        {"format": "mem0", "archive": "§"},
        {"format": 5, "text": "x"},
        {"format": "mem0", "text": ["x"]},
        {"format": "mem0", "text": "[]", "owner": "bob"},
        {"format": "chatgpt", "text": "x", "dry_run": "maybe"},
    ],
)
def test_a_request_that_cannot_be_meant_is_refused(body: dict[str, Any]) -> None:
    assert Api(ann()).post("import", body).status_code == 422
    assert not Memory.objects.exists()


@pytest.mark.django_db
def test_a_bounded_token_imports_inside_its_bounds_and_a_reader_nothing() -> None:
    body = {"format": "chatgpt", "text": "Drinks tea."}
    told = Api(ann(), buckets=["home"]).post("import", body).json()
    assert (told["imported"], told["error_count"]) == (0, 1) and "outside" in told["rows"][0]["message"]
    assert Api(ann(), buckets=["home"]).post("import", body | {"bucket": "home"}).json()["imported"] == 1
    assert Api(ann(), scopes=["memory:read"]).post("import", body).status_code == 403
    theirs = team("Theirs", bob="admin")
    for team_id in (str(theirs.pk), "T%"):
        assert Api(ann()).post("import", body | {"team_id": team_id}).status_code == 403
        assert Api(ann()).post("export", {"team_id": team_id}).status_code == 403
        assert Api(ann()).get("export/csv", team_id=team_id, of="audit").status_code == 403
    assert Api(ann()).post("import", {"format": "mem0", "text": as_json([]).decode()}).status_code == 422


@pytest.mark.django_db
def test_a_trusted_record_or_a_hold_comes_only_by_an_admin() -> None:
    line = json.dumps({"content": "x", "hold": "Case"})
    told = Api(ann()).post("import", {"text": line}).json()
    assert told["error_count"] == 1 and "admin" in told["rows"][0]["message"]
    assert Api(ann(), scopes=[*ALL, "admin"]).post("import", {"text": line}).json()["imported"] == 1


def test_the_files_of_these_tests_are_sound() -> None:
    assert all(document(name, *file).rows for name, file in FILES.items())
