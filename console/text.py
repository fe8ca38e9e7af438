"""Which text can be stored at all, which is better not, and what of it a reader would not see."""

from __future__ import annotations

import json
import re

KEY = re.compile(r"mc_[A-Za-z0-9_-]{40,}")
# What controls a terminal, turns the reading direction, shows nothing or cannot be encoded. Tabs and newlines stay, and
# so do joiners: scripts need them. A letter has one variation selector at most; a row of them hides a text.
_SELECTOR = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    f"\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]|(?<={_SELECTOR}){_SELECTOR}"
)


def holds_key(value: str) -> bool:
    """Whether `value` holds what looks like the key of a token."""
    return KEY.search(value) is not None


def escaped(text: str) -> str:
    """JSON whose hidden characters stand as escapes: outside its texts it has none."""
    return HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], text).replace("\x7f", "\\u007f")


def unstorable(value: str) -> bool:
    """Whether `value` holds a NUL or half of a surrogate pair; PostgreSQL takes neither."""
    if "\0" in value:
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False
