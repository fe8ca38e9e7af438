"""Saved views: the row of links above the list of memories, and the page on which they are looked after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from console.errors import Conflict, Invalid
from memories.access import Actor
from memories.models import SavedView
from memories.pages.facets import address
from memories.pages.form_fields import NO_SPACE, Refusable, SpaceField
from memories.pages.forms import ListFilter
from memories.services import views as services


class ViewForm(Refusable):
    """What a view is called, and who has it."""

    NAMES = {"space_id": "space"}

    name = forms.CharField(
        label=_("Name"),
        max_length=services.NAME_LIMIT,
        error_messages={"required": _("The name is empty. Say what the view shows.")},
    )
    space = SpaceField(error_messages=NO_SPACE, label=_("Who has it"))

    def __init__(self, actor: Actor, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)
        self.fields["space"].offer(actor, empty=None)
        if len(actor.spaces) < 2:
            self.fields["space"].widget = forms.HiddenInput()

    def values(self) -> dict[str, Any]:
        """What was typed, by the names that the service uses."""
        given = dict(self.cleaned_data)
        return {"space_id": given.pop("space"), **given}


class NewViewForm(ViewForm):
    """A view to be saved, with the filters that the list has."""

    query = forms.CharField(required=False, strip=False, widget=forms.HiddenInput, label=_("Filters"))

    def __init__(self, actor: Actor, data: Any = None, **more: Any) -> None:
        super().__init__(actor, data, auto_id="save_%s", **more)
        self.actor = actor

    def clean_query(self) -> str:
        """Only filters that the list takes."""
        query: str = self.cleaned_data["query"]
        try:
            kept = services.kept(query)
        except Invalid as refusal:
            raise forms.ValidationError([problem.told for problem in refusal.problems]) from None
        if not ListFilter(QueryDict(kept), self.actor).is_valid():
            raise forms.ValidationError(gettext("The list does not take these filters. Correct them there first."))
        return kept


@dataclass(frozen=True, slots=True)
class Link:
    """One view as a link, and what may be done with it."""

    view: SavedView
    url: str
    current: bool
    first: bool
    mine: bool
    may_change: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """The row of links: the views, the list as it is without any, where to begin, and the form that saves one more."""

    links: list[Link]
    all_url: str
    at_all: bool
    first: str
    form: NewViewForm

    @classmethod
    def of(cls, request: HttpRequest) -> Bar:
        """The row above the list that `request` asks for."""
        try:
            here = services.kept(request.GET.urlencode())
        except Invalid:
            here = "-"
        made = links(request, here)
        form = NewViewForm(request.actor, initial={"query": here, "space": request.actor.user_id})
        first = next((one.url for one in made if one.first), "")
        at_all = not here and not any(one.current for one in made)
        return cls(made, address(reverse("memories"), {}), at_all, first, form)


def links(request: HttpRequest, here: str | None = None) -> list[Link]:
    """The views that the actor has; the one whose filters are `here` is the current one."""
    first = getattr(request.user, "default_view_id", None)
    return [_link(view, request.actor, first, here) for view in services.shown_to(request.actor)]


def _link(view: SavedView, actor: Actor, first: UUID | None, here: str | None) -> Link:
    url, mine = _address(view), view.owner_id == actor.user_id
    return Link(view, url, view.query == here, view.pk == first, mine, services.may_change(actor, view))


def _address(view: SavedView) -> str:
    return address(reverse("memories"), {str(name): str(text) for name, text in QueryDict(view.query).items()})


@require_http_methods(["GET", "HEAD", "POST"])
def views(request: HttpRequest) -> HttpResponse:
    """All views, and saving one more."""
    if request.method != "POST":
        return _page(request)
    form = NewViewForm(request.actor, request.POST)
    if form.is_valid():
        try:
            made = services.add(**form.values(), actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        except Conflict as refusal:
            form.add_error(None, refusal.told)
        else:
            messages.success(request, gettext("The view “%(name)s” is saved.") % {"name": made.name})
            return redirect(_address(made))
    return _page(request, new=form, status=422)


@require_POST
def change(request: HttpRequest, view_id: UUID) -> HttpResponse:
    """Give a view another name, or to others."""
    view = services.find(view_id, actor=request.actor)
    form = ViewForm(request.actor, request.POST, auto_id=f"view_{view.pk}_%s")
    if form.is_valid():
        try:
            changed = services.change(view_id=view.pk, **form.values(), actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        else:
            messages.success(request, gettext("The view “%(name)s” is stored.") % {"name": changed.name})
            return redirect("views")
    return _page(request, refused=form, refused_id=view.pk, status=422)


@require_POST
def default(request: HttpRequest, view_id: UUID) -> HttpResponse:
    """Begin the list with this view, or no longer."""
    services.choose_default(view_id=view_id, chosen=request.POST.get("chosen") == "on", actor=request.actor)
    return redirect("views")


@require_POST
def delete(request: HttpRequest, view_id: UUID) -> HttpResponse:
    """Delete a view; the page asks before."""
    gone = services.remove(view_id=view_id, actor=request.actor)
    messages.success(request, gettext("The view “%(name)s” is deleted.") % {"name": gone.name})
    return redirect("views")


def _page(
    request: HttpRequest,
    *,
    new: NewViewForm | None = None,
    refused: ViewForm | None = None,
    refused_id: UUID | None = None,
    status: int = 200,
) -> HttpResponse:
    rows = []
    for one in links(request):
        initial = {"name": one.view.name, "space": one.view.space_id}
        form = ViewForm(request.actor, initial=initial, auto_id=f"view_{one.view.pk}_%s")
        rows.append({"link": one, "form": refused if refused and one.view.pk == refused_id else form})
    context = {"nav": "memories", "rows": rows, "new": new, "refused": refused or new}
    return render(request, "memories/views.html", context, status=status)
