"""What a small file may cost: no line, name or heading of it takes the console away from everybody else."""

from __future__ import annotations

import json
import zipfile
from time import process_time

import pytest

from console.errors import Invalid
from console.formats import document
from tests.console.foreign import zipped

SECONDS = 8  # of the processor; each of these took minutes, or more than the machine had
MANY = 400_000

COSTLY: dict[str, tuple[str, str, str]] = {
    "a bullet of spaces": ("markdown", "a.md", "- " + " " * MANY),
    "a bullet of tabs with a link": ("markdown", "a.md", "-" + "\t" * MANY + "[[a"),
    "a heading that goes on": ("chatgpt", "a.txt", "# a" + "# " * MANY + "x\n\n- y"),
    "a heading of marks": ("claude", "a.txt", "#" + " #" * MANY + "\n\n- y"),
    "one paragraph of short lines": ("claude", "a.txt", "ab\n" * 4 * MANY),
    "a bullet that goes on": ("claude", "a.txt", "- ab\n" + "ab\n" * 4 * MANY),
}


@pytest.mark.parametrize("name", COSTLY)
def test_no_line_of_a_file_takes_long(name: str) -> None:
    format_name, file_name, text = COSTLY[name]
    before = process_time()
    assert document(format_name, file_name, text.encode()).rows
    assert process_time() - before < SECONDS


def test_many_notes_with_much_front_matter_take_no_longer_than_their_size() -> None:
    head = "\n".join(f"{number:x}: " for number in range(4_500))
    before = process_time()
    found = document("markdown", "a.zip", zipped({f"{n}.md": f"---\n{head}\n---\nx" for n in range(50)}))
    assert all(row.values for row in found.rows) and process_time() - before < SECONDS


LONG = "n" * 2_000_000
REPEATED = {
    "the name of an entity": (
        "mcp-memory",
        json.dumps({"type": "entity", "name": LONG, "observations": [str(n) for n in range(9_000)]}),
    ),
    "a heading": ("chatgpt", f"# {LONG}\n" + "\n".join(f"- fact {n}" for n in range(9_000))),
    "the name of a project": (
        "claude",
        json.dumps({"project_memories": {LONG: "\n".join(f"- fact {n}" for n in range(9_000))}}),
    ),
}


@pytest.mark.parametrize("name", REPEATED)
def test_what_stands_at_the_head_of_many_rows_counts_in_each(name: str) -> None:
    format_name, text = REPEATED[name]
    with pytest.raises(Invalid, match="more than 64,000,000 characters"):
        document(format_name, "a.json" if text.startswith("{") else "a.txt", text.encode())


def test_titles_that_are_quoted_by_many_links_count_in_each() -> None:
    named = {f"{n}.md": f"---\ntitle: {n}{'t' * 30_000}\n---\nx" for n in range(200)}
    quoting = {f"to {n}.md": "\n".join(f"- see [[{one}]]" for one in range(200)) for n in range(30)}
    with pytest.raises(Invalid, match="more than 64,000,000 characters"):
        document("markdown", "a.zip", zipped(named | quoting, zipfile.ZIP_STORED))


def test_a_sentence_before_a_link_is_no_kind_and_a_heading_keeps_its_words() -> None:
    notes = zipped({"a.md": f"- {'w' * 101} [[b]]\n- near [[b]]\n", "b.md": "x"})
    first, _ = document("markdown", "a.zip", notes).rows
    assert first.values is not None and [one["quote"] for one in first.values["links"]] == ["near b"]
    for head, said in (("# Tea #", "Tea"), ("## Tea ## x", "Tea ## x"), ("**Tea:**", "Tea")):
        [row] = document("chatgpt", "a.txt", f"{head}\n\n- green\n".encode()).rows
        assert row.values is not None and row.values["metadata"] == {"section": said}
