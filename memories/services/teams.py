"""Teams: their names, and who is in them in which role. Who writes a membership holds the lock of its team.

A person is locked before a team, so that nobody waits for somebody who waits for them. A team keeps an admin.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from console.errors import Conflict, Invalid, NotAllowed, NotFound
from console.saying import phrase
from console.text import unstorable
from memories import audit
from memories.access import Actor
from memories.models import Membership, Team
from memories.models.people import Role
from memories.services import charge, people
from memories.services.fields import said

NAME_LIMIT = 100
ABSENT = phrase("There is no such member, or it is none of your teams.")


def shown(team_id: UUID, *, actor: Actor) -> Team:
    """A team that the actor is in. Raises NotFound."""
    team = Team.objects.filter(pk=team_id).first() if team_id in actor.spaces else None
    if team is None:
        raise NotFound(charge.NO_TEAM)
    return team


def members_of(team_id: UUID, *, actor: Actor) -> QuerySet[Membership]:
    """The members of a team that the actor is in, by name. Raises NotFound."""
    shown(team_id, actor=actor)
    return Membership.objects.filter(team_id=team_id).select_related("user", "team").order_by("user__username")


def member(membership_id: UUID, *, actor: Actor) -> Membership:
    """One member of a team that the actor is in. Raises NotFound."""
    rows = Membership.objects.select_related("user", "team").filter(pk=membership_id, team_id__in=list(actor.spaces))
    found = rows.first()
    if found is None:
        raise NotFound(ABSENT)
    return found


@transaction.atomic
def create(*, name: str, admin: str = "", actor: Actor) -> Team:
    """A new team, with its first admin, by username or e-mail. Raises NotAllowed, Invalid.

    An administrator of the console may be the admin of a team that they make: there is nothing in it yet.
    """
    charge.check_may_administer(actor)
    charge.check_lately(actor)
    first = people.known(admin) if admin else None
    team = _stored(Team(name=_name(name)))
    detail: dict[str, Any] = {"name": team.name, "status": [None, "active"]}
    if first is not None:
        Membership.objects.create(user=first, team=team, role=Role.ADMIN)
        detail["admin"] = str(first.pk)
    audit.record(actor, "team.create", "team", team.pk, space_id=team.pk, detail=detail)
    return team


@transaction.atomic
def rename(*, team_id: UUID, name: str, actor: Actor) -> Team:
    """Give a team another name. What is so already writes no audit row. Raises NotFound, NotAllowed, Invalid."""
    team = charge.led(team_id, actor)
    before, wanted = team.name, _name(name)
    if before == wanted:
        return team
    team.name = wanted
    _stored(team)
    audit.record(actor, "team.rename", "team", team.pk, space_id=team.pk, detail={"name": [before, wanted]})
    return team


@transaction.atomic
def add_member(*, team_id: UUID, named: str, role: Role, actor: Actor) -> Membership:
    """Take in somebody who has an account, by username or e-mail. Raises NotFound, NotAllowed, Invalid, Conflict.

    Only who may take people in learns whether the name is somebody's.
    """
    charge.check_may_lead(actor, team_id)
    charge.check_lately(actor)
    user = people.known(named)
    team = charge.led(team_id, actor)
    if Membership.objects.filter(user=user, team=team).exists():
        raise Conflict(phrase("%(person)s is in %(team)s already.", person=str(user), team=team.name))
    found = Membership.objects.create(user=user, team=team, role=role)
    _note(found, [None, role.value], actor)
    return found


@transaction.atomic
def set_role(*, membership_id: UUID, role: Role, actor: Actor) -> Membership:
    """Change what a member may do. What is so already writes no audit row.

    Raises NotFound, NotAllowed, Conflict where it would leave the team without an admin.
    """
    charge.check_lately(actor)
    found = _held(membership_id, actor)
    before = found.role
    if before == role:
        return found
    if before == Role.ADMIN:
        charge.check_admin_remains(found.team, found.user)
    found.role = role
    found.save(update_fields=["role"])
    _note(found, [before, role.value], actor)
    return found


@transaction.atomic
def remove_member(*, membership_id: UUID, actor: Actor) -> Membership:
    """End a membership, or leave; rights end with the next request. Raises NotFound, NotAllowed, Conflict."""
    charge.check_lately(actor)
    found = _held(membership_id, actor, may_leave=True)
    if found.role == Role.ADMIN:
        charge.check_admin_remains(found.team, found.user)
    Membership.objects.filter(pk=found.pk).delete()
    detail = {"user": str(found.user_id), "membership": str(found.pk), "role": [found.role, None]}
    audit.record(actor, "team.remove_member", "team", found.team_id, space_id=found.team_id, detail=detail)
    return found


@transaction.atomic
def name_admin(*, membership_id: UUID, actor: Actor) -> Membership:
    """An administrator of the console makes a member the admin of a team in which no admin has access any more.

    Where the last one is about to go, `presence.deactivate` names who follows. It lets nobody in, and nobody makes
    themselves one. Raises NotFound, NotAllowed, Conflict.
    """
    if not charge.may_administer(actor):
        raise NotFound(ABSENT)
    charge.check_lately(actor)
    found = _locked(membership_id)
    if found.user_id == actor.user_id:
        raise NotAllowed(charge.NOT_YOURSELF)
    if charge.admins_of(found.team_id).exists():
        raise Conflict(phrase("%(team)s has admins who can decide this themselves.", team=found.team.name))
    if not found.user.is_active:
        raise Conflict(phrase("%(person)s has no access to the console now.", person=str(found.user)))
    return follow(found, actor)


def follow(found: Membership, actor: Actor) -> Membership:
    """Make a member, whose team is locked, its admin with the rights of the console; a part of the caller's act."""
    before, found.role = found.role, Role.ADMIN
    found.save(update_fields=["role"])
    _note(found, [before, Role.ADMIN.value], actor, action="team.name_admin")
    return found


