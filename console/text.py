"""Which text can be stored at all."""

from __future__ import annotations


def unstorable(value: str) -> bool:
    """Whether `value` holds a NUL or half of a surrogate pair; PostgreSQL takes neither."""
    if "\0" in value:
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False
