"""The web frame: request and audit ids, the actor and its transaction, and refusals as page, fragment or JSON."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import Error, IntegrityError, InterfaceError, InternalError, OperationalError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.http import urlencode
from uuid6 import uuid7

from console import credentials, rates
from console.errors import (
    Invalid,
    NotAllowed,
    NotFound,
    NotSignedIn,
    Problem,
    Refused,
    TooLarge,
    Unavailable,
    WrongType,
)
from console.faults import Broken, as_refusal
from console.limits import LONG, body_limit
from console.postgres import context, patience
from console.refusal import API_PREFIXES, is_api, refusal_response
from console.saying import phrase, unquoted
from console.text import holds_key, unstorable
from memories import audit
from memories.access import ANYONE, Actor

log = logging.getLogger("console")
Handler = Callable[[HttpRequest], HttpResponseBase]
SAFE = {"GET", "HEAD", "OPTIONS"}
DIGITS = 20  # of a length, which says more than any body has
FORMS = {"application/x-www-form-urlencoded", "multipart/form-data"}


class TooLong(Refused):
    """The address is over the limit."""

    status = 414
    code = "uri_too_long"


class LengthMissing(Refused):
    """A body whose length is not given. Read as empty, it would be carried out with every default."""

    status = 411
    code = "length_required"


class KeyInAddress(Refused):
    """Addresses stand in histories and logs, and pages repeat them in their links."""

    code = "token_in_address"


def public(view: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a view that needs no sign-in."""
    view.public = True  # type: ignore[attr-defined]
    return view


def request_identity(get_response: Handler) -> Handler:
    """Give each request an audit id, and a request id (the caller's `X-Request-ID`, when it is a plain token)."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        request.audit_id = uuid7()
        given = request.headers.get("X-Request-ID", "")
        plain = 0 < len(given) <= 100 and all("!" <= letter <= "~" for letter in given) and not holds_key(given)
        request.request_id = given if plain else str(request.audit_id)
        request.actor = ANYONE
        request.refusal = None
        response = get_response(request)
        response["X-XMemo-Audit-ID"] = str(request.audit_id)
        response["X-Request-ID"] = request.request_id
        return response

    return handle


def browser_policy(get_response: Handler) -> Handler:
    """Headers that keep pages out of caches, frames and other origins."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response["Permissions-Policy"] = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
        response["Cross-Origin-Resource-Policy"] = "same-origin"
        if not request.path.startswith(settings.STATIC_URL):
            add_never_cache_headers(response)
            response["Cache-Control"] = "no-store"
            patch_vary_headers(response, ["HX-Request"])
        return response

    return handle


def body_limits(get_response: Handler) -> Handler:
    """Refuse an address or a body that is over the limit, and text that no database can hold, before any work."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        try:
            _check_size(request)
        except Refused as refusal:
            return refusal_response(request, refusal)
        return get_response(request)

    return handle


def check_no_key(request: HttpRequest) -> None:
    """Raises KeyInAddress for an address with a token in it, which from here on is not to be read from the request."""
    words = [request.path, *(word for name, values in request.GET.lists() for word in (name, *values))]
    if not any(holds_key(word) for word in words):
        return
    request.META["QUERY_STRING"] = ""
    if holds_key(request.path):
        request.path = request.path_info = API_PREFIXES[0] if is_api(request) else "/"
    raise KeyInAddress(
        phrase(
            "The address holds a token, and addresses are kept in histories and logs. "
            "Send it as Authorization: Bearer <token>, and use a new one: this one may have been seen."
        )
    )


def check_length(request: HttpRequest, most: int) -> None:
    """Raises Refused for a body whose length is no number, TooLarge for one of more than `most` bytes."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdigit()):
        raise Refused(phrase("Content-Length is not a number. Send the body's length in bytes."))
    if len(length) > DIGITS or int(length) > most:
        raise TooLarge(phrase("The body is larger than %(most)s bytes. Send less at a time.", most=f"{most:,}"))


def _check_size(request: HttpRequest) -> None:
    check_no_key(request)
    if len(request.get_full_path()) > settings.URL_LIMIT_CHARS:
        raise TooLong(
            phrase(
                "The address is longer than %(most)s characters. Shorten the query.",
                most=f"{settings.URL_LIMIT_CHARS:,}",
            )
        )
    if request.META.get("HTTP_TRANSFER_ENCODING") and not request.META.get("CONTENT_LENGTH"):
        raise LengthMissing(phrase("The body comes in chunks, without its length. Send Content-Length instead."))
    check_length(request, body_limit(request.path))
    if unstorable(request.path):
        raise Refused(phrase("The address contains a NUL or another character that cannot be stored. Remove it."))
    for name, values in request.GET.lists():
        if any(unstorable(value) for value in (name, *values)):
            raise Invalid(Problem(("query", name.replace("\0", "")), phrase("It contains a NUL character. Remove it.")))


def _check_form(request: HttpRequest) -> None:
    """A form, its text without NUL; JSON bodies are checked by their parser.

    Anything else would be read as an empty form, and carried out with every default.
    """
    if request.method in SAFE or is_api(request):
        return
    if int(request.META.get("CONTENT_LENGTH") or 0) and request.content_type not in FORMS:
        raise WrongType(phrase("The request cannot be read. Check it and send it again."))
    for name, values in request.POST.lists():
        if any(unstorable(value) for value in (name, *values)):
            raise Invalid(Problem(("body", name.replace("\0", "")), phrase("It contains a NUL character. Remove it.")))


