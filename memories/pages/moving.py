"""To the trash and back, for every kind of record."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from console.errors import Invalid
from console.saying import phrase
from console.words import word
from memories.access import visible_to
from memories.models import Memory
from memories.pages.addresses import address_of
from memories.pages.listing import lines
from memories.services import records
from memories.services.forget import forget as move_to_trash
from memories.services.forget import restore as bring_back


class _Seen(forms.Form):
    version = forms.IntegerField(min_value=1)
    reason = forms.CharField(required=False)


def seen(request: HttpRequest) -> dict[str, Any]:
    """The version that the person saw, and why. Raises Invalid."""
    form = _Seen(request.POST)
    if not form.is_valid():
        said = phrase("The version you saw is missing. Load the page again and repeat it.")
        raise Invalid.field("version", said)
    return {"seen_version": form.cleaned_data["version"], "reason": form.cleaned_data["reason"]}


@require_POST
def forget(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Move to the trash. Under htmx the row becomes “Moved to trash · Undo”."""
    moved = move_to_trash(record_id=record_id, actor=request.actor, **seen(request))
    version = records.standing(moved.record).version
    if request.htmx and "next" in request.POST:
        return render(request, "memories/undo_row.html", {"record_id": record_id, "version": version})
    messages.success(request, _("Moved to trash."), extra_tags=f"{record_id} {version}")
    return redirect(back(request, moved.record))


@require_POST
def restore(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Back to where the record stood. Under htmx the row of a memory returns."""
    moved = bring_back(record_id=record_id, actor=request.actor, **seen(request))
    if request.htmx and request.POST.get("as") == "row" and isinstance(moved.record, Memory):
        row = lines(visible_to(request.actor, Memory.objects.all())).get(pk=record_id)
        return render(
            request, "memories/row.html", {"row": row, "back": request.POST.get("next", ""), "returned": True}
        )
    said = _("Restored. It is %(status)s, as it was before.") % {"status": word(moved.status)}
    messages.success(request, said)
    return redirect(back(request, moved.record))


def back(request: HttpRequest, record: records.Record) -> str:
    """Where the form came from, when that lies in this console; else the record's page."""
    wanted = request.POST.get("next", "")
    if wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, {request.get_host()}):
        return wanted
    return address_of(record.pk, records.kind_of(record))
