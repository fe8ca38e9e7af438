"""What every resource of the API shares: JSON whatever is asked for, the actor, input by shape, and versions.

Apart from `console.rest`, which Django REST framework loads while it loads its views.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.contract import tolerant
from console.errors import Invalid, Problem, Refused, Stale
from console.http import SAFE
from console.once import Page, once, plain_body
from console.rest import problems_of
from console.saying import phrase
from memories.access import Actor, check_may_use


class AlwaysJson(DefaultContentNegotiation):
    """Whatever Accept or `?format=` say, the answer is JSON: clients send all sorts of both."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> tuple[BaseRenderer, str]:
        """The first renderer."""
        return renderers[0], renderers[0].media_type


class Door(APIView):
    """A resource of the API. `needs` is the scope that reading it takes; verbs that write check theirs themselves.

    `query` is the shape of what its address takes after the question mark. What that does not know is refused, but for
    the addresses of the contract.
    """

    content_negotiation_class = AlwaysJson
    needs: ClassVar[str] = ""
    query: ClassVar[type[serializers.Serializer] | None] = None
    changes: ClassVar[bool] = True  # whether its POST changes anything: only then is its answer kept for a retry

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A POST with an idempotency key is carried out once."""
        super().__init_subclass__(**kwargs)
        if "post" in cls.__dict__:
            cls.post = once(cls.post)

    def keeps_answers(self, request: Request) -> bool:
        """Whether the answer to this POST is kept for a retry."""
        return self.changes

    def page_of(self, request: Request) -> Page | None:
        """Which page of one thing this POST sends, where clients send all its pages under one key."""
        return None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before each verb. Raises NotAllowed where the credential may not read, and Invalid for an unknown filter."""
        super().initial(request, *args, **kwargs)
        if self.needs and request.method in SAFE:
            check_may_use(actor_of(request), self.needs)
        if request.query_params and not tolerant(request.resolver_match):
            known = self.query().fields if self.query else ()
            if problems := _unknown(request.query_params, known, "query"):
                raise Invalid(*problems)

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """The verbs, in the Allow header."""
        return Response(status=204)


def actor_of(request: Request) -> Actor:
    """Who is acting, as the middleware found it."""
    actor: Actor = request._request.actor  # type: ignore[attr-defined]
    return actor


def read(
    shape: type[serializers.Serializer], given: Mapping[str, Any], *, where: str = "body", strict: bool = False
) -> dict[str, Any]:
    """The fields of `given` in their types; a null counts as left out. Raises Invalid naming each problem.

    `strict` refuses fields that the shape does not know.
    """
    sent = {str(name): value for name, value in given.items() if value is not None}
    form = shape(data=sent)
    problems = [] if form.is_valid() else problems_of(form.errors, (where,))
    if strict:
        problems += _unknown(sent, form.fields, where)
    if problems:
        raise Invalid(*problems)
    return dict(form.validated_data)


def _unknown(sent: Iterable[str], known: Iterable[str], where: str) -> list[Problem]:
    return [
        Problem(
            (where, name[:50]), phrase("%(name)s is not known here. Leave it out.", name=name[:50]), "extra_forbidden"
        )
        for name in sorted(set(sent) - set(known))
    ]


def body_of(request: Request) -> dict[str, Any]:
    """The JSON object that was sent, but for its idempotency key; empty where nothing was."""
    return plain_body(request)


def read_query(shape: type[serializers.Serializer], request: Request) -> dict[str, Any]:
    """`read` for the query; an empty value counts as left out, and what is not known was refused or may be ignored."""
    given = {name: value for name, value in request.query_params.dict().items() if value != ""}
    for name, value in given.items():
        if len(value) > QUERY_TEXT_LIMIT and name in shape().fields:
            long = phrase("The %(name)s is longer than %(limit)s characters. Shorten it.", name=name, limit="1,000")
            raise Invalid.field(name, long, where="query")
    return read(shape, given, where="query")


class PreconditionFailed(Refused):
    """The record is not at the version that If-Match names."""

    status = 412
    code = "precondition_failed"


QUERY_TEXT_LIMIT = 1_000  # characters; what a parameter means may have a shorter limit of its own
_TAG = re.compile(r'(?:W/)?"([0-9]{1,9})"', re.ASCII)


@contextmanager
def if_match(request: Request) -> Iterator[int | None]:
    """The version of the If-Match header for a service; what it finds moved is a 412. None without the header."""
    tag = request.headers.get("If-Match", "").strip()
    found = _TAG.fullmatch(tag)
    if tag not in ("", "*") and found is None:
        raise PreconditionFailed(phrase("If-Match names no version of this record. Send the ETag as it was received."))
    try:
        yield int(found[1]) if found else None
    except Stale as moved:
        if found is None:
            raise
        raise PreconditionFailed(moved.message, **moved.detail) from None


def etag(version: int) -> dict[str, str]:
    """The header that carries a record's version."""
    return {"ETag": f'"{version}"'}
