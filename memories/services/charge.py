"""Who is in charge of a team, and of the console: asked anew under lock, because rights change while a page is open.

An administrator of the console looks after people and makes teams. That opens no team to them: whom a team takes in is
decided by its own admins.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from console.errors import Conflict, NotAllowed, NotFound
from console.saying import phrase
from memories.access import Actor, check_signed_in_lately
from memories.models import Membership, Team, User
from memories.models.people import Role

NO_TEAM = phrase("There is no such team, or you are not in it.")
NO_PERSON = phrase("There is no such person, or you do not look after people here.")
NOT_YOURSELF = phrase("Nobody changes their own rights here. Ask another administrator of the console.")
NAMED_MOST = 3  # people named in a refusal


def by_command(actor: Actor) -> bool:
    """Whether this is whoever may run commands, who needs no right of the console."""
    return actor.user_id is None and actor.auth_method == "command"


def may_administer(actor: Actor) -> bool:
    """Whether the actor looks after the people of this console."""
    return by_command(actor) or actor.administers


def check_may_administer(actor: Actor) -> None:
    """Raises NotAllowed that names who may."""
    if may_administer(actor):
        return
    people = User.objects.filter(is_superuser=True, is_active=True).order_by("username")
    if names := _listed(people):
        raise NotAllowed(phrase("Only an administrator of the console may do this. Ask %(names)s.", names=names))
    raise NotAllowed(phrase("Only an administrator of the console may do this. It has none: ask whoever runs it."))


def check_lately(actor: Actor) -> None:
    """Raises SignInAgain, for all that gives or takes rights."""
    if not by_command(actor):
        check_signed_in_lately(actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)


def may_lead(actor: Actor, team_id: UUID) -> bool:
    """Whether the actor, as the request found them, is an admin of this team."""
    space = actor.spaces.get(team_id)
    return by_command(actor) or (actor.is_person and space is not None and space.role == Role.ADMIN)


def check_may_lead(actor: Actor, team_id: UUID) -> None:
    """Raises NotFound, NotAllowed that names who may."""
    if not by_command(actor) and (team_id not in actor.spaces or not actor.is_person):
        raise NotFound(NO_TEAM)
    if not may_lead(actor, team_id):
        raise _only_its_admins(team_id)


def led(team_id: UUID, actor: Actor) -> Team:
    """The team, locked, where the actor is one of its admins at this moment. Raises NotFound, NotAllowed."""
    check_may_lead(actor, team_id)
    team = locked(team_id)
    if by_command(actor):
        return team
    mine = Membership.objects.filter(team=team, user_id=actor.own).values_list("role", flat=True).first()
    if mine is None:
        raise NotFound(NO_TEAM)
    if mine != Role.ADMIN:
        raise _only_its_admins(team_id)
    return team


def locked(team_id: UUID) -> Team:
    """The team; whoever changes its members waits here for the others. Raises NotFound."""
    team = Team.objects.select_for_update(no_key=True).filter(pk=team_id).first()
    if team is None:
        raise NotFound(NO_TEAM)
    return team


def admins_of(team_id: UUID) -> QuerySet[User]:
    """Its admins who have access to the console."""
    members = Membership.objects.filter(team_id=team_id, role=Role.ADMIN, user__is_active=True)
    return User.objects.filter(pk__in=members.values("user_id")).order_by("username")


def admins_by_team(team_ids: Iterable[UUID]) -> dict[UUID, list[User]]:
    """The same of several teams, asked for once."""
    members = Membership.objects.filter(team_id__in=list(team_ids), role=Role.ADMIN, user__is_active=True)
    found: dict[UUID, list[User]] = {}
    for one in members.select_related("user").order_by("user__username"):
        found.setdefault(one.team_id, []).append(one.user)
    return found


def check_admin_remains(team: Team, leaving: User) -> None:
    """Raises Conflict where nobody but `leaving` could look after the team. The team is locked."""
    if not admins_of(team.pk).exclude(pk=leaving.pk).exists():
        raise Conflict(
            phrase(
                "%(person)s is the only admin of %(team)s. Make somebody else its admin first.",
                person=str(leaving),
                team=team.name,
            )
        )


def _only_its_admins(team_id: UUID) -> NotAllowed:
    team = Team.objects.filter(pk=team_id).first()
    names = _listed(admins_of(team_id))
    if team is None or not names:
        return NotAllowed(
            phrase("Only an admin of the team may do this, and it has none: ask whoever runs the console.")
        )
    return NotAllowed(phrase("Only an admin of %(team)s may do this. Ask %(names)s.", team=team.name, names=names))


def _listed(people: Iterable[User]) -> str:
    names = [str(one) for one in list(people)[: NAMED_MOST + 1]]
    return ", ".join(names[:NAMED_MOST]) + (", …" if len(names) > NAMED_MOST else "")
