"""What the pages of records beside memories share: a list with a form, a page to read and change, the trash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from console.errors import Invalid, Stale
from console.words import word
from memories.access import Actor, in_spaces, may_erase, may_write
from memories.models import AuditRecord, Decision, LedgerEntry, Snapshot, Todo
from memories.pages.kind_forms import Changing, Editing, KindFilter
from memories.pages.moving import back, seen
from memories.services import hands
from memories.services.erase import why_kept
from memories.services.forget import forget, restore
from memories.services.protect import may_hold

LINES = 50
Kept = Todo | LedgerEntry | Decision | Snapshot
RowOf = Callable[[HttpRequest, UUID], dict[str, Any]]


def listing(
    request: HttpRequest,
    template: str,
    filters: KindFilter,
    listed: Callable[[HttpRequest, Any], dict[str, Any]],
    **context: Any,
) -> HttpResponse:
    """The list within the filters; with what is wrong about them, or about the form of one more, in their place."""
    context["filters"] = filters
    wrong = "form" in context and context["form"].is_bound
    try:
        if filters.is_valid():
            context |= listed(request, filters)
    except Invalid as refusal:
        filters.take(refusal)
    return render(request, template, context, status=422 if wrong or filters.errors else 200)


def added(
    request: HttpRequest, form: Editing, add: Callable[[], Todo | LedgerEntry], *, home: str
) -> HttpResponse | None:
    """Write what was typed and say where to go; None where there is nothing to write, or something is wrong."""
    if not (form.is_bound and form.is_valid()):
        return None
    try:
        made = add()
    except Invalid as refusal:
        form.take(refusal)
        return None
    messages.success(request, _("Added."))
    return redirect(back(request, made) if request.POST.get("next") else home)


@dataclass(frozen=True, slots=True)
class Kind:
    """How records of one kind are read and changed on a page of their own."""

    view: str
    template: str
    form: type[Changing]
    find: Callable[..., Any]
    edit: Callable[..., Any]  # called with the id, `changes`, `seen_version` and `actor`
    shown: Callable[[Any], dict[str, Any]]


def read_or_change(request: HttpRequest, record_id: UUID, kind: Kind) -> HttpResponse:
    """One record with the form to change it; posted, the changes are saved over the version that was seen."""
    found = kind.find(record_id, actor=request.actor)
    form = kind.form.of(found, request.POST if request.method == "POST" else None)
    if not form.is_bound:
        return _page(request, kind, found, form)
    if not form.is_valid():
        return _page(request, kind, found, form, status=422)
    version = form.cleaned_data["version"]
    try:
        saved = kind.edit(record_id, changes=form.changes(), seen_version=version, actor=request.actor)
    except Invalid as refusal:
        form.take(refusal)
        return _page(request, kind, found, form, status=422)
    except Stale as refusal:
        return _both(request, kind, kind.find(record_id, actor=request.actor), refusal)
    changed = saved.version != version
    messages.success(request, _("Saved.") if changed else _("Nothing was different, so nothing was changed."))
    return redirect(kind.view, record_id)


def _both(request: HttpRequest, kind: Kind, now_is: Todo | LedgerEntry, refusal: Stale) -> HttpResponse:
    """What it says now above what was typed, ready to be saved over the current version."""
    typed = request.POST.copy()
    typed["version"] = str(now_is.version)
    request.refusal = refusal
    return _page(request, kind, now_is, kind.form.of(now_is, typed), status=refusal.status, refused=refusal)


def _page(
    request: HttpRequest, kind: Kind, found: Todo | LedgerEntry, form: Changing, *, status: int = 200, **more: Any
) -> HttpResponse:
    context = {
        "record": found,
        "form": form,
        **about(found, request.actor),
        **kind.shown(found),
        **more,
    }
    return render(request, kind.template, context, status=status)


def to_trash(request: HttpRequest, record_id: UUID, *, undo: str) -> HttpResponse:
    """Move to the trash. Under htmx the row becomes “Moved to trash · Undo”; `undo` is the view that undoes it."""
    moved = forget(record_id=record_id, actor=request.actor, **seen(request))
    version = moved.record.version  # type: ignore[union-attr]
    if request.htmx and "next" in request.POST:
        context = {"undo_url": reverse(undo, args=[record_id]), "version": version}
        return render(request, "memories/kind_undo_row.html", context)
    messages.success(request, _("Moved to trash."), extra_tags=f"{record_id} {version}")
    return redirect(back(request, moved.record))


def out_of_trash(request: HttpRequest, record_id: UUID, *, row_of: RowOf, template: str) -> HttpResponse:
    """Back to where it stood. Under htmx its row returns."""
    moved = restore(record_id=record_id, actor=request.actor, **seen(request))
    if request.htmx and request.POST.get("as") == "row":
        return render(request, template, {**row_of(request, record_id), "returned": _("Restored")})
    said = _("Restored. It is %(status)s, as it was before.") % {"status": word(moved.status)}
    messages.success(request, said)
    return redirect(back(request, moved.record))


def about(record: Kept, actor: Actor) -> dict[str, Any]:
    """What the page of every record shows beside the record: its newest audit lines, and what the person may do."""
    lines = in_spaces(actor, AuditRecord.objects.filter(object_id=record.pk)).order_by("-at", "-seq")[:LINES]
    return {
        "lines": hands.attach(lines, actor=actor),
        "may_write": may_write(actor, record),
        "may_erase": may_erase(actor, record),
        "why_kept": why_kept(record, actor=actor),
        "may_hold": may_hold(actor, record),
    }


def without(request: HttpRequest, **changes: str) -> str:
    """The address of this list from its first page, with some filters changed; an empty text takes one off."""
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    for name, value in changes.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return f"{request.path}?{query.urlencode()}"


def tabs(
    request: HttpRequest, shown: Iterable[tuple[str, Any]], found: Mapping[str, QuerySet[Any]]
) -> list[dict[str, Any]]:
    """The parts of a list (name and label), each with how many rows it has and its address."""
    return [
        {
            "name": name,
            "label": label,
            "count": found[name].order_by().count(),
            "url": without(request, show=name),
        }
        for name, label in shown
    ]
