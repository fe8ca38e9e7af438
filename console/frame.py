"""What every page shows around its content, in whose language and time zone."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language, get_language_from_request, get_supported_language_variant

from console import navigation, shortcuts
from console.http import Handler

THEMES = ("auto", "light", "dark")


def frame(request: HttpRequest) -> dict[str, Any]:
    """The theme, the person, and how many passes wait for them (counted only when a template asks)."""
    from memories.access import ANYONE
    from reflection.queries import waiting_count

    actor = getattr(request, "actor", ANYONE)
    theme = request.COOKIES.get("theme", "auto")
    return {
        "theme": theme if theme in THEMES else "auto",
        "actor": actor,
        "language": get_language(),
        "rail": lambda: navigation.rail(actor),
        "shortcuts": lambda: shortcuts.shown_to(actor, single=getattr(request.user, "single_keys", True)),
        "inbox_count": (lambda: waiting_count(actor)) if actor.user_id else 0,
    }


def spoken(get_response: Handler) -> Handler:
    """Speak the language that the request asks for, and leave none behind in the thread."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        with translation.override(get_language_from_request(request)):
            response = get_response(request)
            patch_vary_headers(response, ("Accept-Language",))
            response.headers.setdefault("Content-Language", get_language() or settings.LANGUAGE_CODE)
            return response

    return handle


def personal(get_response: Handler) -> Handler:
    """Speak the person's language, and show and read times in their zone.

    Stands inside the actor's transaction, which has read the user.
    """

    def handle(request: HttpRequest) -> HttpResponseBase:
        language = language_of(request.user)
        with timezone.override(zone_of(request.user)), translation.override(language):
            response = get_response(request)
            response.headers.setdefault("Content-Language", language)
            return response

    return handle


def language_of(user: Any) -> str:
    """The language of the person's profile, else the one that the request asks for."""
    try:
        return get_supported_language_variant(getattr(user, "language", "").lower())
    except LookupError:
        return get_language() or settings.LANGUAGE_CODE


def zone_of(user: Any) -> ZoneInfo:
    """The person's time zone; UTC for nobody, and for a name that this machine does not know."""
    try:
        return ZoneInfo(getattr(user, "time_zone", "") or "UTC")
    except (KeyError, OSError, ValueError):  # unknown (a KeyError), a folder of the zone database, no path at all
        return ZoneInfo("UTC")
