"""Who is told outside the console that passes wait."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from console.errors import Conflict, Invalid, NotAllowed
from console.saying import told
from memories.access import Actor
from reflection import notify
from reflection.models import Channel, Subscription
from reflection.services import notices


class NoticeForm(forms.Form):
    """Where to, and of which space."""

    space = forms.ChoiceField(label=gettext_lazy("Space"), help_text=gettext_lazy("Of whose passes."))
    channel = forms.ChoiceField(
        label=gettext_lazy("How"),
        choices=Channel.choices,
        help_text=gettext_lazy("An e-mail to you, or a signed POST to a web address."),
    )
    address = forms.CharField(
        label=gettext_lazy("Where to"), max_length=500, help_text=gettext_lazy("An e-mail address, or https://…")
    )

    def __init__(self, actor: Actor, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["space"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (str(space.id), told(space.name))
            for space in actor.spaces.values()
            if notices.may_subscribe(actor, space.id, Channel.EMAIL)
        ]


@require_http_methods(["GET", "HEAD", "POST"])
def all_of(request: HttpRequest) -> HttpResponse:
    """The subscriptions of the person, and an admin's whole space; adds one when posted."""
    if request.method != "POST":
        return _page(request, NoticeForm(request.actor, initial={"address": _own_address(request)}))
    form = NoticeForm(request.actor, request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    given = form.cleaned_data
    try:
        notices.subscribe(
            space_id=UUID(given["space"]), channel=given["channel"], address=given["address"], actor=request.actor
        )
    except (Invalid, NotAllowed, Conflict) as refusal:
        request.refusal = refusal
        form.add_error("address", refusal.told)
        return _page(request, form, status=refusal.status)
    messages.success(request, _("Saved. The next pass that waits is told there."))
    return redirect("notices")


@require_POST
def end(request: HttpRequest, subscription_id: UUID) -> HttpResponse:
    """Take one off."""
    notices.unsubscribe(subscription_id=subscription_id, actor=request.actor)
    messages.success(request, _("Taken off. Nothing more is told there."))
    return redirect("notices")


def _own_address(request: HttpRequest) -> str:
    return getattr(request.user, "email", "") if settings.EMAIL_HOST else ""


def _page(request: HttpRequest, form: NoticeForm, *, status: int = 200) -> HttpResponse:
    found = list(notices.subscriptions_of(request.actor))
    last = notices.last_of(found)
    rows = [_row(row, request.actor) | {"last": last.get(row.pk)} for row in found]
    context = {"nav": "inbox", "form": form, "rows": rows, "mail": bool(settings.EMAIL_HOST)}
    return render(request, "reflection/notices.html", context, status=status)


def _row(row: Subscription, actor: Actor) -> dict[str, Any]:
    mine = row.user_id == actor.user_id
    secret = notify.secret_of(row) if mine and row.channel == Channel.WEBHOOK else ""
    return {"subscription": row, "secret": secret, "space": actor.space(row.space_id).name}
