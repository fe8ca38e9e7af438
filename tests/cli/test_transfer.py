"""memory-console export and import."""

from __future__ import annotations

import io
import json
import signal
import zipfile
from pathlib import Path
from typing import Any

from memories.models import Memory, Todo, User
from memories.services import todos
from tests.cli.shell import Shell
from tests.cli.stub import Canned, answering
from tests.memories import factories

VALID = Canned(body={"agent_boundary": {"owner": "ann"}})
DOWN = Canned(503, {"detail": {"code": "unavailable", "message": "Later."}})


def page(lines: str, following: str | None) -> Canned:
    return Canned(body={"jsonl": lines, "count": lines.count("\n"), "next_cursor": following})


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.is_file()}


def test_what_goes_out_comes_in_again_as_somebody_elses(shell: Shell, who: User, server: str) -> None:
    texts = {f"Memory {number} 🦓\n“two”" for number in range(7)}
    for text in texts:
        factories.memory(who, text, path="a/b")
    told = shell("export", "all.jsonl", "--page", "3", "--json")
    file = shell.home / "all.jsonl"
    assert (told.code, told.json) == (
        0,
        {"file": "all.jsonl", "count": 7, "bytes": file.stat().st_size, "left_out": []},
    )
    assert file.stat().st_mode & 0o777 == 0o600 and left(shell.home) == {"all.jsonl"}
    assert shell("export", "-").out == file.read_text()
    other = factories.user(f"{who.username}-other")
    theirs = Shell(shell.home, url=server, token=factories.token(other)[1])
    assert theirs("import", "all.jsonl", "--dry-run").out == "Would be stored: 7 imported, 0 known, 0 links left.\n"
    assert not Memory.objects.filter(owner=other).exists()
    assert theirs("import", "-", stdin=file.read_bytes()).code == 0
    assert {memory.content for memory in Memory.objects.filter(owner=other)} == texts
    assert "0 imported, 7 known" in theirs("import", "all.jsonl").out


def test_everything_goes_out_with_all_and_what_the_token_may_not_read_is_named(
    shell: Shell, who: User, server: str
) -> None:
    factories.memory(who, "The kettle broke.", path="a")
    factories.memory(who, "Tea at four.", path="a")
    todos.add(content="Buy a kettle.", actor=factories.actor(who))
    reader = Shell(shell.home, url=server, token=factories.token(who, scopes=["memory:read"])[1])
    told = reader("export", "all.jsonl", "--all", "--json").json
    assert (told["count"], told["left_out"]) == (3, ["ledger"])
    assert "Buy a kettle." in (shell.home / "all.jsonl").read_text()
    other = factories.user(f"{who.username}-all")
    theirs = Shell(shell.home, url=server, token=factories.token(other)[1])
    assert theirs("import", "all.jsonl", "--format", "memory-console").code == 0
    assert Todo.objects.filter(owner=other, content="Buy a kettle.").exists()


def test_a_file_is_not_replaced_unasked(shell: Shell, who: User) -> None:
    (shell.home / "all.jsonl").write_text("mine")
    assert shell("export", "all.jsonl").code == 2 and (shell.home / "all.jsonl").read_text() == "mine"
    assert shell("export", "all.jsonl", "--force").code == 0 and (shell.home / "all.jsonl").read_text() == ""
    assert shell("export", "nowhere/all.jsonl").code == 2
    assert shell("export", "-", "--json").code == 2


def test_an_export_that_broke_off_goes_on_where_it_was(shell: Shell) -> None:
    with answering(VALID, page("1\n2\n", "two"), DOWN, DOWN) as stub:
        broken = shell("export", "x", "--url", stub.url, "--bucket", "work")
        assert broken.code == 4 and "2 records are in x.part" in broken.err and "--resume" in broken.err
        assert left(shell.home) == {"x.part", "x.part.json"}
        with (shell.home / "x.part").open("a") as file:
            file.write("cut off in the mid")  # as where the machine stopped while writing
        stub.answers[:] = [VALID, page("3\n", None)]
        other = shell("export", "x", "--url", stub.url, "--resume")
        assert other.code == 2 and "other filters" in other.err
        stub.answers[:] = [VALID, page("3\n", None)]
        told = shell("export", "x", "--url", stub.url, "--bucket", "work", "--resume", "--json")
    assert (told.code, told.json["count"]) == (0, 3)
    assert (shell.home / "x").read_text() == "1\n2\n3\n" and left(shell.home) == {"x"}
    assert stub.asked[-1][2]["cursor"] == "two" and stub.asked[-1][2]["bucket"] == "work"
    assert shell("export", "y", "--resume").code == 2


def test_anothers_memories_are_not_added_to_a_file(shell: Shell) -> None:
    bob = Canned(body={"agent_boundary": {"owner": "bob"}})
    with answering(VALID, page("1\n", "one"), DOWN) as stub:
        assert shell("export", "x", "--url", stub.url).code == 4
        stub.answers[:] = [bob, page("2\n", None)]
        assert shell("export", "x", "--url", stub.url, "--resume").code == 2
    assert (shell.home / "x.part").read_text() == "1\n"