class acting:
    """One transaction per request, carrying its actor. A refusal or error rolls back; a refusal is audited after."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Resolve the actor, tell PostgreSQL who acts, run the view, commit or roll back."""
        try:
            refusal = self._at_the_door(request)
            with transaction.atomic():
                response = self._within(request, refusal)
                if response.status_code >= 400 and not getattr(response, "stays", False):
                    transaction.set_rollback(True)
        except IntegrityError as error:  # a rule that the database looks at only when the transaction commits
            response = refusal_response(request, as_refusal(request, error))
        except (OperationalError, InterfaceError, InternalError) as error:
            refusal = as_refusal(request, error)
            if type(refusal) is Unavailable:
                refusal = Unavailable(phrase("The database did not answer. Try again in a moment."))
            response = refusal_response(request, refusal)
        unwritten = settle(request, operation=_operation(request), writes=request.method not in SAFE)
        return response if unwritten is None else refusal_response(request, unwritten)

    def _at_the_door(self, request: HttpRequest) -> Refused | None:
        """Who acts, and whether they come too often: counted before the transaction, so that refusals count too."""
        try:
            request.actor = credentials.actor_of(request)
            rates.count(request)
        except Refused as refusal:
            return refusal
        return None

    def _within(self, request: HttpRequest, refusal: Refused | None) -> HttpResponseBase:
        try:
            announce(request.actor)
            if refusal is not None:
                raise refusal
            _check_form(request)
        except Refused as refusal:
            return refusal_response(request, refusal)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponseBase | None:
        """Nobody gets past here without a credential, unless the view is public. What is long by right gets time."""
        if request.resolver_match is not None and request.resolver_match.url_name in LONG:
            patience.take_time()
        if request.actor.user_id is not None or getattr(view, "public", False):
            return None
        if is_api(request):
            return refusal_response(
                request, NotSignedIn(phrase("Send a token: Authorization: Bearer <token>, or X-API-Key."))
            )
        if request.method in SAFE and not request.htmx:
            return HttpResponse(status=302, headers={"Location": sign_in_address(request)})
        return refusal_response(request, NotSignedIn(phrase("You are signed out. Sign in and do this again.")))

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase:
        """Every exception of a view becomes a refusal with a sentence, or a 500 with a reference."""
        return refusal_response(request, as_refusal(request, error))


def settle(request: HttpRequest, *, operation: str, writes: bool) -> Refused | None:
    """After the transaction: note that the token was used, and audit a refusal in a transaction of its own.

    What was done is done, so a use that cannot be noted is only logged. A refusal that cannot be audited is not told
    either: what is returned takes its place.
    """
    try:
        credentials.mark_used(request)
    except Error as error:
        log.warning("use of a token not noted, reference %s", request.audit_id, exc_info=error)
    refusal = request.refusal
    if refusal is None or not _worth_a_line(request, refusal, writes=writes):
        return None
    try:
        _audit_refusal(request, refusal, operation)
    except Error as error:
        return as_refusal(request, error)
    return None


def _audit_refusal(request: HttpRequest, refusal: Refused, operation: str) -> None:
    with transaction.atomic():
        patience.take_time()  # the head of its chain may be held by a long act
        announce(request.actor)
        audit.record(
            request.actor,
            operation,
            "request",
            None,
            result=audit.REFUSED,
            reason=unquoted(refusal.message)[:500],
            detail={"status": refusal.status, "code": refusal.code},
        )


def sign_in_address(request: HttpRequest) -> str:
    """The sign-in page, coming back to this page afterwards."""
    return f"/login?{urlencode({'next': request.get_full_path()})}"


def announce(actor: Actor) -> None:
    """Tell PostgreSQL, for this transaction only, who acts and inside which spaces."""
    context.name_spaces(audit.named_spaces(actor), actor.user_id)


def _worth_a_line(request: HttpRequest, refusal: Refused, *, writes: bool) -> bool:
    if refusal.status == 403 or getattr(refusal, "first", False):
        return True
    return writes and refusal.status in (401, 404, 409) and request.actor.user_id is not None


def _operation(request: HttpRequest) -> str:
    match = request.resolver_match
    return (match.url_name if match and match.url_name else request.method or "request")[:50]


def csrf_refused(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """A form without a valid CSRF token."""
    return refusal_response(
        request, NotAllowed(phrase("This form is out of date. Load the page again and send it once more."))
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponseBase:
    """No such address."""
    return refusal_response(request, NotFound(phrase("There is no such page.")))


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponseBase:
    """A request Django itself cannot read, such as a foreign Host header or too many fields."""
    return refusal_response(request, Refused(phrase("The request cannot be read. Check it and send it again.")))


def server_error(request: HttpRequest) -> HttpResponseBase:
    """The last resort, when even a middleware failed."""
    return refusal_response(
        request, Broken(phrase("Something went wrong here. The reference is %(audit_id)s.", audit_id=request.audit_id))
    )
