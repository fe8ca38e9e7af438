"""Markdown notes with front matter, one memory a note: Basic Memory, Obsidian, or any folder of .md files.

Of the front matter `title`, `type`, `tags`, `permalink`, `created`, `modified` and `date` are known; everything else is
kept in the metadata. `- relation [[Other note]]` becomes a link where the other note is in the same archive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from console.formats.archive import File
from console.formats.front_matter import parted
from console.formats.rows import Row, path, tie, without_nothing
from console.formats.strict import Unreadable, text_of
from console.saying import phrase

SOURCE = "markdown"
RELATION = re.compile(r"^[ \t]*[-*][ \t](?P<kind>[^\[\]\n]*)\[\[(?P<target>[^\[\]\n|#]{1,200})", re.MULTILINE)
KIND_LIMIT = 100  # characters; longer, it is a sentence
KNOWN = ("title", "type", "tags", "permalink", "created", "modified", "updated", "date")
LINKS_MOST = 200  # of one note
KEY_LIMIT = 200  # characters of a source id


@dataclass(frozen=True, slots=True)
class Note:
    """One file, read."""

    where: str
    title: str
    about: dict[str, Any]
    body: str

    @property
    def key(self) -> str:
        """What it is called for good: its permalink, else its place."""
        said = self.about.get("permalink")
        return (said if isinstance(said, str) and said.strip() else self.where)[-KEY_LIMIT:].strip()

    @property
    def names(self) -> set[str]:
        """What a link to it may call it."""
        stem = self.where.rsplit(".", 1)[0]
        return {name.casefold() for name in (self.title, stem, PurePosixPath(stem).name, self.key)}


def read(files: Sequence[File]) -> Iterator[Row]:
    """A row for each note."""
    found: list[Note | Row] = [_note(file) for file in files]
    by_name: dict[str, Note] = {}
    for note in found:
        if isinstance(note, Note):
            for name in note.names:
                by_name.setdefault(name, note)
    for note in found:
        yield note if isinstance(note, Row) else _row(note, by_name)


def _note(file: File) -> Note | Row:
    try:
        about, body = parted(text_of(file.data))
    except Unreadable as fault:
        return Row(file.name, None, phrase("The note cannot be read: %(why)s.", why=fault.why))
    title = about.get("title")
    stem = PurePosixPath(file.name).name.rsplit(".", 1)[0]
    return Note(file.name, title if isinstance(title, str) and title.strip() else stem, about, body.strip())


def _row(note: Note, by_name: dict[str, Note]) -> Row:
    about = note.about
    created, modified = _time(about, "created", "date"), _time(about, "modified", "updated")
    kind = about.get("type")
    rest = {name: value for name, value in about.items() if name not in KNOWN}
    folders = PurePosixPath(note.where).parts[:-1]
    values = without_nothing(
        path=path("notes", *folders),
        metadata={
            "title": note.title,
            **without_nothing(tags=_tags(about.get("tags")), note_type=kind if isinstance(kind, str) else ""),
            **({"front_matter": rest} if rest else {}),
        },
        created_at=created,
        updated_at=modified or created,
        links=list(_links(note, by_name)),
    )
    identity = {"source": SOURCE, "source_id": note.key, "id": tie(SOURCE, note.key)}
    return Row(note.where, {"content": note.body or note.title, "memory_type": "semantic", **identity, **values})


def _tags(value: Any) -> list[str]:
    """A list of words, or words parted by commas."""
    found = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    tags = [tag.strip().lstrip("#") for tag in found if isinstance(tag, str)]
    return list(dict.fromkeys(tag for tag in tags if tag))


def _time(about: dict[str, Any], *names: str) -> str | None:
    """The first of these that is a time. What is none stays in no way: a note is not refused for its date."""
    for name in names:
        try:
            return datetime.fromisoformat(str(about[name]).strip()).isoformat()
        except (KeyError, ValueError):
            continue
    return None


def _links(note: Note, by_name: dict[str, Note]) -> Iterator[dict[str, str]]:
    seen = {note.key}
    for match in RELATION.finditer(note.body):
        other, kind = by_name.get(match["target"].strip().casefold()), match["kind"].strip()
        if other is None or len(kind) > KIND_LIMIT:
            continue
        if other.key not in seen and len(seen) <= LINKS_MOST:
            seen.add(other.key)
            quote = f"{kind} {other.title}".strip()
            yield {"target": tie(SOURCE, other.key), "kind": "relates_to", "quote": quote}
