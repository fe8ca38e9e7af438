"""Makes people, and gives them another password."""

from __future__ import annotations

import getpass
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from console.errors import Refused
from console.management.operator import OperatorCommand
from memories.access import OPERATOR
from memories.models import User
from memories.services import people


class Command(OperatorCommand):
    """The password is asked for, or read from standard input; it is never an argument that others could see."""

    help = "Add a person who can sign in, or change a password."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        add = verbs.add_parser("add", help="a new person")
        add.add_argument("username")
        add.add_argument("--name", default="", help="the name others see")
        add.add_argument("--language", default="", help="en, pt-br, es, ja or ko; without it that of the browser")
        add.add_argument("--zone", default="UTC", help="time zone, such as Europe/Lisbon")
        password = verbs.add_parser("password", help="another password for a person")
        password.add_argument("username")
        verbs.add_parser("list", help="everybody")

    def handle(self, *, verb: str, **options: Any) -> None:
        if verb == "list":
            for user in User.objects.order_by("username").prefetch_related("memberships__team"):
                teams = ", ".join(f"{one.role} of {one.team}" for one in user.memberships.all()) or "no team"
                self.stdout.write(f"{user.username}: {user}, {teams}")
            return
        try:
            if verb == "add":
                user = people.create_user(
                    username=options["username"],
                    display_name=options["name"] or options["username"],
                    password=_password(),
                    language=options["language"],
                    time_zone=options["zone"],
                    actor=OPERATOR,
                )
            else:
                user = people.set_password(username=options["username"], password=_password(), actor=OPERATOR)
        except Refused as why:
            raise CommandError(why.message) from why
        self.stdout.write(f"{user.username} can sign in.")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("Password: ")
    if first != getpass.getpass("The same again: "):
        raise CommandError("The two differ. Nothing was changed.")
    return first
