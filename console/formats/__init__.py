"""What other programs keep of a person, read as the lines that an import takes: see docs/importing.md.

Readers are pure: bytes in, rows out. Nothing is written before a whole file was read, and every row that cannot be
taken is named with its place and the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from console.errors import Invalid
from console.formats import claude, graph, lists, mem0, native, notes
from console.formats.archive import File, is_archive, opened
from console.formats.rows import Row
from console.saying import phrase

ROWS_MOST = 10_000  # of one import through a page or the API
LETTERS_MOST = 64_000_000  # in all rows of one import: a name at the head of many rows counts in each
LETTERS_A_ROW = 1_000  # for whoever may import more rows


@dataclass(frozen=True, slots=True)
class Format:
    """One format: what it is called, which files of an archive it is in, and how they are read."""

    label: str
    endings: tuple[str, ...]
    read: Callable[[Sequence[File]], Iterable[Row]]
    keeps_ids: bool = False  # whether ids of the file may be ids here


FORMATS: dict[str, Format] = {
    "memory-console": Format(phrase("Memory Console (JSON Lines)"), (".jsonl", ".ndjson"), native.read, keeps_ids=True),
    "mem0": Format(phrase("mem0 (JSON of get_all)"), (".json", ".jsonl"), mem0.read),
    "mcp-memory": Format(phrase("MCP memory server (knowledge graph, JSON Lines)"), (".jsonl", ".json"), graph.read),
    "markdown": Format(
        phrase("Markdown notes, such as Basic Memory (.md or a zip of them)"), (".md", ".markdown"), notes.read
    ),
    "chatgpt": Format(phrase("ChatGPT memories (text or JSON)"), (".txt", ".md", ".json"), lists.read_chatgpt),
    "claude": Format(
        phrase("Claude memories (text, Markdown or memories.json)"), (".txt", ".md", "memories.json"), claude.read
    ),
}


@dataclass(frozen=True, slots=True)
class Document:
    """The rows of an upload, numbered from 1, and the members of an archive that this format does not read."""

    rows: tuple[Row, ...]
    passed_over: tuple[str, ...]


def document(format_name: str, name: str, data: bytes, *, rows_most: int = ROWS_MOST) -> Document:
    """All rows of one file or of an archive of files. Raises Invalid, before anything else happens, for what is
    larger, deeper or stranger than an import takes.
    """
    form = FORMATS[format_name]
    if not data.strip():
        raise Invalid.field("file", phrase("The file is empty. Choose another."))
    if not is_archive(data):
        return Document(_few(form.read([File(name, data)]), rows_most), ())
    files, others = opened(data, form.endings)
    if not files:
        raise Invalid.field(
            "file",
            phrase("The archive holds no %(names)s. Choose another format or file.", names=" or ".join(form.endings)),
        )
    return Document(_few(form.read(files), rows_most), tuple(others))


def _few(rows: Iterable[Row], most: int) -> tuple[Row, ...]:
    found: list[Row] = []
    letters, letters_most = 0, max(LETTERS_MOST, most * LETTERS_A_ROW)
    for row in rows:
        found.append(row)
        letters += len(row.where) + _letters(row.values)
        if letters > letters_most:
            raise Invalid.field(
                "file",
                phrase("Its rows come to more than %(most)s characters. Part the file.", most=f"{letters_most:,}"),
            )
        if len(found) > most:
            raise Invalid.field(
                "file",
                phrase(
                    "These are more than %(most)s rows. Part the file, or use `manage.py import` on the server.",
                    most=f"{most:,}",
                ),
            )
    if not found:
        raise Invalid.field("file", phrase("There is nothing in it that could be remembered. Is it in this format?"))
    return tuple(found)


def _letters(value: Any) -> int:
    """How many characters stand in it, at any depth."""
    if isinstance(value, str):
        return len(value)
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(_letters(one) for one in inner)
