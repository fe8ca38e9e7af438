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
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_http_methods, require_POST

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

    def add() -> Todo:
        given = {"content": form.cleaned_data["content"], "due_at": form.cleaned_data["due_at"]}
        return service.add(**given, **place_of(form, request.actor), actor=request.actor)

    done = kinds.added(request, form, add, home="todos")
    filters, shown = TodoFilter(request.GET, request.actor), {"nav": "todos", "form": form, "now": timezone.now()}
    return done or kinds.listing(request, "memories/todos.html", filters, _listed, **shown)


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
        "tabs": kinds.tabs(request, TodoFilter.SHOWN, found),
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
    return kinds.read_or_change(request, record_id, TODO)


def _edit(todo_id: UUID, **more: Any) -> Todo:
    return service.edit(todo_id=todo_id, **more)


def _facts(todo: Todo) -> dict[str, Any]:
    return {"nav": "todos", "todo": todo, "now": timezone.now()}


TODO = kinds.Kind("todo", "memories/todo.html", EditTodo, service.find, _edit, _facts)


@require_POST
def complete(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Done. Under htmx the row comes back as it stands now."""
    return _moved(request, record_id, service.complete, pgettext("just now", "Completed"), _("Completed."))


@require_POST
def reopen(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Open again. Under htmx the row comes back as it stands now."""
    return _moved(request, record_id, service.reopen, pgettext("just now", "Open again"), _("Open again."))


def _moved(request: HttpRequest, todo_id: UUID, verb: Callable[..., Todo], said: str, notice: str) -> HttpResponse:
    todo = verb(todo_id=todo_id, seen_version=seen(request)["seen_version"], actor=request.actor)
    if request.htmx and request.POST.get("as") == "row":
        return render(request, "memories/todo_row.html", {**row_of(request, todo_id), "moved": said})
    messages.success(request, notice)
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
