"""A form that could not be carried out for now, kept on the page that says so: nothing has to be typed twice."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import parse_qsl, urlencode

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError

from console.text import holds_key

Fields = list[tuple[str, str]]
NOT_CARRIED = {"csrfmiddlewaretoken"}  # each page has its own
CARRIED_MOST = 200_000  # characters, written into a field of the next form; more would not fit into its body


def sent(request: HttpRequest) -> Fields | None:
    """The fields of the form that was sent, None where it is not kept: with files, a password or a key, or too long.

    Nor is one that no page of ours sent: another site could have its form carried out from here.
    """
    if request.method != "POST" or not _from_here(request):
        return None
    try:
        if request.FILES:
            return None
        kept = fields(request)
    except (OSError, BadRequest, SuspiciousOperation, MultiPartParserError):
        return None
    secret = any(name == "password" or holds_key(value) for name, value in kept)
    return None if secret or len(written(kept)) > CARRIED_MOST else kept


def fields(request: HttpRequest, *, without: Collection[str] = ()) -> Fields:
    """The fields of the form that was sent, but for the names in `without`."""
    left_out = NOT_CARRIED.union(without)
    return [(name, value) for name, values in request.POST.lists() if name not in left_out for value in values]


def _from_here(request: HttpRequest) -> bool:
    checked = getattr(request, "csrf_processing_done", False)  # what Django notes of a form whose token is good
    return bool(checked) or request.headers.get("Sec-Fetch-Site") == "same-origin"


def written(fields: Fields) -> str:
    """The fields as the text of one field."""
    return urlencode(fields)


def read(text: str) -> Fields:
    """The fields in a text that `written` made."""
    return parse_qsl(text, keep_blank_values=True)
