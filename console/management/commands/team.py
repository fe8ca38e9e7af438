"""Makes teams and says who belongs to them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from console.errors import Refused
from console.management.operator import OperatorCommand
from memories.access import OPERATOR
from memories.models import Team
from memories.models.people import Role
from memories.services import people


class Command(OperatorCommand):
    """Rights change with the next request of whoever is meant."""

    help = "Add a team, set somebody's role in it, or remove a member."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        add = verbs.add_parser("add", help="a new team")
        add.add_argument("team")
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
            teams = Team.objects.order_by("name").prefetch_related("memberships__user")
            return "\n".join(
                f"{team} ({team.pk}): "
                + (", ".join(f"{one.user.username} {one.role}" for one in team.memberships.all()) or "nobody")
                for team in teams
            )
        if verb == "add":
            team = people.create_team(name=options["team"], actor=OPERATOR)
            return f"{team} is there, with the id {team.pk}. Add members: manage.py team member {team} NAME"
        team, user = people.team_named(options["team"]), people.person_named(options["username"])
        if verb == "member":
            people.set_role(user=user, team=team, role=Role(options["role"]), actor=OPERATOR)
            return f"{user.username} is {options['role']} of {team}."
        people.remove_member(user=user, team=team, actor=OPERATOR)
        return f"{user.username} is no member of {team} any more."