def _held(membership_id: UUID, actor: Actor, *, may_leave: bool = False) -> Membership:
    """The member, with person and team locked, where the actor is an admin of the team, or leaves it."""
    seen = Membership.objects.filter(pk=membership_id).first()
    mine = may_leave and seen is not None and actor.is_person and seen.user_id == actor.user_id
    if seen is None or not (charge.by_command(actor) or seen.team_id in actor.spaces):
        raise NotFound(ABSENT)
    if not mine:
        charge.check_may_lead(actor, seen.team_id)
    found = _locked(membership_id)
    if not mine:
        charge.led(found.team_id, actor)
    return found


def _locked(membership_id: UUID) -> Membership:
    seen = Membership.objects.filter(pk=membership_id).first()
    if seen is None:
        raise NotFound(ABSENT)
    people.held(seen.user_id)
    charge.locked(seen.team_id)
    found = Membership.objects.select_related("user", "team").filter(pk=membership_id).first()
    if found is None:
        raise NotFound(ABSENT)
    return found


def _note(found: Membership, role: list[str | None], actor: Actor, *, action: str = "team.set_role") -> None:
    detail = {"user": str(found.user_id), "membership": str(found.pk), "role": role}
    audit.record(actor, action, "team", found.team_id, space_id=found.team_id, detail=detail)


def _name(name: str) -> str:
    """Raises Invalid for a name that is none."""
    name = name.strip()
    if not said(name):
        raise Invalid.field("name", phrase("The name is empty. Choose one."))
    if len(name) > NAME_LIMIT:
        raise Invalid.field(
            "name", phrase("The name is longer than %(limit)s characters. Shorten it.", limit=NAME_LIMIT)
        )
    if unstorable(name) or any(ord(letter) < 32 for letter in name):
        raise Invalid.field("name", phrase("The name holds a control character. Remove it."))
    return name


def _stored(team: Team) -> Team:
    """Raises Invalid for a name that another team has."""
    try:
        with transaction.atomic():
            team.save()
    except IntegrityError:
        text = phrase("There is a team named %(name)s already. Choose another name.", name=team.name)
        raise Invalid.field("name", text) from None
    return team
