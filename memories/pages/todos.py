"""TODOs: what is open, overdue and done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from console.errors import Invalid, Stale
from memories.access import visible_to
from memories.models import Todo
from memories.pages import keyset, kinds
from memories.pages.kind_forms import EditTodo, NewTodo, TodoFilter, place_of
from memories.pages.listing import LINE, chips
from memories.pages.moving import back, seen
from memories.services import todos as service
from memories.services.todos import Wanted

SHOWS: dict[str, dict[str, Any]] = {
    "open": {"item_status": "open"},
    "overdue": {"item_status": "open", "overdue": True},
    "completed": {"item_status": "completed"},
}


@require_http_methods(["GET", "HEAD", "POST"])
def todos(request: HttpRequest) -> HttpResponse:
    """The list, with a form for one more."""
    form = NewTodo(request.actor, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            given = {"content": form.cleaned_data["content"], "due_at": form.cleaned_data["due_at"]}
            made = service.add(**given, **place_of(form, request.actor), actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        else:
            messages.success(request, "Added.")
            return redirect(back(request, made) if request.POST.get("next") else "todos")
    return _list(request, form)


def _list(request: HttpRequest, form: NewTodo) -> HttpResponse:
    filters = TodoFilter(request.GET, request.actor)
    context: dict[str, Any] = {"nav": "todos", "filters": filters, "form": form, "now": timezone.now()}
    try:
        if not filters.is_valid():
            return render(request, "memories/todos.html", context, status=422)
        context |= _listed(request, filters)
    except Invalid as refusal:
        filters.take(refusal)
        return render(request, "memories/todos.html", context, status=422)
    return render(request, "memories/todos.html", context, status=422 if form.is_bound else 200)


def _listed(request: HttpRequest, filters: TodoFilter) -> dict[str, Any]:
    """The rows of the page and the counts beside them."""
    show, actor = filters.cleaned_data["show"], request.actor
    found = {name: service.listed(Wanted(**filters.common(), **more), actor=actor) for name, more in SHOWS.items()}
    if show == "completed":
        source = keyset.Source(lines(found[show]), "completed_at", lambda row: row.completed_at)
    else:
        source = keyset.Source(service.by_due(lines(found[show])), "turned", lambda row: row.turned)
    page = keyset.page([source], request.GET, request.path, size=filters.cleaned_data["limit"])
    return {
        "show": show,
        "page": page,
        "chips": [chip for chip in chips(request, filters) if chip["field"] != "show"],
        "tabs": [
            {
                "name": name,
                "label": label,
                "count": found[name].order_by().count(),
                "url": kinds.without(request, show=name),
            }
            for name, label in TodoFilter.SHOWN
        ],
        "first_use": not page.rows and not visible_to(actor, Todo.objects.all()).exists(),
    }


def lines(rows: QuerySet[Todo]) -> QuerySet[Todo]:
    """`rows` with one line of what they say."""
    return rows.annotate(line=Left("content", LINE)).defer("content", "note")


def row_of(request: HttpRequest, todo_id: UUID) -> dict[str, Any]:
    """What the row of one TODO shows."""
    row = lines(visible_to(request.actor, Todo.objects.all())).get(pk=todo_id)
    return {"row": row, "back": request.POST.get("next", ""), "now": timezone.now()}


@require_http_methods(["GET", "HEAD", "POST"])
def todo(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """One TODO, to be read and changed."""
    found = service.find(record_id, actor=request.actor)
    form = EditTodo.of(found, request.POST if request.method == "POST" else None)
    if not form.is_bound:
        return _page(request, found, form)
    if form.is_valid():
        try:
            changes, version = form.changes(), form.cleaned_data["version"]
            service.edit(todo_id=record_id, changes=changes, seen_version=version, actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        except Stale as refusal:
            return _both(request, service.find(record_id, actor=request.actor), refusal)
        else:
            messages.success(request, "Saved." if changes else "Nothing was different, so nothing was changed.")
            return redirect("todo", record_id)
    return _page(request, found, form, status=422)


def _both(request: HttpRequest, now_is: Todo, refusal: Stale) -> HttpResponse:
    """What it says now above what was typed, ready to be saved over the current version."""
    typed = request.POST.copy()
    typed["version"] = str(now_is.version)
    request.refusal = refusal
    return _page(request, now_is, EditTodo.of(now_is, typed), status=refusal.status, refused=refusal)


def _page(request: HttpRequest, found: Todo, form: EditTodo, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "nav": "todos",
        "todo": found,
        "form": form,
        "now": timezone.now(),
        "lines": kinds.history(found, request.actor),
        **kinds.rights(found, request.actor),
        **more,
    }
    return render(request, "memories/todo.html", context, status=status)


@require_POST
def complete(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Done. Under htmx the row comes back as it stands now."""
    return _moved(request, record_id, service.complete, "Completed")


@require_POST
def reopen(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Open again. Under htmx the row comes back as it stands now."""
    return _moved(request, record_id, service.reopen, "Open again")


def _moved(request: HttpRequest, todo_id: UUID, verb: Callable[..., Todo], said: str) -> HttpResponse:
    todo = verb(todo_id=todo_id, seen_version=seen(request)["seen_version"], actor=request.actor)
    if request.htmx and request.POST.get("as") == "row":
        return render(request, "memories/todo_row.html", {**row_of(request, todo_id), "moved": said})
    messages.success(request, f"{said}.")
    return redirect(back(request, todo) if request.POST.get("next") else reverse("todo", args=[todo_id]))


@require_POST
def forget(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """To the trash."""
    service.find(record_id, actor=request.actor)
    return kinds.to_trash(request, record_id, undo="todo-restore")


@require_POST
def restore(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Out of the trash."""
    service.find(record_id, actor=request.actor)
    return kinds.out_of_trash(request, record_id, row_of=row_of, template="memories/todo_row.html")
