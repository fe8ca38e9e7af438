"""Makes, lists and revokes the tokens with which agents use the API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from console.errors import Refused
from console.management.operator import OperatorCommand
from memories.access import OPERATOR, person
from memories.models import ApiToken
from memories.models.people import SCOPES
from memories.services import people, tokens

DEFAULT_SCOPES = "memory:read,memory:write"


class Command(OperatorCommand):
    """A key is printed once and never again."""

    help = "Make a token for somebody's agent, list tokens, or revoke one."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser("create", help="a new token")
        create.add_argument("username", help="for whom it acts")
        create.add_argument("--name", default="agent", help="what it is for")
        create.add_argument("--scopes", default=DEFAULT_SCOPES, help=f"some of {', '.join(SCOPES)}")
        create.add_argument("--days", type=int, default=90, help="how long it lives, at most 365")
        create.add_argument("--team", help="bind it to a team: it sees nothing else")
        create.add_argument("--bucket", action="append", help="bind it to a bucket; may be repeated")
        create.add_argument("--scope", help="bind it to one scope of records")
        create.add_argument("--path-prefix", default="", help="bind it to paths below this one")
        create.add_argument("--agent", default="", help="bind it to one agent id")
        listing = verbs.add_parser("list", help="somebody's tokens")
        listing.add_argument("username")
        revoke = verbs.add_parser("revoke", help="end a token at once")
        revoke.add_argument("username")
        revoke.add_argument("token_id", type=UUID)

    def handle(self, *, verb: str, **options: Any) -> None:
        try:
            user = people.person_named(options["username"])
            if verb == "create":
                self._create(user, options)
            elif verb == "list":
                for token in ApiToken.objects.filter(user=user).order_by("created_at", "pk"):
                    self.stdout.write(_line(token))
            else:
                token = tokens.revoke(token_id=options["token_id"], actor=person(user, channel="cli"))
                self.stdout.write(f"{token} is revoked.")
        except Refused as why:
            raise CommandError(why.message) from why

    def _create(self, user: Any, options: dict[str, Any]) -> None:
        token, key = tokens.create(
            user=user,
            name=options["name"],
            scopes=[scope.strip() for scope in options["scopes"].split(",") if scope.strip()],
            expires_at=timezone.now() + timedelta(days=max(0, min(options["days"], 9_999))),
            team=people.team_named(options["team"]) if options["team"] else None,
            buckets=options["bucket"],
            scope=options["scope"],
            path_prefix=options["path_prefix"],
            agent_id=options["agent"],
            actor=OPERATOR,
        )
        self.stderr.write(f"Token {token.pk} of {user.username}; keep the key, it is not shown again:")
        self.stdout.write(key)


def _line(token: ApiToken) -> str:
    now = timezone.now()
    state = "revoked" if token.revoked_at else "expired" if token.expires_at <= now else "valid"
    until = f"{state} until {token.expires_at:%Y-%m-%d}"
    return "  ".join([str(token.pk), f"{token.prefix}…", token.name, until, ", ".join(token.scopes)])
