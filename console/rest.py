"""How Django REST framework joins the frame: the actor, strict JSON, and refusals."""

from __future__ import annotations

import json
import math
from typing import Any

from django.utils.http import parse_header_parameters
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from console.errors import Invalid, MethodRefused, NotAllowed, NotFound, NotSignedIn, Problem, Refused, WrongType
from console.faults import as_refusal
from console.refusal import refusal_response
from console.saying import phrase
from console.text import unstorable

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
        _check_charset(media_type or "")
        raw = stream.read()
        if not raw.strip():
            return {}
        try:
            value = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant, object_pairs_hook=_once_each)
        except UnicodeDecodeError:
            raise Refused(phrase("The body is not UTF-8. Encode it as UTF-8.")) from None
        except (ValueError, RecursionError):
            raise Refused(phrase("The body is not JSON. Send one JSON object.")) from None
        if not isinstance(value, dict):
            raise Refused(phrase("The body is not a JSON object. Send an object with named fields."))
        check_value(value, ("body",))
        return value


def _check_charset(media_type: str) -> None:
    """JSON is UTF-8; text announced as something else would be read wrongly."""
    charset = parse_header_parameters(media_type)[1].get("charset", "utf-8")
    if charset.strip().lower() not in ("utf-8", "utf8", "us-ascii"):
        raise WrongType(phrase("JSON is read as UTF-8 only. Encode the body as UTF-8 and leave the charset out."))


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different: of two values for one name, readers take different ones."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Refused(phrase("The JSON names a field twice in one object. Name each field once."))
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def check_value(value: Any, at: tuple[str, ...], depth: int = 0) -> None:
    """Whether what was parsed can be kept: not too deep, no NUL, no endless number. Raises Refused or Invalid."""
    if depth >= JSON_DEPTH and isinstance(value, dict | list):
        raise Refused(phrase("The JSON is nested deeper than %(most)s levels. Flatten it.", most=JSON_DEPTH))
    if isinstance(value, str) and unstorable(value):
        raise Invalid(
            Problem(at, phrase("It contains a NUL or half a surrogate pair, which cannot be stored. Remove it."))
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise Refused(phrase("The body holds a number too large to keep. Send a smaller one."))
    if isinstance(value, dict):
        for key, inner in value.items():
            check_value(key, at, depth)
            check_value(inner, (*at, key[:50]), depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            check_value(inner, (*at, str(index)), depth + 1)


def api_refusal(error: Exception, context: dict[str, Any]) -> Any:
    """DRF's exception hook: every error in the contract's form."""
    request = context["request"]._request
    return refusal_response(request, _translated(request, error))


def _translated(request: Any, error: Exception) -> Refused:
    match error:
        case exceptions.ValidationError():
            return Invalid(*problems_of(error.detail, ("body",)))
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return NotSignedIn(phrase("Send a token: Authorization: Bearer <token>, or X-API-Key."))
        case exceptions.PermissionDenied():
            return NotAllowed(phrase("You may not do this."))
        case exceptions.NotFound():
            return NotFound(phrase("There is nothing here."))
        case exceptions.MethodNotAllowed():
            return MethodRefused(phrase("%(method)s is not possible here.", method=request.method))
        case exceptions.UnsupportedMediaType():
            return WrongType(phrase("The body is read as application/json only. Set Content-Type."))
        case exceptions.APIException():
            return Refused(phrase("The request cannot be read. Check it and send it again."))
    return as_refusal(request, error)


def problems_of(detail: Any, at: tuple[str, ...]) -> list[Problem]:
    """The errors of a serializer as problems, below `at`."""
    if isinstance(detail, dict):
        return [problem for name, inner in detail.items() for problem in problems_of(inner, (*at, str(name)))]
    if isinstance(detail, list):
        return [problem for inner in detail for problem in problems_of(inner, at)]
    return [Problem(at, str(detail), getattr(detail, "code", "value_error") or "value_error")]
