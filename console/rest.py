"""How Django REST framework joins the frame: the actor, strict JSON, and refusals."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from rest_framework import exceptions, serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from console.errors import Invalid, NotAllowed, NotFound, NotSignedIn, Problem, Refused, Stale, WrongType
from console.http import SAFE, as_refusal
from console.refusal import refusal_response
from console.text import unstorable
from memories.access import Actor, check_may_use

JSON_DEPTH = 20


class ActorAuthentication(BaseAuthentication):
    """The middleware has already found the actor; a credential is never looked at twice."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """The actor as DRF's user, or None."""
        actor = request._request.actor
        return (actor, actor.token_id) if actor.user_id is not None else None

    def authenticate_header(self, request: Request) -> str:
        """Makes DRF answer 401 where nobody is known."""
        return 'Bearer realm="memory-console"'


class StrictJSONParser(BaseParser):
    """JSON as the standard has it: UTF-8, no NaN, no NUL, no lone surrogates, at most 20 levels deep."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        """The parsed body; an empty body is an empty object. Raises Refused or Invalid."""
        raw = stream.read()
        if not raw.strip():
            return {}
        try:
            value = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant)
        except UnicodeDecodeError:
            raise Refused("The body is not UTF-8. Encode it as UTF-8.") from None
        except (ValueError, RecursionError):
            raise Refused("The body is not JSON. Send one JSON object.") from None
        if not isinstance(value, dict):
            raise Refused("The body is not a JSON object. Send an object with named fields.")
        _check(value, ("body",), 0)
        return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _check(value: Any, at: tuple[str, ...], depth: int) -> None:
    if depth > JSON_DEPTH:
        raise Refused(f"The JSON is nested deeper than {JSON_DEPTH} levels. Flatten it.")
    if isinstance(value, str) and unstorable(value):
        raise Invalid(Problem(at, "It contains a NUL or half a surrogate pair, which cannot be stored. Remove it."))
    if isinstance(value, float) and not math.isfinite(value):
        raise Refused("The body holds a number too large to keep. Send a smaller one.")
    if isinstance(value, dict):
        for key, inner in value.items():
            _check(key, at, depth)
            _check(inner, (*at, key[:50]), depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _check(inner, (*at, str(index)), depth + 1)


def api_refusal(error: Exception, context: dict[str, Any]) -> Any:
    """DRF's exception hook: every error in the contract's form."""
    request = context["request"]._request
    return refusal_response(request, _translated(request, error))


class MethodRefused(Refused):
    """The address knows other verbs."""

    status = 405
    code = "method_not_allowed"


def _translated(request: Any, error: Exception) -> Refused:
    match error:
        case exceptions.ValidationError():
            return Invalid(*_problems(error.detail, ("body",)))
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return NotSignedIn("Send a token: Authorization: Bearer <token>, or X-API-Key.")
        case exceptions.PermissionDenied():
            return NotAllowed("You may not do this.")
        case exceptions.NotFound():
            return NotFound("There is nothing here.")
        case exceptions.MethodNotAllowed():
            return MethodRefused(f"{request.method} is not possible here.")
        case exceptions.UnsupportedMediaType():
            return WrongType("The body is read as application/json only. Set Content-Type.")
        case exceptions.APIException():
            return Refused("The request cannot be read. Check it and send it again.")
    return as_refusal(request, error)


class AlwaysJson(DefaultContentNegotiation):
    """Whatever Accept or `?format=` say, the answer is JSON: clients send all sorts of both."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> tuple[BaseRenderer, str]:
        """The first renderer."""
        return renderers[0], renderers[0].media_type


class Door(APIView):
    """A resource of the API. `needs` is the scope that reading it takes; verbs that write check theirs themselves."""

    content_negotiation_class = AlwaysJson
    needs: ClassVar[str] = ""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before each verb. Raises NotAllowed where the credential may not read."""
        super().initial(request, *args, **kwargs)
        if self.needs and request.method in SAFE:
            check_may_use(actor_of(request), self.needs)

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:
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
    problems = [] if form.is_valid() else _problems(form.errors, (where,))
    if strict:
        unknown = sorted(set(sent) - set(form.fields))
        problems += [
            Problem((where, name[:50]), f"{name[:50]} is not known here. Leave it out.", "extra_forbidden")
            for name in unknown
        ]
    if problems:
        raise Invalid(*problems)
    return dict(form.validated_data)


def read_query(shape: type[serializers.Serializer], request: Request, *, strict: bool = False) -> dict[str, Any]:
    """`read` for the query; an empty value counts as left out."""
    given = {name: value for name, value in request.query_params.dict().items() if value != ""}
    return read(shape, given, where="query", strict=strict)


class PreconditionFailed(Refused):
    """The record is not at the version that If-Match names."""

    status = 412
    code = "precondition_failed"


_TAG = re.compile(r'(?:W/)?"([0-9]{1,9})"', re.ASCII)


@contextmanager
def if_match(request: Request) -> Iterator[int | None]:
    """The version of the If-Match header for a service; what it finds moved is a 412. None without the header."""
    tag = request.headers.get("If-Match", "").strip()
    found = _TAG.fullmatch(tag)
    if tag not in ("", "*") and found is None:
        raise PreconditionFailed("If-Match names no version of this record. Send the ETag as it was received.")
    try:
        yield int(found[1]) if found else None
    except Stale as moved:
        if found is None:
            raise
        raise PreconditionFailed(moved.message, **moved.detail) from None


def etag(version: int) -> dict[str, str]:
    """The header that carries a record's version."""
    return {"ETag": f'"{version}"'}


def _problems(detail: Any, at: tuple[str, ...]) -> list[Problem]:
    if isinstance(detail, dict):
        return [problem for name, inner in detail.items() for problem in _problems(inner, (*at, str(name)))]
    if isinstance(detail, list):
        return [problem for inner in detail for problem in _problems(inner, at)]
    return [Problem(at, str(detail), getattr(detail, "code", "value_error") or "value_error")]
