"""Saved views: the filters of the list of memories under a name, for oneself or for a team, and which one comes first.

A view holds no record and gives no right: whoever opens it sees what they may see within its filters.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Problem
from console.saying import phrase
from console.text import unstorable
from memories import audit
from memories.access import Actor, Space, in_spaces
from memories.models import SavedView, User
from memories.models.people import Role
from memories.services.fields import said

MOST = 50  # views that one person keeps
NAME_LIMIT, QUERY_LIMIT = 100, 2_000  # characters
FILTERS = ("type", "status", "space", "owner", "bucket", "scope", "under", "path", "age", "order", "limit")
UNSAID = {"status": "active", "order": "created"}  # what a list shows that says nothing of it
PLACES = {"after", "before", "selected"}  # where in the list one was, and what was ticked, is no part of a view


def shown_to(actor: Actor) -> QuerySet[SavedView]:
    """One's own views and those of one's teams, by name."""
    return in_spaces(actor, SavedView.objects.select_related("owner")).order_by(Lower("name"), "pk")


def find(view_id: UUID, *, actor: Actor, lock: bool = False) -> SavedView:
    """The view of this id. Raises NotFound for that of anybody else, too."""
    rows = shown_to(actor).filter(pk=view_id)
    found = (rows.select_for_update(no_key=True, of=("self",)) if lock else rows).first()
    if found is None:
        raise NotFound(phrase("There is no such view, or it is not shared with you."))
    return found


def kept(query: str) -> str:
    """What a view keeps of the query of a list, always in the same order. Raises Invalid for what is no filter."""
    try:
        given = dict(parse_qsl(query, max_num_fields=30))
    except ValueError:
        raise Invalid.field("query", phrase("These are too many filters. Take some off.")) from None
    if unknown := sorted(given.keys() - {*FILTERS, *PLACES}):
        raise Invalid.field("query", phrase("The list has no filter “%(name)s”. Take it off.", name=unknown[0][:50]))
    pairs = [(name, given[name]) for name in FILTERS if given.get(name) and given[name] != UNSAID.get(name)]
    found = urlencode(pairs)
    if len(found) > QUERY_LIMIT:
        raise Invalid.field("query", phrase("These filters are too long to be kept. Shorten them."))
    return found


@transaction.atomic
def add(*, name: str, query: str, space_id: UUID, actor: Actor) -> SavedView:
    """Keep the filters of a list in one's own space, or in that of a team for all its members.

    Raises Invalid, NotFound, NotAllowed for tokens, Conflict where there are too many.
    """
    _check_person(actor)
    space = actor.space(space_id)
    view = SavedView(owner_id=actor.own, team_id=space.team_id, name=name.strip(), query=kept(query))
    _check(view, space)
    User.objects.select_for_update(no_key=True).get(pk=actor.own)
    if shown_to(actor).filter(owner_id=actor.own).count() >= MOST:
        raise Conflict(phrase("You have saved %(most)s views, as many as one keeps. Delete one first.", most=MOST))
    _store(view)
    detail = {"name": view.name, "status": [None, "saved"]}
    audit.record(actor, "view.create", "view", view.pk, space_id=space.id, detail=detail)
    return view


@transaction.atomic
def change(*, view_id: UUID, name: str, space_id: UUID, actor: Actor) -> SavedView:
    """Rename a view, share it or stop sharing it. What is so already writes no audit row.

    A team's trail says what became of its view; of one that was nobody else's, the trail of where it stands now.
    Raises Invalid, NotFound, NotAllowed.
    """
    view = _own(view_id, actor)
    space = actor.space(space_id)
    if space.team_id is None and view.owner_id != actor.own:
        raise NotAllowed(phrase("It is not your view. Delete it, or leave it with the team."))
    now: dict[str, Any] = {"name": view.name, "space": view.space_id}
    wanted: dict[str, Any] = {"name": name.strip(), "space": space.id}
    changed = audit.changed(now, wanted, wanted)
    if not changed:
        return view
    view.name, view.team_id = name.strip(), space.team_id
    _check(view, space)
    _store(view)
    chain = space.id if now["space"] == view.owner_id else now["space"]
    audit.record(actor, "view.update", "view", view.pk, space_id=chain, detail=changed)
    return view


@transaction.atomic
def remove(*, view_id: UUID, actor: Actor) -> SavedView:
    """Delete a view, for everybody who has it. Raises NotFound, NotAllowed."""
    view = _own(view_id, actor)
    key, space_id = view.pk, view.space_id
    view.delete()
    detail = {"name": view.name, "status": ["saved", None]}
    audit.record(actor, "view.delete", "view", key, space_id=space_id, detail=detail)
    return view


@transaction.atomic
def choose_default(*, view_id: UUID, chosen: bool, actor: Actor) -> SavedView:
    """Begin the list of memories with this view, or no longer. What is so already writes no audit row.

    Raises NotFound, NotAllowed for tokens.
    """
    _check_person(actor)
    view = find(view_id, actor=actor)
    user = User.objects.select_for_update(no_key=True, of=("self",)).get(pk=actor.own)
    if chosen == (user.default_view_id == view.pk):
        return view
    before, user.default_view_id = user.default_view_id, view.pk if chosen else None
    user.save(update_fields=["default_view"])
    detail = {"view": [before, user.default_view_id]}
    audit.record(actor, "user.choose_default_view", "view", view.pk, space_id=actor.own, detail=detail)
    return view


def may_change(actor: Actor, view: SavedView) -> bool:
    """Whether the actor made this view, or is an admin of the team that has it."""
    space = actor.spaces.get(view.space_id)
    return space is not None and (view.owner_id == actor.user_id or space.role == Role.ADMIN)


def _own(view_id: UUID, actor: Actor) -> SavedView:
    _check_person(actor)
    view = find(view_id, actor=actor, lock=True)
    if not may_change(actor, view):
        team = actor.space(view.space_id).name
        raise NotAllowed(phrase("Only whoever made this view or an admin of %(team)s may change it.", team=team))
    return view


def _check_person(actor: Actor) -> None:
    if not actor.is_person:
        raise NotAllowed(phrase("Only people have views. Sign in to the console."))


def _check(view: SavedView, space: Space) -> None:
    """Raises Invalid for a name that is none, or filters that not everybody in the team can use."""
    problems = [Problem(("body", name), fault) for name, fault in _faults(view, space).items() if fault]
    if problems:
        raise Invalid(*problems)


def _faults(view: SavedView, space: Space) -> dict[str, str | None]:
    name, only, faults = view.name, dict(parse_qsl(view.query)).get("space"), dict[str, str | None]()
    if not said(name):
        faults["name"] = phrase("The name is empty. Say what the view shows.")
    elif len(name) > NAME_LIMIT:
        faults["name"] = phrase("The name is longer than %(limit)s characters. Shorten it.", limit=NAME_LIMIT)
    elif unstorable(name) or any(ord(letter) < 32 for letter in name):
        faults["name"] = phrase("The name holds a control character. Remove it.")
    if space.team_id and only and only != str(space.id):
        faults["space"] = phrase(
            "This view shows one space only, which not everybody in %(team)s can see. Take that filter off, or keep "
            "the view for yourself.",
            team=space.name,
        )
    return faults


def _store(view: SavedView) -> None:
    """Raises Invalid for a name that the space has already."""
    try:
        with transaction.atomic():
            view.save()
    except IntegrityError:
        said_already = phrase("There is a view of this name here already. Choose another name.")
        raise Invalid.field("name", said_already) from None
