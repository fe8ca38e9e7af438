"""The memory file of the MCP reference memory server: one entity or relation a line.

`{"type": "entity", "name", "entityType", "observations": [text]}` and `{"type": "relation", "from", "to",
"relationType"}`. What the server itself passes over is named here. A graph as its tool `read_graph` answers it
(`{"entities": […], "relations": […]}`) is read too, and lines that add observations (`entityName`, `contents`).

Each observation becomes a memory, so that a graph that has grown adds only what is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from console.formats.archive import File
from console.formats.rows import Row, key_of, path, placed, tie
from console.formats.strict import Unreadable, text_of, value_of
from console.saying import phrase

SOURCE = "mcp-memory"
Item = tuple[str, str, Any]  # where it stands, its type, itself
LISTS = {"entities": "entity", "relations": "relation", "observations": "observation"}


def read(files: Sequence[File]) -> Iterator[Row]:
    """A row for each observation and each relation; an entity without observations is one itself."""
    for file in files:
        before = file.name if len(files) > 1 else ""
        try:
            items = list(_items(text_of(file.data), before))
        except Unreadable as fault:
            yield Row(file.name, None, phrase("The file cannot be read: %(why)s.", why=fault.why))
            continue
        yield from _of_graph(items)


def _items(text: str, before: str) -> Iterator[Item | Row]:
    """What stands on each line, or in the lists of a whole graph."""
    try:
        whole = value_of(text)
    except Unreadable:
        whole = None
    if isinstance(whole, dict) and "type" not in whole and any(isinstance(whole.get(name), list) for name in LISTS):
        for name, kind in LISTS.items():
            found = whole.get(name)
            for number, one in enumerate(found if isinstance(found, list) else [], 1):
                yield placed(before, _place(kind, number)), kind, one
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _item(placed(before, phrase("line %(number)s", number=number)), line)


def _place(kind: str, number: int) -> str:
    if kind == "entity":
        return phrase("entity %(number)s", number=number)
    if kind == "relation":
        return phrase("relation %(number)s", number=number)
    return phrase("observation %(number)s", number=number)


def _item(where: str, line: str) -> Item | Row:
    try:
        one = value_of(line)
    except Unreadable as fault:
        return Row(where, None, phrase("The line cannot be read: %(why)s.", why=fault.why))
    kind = one.get("type") if isinstance(one, dict) else None
    if kind not in LISTS.values():
        return Row(where, None, phrase("It is neither an entity nor a relation: its “type” says something else."))
    return where, str(kind), one


def _of_graph(items: Sequence[Item | Row]) -> Iterator[Row]:
    first: dict[str, str] = {}  # of an entity: the id that ties its first memory to relations
    said: set[str] = set()
    for item in items:
        if isinstance(item, Row):
            yield item
        elif item[1] == "relation":
            yield _relation(item[0], item[2], first, said)
        else:
            yield from _entity(*item, first, said)


def _entity(where: str, kind: str, one: Any, first: dict[str, str], said: set[str]) -> Iterator[Row]:
    name_in, list_in = ("name", "observations") if kind == "entity" else ("entityName", "contents")
    name = one.get(name_in) if isinstance(one, dict) else None
    if not isinstance(name, str) or not name.strip():
        yield Row(where, None, phrase("It has no text under “%(name)s”.", name=name_in))
        return
    found, entity_type = one.get(list_in, []), one.get("entityType", "")
    if not isinstance(found, list) or not isinstance(entity_type, str):
        yield Row(where, None, phrase("Its “%(name)s” are no list, or its type is no text.", name=list_in))
        return
    about = {"entity": name, **({"entity_type": entity_type} if entity_type else {})}
    if not found and kind == "entity":
        text = f"{name} ({entity_type})" if entity_type else name
        yield _once(where, text, about, ("entity", name), path(SOURCE, name), said, first)
    for number, observation in enumerate(found, 1):
        place = placed(where, _place("observation", number))
        if not isinstance(observation, str) or not observation.strip():
            yield Row(place, None, phrase("It is no text."))
            continue
        key = ("observation", name, observation)
        yield _once(place, f"{name}: {observation}", about, key, path(SOURCE, name), said, first)


def _once(
    where: str,
    text: str,
    about: dict[str, str],
    key: tuple[str, ...],
    place: str,
    said: set[str],
    first: dict[str, str],
) -> Row:
    source_id = key_of(SOURCE, *key)
    if "entity" in about:
        first.setdefault(about["entity"], tie(SOURCE, source_id))
    values = {"content": text, "memory_type": "semantic", "path": place, "metadata": about}
    ties = {} if source_id in said else {"id": tie(SOURCE, source_id)}  # said twice, it is known the second time
    said.add(source_id)
    return Row(where, {**values, "source": SOURCE, "source_id": source_id, **ties})


def _relation(where: str, one: Any, first: dict[str, str], said: set[str]) -> Row:
    ends = [one.get(name) if isinstance(one, dict) else None for name in ("from", "relationType", "to")]
    if not all(isinstance(end, str) and end.strip() for end in ends):
        return Row(where, None, phrase("It does not name “from”, “to” and “relationType”."))
    origin, kind, target = (str(end) for end in ends)
    about = {"from": origin, "relation": kind, "to": target}
    text = f"{origin} {kind.replace('_', ' ')} {target}"
    row = _once(where, text, about, ("relation", origin, kind, target), path(SOURCE, "relations"), said, first)
    if row.values is not None:
        links = dict.fromkeys(first[end] for end in (origin, target) if end in first)
        row.values["links"] = [{"target": end, "kind": "relates_to"} for end in links]
    return row
