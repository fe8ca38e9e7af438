"""What a person decides about a pass. Each address takes a form; opened without one it leads back to the pass."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from console.errors import NotFound, Refused
from reflection import queries
from reflection.models import ReflectPass
from reflection.pages.groups import query
from reflection.pages.selection import chosen, outline, written
from reflection.pages.show import page
from reflection.services import decide, undo

Verb = Callable[[], ReflectPass]


def approve(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """Approve the plan of `digest` without what the page showed unticked (`shown` less `include`) or had in `out`."""
    if request.method != "POST":
        return redirect("pass", pass_id)
    reflect_pass = queries.find(pass_id, actor=request.actor)
    whole = outline(reflect_pass)
    given = request.POST
    left_out = chosen(given.getlist("shown"), given.getlist("include"), given.get("out", ""), whole)
    verb = partial(
        decide.approve,
        pass_id=pass_id,
        digest=given.get("digest", ""),
        exclude=whole.keys(left_out),
        comment=given.get("comment", "").strip(),
        actor=request.actor,
    )
    return _decided(request, pass_id, verb, left_out)


def select(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """Turn to another part of a long plan; what is left out so far goes along in the address. Nothing is written."""
    if request.method != "POST":
        return redirect("pass", pass_id)
    given = request.POST
    whole = outline(queries.find(pass_id, actor=request.actor))
    left_out = chosen(given.getlist("shown"), given.getlist("include"), given.get("out", ""), whole)
    group, _, after = given.get("turn", "").partition(":")
    address = query(group=group, after=after, out=written(left_out))
    return redirect(f"{reverse('pass', args=[pass_id])}{address}")


def reject(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """End a plan."""
    return _commented(request, pass_id, decide.reject)


def take_back(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """Undo an applied pass."""
    return _commented(request, pass_id, undo.roll_back)


def sign_off(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """Keep what was applied without a person."""
    return _commented(request, pass_id, decide.sign_off)


def _commented(request: HttpRequest, pass_id: UUID, verb: Callable[..., ReflectPass]) -> HttpResponse:
    if request.method != "POST":
        return redirect("pass", pass_id)
    comment = request.POST.get("comment", "").strip()
    return _decided(request, pass_id, partial(verb, pass_id=pass_id, comment=comment, actor=request.actor))


def _decided(request: HttpRequest, pass_id: UUID, verb: Verb, left_out: Collection[int] = ()) -> HttpResponse:
    """Carry `verb` out and show the pass. A refusal is shown above the pass, with what was chosen kept."""
    try:
        verb()
    except NotFound:
        raise
    except Refused as refusal:
        if request.htmx:
            raise
        request.refusal = refusal  # audited after the roll back
        reflect_pass = queries.find(pass_id, actor=request.actor)
        comment = request.POST.get("comment", "")
        return page(request, reflect_pass, left_out=left_out, refusal=refusal, comment=comment)
    return redirect("pass", pass_id)
