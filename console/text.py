"""Which text can be stored at all, and which is better not."""

from __future__ import annotations

import re

KEY = re.compile(r"mc_[A-Za-z0-9_-]{40,}")


def holds_key(value: str) -> bool:
    """Whether `value` holds what looks like the key of a token."""
    return KEY.search(value) is not None


def unstorable(value: str) -> bool:
    """Whether `value` holds a NUL or half of a surrogate pair; PostgreSQL takes neither."""
    if "\0" in value:
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False
