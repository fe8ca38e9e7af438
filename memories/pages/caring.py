"""What keeps, moves or empties one record: status, space, pin, legal hold, earlier versions, redaction."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from console.errors import Invalid, SignInAgain
from console.saying import phrase, told
from memories.access import Actor, check_signed_in_lately
from memories.models import Memory
from memories.pages.erasing import password_first
from memories.pages.form_fields import Refusable, Text
from memories.pages.moving import back, seen
from memories.services import erase as erasure
from memories.services import protect, records
from memories.services.redact import REPLACEMENT
from memories.services.redact import redact as take_words
from memories.services.revise import revert as bring_back
from memories.services.revise import revise


class RedactForm(Refusable):
    """What stands in place of the words that go."""

    replacement_content = Text(
        initial=REPLACEMENT,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        label=_("What it says instead"),
        error_messages={"required": _("The content is empty. Say what is to stand there.")},
    )
    clear_metadata = forms.BooleanField(required=False, label=_("Empty its metadata and the writer’s provenance too"))
    reason = forms.CharField(
        label=_("Why"),
        help_text=_("It stays in the audit. Do not repeat what the record says."),
        error_messages={"required": _("The reason is empty. It stays in the audit when the words are gone.")},
    )
    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)


SAID = {
    "active": _("It is active again."),
    "archived": pgettext_lazy("notice", "Archived."),
    "expired": _("Marked as expired."),
    "for good": _("It is active again. It no longer expires."),
}


@require_POST
def set_status(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Archive, expire, or make active again; what the clock has expired then no longer expires."""
    memory, wanted = _memory(record_id, request.actor), request.POST.get("status", "")
    changes: dict[str, Any] = {"status": wanted}
    over = wanted == "active" and memory.expires_at is not None and memory.expires_at <= timezone.now()
    if over:
        changes["expires_at"] = None
    revise(memory_id=record_id, changes=changes, actor=request.actor, **seen(request))
    messages.success(request, SAID["for good" if over else wanted])
    return redirect(back(request, memory))


@require_POST
def move(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Give a memory to a team, or take it back into its owner's own space."""
    memory = _memory(record_id, request.actor)
    space = request.actor.spaces.get(_id("space", request))
    if space is None:
        raise Invalid.field("space", phrase("This is none of your spaces. Choose one."))
    revise(memory_id=record_id, changes={"team_id": space.team_id}, actor=request.actor, **seen(request))
    messages.success(request, gettext("It is in %(space)s now.") % {"space": told(space.name)})
    return redirect(back(request, memory))


@require_POST
def pin(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Pin a memory, or let it go."""
    pinned = request.POST.get("pinned") == "on"
    memory = protect.set_pinned(memory_id=record_id, pinned=pinned, actor=request.actor, **seen(request))
    messages.success(request, gettext("Pinned: no pass changes it.") if pinned else gettext("No longer pinned."))
    return redirect(back(request, memory))


@require_POST
def hold(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Set the legal hold that is named, or lift the one there is."""
    known: dict[str, Any] = {"record_id": record_id, "actor": request.actor, **seen(request)}
    if "lift" in request.POST:
        record = protect.lift_hold(**known)
        messages.success(request, gettext("The hold is lifted."))
    else:
        record = protect.set_hold(name=request.POST.get("hold", ""), **known)
        messages.success(request, gettext("Under the legal hold “%(hold)s” now.") % {"hold": record.hold})
    return redirect(back(request, record))


@require_POST
def revert(request: HttpRequest, record_id: UUID, number: int) -> HttpResponse:
    """Bring an earlier version back."""
    memory = bring_back(memory_id=record_id, number=number, actor=request.actor, **seen(request))
    said = gettext("It says again what version %(number)s said. This is version %(version)s.")
    messages.success(request, said % {"number": number, "version": memory.state.version})
    return redirect("memory", record_id)


@require_http_methods(["GET", "HEAD", "POST"])
def redact(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Ask, with all consequences, whether the words are to go while the record stays; and do it."""
    memory = _memory(record_id, request.actor)
    means = erasure.consequences(record_id, actor=request.actor)
    try:
        check_signed_in_lately(request.actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
    except SignInAgain:
        return password_first(request)
    form = RedactForm(request.POST if request.method == "POST" else None, initial={"version": means.version})
    if form.is_bound and form.is_valid():
        given = form.cleaned_data
        try:
            done = take_words(memory_id=record_id, seen_version=given.pop("version"), actor=request.actor, **given)
        except Invalid as refusal:
            form.take(refusal)
        else:
            messages.success(request, _redacted(len(done.erased)))
            return redirect("memory", record_id)
    context = {"nav": "memories", "form": form, "means": means, "memory": memory}
    return render(request, "memories/redact.html", context, status=422 if form.is_bound else 200)


def _redacted(along: int) -> str:
    if not along:
        return gettext("Redacted.")
    said = ngettext(
        "Redacted. %(count)s record written from it is gone.",
        "Redacted. %(count)s records written from it are gone.",
        along,
    )
    return said % {"count": along}


def _memory(record_id: UUID, actor: Actor) -> Memory:
    found = records.find(record_id, actor=actor, kinds=("memory",))
    assert isinstance(found, Memory)
    return found


def _id(name: str, request: HttpRequest) -> Any:
    """The id that was sent, or None."""
    try:
        return forms.UUIDField(required=False).clean(request.POST.get(name, ""))
    except forms.ValidationError:
        return None