def test_an_interrupted_export_leaves_no_half_file(shell: Shell) -> None:
    slow = Canned(429, {"detail": "Wait."}, {"Retry-After": "50"})
    with answering(VALID, page("1\n", "one"), slow) as stub:
        begun = shell.begun("export", "x", "--url", stub.url, "--retry")
        assert begun.stdout and begun.stderr
        while len(stub.asked) < 3:
            assert begun.poll() is None
        begun.send_signal(signal.SIGINT)
        _, said = begun.communicate(timeout=30)
    assert begun.returncode == 130 and b"--resume" in said and b"Traceback" not in said
    assert left(shell.home) == {"x.part", "x.part.json"}


def test_wrong_lines_are_named_by_their_number_in_the_file(shell: Shell, who: User) -> None:
    good = json.dumps({"content": "Tea.", "path": "a"}).encode()
    data = b"\n".join(
        [b"\xef\xbb\xbf" + good, b"", b"nonsense", b"\xff", b"a\0b", b'{"content": 1}', good.replace(b"Tea", b"Milk")]
    )
    told = shell("import", "-", "--json", stdin=data)
    assert told.code == 1 and (told.json["imported"], told.json["error_count"]) == (2, 4)
    assert [one["line"] for one in told.json["errors"]] == [3, 4, 5, 6]
    assert set(Memory.objects.filter(owner=who).values_list("content", flat=True)) == {"Tea.", "Milk."}
    assert "Line 4: The line cannot be sent: it is not UTF-8." in told.err


def imports(stub_asked: list[Any]) -> list[list[str]]:
    return [body["jsonl"].splitlines() for _, _, body, _ in stub_asked]


def test_a_long_file_goes_in_parts_that_fit_and_keeps_its_numbers(shell: Shell) -> None:
    lines = [json.dumps({"content": f"{number}" + "ü" * 150_000}, ensure_ascii=False) for number in range(7)]
    lines.insert(3, "x" * 900_000)
    (shell.home / "big").write_text("\n".join(lines))
    wrong = {"imported": 1, "errors": [{"line": 2, "message": "no\x1b[2J"}], "error_count": 1, "next_cursor": None}
    with answering(Canned(body=wrong)) as stub:
        told = shell("import", "big", "--url", stub.url, "--bucket", "home", "--skip", "1")
    parts = imports(stub.asked)
    assert [len(part) for part in parts] == [3, 2, 2] and parts[0][2] == ""  # the longest line stays here
    assert all(int(headers["Content-Length"]) < 1_000_000 for *_, headers in stub.asked)
    assert {body["bucket"] for _, _, body, _ in stub.asked} == {"home"}
    assert told.code == 1 and [line.split(":")[0] for line in told.err.splitlines()] == [
        "Line 3",
        "Line 4",
        "Line 6",
        "Line 8",
    ]
    assert "Line 3: no<U+001B>[2J" in told.err and "too long for one request" in told.err


def test_an_import_that_broke_off_says_where_to_go_on(shell: Shell) -> None:
    (shell.home / "big").write_text("".join(f'{{"content": "{"x" * 500_000}"}}\n' for _ in range(3)))
    stored = Canned(body={"imported": 1, "errors": [], "error_count": 0})
    with answering(stored, stored, DOWN) as stub:
        told = shell("import", "big", "--url", stub.url)
    assert told.code == 4 and "Stored up to line 2." in told.err and "--skip 2" in told.err


def test_a_file_that_is_not_there_is_said_so(shell: Shell) -> None:
    assert shell("import", "nothing").code == 2


def test_what_other_programs_keep_is_imported_by_its_format(shell: Shell, who: User) -> None:
    kept = json.dumps({"results": [{"id": "1", "memory": "Tea in the morning."}, {"id": "2", "memory": 7}]})
    told = shell("import", "-", "--format", "mem0", "--dry-run", "--json", stdin=kept)
    assert told.code == 1 and (told.json["imported"], told.json["error_count"]) == (1, 1)
    assert not Memory.objects.filter(owner=who).exists()
    assert shell("import", "-", "--format", "mem0", stdin=kept).code == 1
    assert Memory.objects.get(owner=who).content == "Tea in the morning."
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("notes/tea.md", "---\ntitle: Tea\n---\nGreen tea in the tin.\n")
    (shell.home / "notes.zip").write_bytes(packed.getvalue())
    assert shell("import", "notes.zip", "--format", "markdown").code == 0
    assert Memory.objects.filter(owner=who).count() == 2


def test_a_format_that_is_none_and_a_file_that_is_too_long_are_refused(shell: Shell) -> None:
    assert shell("import", "-", "--format", "nothing", stdin="x").code == 1
    assert shell("import", "-", "--format", "mem0", stdin="x" * 700_000).code == 2
    assert shell("import", "-", "--format", "mem0", stdin=b"\xff").code == 2
