"""What people copy out of an assistant's memory: a list in plain text or Markdown, or JSON.

Nothing is standardised here. Lines and bullets are memories; `[2026-03-01] - text`, the form in which assistants are
asked to write their memories down for moving, gives the date; headings give the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from console.formats.archive import File
from console.formats.rows import Row, key_of, path, placed, without_nothing
from console.formats.strict import Unreadable, text_of, value_of
from console.saying import phrase

BULLET = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+•‣▪–]|\d{1,4}[.)])[ \t]+(?P<text>\S.*)$")
HEADING = re.compile(r"^(?:#{1,6}[ \t]+(?P<hash>.+)|\*\*(?P<bold>[^*\n]{1,100}?):?\*\*:?)$")
DATED = re.compile(r"^\[(?P<date>[^\[\]]{4,40})\][ \t]*(?:[-–—:][ \t]*)?(?P<text>\S[\s\S]*)$")
FENCE = re.compile(r"^[ \t]*(?:```|~~~)")
UNKNOWN = {"unknown", "date unknown", "no date", "n/a", "undated"}
TEXTS = ("content", "memory", "text", "value")
TIMES = ("created_at", "created", "date", "timestamp", "updated_at")
LISTS = ("memories", "results", "items", "data")


@dataclass(frozen=True, slots=True)
class Said:
    """One memory of a list: the lines it began on, the heading above it, its text and its date."""

    line: int
    heading: str
    text: str
    at: str | None = None


def read_chatgpt(files: Sequence[File]) -> Iterator[Row]:
    """A row for each memory; in a text without bullets, for each line."""
    for file in files:
        yield from read_list(file, "chatgpt", before=file.name if len(files) > 1 else "", lines_alone=True)


def read_list(file: File, source: str, *, before: str, lines_alone: bool) -> Iterator[Row]:
    """The memories of one file, whichever of the forms it has."""
    try:
        text = text_of(file.data)
        if text.lstrip()[:1] in ("[", "{") and (value := _json(text, file.name)) is not None:
            yield from _of_json(value, source, before)
            return
    except Unreadable as fault:
        yield Row(file.name, None, phrase("The file cannot be read: %(why)s.", why=fault.why))
        return
    for one in said_in(text, lines_alone=lines_alone):
        yield row_of(placed(before, phrase("line %(number)s", number=one.line)), one, source)


def _json(text: str, name: str) -> Any:
    """The JSON value; None for a list of dated lines, which begins alike. Raises Unreadable."""
    try:
        return value_of(text)
    except Unreadable:
        if name.lower().endswith(".json") or not DATED.match(text.lstrip().split("\n", 1)[0]):
            raise
        return None


def _of_json(value: Any, source: str, before: str) -> Iterator[Row]:
    found = (
        next((value[name] for name in LISTS if isinstance(value.get(name), list)), None)
        if isinstance(value, dict)
        else value
    )
    if not isinstance(found, list):
        yield Row(placed(before, phrase("the file")), None, phrase("It holds no list of memories."))
        return
    for number, one in enumerate(found, 1):
        where = placed(before, phrase("memory %(number)s", number=number))
        text = one if isinstance(one, str) else _first(one, TEXTS)
        if not isinstance(text, str) or not text.strip():
            yield Row(where, None, phrase("It has no text."))
            continue
        at = time_of(_first(one, TIMES))
        key = one.get("id") if isinstance(one, dict) else None
        row = row_of(where, Said(0, "", text.strip(), at), source)
        if isinstance(key, str) and 0 < len(key.strip()) <= 200 and row.values:
            row.values["source_id"] = key.strip()
        yield row


def _first(one: Any, names: Sequence[str]) -> Any:
    return next((one[name] for name in names if one.get(name)), None) if isinstance(one, dict) else None


def row_of(where: str, one: Said, source: str, **about: str) -> Row:
    """A memory; the same words are the same memory, whenever the list was copied."""
    values = without_nothing(
        path=path(source, one.heading) if one.heading else source,
        metadata=without_nothing(section=one.heading, **about),
        created_at=one.at,
    )
    same = " ".join(one.text.split())
    return Row(where, {"content": one.text, "source": source, "source_id": key_of(source, same), **values})


def time_of(value: Any) -> str | None:
    """A date as it is written in such lists, or seconds since 1970; None for what is none."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e11:
        return datetime.fromtimestamp(value, UTC).isoformat()
    text = value.strip() if isinstance(value, str) else ""
    for form in ("", "%Y-%m", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%Y/%m/%d"):
        try:
            found = datetime.strptime(text, form).replace(tzinfo=UTC) if form else datetime.fromisoformat(text)
        except ValueError:
            continue
        return found.isoformat()
    return None


def said_in(text: str, *, lines_alone: bool) -> Iterator[Said]:
    """The memories of a text: bullets with what continues them; elsewhere each line, or each paragraph."""
    heading = ""
    for block in _blocks(_fenced(text)):
        number, first = block[0]
        if title := _title(first):
            heading, block = title, block[1:]
        bulleted = any(BULLET.match(line) or DATED.match(line.strip()) for _, line in block)
        for number, words in _parts(block, bulleted or not lines_alone, bulleted):
            yield _said(number, heading, words)


def _title(line: str) -> str:
    """What the line says as a heading; empty where it is none."""
    found = HEADING.match(line.strip())
    if not found:
        return ""
    return (found["bold"] or found["hash"].rstrip(" \t#") or found["hash"]).strip()


def _fenced(text: str) -> str:
    """Where dated memories stand between fences, as they are asked for, what is said around the fences is none."""
    inside, dated, kept = False, False, []
    for line in text.split("\n"):
        fence = FENCE.match(line) is not None
        inside = inside != fence
        dated = dated or (inside and DATED.match(BULLET.sub(r"\g<text>", line).strip()) is not None)
        kept.append(line if inside and not fence else "")
    return "\n".join(kept) if dated else text


def _said(number: int, heading: str, words: str) -> Said:
    dated = DATED.match(words)
    at = time_of(dated["date"]) if dated else None
    if dated and (at or dated["date"].strip().casefold() in UNKNOWN):
        words = dated["text"]
    return Said(number, heading, words.strip(), at)


Block = list[tuple[int, str]]


def _blocks(text: str) -> Iterator[Block]:
    """Lines that stand together, with their numbers; fences, rules and empty lines part them."""
    block: Block = []
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line) or not any(letter.isalnum() for letter in line):
            if block:
                yield block
            block = []
        else:
            block.append((number, line))
    if block:
        yield block


def _parts(block: Block, joined: bool, bulleted: bool) -> Iterator[tuple[int, str]]:
    """The memories of a block: a line that begins none goes on with the one before, where lines are `joined`."""
    begun, lines = 0, list[str]()
    for number, line in block:
        bullet = BULLET.match(line)
        begins = not joined or (bulleted and (bullet or DATED.match(line.strip())))
        if begins and lines:
            yield begun, "\n".join(lines)
            lines = []
        begun = begun if lines else number
        lines.append(bullet["text"].strip() if bullet and not lines else line.strip())
    if lines:
        yield begun, "\n".join(lines)
