"""What every page shows around its content, and in whose time zone."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

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
        "inbox_count": (lambda: waiting_count(actor)) if actor.user_id else 0,
    }


def local_time(get_response: Handler) -> Handler:
    """Show and read times in the zone of the person. Stands inside the actor's transaction, which has read the user."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        with timezone.override(zone_of(request.user)):
            return get_response(request)

    return handle


def zone_of(user: Any) -> ZoneInfo:
    """The person's time zone; UTC for nobody, and for a name that this machine does not know."""
    try:
        return ZoneInfo(getattr(user, "time_zone", "") or "UTC")
    except (KeyError, OSError, ValueError):  # unknown (a KeyError), a folder of the zone database, no path at all
        return ZoneInfo("UTC")
