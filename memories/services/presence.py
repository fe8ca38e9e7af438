"""Who has access to the console: the list of everybody, and how access ends and begins again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet

from console.errors import NotAllowed, NotFound
from console.saying import phrase
from memories import audit
from memories.access import Actor
from memories.models import Membership, Team, User
from memories.models.people import Role
from memories.services import charge, devices, teams
from memories.services.people import held, looked_after, person_named


def everybody(*, actor: Actor, named: str = "") -> QuerySet[User]:
    """All people, or those whose name or e-mail holds `named`, for an administrator. Raises NotAllowed."""
    charge.check_may_administer(actor)
    rows = User.objects.prefetch_related("memberships__team")
    if named := named.strip():
        parts = Q(username__icontains=named) | Q(display_name__icontains=named) | Q(email__icontains=named)
        rows = rows.filter(parts)
    return rows


@dataclass(frozen=True, slots=True)
class Seat:
    """A membership, and whether an administrator may make its person the admin of a team that has none."""

    membership: Membership
    may_name: bool


def seats_of(user: User, *, actor: Actor) -> list[Seat]:
    """The teams of somebody whom the actor looks after, by name. Raises NotFound."""
    looked_after(user.pk, actor=actor)
    found = list(Membership.objects.filter(user=user).select_related("team").order_by("team__name"))
    nameable = user.is_active and user.pk != actor.user_id
    admins = charge.admins_by_team(one.team_id for one in found)
    return [Seat(one, nameable and not admins.get(one.team_id)) for one in found]


@transaction.atomic
def deactivate(*, user_id: UUID, successors: Collection[UUID] = (), actor: Actor) -> User:
    """End somebody's access: sessions and codes for good, tokens until it begins again.

    `successors` are the memberships of those who become the admins of teams that would have none.
    Raises NotFound, NotAllowed, Conflict.

    Repeatable. Administrators who deactivate each other wait for each other here, and one of them remains.
    """
    looked_after(user_id, actor=actor)
    charge.check_lately(actor)
    following = Membership.objects.filter(pk__in=list(successors)).values_list("user_id", flat=True)
    involved = User.objects.filter(pk__in=[user_id, actor.user_id or user_id, *following]).order_by("pk")
    rows = {one.pk: one for one in involved.select_for_update(no_key=True, of=("self",))}
    if user_id == actor.user_id:
        raise NotAllowed(charge.NOT_YOURSELF)
    if actor.user_id is not None and not (rows[actor.user_id].is_superuser and rows[actor.user_id].is_active):
        raise NotFound(charge.NO_PERSON)
    user = rows[user_id]
    if not user.is_active:
        return user
    for team in _teams_of(user):
        _hand_over(team, user, successors, actor)
    user.is_active, user.sessions_ended = False, F("sessions_ended") + 1
    user.save(update_fields=["is_active", "sessions_ended"])
    user.refresh_from_db()
    devices.void(user)
    audit.record(actor, "user.deactivate", "user", user.pk, space_id=user.pk, detail={"active": [True, False]})
    return user


def _hand_over(team: Team, user: User, successors: Collection[UUID], actor: Actor) -> None:
    """Let a chosen member follow where the locked team would have no admin. Raises Conflict, NotAllowed."""
    if not charge.admins_of(team.pk).exclude(pk=user.pk).exists():
        chosen = others_in(team, user).filter(pk__in=list(successors)).select_related("team").first()
        if chosen is not None and chosen.user_id == actor.user_id:
            raise NotAllowed(charge.NOT_YOURSELF)
        if chosen is not None:
            teams.follow(chosen, actor)
    charge.check_admin_remains(team, user)


def _teams_of(user: User) -> list[Team]:
    """The teams that they are an admin of and in which others are, locked in order."""
    led = Membership.objects.filter(user=user, role=Role.ADMIN).values("team_id")
    found = list(Team.objects.select_for_update(no_key=True).filter(pk__in=led).order_by("pk"))
    return [one for one in found if others_in(one, user).exists()]


def others_in(team: Team, user: User) -> QuerySet[Membership]:
    """Who else is in the team and has access to the console."""
    members = Membership.objects.filter(team=team, user__is_active=True).exclude(user=user)
    return members.select_related("user").order_by("user__username")


def left_without_admin(user: User) -> list[tuple[Team, list[Membership]]]:
    """The teams that would be left without an admin, each with those who could be it."""
    led = Team.objects.filter(memberships__user=user, memberships__role=Role.ADMIN).order_by("name")
    alone = [one for one in led if not charge.admins_of(one.pk).exclude(pk=user.pk).exists()]
    found = [(one, list(others_in(one, user))) for one in alone]
    return [(team, others) for team, others in found if others]


@transaction.atomic
def reactivate(*, user_id: UUID, actor: Actor) -> User:
    """Let somebody in again: with their password, their tokens and their teams. Repeatable. Raises NotFound."""
    user = looked_after(user_id, actor=actor, lock=True)
    charge.check_lately(actor)
    if user.is_active:
        return user
    user.is_active = True
    user.save(update_fields=["is_active"])
    audit.record(actor, "user.reactivate", "user", user.pk, space_id=user.pk, detail={"active": [False, True]})
    return user


@transaction.atomic
def set_administrator(*, username: str, administers: bool, actor: Actor) -> User:
    """Make somebody an administrator of the console, or no longer; only by command. Raises NotFound, NotAllowed."""
    if not charge.by_command(actor):
        raise NotAllowed(phrase("Administrators of the console are made by whoever runs it, with a command."))
    user = held(person_named(username).pk)
    if user.is_superuser != administers:
        user.is_superuser = administers
        user.save(update_fields=["is_superuser"])
        detail = {"administrator": [not administers, administers]}
        audit.record(actor, "user.set_administrator", "user", user.pk, space_id=user.pk, detail=detail)
    return user
