"""Deleting for good: a page that says what it means, the receipt, and the proof."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.errors import Conflict, Invalid, SignInAgain
from console.pages import password_step
from console.saying import phrase
from memories.access import Actor, check_signed_in_lately, in_spaces
from memories.models import AuditRecord, Erasure, LifecycleStatus
from memories.pages import keyset
from memories.pages.forms import EraseForm
from memories.search.search import Search, search
from memories.search.wanted import LIMIT_MOST
from memories.services import erase as erasure
from memories.services import records
from memories.services.receipt import Receipt, as_json, receipt

WORDS_LIMIT = 200


@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Ask, with all consequences, whether this record is to go for good; and do it."""
    form = EraseForm(request.POST) if request.method == "POST" else EraseForm(initial=_asked(request))
    means = erasure.consequences(record_id, actor=request.actor)
    try:
        check_signed_in_lately(request.actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
    except SignInAgain:
        return password_first(request)
    if not form.is_bound:
        _check_open(form.initial.get("request"), means, request)
        form.initial["version"] = means.version
    elif form.is_valid():
        try:
            gone = _carry_out(form.cleaned_data, record_id, request).ids[0]
        except Invalid as refusal:
            form.take(refusal)
        else:
            _say_what_stays(means.same, request)
            return redirect("erased", gone)
    context = {"nav": "trash", "form": form, "means": means, "line": _line(means.record), "last6": str(record_id)[-6:]}
    return render(request, "memories/erase.html", context, status=422 if form.is_bound else 200)


def _asked(request: HttpRequest) -> dict[str, Any]:
    """The request of a token that the address names, if any."""
    text = request.GET.get("request", "")
    if not text:
        return {}
    try:
        return {"request": UUID(text)}
    except ValueError:
        raise Invalid.field(
            "request", phrase("This is no id of a request. Open the address you were given."), where="query"
        ) from None


def _check_open(request_id: UUID | None, means: erasure.Consequences, request: HttpRequest) -> None:
    """Raises NotFound or Conflict where sending the form could only fail."""
    if request_id is not None:
        erasure.open_request(request_id, actor=request.actor)
    elif records.standing(means.record).status != LifecycleStatus.DELETED:
        raise Conflict(phrase("Move the record to the trash first; it is deleted for good from there."))


def password_first(request: HttpRequest) -> HttpResponse:
    """Ask for the password, and come back with the form that was sent."""
    target = request.get_full_path()
    if request.method == "POST":
        return password_step(request, target, status=SignInAgain.status)
    return redirect(f"{reverse('sign-in-again')}?{urlencode({'next': target})}")


def _carry_out(given: dict[str, Any], record_id: UUID, request: HttpRequest) -> erasure.Erased:
    return erasure.erase(
        record_id=record_id,
        typed=given["typed"],
        reason=given["reason"],
        seen_version=given["version"],
        request_id=given["request"],
        actor=request.actor,
    )


def _say_what_stays(same: int, request: HttpRequest) -> None:
    """One text may be remembered more than once: whoever deletes it is told of the others."""
    if same:
        said = ngettext(
            "%(count)s other memory says the same, and stays. It is a record of its own.",
            "%(count)s other memories say the same, and stay. They are records of their own.",
            same,
        )
        messages.info(request, said % {"count": same})


def _line(record: records.Record) -> str:
    for name in ("content", "item", "context", "label"):
        if text := getattr(record, name, ""):
            return str(text)[:300]
    return ""


@require_safe
def erasure_request(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """Where a token's request leads: the page that asks about its record."""
    asked = erasure.open_request(request_id, actor=request.actor)
    return redirect(f"{reverse('erase', args=[asked.record_id])}?{urlencode({'request': str(asked.pk)})}")


@require_safe
def receipts(request: HttpRequest) -> HttpResponse:
    """The receipts of what was deleted for good in one's spaces, newest first."""
    rows = Erasure.objects.filter(space_id__in=list(request.actor.spaces))
    page = keyset.page([keyset.Source(rows, "erased_at", lambda row: row.erased_at)], request.GET, request.path)
    wanted = AuditRecord.objects.filter(pk__in=[row.audit_id for row in page.rows])
    known = {line.pk: line for line in in_spaces(request.actor, wanted).defer("prev_hash", "hash")}
    for row in page.rows:
        row.line = known.get(row.audit_id)
    return render(request, "memories/receipts.html", {"nav": "trash", "page": page})


@require_safe
def erased(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """The receipt of a hard delete."""
    return render(request, "memories/erased.html", _context(receipt(record_id, actor=request.actor)))


@require_safe
def erased_json(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """The same receipt as a file."""
    response = JsonResponse(as_json(receipt(record_id, actor=request.actor)), json_dumps_params={"indent": 2})
    response["Content-Disposition"] = f'attachment; filename="erased-{record_id}.json"'
    return response


def _context(found: Receipt) -> dict[str, Any]:
    return {
        "nav": "trash",
        "receipt": found,
        "gone": found.gone,
        "line": found.line,
        "line_id": str(found.gone.audit_id),
        "verified": False,
    }


@require_POST
def verify(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Look for the record in every place it could have left words in. What is typed here is kept nowhere."""
    found = receipt(record_id, actor=request.actor)
    words = request.POST.get("words", "").strip()
    if len(words) > WORDS_LIMIT:
        said = phrase("These are more than %(most)s characters. Type a few words of it.", most=WORDS_LIMIT)
        raise Invalid.field("words", said)
    asked = {"search by its id": str(record_id), **({"search by your words": words} if words else {})}
    searched = {name: _found(query, record_id, request.actor) for name, query in asked.items()}
    found = replace(found, places=searched | found.places)
    return render(request, "memories/erased.html", _context(found) | {"verified": True})


def _found(query: str, record_id: UUID, actor: Actor) -> int:
    """How often a search of `query` still finds the record."""
    hits = search(actor, Search(query=query, limit=LIMIT_MOST)).hits
    return sum(hit.memory_id == record_id for hit in hits)
