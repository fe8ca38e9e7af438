"""Claude: a list or a text copied out of its memory, or memories.json of an account's export.

The export holds `conversations_memory`, one text in Markdown, and `project_memories`, such a text for each project.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from console.formats.archive import File
from console.formats.lists import read_list, row_of, said_in
from console.formats.rows import Row, placed
from console.formats.strict import Unreadable, text_of, value_of
from console.saying import phrase

SOURCE = "claude"
WHOLE, PROJECTS = "conversations_memory", "project_memories"


def read(files: Sequence[File]) -> Iterator[Row]:
    """A row for each bullet, and for each paragraph without bullets."""
    for file in files:
        before = file.name if len(files) > 1 else ""
        accounts = _accounts(file)
        if accounts is None:
            yield from read_list(file, SOURCE, before=before, lines_alone=False)
        for account in accounts or ():
            yield from _of_account(account, before)


def _accounts(file: File) -> list[dict[str, Any]] | None:
    """The accounts of an export; None where this is none."""
    try:
        value = value_of(text_of(file.data))
    except Unreadable:
        return None
    found = value if isinstance(value, list) else [value]
    return found if found and all(isinstance(one, dict) and {WHOLE, PROJECTS} & one.keys() for one in found) else None


def _of_account(account: dict[str, Any], before: str) -> Iterator[Row]:
    yield from _of_text(account.get(WHOLE) or "", placed(before, phrase("memory")), "")
    projects = account.get(PROJECTS) or {}
    if not isinstance(projects, dict):
        yield Row(placed(before, PROJECTS), None, phrase("It is no JSON object."))
        return
    for project, text in projects.items():
        yield from _of_text(text, placed(before, phrase("project %(name)s", name=project[:50])), project)


def _of_text(text: Any, where: str, project: str) -> Iterator[Row]:
    if not isinstance(text, str):
        yield Row(where, None, phrase("It is no text."))
        return
    about = {"project": project} if project else {}
    for one in said_in(text.replace("\r\n", "\n"), lines_alone=False):
        yield row_of(placed(where, phrase("line %(number)s", number=one.line)), one, SOURCE, **about)
