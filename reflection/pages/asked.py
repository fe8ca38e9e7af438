"""What an address asks for: ids and whole numbers from its query, read strictly."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest

from console.errors import Invalid
from console.saying import phrase


def record_id(request: HttpRequest, name: str) -> UUID | None:
    """The id in the query parameter `name`, None without one. Raises Invalid."""
    text = request.GET.get(name, "").strip().removeprefix("mem_").removeprefix("pass_")
    if not text:
        return None
    try:
        return UUID(text)
    except ValueError:
        said = phrase("%(field)s is no id. Paste the whole id, or leave it out.", field=name)
        raise Invalid.field(name, said, where="query") from None


def whole(request: HttpRequest, name: str) -> int | None:
    """The whole number in the query parameter `name`, None without one. Raises Invalid."""
    text = request.GET.get(name, "").strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        said = phrase("%(field)s is no whole number. Correct it, or leave it out.", field=name)
        raise Invalid.field(name, said, where="query")
    return int(text)
