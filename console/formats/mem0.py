"""mem0: the JSON that `get_all` answers, of the platform and of the open source library, whole or page by page.

A memory is an object with `memory` (its text) and `id`; beside them may stand user_id, agent_id, app_id, run_id, hash,
metadata, categories, created_at, updated_at and expiration_date. They come as a list, or under `results` or `memories`;
relations of its graph (source, relationship, target or destination) under `relations`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from console.formats.archive import File
from console.formats.rows import Row, key_of, path, placed, without_nothing
from console.formats.strict import Unreadable, text_of, value_of
from console.saying import phrase

SOURCE = "mem0"
KEPT = ("user_id", "app_id", "run_id", "actor_id", "role", "categories", "hash")


def read(files: Sequence[File]) -> Iterator[Row]:
    """A row for each memory and each relation."""
    for file in files:
        before = file.name if len(files) > 1 else ""
        try:
            for page, value in _pages(text_of(file.data)):
                yield from _rows(value, placed(before, page))
        except Unreadable as fault:
            yield Row(file.name, None, phrase("The file cannot be read: %(why)s.", why=fault.why))


def _pages(text: str) -> Iterator[tuple[str, Any]]:
    """The one value of the file; or, where each line is one, those."""
    try:
        yield "", value_of(text)
        return
    except Unreadable:
        if "\n" not in text.strip():
            raise
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    yield from [(phrase("line %(number)s", number=number), value_of(line)) for number, line in lines]


def _rows(value: Any, before: str) -> Iterator[Row]:
    if isinstance(value, dict) and "memory" in value:
        value = [value]
    lists = {"": value} if isinstance(value, list) else value if isinstance(value, dict) else {}
    found = next((lists[name] for name in ("", "results", "memories") if isinstance(lists.get(name), list)), None)
    if found is None:
        yield Row(
            placed(before, phrase("the file")),
            None,
            phrase("It holds no list of memories. Save what get_all answers, as JSON."),
        )
        return
    for number, one in enumerate(found, 1):
        yield _memory(placed(before, phrase("memory %(number)s", number=number)), one)
    relations = lists.get("relations")
    for number, one in enumerate(relations if isinstance(relations, list) else [], 1):
        yield _relation(placed(before, phrase("relation %(number)s", number=number)), one)


def _memory(where: str, one: Any) -> Row:
    if not isinstance(one, dict):
        return Row(where, None, phrase("It is no JSON object."))
    text, user = one.get("memory"), one.get("user_id")
    if not isinstance(text, str) or not text.strip():
        return Row(where, None, phrase("It has no text under “memory”."))
    about = one.get("metadata")
    about = dict(about) if isinstance(about, dict) else {}
    kept = without_nothing(**{name: one.get(name) for name in KEPT})
    key = one.get("id")
    values = without_nothing(
        path=path(SOURCE, user) if isinstance(user, str) and user.strip() else SOURCE,
        metadata={**about, **({"mem0": kept} if kept else {})},
        agent_id=one.get("agent_id"),
        session=one.get("run_id"),
        created_at=one.get("created_at"),
        updated_at=one.get("updated_at"),
        expires_at=one.get("expiration_date"),
        source_id=str(key) if isinstance(key, str | int) else key_of(SOURCE, str(user), text),
    )
    return Row(where, {"content": text, "source": SOURCE, **values})


def _relation(where: str, one: Any) -> Row:
    names = ("source", "relationship", ("target", "destination"))
    ends = [_first(one, name) for name in names] if isinstance(one, dict) else [None]
    if not all(isinstance(end, str) and end.strip() for end in ends):
        return Row(where, None, phrase("It does not name a source, a relationship and a target."))
    origin, kind, target = (str(end) for end in ends)
    return Row(
        where,
        {
            "content": f"{origin} {kind.replace('_', ' ')} {target}",
            "memory_type": "semantic",
            "path": path(SOURCE, "graph"),
            "metadata": {"from": origin, "relation": kind, "to": target},
            "source": SOURCE,
            "source_id": key_of(SOURCE, "relation", origin, kind, target),
        },
    )


def _first(one: dict[str, Any], names: str | tuple[str, ...]) -> Any:
    return next((one[name] for name in ((names,) if isinstance(names, str) else names) if name in one), None)
