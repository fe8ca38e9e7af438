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


class _Plain(yaml.BaseLoader):
    """Texts, lists and mappings, without anchors, aliases, tags and names given twice."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """A node that stands for itself. Raises Unreadable."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise Unreadable(phrase("its front matter uses anchors or tags, which are not read here"))
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise Unreadable(phrase("its front matter is nested deeper than %(most)s levels", most=DEPTH_LIMIT))
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """A mapping of texts. Raises Unreadable."""
        names = [key.value for key, _ in node.value]
        if any(not isinstance(name, str) for name in names):
            raise Unreadable(phrase("its front matter has a name that is no text"))
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise Unreadable(phrase("its front matter names %(name)s twice", name=repr(twice[:50])))
        return super().construct_mapping(node, deep=True)


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
        found = _Plain(head).get_single_data()
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
