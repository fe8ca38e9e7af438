"""Decisions: what is open and what was decided; one with its question and its options."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from console.errors import Invalid, Stale
from memories.access import visible_to
from memories.models import Decision
from memories.pages import keyset, kinds
from memories.pages.form_fields import Refusable, Text
from memories.pages.kind_forms import DecisionFilter
from memories.pages.listing import LINE, chips
from memories.services import decisions as service
from memories.services.decisions import Wanted


class ResolveForm(Refusable):
    """What was decided, over the version that the person saw."""

    resolution = Text(
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        label=_("What was decided"),
        error_messages={"required": _("It is empty. Say what was decided.")},
    )
    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


@require_safe
def decisions(request: HttpRequest) -> HttpResponse:
    """The newest first, filtered by what the address says."""
    filters = DecisionFilter(request.GET, request.actor)
    return kinds.listing(request, "memories/decisions.html", filters, _listed, nav="decisions")


def _listed(request: HttpRequest, filters: DecisionFilter) -> dict[str, Any]:
    """The rows of the page and the counts beside them."""
    show, actor = filters.cleaned_data["show"], request.actor
    found = {
        name: service.listed(Wanted(**filters.common(), decided=decided), actor=actor)
        for name, decided in DecisionFilter.DECIDED.items()
    }
    narrow = found[show].annotate(line=Left("context", LINE), answer=Left("resolution", LINE))
    rows = narrow.defer("context", "options", "resolution")
    source = keyset.Source(rows, "created_at", lambda row: row.created_at)
    page = keyset.page([source], request.GET, request.path, size=filters.cleaned_data["limit"])
    return {
        "show": show,
        "page": page,
        "chips": [chip for chip in chips(request, filters) if chip["field"] != "show"],
        "tabs": kinds.tabs(request, DecisionFilter.SHOWN, found),
        "first_use": not page.rows and not visible_to(actor, Decision.objects.all()).exists(),
    }


@require_safe
def decision(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """The question, and a form to answer it once."""
    found = service.find(record_id, actor=request.actor)
    return _page(request, found, ResolveForm(initial={"version": found.version}, label_suffix=""))


@require_POST
def resolve(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Say what was decided."""
    found = service.find(record_id, actor=request.actor)
    form = ResolveForm(request.POST, label_suffix="")
    if form.is_valid():
        said, version = form.cleaned_data["resolution"], form.cleaned_data["version"]
        try:
            service.resolve(decision_id=record_id, resolution=said, seen_version=version, actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        except Stale as refusal:
            return _again(request, service.find(record_id, actor=request.actor), refusal)
        else:
            messages.success(request, gettext("Decided."))
            return redirect("decision", record_id)
    return _page(request, found, form, status=422)


def _again(request: HttpRequest, now_is: Decision, refusal: Stale) -> HttpResponse:
    """The question as it is now, with what was typed ready to be sent over the current version."""
    typed = request.POST.copy()
    typed["version"] = str(now_is.version)
    request.refusal = refusal
    form = ResolveForm(typed, label_suffix="")
    return _page(request, now_is, form, status=refusal.status, refused=refusal)


def _page(request: HttpRequest, found: Decision, form: ResolveForm, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {"nav": "decisions", "decision": found, "form": form, **kinds.about(found, request.actor), **more}
    return render(request, "memories/decision.html", context, status=status)
