"""Makes teams and says who belongs to them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from console.errors import Refused
from console.management.operator import OperatorCommand
from memories.access import OPERATOR
from memories.models import Membership, Team, User
from memories.models.people import Role
from memories.services import people, teams


class Command(OperatorCommand):
    """Rights change with the next request of whoever is meant."""

    help = "Add a team, set somebody's role in it, or remove a member."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        add = verbs.add_parser("add", help="a new team")
        add.add_argument("team")
        add.add_argument("--admin", default="", metavar="USERNAME", help="its first admin, who can add the others")
        member = verbs.add_parser("member", help="make somebody a member, or change their role")
        member.add_argument("team")
        member.add_argument("username")
        member.add_argument("--role", choices=Role.values, default=Role.MEMBER.value)
        remove = verbs.add_parser("remove", help="end a membership")
        remove.add_argument("team")
        remove.add_argument("username")
        verbs.add_parser("list", help="every team with its members")

    def handle(self, *, verb: str, **options: Any) -> None:
        try:
            self.stdout.write(self._done(verb, options))
        except Refused as why:
            raise CommandError(why.message) from why

    def _done(self, verb: str, options: dict[str, Any]) -> str:
        if verb == "list":
            every = Team.objects.order_by("name").prefetch_related("memberships__user")
            return "\n".join(
                f"{team} ({team.pk}): "
                + (", ".join(f"{one.user.username} {one.role}" for one in team.memberships.all()) or "nobody")
                for team in every
            )
        if verb == "add":
            team = teams.create(name=options["team"], admin=options["admin"], actor=OPERATOR)
            return f"{team} is there, with the id {team.pk}. Add members: manage.py team member {team} NAME"
        team, user = people.team_named(options["team"]), people.person_named(options["username"])
        membership = Membership.objects.filter(user=user, team=team).first()
        if verb == "member":
            return _member(team, user, membership, Role(options["role"]))
        if membership is not None:
            teams.remove_member(membership_id=membership.pk, actor=OPERATOR)
        return f"{user.username} is no member of {team} any more."


def _member(team: Team, user: User, membership: Membership | None, role: Role) -> str:
    if membership is None:
        teams.add_member(team_id=team.pk, named=user.username, role=role, actor=OPERATOR)
    else:
        teams.set_role(membership_id=membership.pk, role=role, actor=OPERATOR)
    return f"{user.username} is {role} of {team}."
