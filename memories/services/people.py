"""People, teams and roles. Who may do this is decided by the door that has no actor yet: commands, and later admins."""

from __future__ import annotations

from zoneinfo import available_timezones

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from console.errors import Conflict, Invalid, NotFound
from console.saying import phrase
from memories import audit
from memories.access import Actor
from memories.models import Membership, Team, User
from memories.models.people import Role


def person_named(username: str) -> User:
    """The person of this name, in any case of letters. Raises NotFound."""
    user = User.objects.filter(username__iexact=username).first()
    if user is None:
        raise NotFound(
            phrase(
                "There is no person named %(username)s. Add them: manage.py person add %(username)s", username=username
            )
        )
    return user


def person_called(name: str) -> User:
    """The person of this username or, where it holds an @ and is nobody's name, of this e-mail. Raises NotFound."""
    found = list(User.objects.filter(email__iexact=name)[:2]) if "@" in name else []
    if len(found) == 1 and not User.objects.filter(username__iexact=name).exists():
        return found[0]
    return person_named(name)


def team_named(name: str) -> Team:
    """The team of this name, in any case of letters. Raises NotFound."""
    team = Team.objects.filter(name__iexact=name).first()
    if team is None:
        raise NotFound(
            phrase(
                "There is no team named %(name)s. Name one that exists, or make it: manage.py team add %(name)s",
                name=name,
            )
        )
    return team


def _check_password(password: str, user: User) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise Invalid.field("password", " ".join(error.messages)) from None


@transaction.atomic
def set_password(*, username: str, password: str, actor: Actor) -> User:
    """Give a person another password; their open sessions end. Raises NotFound, Invalid."""
    user = person_named(username)
    _check_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    audit.record(actor, "user.set_password", "user", user.pk, space_id=user.pk)
    return user


def check_spoken(language: str) -> None:
    """Empty: what the browser asks for. Raises Invalid where the console does not speak it."""
    if language and language.lower() not in dict(settings.LANGUAGES):
        raise Invalid.field(
            "language",
            phrase("The console does not speak %(language)s. Choose one of its languages.", language=language[:20]),
        )


def check_zone(time_zone: str) -> None:
    """Raises Invalid where there is no such time zone."""
    if time_zone not in available_timezones():
        raise Invalid.field(
            "time_zone",
            phrase("%(zone)s is no time zone. Name one such as Europe/Lisbon.", zone=time_zone[:50]),
        )


@transaction.atomic
def create_user(
    *,
    username: str,
    display_name: str,
    password: str | None,
    language: str = "",
    time_zone: str = "UTC",
    actor: Actor,
) -> User:
    """A new person; without a password they cannot sign in. Raises Invalid, Conflict."""
    if not username.strip():
        raise Invalid.field("username", phrase("The name is empty. Choose one."))
    if User.objects.filter(username__iexact=username).exists():
        raise Conflict(phrase("There is a person named %(username)s already. Choose another name.", username=username))
    user = User(username=username, display_name=display_name, language=language, time_zone=time_zone)
    check_spoken(language)
    check_zone(time_zone)
    if password is not None:
        _check_password(password, user)
    user.set_password(password)
    user.save(force_insert=True)
    audit.record(actor, "user.create", "user", user.pk, space_id=user.pk, detail={"username": username})
    return user


@transaction.atomic
def create_team(*, name: str, actor: Actor) -> Team:
    """A new team without members. Raises Invalid, Conflict."""
    if not name.strip():
        raise Invalid.field("name", phrase("The name is empty. Choose one."))
    if Team.objects.filter(name__iexact=name).exists():
        raise Conflict(phrase("There is a team named %(name)s already. Choose another name.", name=name))
    team = Team.objects.create(name=name)
    audit.record(actor, "team.create", "team", team.pk, space_id=team.pk, detail={"name": name})
    return team


@transaction.atomic
def set_role(*, user: User, team: Team, role: Role, actor: Actor) -> Membership:
    """Make a person a member of a team, or change their role there."""
    membership, _ = Membership.objects.update_or_create(user=user, team=team, defaults={"role": role})
    detail = {"user": str(user.pk), "role": role.value}
    audit.record(actor, "team.set_role", "team", team.pk, space_id=team.pk, detail=detail)
    return membership


@transaction.atomic
def remove_member(*, user: User, team: Team, actor: Actor) -> None:
    """End a membership; rights end with the next request."""
    Membership.objects.filter(user=user, team=team).delete()
    audit.record(actor, "team.remove_member", "team", team.pk, space_id=team.pk, detail={"user": str(user.pk)})
