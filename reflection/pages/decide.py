"""What a person decides about a pass. Each address takes a form; opened without one it leads back to the pass."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from console.errors import NotFound, Refused
from reflection import queries
from reflection.models import ReflectPass
from reflection.pages import narrow
from reflection.pages.cards import cards_of
from reflection.pages.groups import query
from reflection.pages.narrow import Standing
from reflection.pages.selection import Outline, chosen, outline, position, written
from reflection.pages.show import page, rights_of
from reflection.report import state_of
from reflection.services import decide, drift, planning, undo, undo_some
from reflection.services.viewing import mark_viewed, viewed_positions
from reflection.states import Status

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
    """Look at another part of a plan; what is left out so far goes along in the address. Nothing is decided.

    `turn` turns the pages of a long plan, `do` leaves out or takes in all that the filters show, `view`, `unview` and
    `view_shown` note what the person has looked at; scripts get back only what one such note changes on the page.
    """
    if request.method != "POST":
        return redirect("pass", pass_id)
    given = request.POST
    reflect_pass = queries.find(pass_id, actor=request.actor)
    whole, part = outline(reflect_pass), narrow.read(given, reflect_pass)
    left_out = chosen(given.getlist("shown"), given.getlist("include"), given.get("out", ""), whole)
    if given.get("do") in ("exclude", "include"):
        shown = _matching(request, reflect_pass, whole, part, left_out)
        left_out = left_out | shown if given["do"] == "exclude" else left_out - shown
    where = _viewed(request, reflect_pass, whole)
    if request.htmx and where:
        return _marked(request, reflect_pass, whole)
    group, _, after = given.get("turn", "").partition(":")
    address = query(**part.as_query(), group=group, after=after, out=written(left_out))
    return redirect(f"{reverse('pass', args=[pass_id])}{address}{where}")


def _matching(
    request: HttpRequest, reflect_pass: ReflectPass, whole: Outline, part: narrow.Narrow, left_out: frozenset[int]
) -> frozenset[int]:
    """The positions that the filters show."""
    drifted = {whole.ids[key] for key in drift.since(reflect_pass, actor=request.actor)}
    standing = Standing(drifted, viewed_positions(reflect_pass, actor=request.actor), left_out)
    found = narrow.matching(part, reflect_pass, whole, standing, actor=request.actor)
    return frozenset(whole.actions) if found is None else found


def _viewed(request: HttpRequest, reflect_pass: ReflectPass, whole: Outline) -> str:
    """Note what was looked at. Returns where on the page the person goes on."""
    given = request.POST
    shown = given.getlist("shown") if given.get("view_shown") else []
    for name, texts in (("view", [*given.getlist("view"), *shown]), ("unview", given.getlist("unview"))):
        if texts:
            keys = whole.keys(position(name, text, whole) for text in texts)
            mark_viewed(pass_id=reflect_pass.pk, candidates=keys, viewed=name == "view", actor=request.actor)
    single = given.get("view") or given.get("unview")
    return f"#c{position('view', single, whole)}" if single else ""


def _marked(request: HttpRequest, reflect_pass: ReflectPass, whole: Outline) -> HttpResponse:
    """What the note about one candidate changes on the page."""
    at = position("view", request.POST.get("view") or request.POST.get("unview", ""), whole)
    [card] = cards_of([reflect_pass.candidates.get(position=at)], drifted={}, left_out=(), actor=request.actor)
    context = {
        "pass": reflect_pass,
        "card": card,
        "viewed": viewed_positions(reflect_pass, actor=request.actor),
        "total": len(whole.ids),
        "decide": rights_of(reflect_pass, state_of(reflect_pass), request.actor)["may_approve"],
        "swapped": True,
    }
    return render(request, "reflection/marked.html", context)


def reject(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """End a plan, or with `seen=approved` withdraw the approval of one that is not applied yet."""
    seen = Status.APPROVED if request.POST.get("seen") == Status.APPROVED else Status.PLANNED
    return _commented(request, pass_id, partial(decide.reject, seen=seen))


def cancel(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """End a planning that is under way."""
    if request.method != "POST":
        return redirect("pass", pass_id)
    return _decided(request, pass_id, partial(planning.cancel, pass_id=pass_id, actor=request.actor))


def take_back(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """Undo an applied pass."""
    return _commented(request, pass_id, undo.roll_back)


def take_some_back(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """Undo the ticked changes of an applied pass, or the one whose button was pressed."""
    if request.method != "POST":
        return redirect("pass", pass_id)
    given = request.POST
    whole = outline(queries.find(pass_id, actor=request.actor))
    wanted = given.getlist("single") or given.getlist("include")
    verb = partial(
        undo_some.take_back,
        pass_id=pass_id,
        candidates=whole.keys(position("candidates", text, whole) for text in wanted),
        comment=given.get("comment", "").strip(),
        actor=request.actor,
    )
    return _decided(request, pass_id, verb)


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
