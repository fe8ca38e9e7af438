"""One thing that a file holds: as a line that an import takes, or with what is wrong about it."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

from console.saying import joined

SPACE = UUID("6f2c1f0e-52d0-5e0c-9d3c-0f6b5a0f4b55")  # of ids that only tie rows of one file together
PART_LIMIT, PATH_LIMIT = 100, 500  # characters
LOOKED_AT = 10 * PART_LIMIT  # characters of a text that is to become a part of a path


@dataclass(frozen=True, slots=True)
class Row:
    """`where` is its place for a reader: “line 3”, “notes/tea.md”. Without `values` it is left out; `why` says so."""

    where: str
    values: dict[str, Any] | None
    why: str = ""


def placed(*places: str) -> str:
    """A place inside of another, the outer ones first: “tea.md, line 3”."""
    return joined([place for place in places if place], ", ")


def key_of(source: str, *parts: str) -> str:
    """The source id of something that has none of its own: the same text, the same id."""
    return hashlib.sha256("\0".join([source, *parts]).encode()).hexdigest()[:32]


def tie(source: str, source_id: str) -> str:
    """An id by which rows of one file may refer to each other."""
    return str(uuid5(SPACE, f"{source}\0{source_id}"))


def part(text: str) -> str:
    """`text` as one part of a path: no slash, no control character, no step upwards."""
    plain = "".join("-" if letter in "/\\" else letter for letter in unicodedata.normalize("NFC", text[:LOOKED_AT]))
    shown = "".join(letter for letter in plain if unicodedata.category(letter) not in ("Cc", "Cs", "Cn"))
    found = " ".join(shown.split())[:PART_LIMIT].strip()
    return "-" if found in ("", ".", "..") else found


def path(*parts: str) -> str:
    """Parts as a path, the last ones cut off where it would be too long."""
    found = ""
    for one in parts:
        longer = f"{found}/{part(one)}" if found else part(one)
        if len(longer) > PATH_LIMIT:
            break
        found = longer
    return found


def without_nothing(**values: Any) -> dict[str, Any]:
    """Only what says something."""
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}
