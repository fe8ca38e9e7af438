"""What every page shows around its content."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

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
