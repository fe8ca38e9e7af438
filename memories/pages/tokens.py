"""The keys with which agents act for people: the list, one of them, making one, and the end of one."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.errors import Conflict, Invalid, SignInAgain
from console.pages import password_step
from console.saying import phrase
from memories.access import check_signed_in_lately
from memories.models import ApiToken, User
from memories.pages import keyset, ways
from memories.pages.form_fields import Labelled
from memories.pages.rights import allowed
from memories.pages.token_form import TokenForm
from memories.services import tokens

POLLS_MOST = 60
SLOWEST_POLL_SECONDS = 10
STATES = [
    ("", pgettext_lazy("states of tokens", "All")),
    (tokens.VALID, pgettext_lazy("state of a token", "Valid")),
    (tokens.CUT_OFF, pgettext_lazy("state of a token", "Cut off")),
    (tokens.EXPIRED, pgettext_lazy("state of a token", "Expired")),
    (tokens.REVOKED, pgettext_lazy("state of a token", "Revoked")),
]


class TokenFilter(Labelled):
    """The filters of the list; all are in the address."""

    state = forms.ChoiceField(required=False, choices=STATES)
    limit = forms.IntegerField(
        label=_("Limit"),
        required=False,
        min_value=1,
        max_value=keyset.SIZE_LIMIT,
        widget=forms.HiddenInput,
        initial=keyset.SIZE,
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data, label_suffix="", auto_id="filter_%s")


@require_safe
def listed(request: HttpRequest) -> HttpResponse:
    """One's own tokens, and those bound to a team that one is an admin of, newest first."""
    filters = TokenFilter(request.GET)
    context: dict[str, Any] = {"nav": "tokens", "filters": filters}
    if not filters.is_valid():
        return render(request, "memories/tokens.html", context, status=422)
    rows = tokens.shown_to(request.actor, state=filters.cleaned_data["state"])
    size = filters.cleaned_data["limit"] or keyset.SIZE
    source = keyset.Source(rows, "created_at", lambda row: row.created_at)
    context["page"] = keyset.page([source], request.GET, request.path, size=size)
    return render(request, "memories/tokens.html", context)


@require_safe
def token(request: HttpRequest, token_id: UUID) -> HttpResponse:
    """One token: what it may, inside what, whether it was used, and its end."""
    found = tokens.seen(token_id, actor=request.actor)
    context = {"nav": "tokens", "token": found, "rights": allowed(found.scopes), **_first_call(found, 0)}
    return render(request, "memories/token.html", context)


@require_safe
def first_call(request: HttpRequest, token_id: UUID) -> HttpResponse:
    """Whether the agent has called, as a fragment that asks again until it has, or until nobody expects it any more."""
    found = tokens.seen(token_id, actor=request.actor)
    return render(request, "memories/first_call.html", {"token": found, **_first_call(found, _polls(request))})


def _polls(request: HttpRequest) -> int:
    text = request.GET.get("polls") or "0"
    if not text.isascii() or not text.isdigit() or len(text) > 4:
        raise Invalid.field("polls", phrase("This is no whole number. Leave it out."), where="query")
    return int(text)


def _first_call(found: ApiToken, polls: int) -> dict[str, Any]:
    waits = found.last_used_at is None and found.state == tokens.VALID  # type: ignore[attr-defined]
    interval = min(SLOWEST_POLL_SECONDS, 2 + polls // 5)
    return {"waits": waits, "looks": waits and polls < POLLS_MOST, "polls": polls + 1, "interval": interval}


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form; posted, the page that shows the key, this once."""
    if request.method != "POST":
        return render(request, "memories/token_new.html", {"nav": "tokens", "form": TokenForm(request.actor)})
    try:
        check_signed_in_lately(request.actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
    except SignInAgain:
        return password_step(request, request.path, status=SignInAgain.status)
    form = TokenForm(request.actor, request.POST)
    if form.is_valid():
        try:
            return _made(request, form)
        except Invalid as refusal:
            form.take(refusal)
        except Conflict as refusal:
            return _made_before(request, form, refusal)
    return render(request, "memories/token_new.html", {"nav": "tokens", "form": form}, status=422)


@sensitive_variables("key", "context")
def _made(request: HttpRequest, form: TokenForm) -> HttpResponse:
    """The answer to the form is the only place that holds the key; it is neither kept nor redirected to."""
    made, key = tokens.create(user=cast(User, request.user), actor=request.actor, **form.values())
    found = tokens.seen(made.pk, actor=request.actor)
    context = {"nav": "tokens", "token": found, "key": key, "ways": ways.of(key), **_first_call(found, 0)}
    context["rights"] = allowed(found.scopes)
    return render(request, "memories/token_made.html", context)


def _made_before(request: HttpRequest, form: TokenForm, refusal: Conflict) -> HttpResponse:
    """The page of a new token was loaded again: the key is gone, its token is still there to be looked at."""
    request.refusal = refusal
    found = tokens.shown_to(request.actor).filter(pk=form.values()["token_id"]).first()
    context = {"nav": "tokens", "refused": refusal, "token": found}
    return render(request, "memories/token_before.html", context, status=refusal.status)


@require_POST
def revoke(request: HttpRequest, token_id: UUID) -> HttpResponse:
    """End a token of one's own, or one that is bound to a team whose admin one is."""
    ended = tokens.revoke(token_id=token_id, actor=request.actor)
    said = gettext("The token %(key)s… is revoked. Nothing gets in with it any more.")
    messages.success(request, said % {"key": ended.prefix})
    return redirect("tokens")
