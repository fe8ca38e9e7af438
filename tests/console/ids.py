"""Ids that a page shows to its reader, and whether each can be copied where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"input", "br", "hr", "img", "meta", "link", "use", "path", "rect", "line", "circle", "col", "source", "wbr"}
BLOCKS = {"main", "li", "dd", "dt", "td", "th", "p", "h1", "h2", "h3", "div", "section", "header", "caption", "summary"}
UNREAD = {"head", "script", "style", "template", "textarea", "option", "button", "pre", "title", "desc"}
SAMPLE = "mc_YOUR_TOKEN"  # stands where a key belongs
# A whole id, the end of one as lists show it, the beginning of a token's key, a digest.
SHOWN = re.compile(
    r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|…[0-9a-f]{6}\b|\bmc_[\w-]{6,}…?|\b(?:[0-9a-f]{64}|[0-9a-f]{12}…)"
)


@dataclass
class Block:
    """A part of a page that is read as one: its ids, and what its buttons copy."""

    ids: list[str] = field(default_factory=list)
    copied: list[str] = field(default_factory=list)


class Page(HTMLParser):
    """The blocks of a page, each without those inside it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.blocks, self.open = [Block()], [("", 0, False)]
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        _, block, unread = self.open[-1]
        if given.get("data-copy"):
            self.blocks[block].copied.append(given["data-copy"] or "")
        if tag in VOID:
            return
        if tag in BLOCKS:
            self.blocks.append(Block())
            block = len(self.blocks) - 1
        hidden = "hidden" in (given.get("class") or "").split() or "hidden" in given
        self.open.append((tag, block, unread or hidden or tag in UNREAD))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Nothing is inside."""

    def handle_endtag(self, tag: str) -> None:
        while len(self.open) > 1 and tag not in VOID:
            if self.open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        _, block, unread = self.open[-1]
        if not unread:
            self.blocks[block].ids += SHOWN.findall(data)


def without_button(html: str) -> Iterator[str]:
    """The ids that nothing copies in the block in which they stand."""
    for block in Page(html).blocks:
        for one in block.ids:
            if one != SAMPLE and not any(one.strip("…") in text for text in block.copied):
                yield one
