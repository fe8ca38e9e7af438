"""What changed between two texts, word by word; long texts line by line. Pure."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

WORDS_MOST = 2_000  # tokens of both texts together; above, lines are compared
# A word or a sign with the white space before it. Chinese and Japanese write no spaces: there, each sign is one.
_SIGNS = r"\u3040-\u30ff\u3400-\u9fff"
TOKEN = re.compile(rf"\s*(?:[{_SIGNS}]|[^\W{_SIGNS}]+|[^\w\s])|\s+")

Piece = tuple[str, str]  # same, ins or del, with its text


def pieces(before: str, after: str) -> list[Piece]:
    """The two texts as one, each piece marked `same`, `del` (only before) or `ins` (only after)."""
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    if len(old) + len(new) > WORDS_MOST:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found: list[Piece] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(("same", "".join(old[a:b])))
            continue
        if a < b:
            found.append(("del", "".join(old[a:b])))
        if c < d:
            found.append(("ins", "".join(new[c:d])))
    return found
