"""How the console speaks to the person: language, time zone, theme, and single keys."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from console.errors import Invalid
from memories.pages.form_fields import Refusable
from memories.services import preferences


def zones() -> list[tuple[str, str]]:
    """Every time zone, with how far from UTC it is now."""
    now, known = timezone.now(), available_timezones() - {"localtime"}  # that of the server is nobody's
    return [(name, f"{name.replace('_', ' ')} ({_distance(now, name)})") for name in sorted(known)]


def _distance(now: datetime, name: str) -> str:
    ahead = f"{now.astimezone(ZoneInfo(name)):%z}"
    return f"UTC{ahead[:3]}:{ahead[3:5]}"


def languages() -> list[tuple[str, Any]]:
    """Those of the console, each in its own words."""
    return [("", _("The one of my browser")), *settings.LANGUAGES]


class InItsOwnWords(forms.Select):
    """A choice of languages, each of which says in which one it is named."""

    def create_option(self, name: str, value: Any, *rest: Any, **more: Any) -> dict[str, Any]:
        """One language."""
        option = super().create_option(name, value, *rest, **more)
        if value:
            option["attrs"]["lang"] = translation.to_locale(value).replace("_", "-")
        return option


class PreferencesForm(Refusable):
    """What a person chooses."""

    language = forms.ChoiceField(
        label=_("Language"),
        choices=languages,
        widget=InItsOwnWords,
        required=False,
        help_text=_("Memories stay in the language in which they were written; reports stay in English."),
    )
    time_zone = forms.ChoiceField(label=_("Time zone"), choices=zones, help_text=_("All times are shown in it."))
    single_keys = forms.BooleanField(
        label=_("Single keys are shortcuts"),
        required=False,
        help_text=_("Such as / for the search. They never work while you type in a field."),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def show(request: HttpRequest) -> HttpResponse:
    """The settings, and storing them."""
    if request.method != "POST":
        return _page(request, PreferencesForm(initial=_chosen(request.user)))
    form = PreferencesForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        user = preferences.choose(**form.cleaned_data, actor=request.actor)
    except Invalid as refusal:
        form.take(refusal)
        return _page(request, form, status=422)
    with translation.override(user.language or translation.get_language()):
        messages.success(request, translation.gettext("Your settings are stored."))
    return redirect("settings")


def _chosen(user: Any) -> dict[str, Any]:
    return {"language": user.language.lower(), "time_zone": user.time_zone, "single_keys": user.single_keys}


def _page(request: HttpRequest, form: PreferencesForm, *, status: int = 200) -> HttpResponse:
    return render(request, "memories/preferences.html", {"nav": "settings", "form": form}, status=status)
