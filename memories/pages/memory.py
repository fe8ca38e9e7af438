"""One memory: reading it, writing a new one, changing it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from rest_framework.renderers import JSONRenderer

from console.errors import Invalid, Stale
from console.text import escaped
from memories.access import Actor, Space, in_spaces, may_erase, may_write
from memories.api.render import memory_json
from memories.models import AuditRecord, Memory, MemoryVersion
from memories.pages.forms import EditForm, NewMemoryForm
from memories.pages.linked import linked
from memories.services import hands, provenance, records
from memories.services.erase import why_kept
from memories.services.protect import may_hold
from memories.services.remember import NewMemory, remember
from memories.services.revise import revise
from memories.services.status import since, standing
from memories.services.story import story

LINES, DIFFS = 50, 20
DIFFED = 60_000  # characters of changed texts that a page compares unasked
JSON_CHARS = 8_000  # of a text that the page shows a second time, as JSON


def find(record_id: UUID, actor: Actor) -> Memory:
    """The visible memory of this id. Raises NotFound."""
    found = records.find(record_id, actor=actor, kinds=("memory",))
    assert isinstance(found, Memory)
    return found


@require_safe
def memory(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """All that is known about one memory."""
    found, actor = find(record_id, request.actor), request.actor
    hands.attach([found], actor=actor)
    context = {
        "nav": "memories",
        "memory": found,
        "state": found.state,
        "stands": standing(found),
        "since": since(found),
        "changed_at": max(found.updated_at, since(found) or found.updated_at),
        "spaces": spaces_for(found, actor),
        "provenance": json.dumps(found.provenance, indent=2, ensure_ascii=False) if found.provenance else "",
        "span": provenance.span_of(found),
        "sources_gone": provenance.sources_gone(found),
        "metadata": json.dumps(found.metadata, indent=2, ensure_ascii=False) if found.metadata else "",
        "json": readable(found) if len(found.content) <= JSON_CHARS else "",
        "revisions": revisions(found, request.GET.get("version", "")),
        "more_revisions": found.versions.count() - DIFFS,
        "lines": hands.attach(_lines(record_id, actor), actor=actor),
        "story": story(found, actor=actor),
        "may_write": may_write(actor, found),
        "may_erase": may_erase(actor, found),
        "why_kept": why_kept(found, actor=actor),
        "may_hold": may_hold(actor, found),
        **linked(request, found),
    }
    return render(request, "memories/memory.html", context)


def _lines(record_id: UUID, actor: Actor) -> QuerySet[AuditRecord]:
    return in_spaces(actor, AuditRecord.objects.filter(object_id=record_id)).order_by("-at", "-seq")[:LINES]


def raw(of: Memory) -> bytes:
    """The memory as the API writes it."""
    return bytes(JSONRenderer().render(memory_json(of)))


def readable(of: Memory) -> str:
    """The same, a line for each field, with the codes of characters that nobody would see."""
    return escaped(json.dumps(json.loads(raw(of)), indent=2, ensure_ascii=False))


def spaces_for(of: Memory, actor: Actor) -> list[Space]:
    """The other spaces a memory could move to: the actor's teams, and its owner's own space for the owner."""
    others = [space for space in actor.spaces.values() if space.id != of.space_id]
    return [space for space in others if space.team_id or space.id == of.owner_id]


@dataclass(frozen=True, slots=True)
class Revision:
    """One change: what the memory was, and the text and fields that came after."""

    was: MemoryVersion
    content: str
    fields: list[tuple[str, Any, Any]]
    shown: bool  # its texts, word by word


def revisions(of: Memory, wanted: str = "") -> list[Revision]:
    """The newest changes, newest first; the texts of as many as DIFFED allows, and of the version that is `wanted`."""
    room = DIFFED
    content: str = of.content
    metadata: Any = of.metadata
    fields: dict[str, Any] = {
        "path": of.path,
        "bucket": of.bucket,
        "scope": of.scope,
        "memory_type": of.memory_type,
        "confidence": of.confidence,
        "expires_at": of.expires_at.isoformat() if of.expires_at else None,
    }
    found = []
    for was in of.versions.select_related("replaced_by").order_by("-number")[:DIFFS]:
        moved = [(name, was.fields[name], now) for name, now in fields.items() if was.fields.get(name, now) != now]
        moved += _inside(was.fields.get("metadata"), metadata)
        room -= len(was.content) + len(content)
        found.append(Revision(was, content, moved, room >= 0 or wanted == str(was.number)))
        content, fields = was.content, {name: was.fields.get(name, now) for name, now in fields.items()}
        metadata = was.fields.get("metadata", metadata)
    return found


def _inside(before: Any, after: Any) -> list[tuple[str, Any, Any]]:
    """What differs in the metadata, each by its name; nothing where nobody knows what it was."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return []
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return [(_("metadata %(name)s") % {"name": name}, _plain(before, name), _plain(after, name)) for name in names]


def _plain(values: dict[str, Any], name: str) -> Any:
    value = values.get(name)
    return value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Write a memory by hand."""
    form = NewMemoryForm(request.actor, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = remember(new=NewMemory(**form.values()), actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        else:
            messages.success(request, _("Remembered."))
            return redirect("memory", made.memory.pk)
    status = 422 if form.is_bound else 200
    return render(request, "memories/edit.html", {"nav": "memories", "form": form}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Change a memory; what it was stays as a version."""
    found = find(record_id, request.actor)
    form = EditForm.of(found, request.POST if request.method == "POST" else None)
    context = {"nav": "memories", "form": form, "memory": found}
    if not form.is_bound:
        return render(request, "memories/edit.html", context)
    if not form.is_valid():
        return render(request, "memories/edit.html", context, status=422)
    given = {"changes": form.changes(), "reason": form.cleaned_data["reason"], "actor": request.actor}
    try:
        revise(memory_id=record_id, seen_version=form.cleaned_data["version"], **given)
    except Invalid as refusal:
        form.take(refusal)
        return render(request, "memories/edit.html", context, status=422)
    except Stale as refusal:
        return _both(request, find(record_id, request.actor), refusal)
    said = _("Saved.") if given["changes"] else _("Nothing was different, so nothing was changed.")
    messages.success(request, said)
    return redirect("memory", record_id)


def _both(request: HttpRequest, now: Memory, refusal: Stale) -> HttpResponse:
    """The current text beside the one that was typed, ready to be saved over the current version."""
    typed = request.POST.copy()
    typed["version"] = str(now.state.version)
    request.refusal = refusal
    context = {"nav": "memories", "form": EditForm.of(now, typed), "memory": now, "refused": refusal}
    return render(request, "memories/edit.html", context, status=refusal.status)
