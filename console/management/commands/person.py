"""Makes people, gives them another password, ends their access, and names administrators."""

from __future__ import annotations

import getpass
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from console.errors import Refused
from console.management.operator import OperatorCommand
from memories.access import OPERATOR
from memories.models import User
from memories.services import people, presence

OTHERS = {
    "deactivate": "end somebody's access: sessions and tokens stop at once",
    "reactivate": "let somebody in again",
    "administrator": "let somebody look after people and make teams, on the page Teams and people",
    "no-administrator": "take that back",
}


class Command(OperatorCommand):
    """The password is asked for, or read from standard input; it is never an argument that others could see."""

    help = "Add a person who can sign in, change a password, end access, or name who looks after people."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        add = verbs.add_parser("add", help="a new person")
        add.add_argument("username")
        add.add_argument("--name", default="", help="the name others see")
        add.add_argument("--language", default="", help="en, pt-br, es, ja or ko; without it that of the browser")
        add.add_argument("--zone", default="UTC", help="time zone, such as Europe/Lisbon")
        password = verbs.add_parser("password", help="another password for a person")
        password.add_argument("username")
        email = verbs.add_parser("email", help="another e-mail address for a person, or none")
        email.add_argument("username")
        email.add_argument("address", nargs="?", default="")
        for verb, text in OTHERS.items():
            verbs.add_parser(verb, help=text).add_argument("username")
        verbs.add_parser("list", help="everybody")

    def handle(self, *, verb: str, **options: Any) -> None:
        if verb == "list":
            for user in User.objects.order_by("username").prefetch_related("memberships__team"):
                teams = ", ".join(f"{one.role} of {one.team}" for one in user.memberships.all()) or "no team"
                self.stdout.write(f"{user.username}: {user}, {teams}{_marks(user)}")
            return
        try:
            if verb in OTHERS:
                self.stdout.write(_other(verb, people.person_named(options["username"])))
                return
            if verb == "email":
                user = people.set_email(username=options["username"], email=options["address"], actor=OPERATOR)
                self.stdout.write(f"{user.username} has {user.email or 'no e-mail address'}.")
                return
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


def _marks(user: User) -> str:
    administers = ", administrator of the console" if user.is_superuser else ""
    return administers + ("" if user.is_active else ", deactivated")


def _other(verb: str, user: User) -> str:
    if verb == "deactivate":
        presence.deactivate(user_id=user.pk, actor=OPERATOR)
        return f"{user.username} has no access any more. Sessions have ended; tokens work again if the person does."
    if verb == "reactivate":
        presence.reactivate(user_id=user.pk, actor=OPERATOR)
        return f"{user.username} can sign in again."
    administers = verb == "administrator"
    presence.set_administrator(username=user.username, administers=administers, actor=OPERATOR)
    return f"{user.username} is " + (
        "an administrator of the console." if administers else "no administrator of the console any more."
    )


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("Password: ")
    if first != getpass.getpass("The same again: "):
        raise CommandError("The two differ. Nothing was changed.")
    return first
