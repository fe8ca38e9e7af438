"""The lines between two `---` at the beginning of a Markdown file: names with texts, lists and small objects.

YAML is more than notes use. Here every scalar is the text that was written, and nothing refers to anything else, so
there are no types to guess and nothing that unfolds.
"""

from __future__ import annotations

from typing import Any

import yaml

from console.formats.strict import DEPTH_LIMIT, Unreadable, unfit
from console.saying import phrase

LENGTH_MOST = 32_000  # characters
FENCE = "---"
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # the parser in C is twenty times as fast
CLOSES = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
NOTHING_SAID = (yaml.StreamStartEvent, yaml.StreamEndEvent, yaml.DocumentStartEvent, yaml.DocumentEndEvent)


def parted(text: str) -> tuple[dict[str, Any], str]:
    """The front matter and the rest of a note. Raises Unreadable."""
    if not text.startswith(FENCE + "\n"):
        return {}, text
    head, fence, body = text[len(FENCE) :].partition(f"\n{FENCE}\n")
    if not fence:
        if not head.endswith(f"\n{FENCE}"):
            return {}, text  # a rule at the top of a text, and no front matter
        head, body = head.removesuffix(f"\n{FENCE}"), ""
    return _read(head), body.lstrip("\n")


def _read(head: str) -> dict[str, Any]:
    if len(head) > LENGTH_MOST:
        raise Unreadable(phrase("its front matter is longer than %(most)s characters", most=f"{LENGTH_MOST:,}"))
    try:
        found = _value(head)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        if mark:
            why = phrase("its front matter is not YAML (line %(number)s)", number=mark.line + 1)
            raise Unreadable(why) from None
        raise Unreadable(phrase("its front matter is not YAML")) from None
    except (RecursionError, ValueError):
        raise Unreadable(phrase("its front matter is not YAML")) from None
    if found in (None, ""):
        return {}
    if not isinstance(found, dict):
        raise Unreadable(phrase("its front matter names nothing"))
    if fault := unfit(found, 0):
        raise Unreadable(fault)
    return found


def _value(head: str) -> Any:
    """The one value: texts, lists and mappings. Raises Unreadable, ValueError, and what the parser raises."""
    opened: list[_Opened] = [_Opened([])]
    for event in yaml.parse(head, Loader=LOADER):
        if isinstance(event, CLOSES):
            inner = opened.pop().inside
            opened[-1].add(inner)
        elif not isinstance(event, NOTHING_SAID):
            _check_plain(event)
            if isinstance(event, yaml.ScalarEvent):
                opened[-1].add(event.value)
            else:
                opened.append(_Opened({} if isinstance(event, yaml.MappingStartEvent) else []))
            if len(opened) > DEPTH_LIMIT + 1:
                raise Unreadable(phrase("its front matter is nested deeper than %(most)s levels", most=DEPTH_LIMIT))
    values = opened[0].inside
    if len(values) > 1:
        raise ValueError("more than one document")
    return values[0] if values else None


def _check_plain(event: Any) -> None:
    """Raises Unreadable for what refers to something else, or says what it is to be taken for."""
    if isinstance(event, yaml.AliasEvent) or event.anchor or event.tag:
        raise Unreadable(phrase("its front matter uses anchors or tags, which are not read here"))


class _Opened:
    """A list or a mapping that is being read."""

    def __init__(self, inside: Any) -> None:
        self.inside = inside
        self.name: str | None = None  # in a mapping: whose value comes next

    def add(self, value: Any) -> None:
        """An item, a name or its value. Raises Unreadable."""
        if isinstance(self.inside, list):
            self.inside.append(value)
        elif self.name is not None:
            self.inside[self.name], self.name = value, None
        elif not isinstance(value, str):
            raise Unreadable(phrase("its front matter has a name that is no text"))
        elif value in self.inside:
            raise Unreadable(phrase("its front matter names %(name)s twice", name=repr(value[:50])))
        else:
            self.name = value
