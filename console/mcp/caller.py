"""Who calls the bridge: the same checks, transaction, context and audit as a request of the API gets.

Everything here runs in a thread of the request pool.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import signals
from django.core.handlers.asgi import ASGIRequest
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.security import SecurityMiddleware

from console import credentials, rates
from console.errors import Invalid, NotAllowed, NotSignedIn
from console.faults import as_refusal
from console.http import announce, browser_policy, check_length, check_no_key, request_identity, settle
from console.limits import LONG_TOOLS
from console.mcp.tool import PROFILES
from console.postgres import patience
from console.refusal import refusal_response
from console.threaded import Scope
from memories.access import Actor

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Caller:
    """A call that was let in: its request, with ids, and the profile it asked for."""

    request: HttpRequest
    profile: str

    def act(self, verb: Callable[[Actor], Any], *, operation: str, writes: bool) -> Any:
        """Carry `verb` out in one transaction of the actor. Raises Refused, which by then is audited."""
        with _as_request(self.request):
            self.request.refusal = None
            try:
                rates.count_tool(operation, self.request.actor, writes=writes)
                with transaction.atomic():
                    actor = _actor_of(self.request)
                    if operation in LONG_TOOLS:
                        patience.take_time()
                    found = verb(actor)
            except Exception as error:  # noqa: BLE001 - whatever it is, the agent gets a sentence
                self.request.refusal = as_refusal(self.request, error)
            refusal = settle(self.request, operation=operation, writes=writes) or self.request.refusal
            if refusal is not None:
                raise refusal
            return found


class _as_request:
    """What Django does around a request: connections that broke or are old are closed."""

    def __init__(self, request: HttpRequest) -> None:
        self.request = request

    def __enter__(self) -> None:
        signals.request_started.send(sender=Caller, scope=getattr(self.request, "scope", {}))

    def __exit__(self, *_: Any) -> None:
        signals.request_finished.send(sender=Caller)


def admitted(scope: Scope) -> tuple[Caller | None, HttpResponseBase]:
    """The caller, with the headers of the answer; or None and the refusal."""
    request = ASGIRequest(scope, io.BytesIO())
    with _as_request(request):
        response = _knock(request)
    if response.status_code != 204:
        return None, response
    return Caller(request, _profile(request)), response


def _at_the_door(request: HttpRequest) -> HttpResponseBase:
    """204 for whoever may come in."""
    try:
        _check_address(request)
        _profile(request)
        with transaction.atomic():
            _actor_of(request)
    except Exception as error:  # noqa: BLE001 - every refusal is rendered
        response = refusal_response(request, as_refusal(request, error))
        unwritten = settle(request, operation="mcp", writes=False)
        return response if unwritten is None else refusal_response(request, unwritten)
    return HttpResponse(status=204)


_secured: Any = SecurityMiddleware(browser_policy(_at_the_door))
_knock = request_identity(_secured)


def _actor_of(request: HttpRequest) -> Actor:
    """The token's actor at this door, told to PostgreSQL. Raises NotSignedIn, NotAllowed."""
    request.actor = credentials.actor_of(request).through("mcp")
    if request.actor.user_id is None:
        raise NotSignedIn("Send a token: Authorization: Bearer <token>, or X-API-Key.")
    announce(request.actor)
    return request.actor


def _check_address(request: HttpRequest) -> None:
    """Whether it is asked of this host, by no page of another one, in a bearable size. Raises Refused."""
    check_no_key(request)
    host = request.get_host()
    origin = request.headers.get("Origin", "")
    if origin and not _may_ask(origin, f"{request.scheme}://{host}"):
        raise NotAllowed("Pages of another origin may not call this address. MCP_ORIGINS names those that may.")
    check_length(request, settings.BODY_LIMIT_BYTES)


def _may_ask(origin: str, own: str) -> bool:
    if origin in (own, settings.CONSOLE_URL, *settings.MCP_ORIGINS):
        return True
    try:
        parts = urlsplit(origin)
        return not settings.PRODUCTION and parts.scheme in ("http", "https") and parts.hostname in LOOPBACK
    except ValueError:
        return False


def _profile(request: HttpRequest) -> str:
    wanted = request.GET.get("profile", "") or settings.MCP_PROFILE
    if wanted not in PROFILES:
        raise Invalid.field("profile", f"Choose a profile among {', '.join(PROFILES)}.", where="query")
    return wanted
