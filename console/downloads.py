"""Long answers that are sent while they are read, each part in a short transaction of its own.

The first part is read before anything is sent, so that what is refused is refused with a status. A fault later on
breaks the connection off: a download that ended well is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from django.http import StreamingHttpResponse
from django.utils import timezone

from console.errors import Refused
from console.postgres import context, patience
from memories import audit
from memories.access import Actor

Place = TypeVar("Place")
Read = Callable[[Place | None], tuple[str, Place | None]]


class TooMany(Refused):
    """More rows than one table holds."""

    status = 422
    code = "too_many_rows"


def sent(read: Read[Place], *, kind: str, name: str, actor: Actor) -> StreamingHttpResponse:
    """An attachment of type `kind`, named `name` and the day. `read` tells a part and the place of the next."""
    first = read(None)
    response = StreamingHttpResponse(_parts(read, first, actor), content_type=f"{kind}; charset=utf-8")
    stem, _, ending = name.rpartition(".")
    response["Content-Disposition"] = f'attachment; filename="{stem}-{timezone.now():%Y-%m-%d}.{ending}"'
    return response


def _parts(read: Read[Place], first: tuple[str, Place | None], actor: Actor) -> Iterator[bytes]:
    text, place = first
    yield text.encode()
    while place is not None:
        with context.within(audit.named_spaces(actor), actor.user_id):
            patience.take_time()
            text, place = read(place)
        yield text.encode()
