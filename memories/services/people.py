"""People: who they are, and how they come in. How their access ends is in `presence`."""

from __future__ import annotations

from uuid import UUID
from zoneinfo import available_timezones

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from psycopg.errors import UniqueViolation

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Problem, Refused
from console.saying import phrase
from console.text import unstorable
from memories import audit
from memories.access import Actor
from memories.access import person as signed_in
from memories.models import Team, User
from memories.models.people import EMAIL_ONCE
from memories.services import charge
from memories.services.fields import said

NAME_LIMIT = 150
WRONG_CODE = phrase("This name and code do not belong together, or the code was used or is too old. Ask for another.")
EMAIL_TAKEN = phrase("Somebody here has this e-mail address already.")


class _FirstCodes(PasswordResetTokenGenerator):
    """Codes for a first password, kept nowhere: void once a password is set, and once access was ended."""

    def _make_hash_value(self, user: User, timestamp: int) -> str:
        about: str = super()._make_hash_value(user, timestamp)
        return f"{about}{user.sessions_ended}" if user.sessions_ended else about


_codes = _FirstCodes()


class WrongCode(Refused):
    """One answer for every mismatch, so that nobody learns which names exist."""

    code = "wrong_code"


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
    found = User.objects.filter(email__iexact=name).first() if "@" in name else None
    if found is not None and not User.objects.filter(username__iexact=name).exists():
        return found
    return person_named(name)


def known(named: str) -> User:
    """Somebody with access to the console, locked, by username or e-mail as a form has it. Raises Invalid."""
    if not said(named):
        raise Invalid.field("named", phrase("Say who: a username, or an e-mail address."))
    try:
        user = held(person_called(named.strip()).pk)
    except NotFound:
        text = phrase(
            "Nobody here has the name or e-mail “%(named)s”. An administrator of the console adds people.",
            named=named.strip()[:100],
        )
        raise Invalid.field("named", text) from None
    if not user.is_active:
        raise Invalid.field("named", phrase("%(person)s has no access to the console now.", person=str(user)))
    return user


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
    audit.record(actor, "user.reset_password", "user", user.pk, space_id=user.pk)
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
    email: str = "",
    language: str = "",
    time_zone: str = "UTC",
    actor: Actor,
) -> User:
    """A new person; without a password they cannot sign in. Raises NotAllowed, Invalid, Conflict."""
    charge.check_may_administer(actor)
    charge.check_lately(actor)
    _check_names(username, display_name, email)
    check_spoken(language)
    check_zone(time_zone)
    user = User(username=username, display_name=display_name, email=email, language=language, time_zone=time_zone)
    if password is not None:
        _check_password(password, user)
    user.set_password(password)
    _store(user)
    detail = {"username": username, "status": [None, "active"]}
    audit.record(actor, "user.create", "user", user.pk, space_id=user.pk, detail=detail)
    return user


def _store(user: User) -> None:
    """Raises Conflict, or Invalid at the e-mail, where another writer was faster than the look before."""
    try:
        with transaction.atomic():
            user.save()
    except IntegrityError as error:
        if isinstance(error.__cause__, UniqueViolation) and error.__cause__.diag.constraint_name == EMAIL_ONCE:
            raise Invalid.field("email", EMAIL_TAKEN) from None
        raise Conflict(_taken(user.username)) from None


def _taken(username: str) -> str:
    return phrase("There is a person named %(username)s already. Choose another name.", username=username)


def _check_names(username: str, display_name: str, email: str) -> None:
    """Raises Invalid, or Conflict for a username that somebody has."""
    faults = {
        "username": _name_fault(username),
        "display_name": _name_fault(display_name),
        "email": _email_fault(email),
    }
    problems = [Problem(("body", name), fault) for name, fault in faults.items() if fault]
    if problems:
        raise Invalid(*problems)
    if User.objects.filter(username__iexact=username).exists():
        raise Conflict(_taken(username))


def _name_fault(name: str) -> str | None:
    if not said(name):
        return phrase("The name is empty. Choose one.")
    if len(name) > NAME_LIMIT:
        return phrase("The name is longer than %(limit)s characters. Shorten it.", limit=NAME_LIMIT)
    if unstorable(name) or any(ord(letter) < 32 for letter in name):
        return phrase("The name holds a control character. Remove it.")
    return None


def _email_fault(email: str) -> str | None:
    if not email:
        return None
    try:
        validate_email(email)
    except ValidationError:
        return phrase("This is no e-mail address. Correct it, or leave it out.")
    if User.objects.filter(email__iexact=email).exists():
        return EMAIL_TAKEN
    return None


@transaction.atomic
def set_email(*, username: str, email: str, actor: Actor) -> User:
    """Give a person another e-mail address, or none; only by command. Raises NotFound, NotAllowed, Invalid."""
    if not charge.by_command(actor):
        raise NotAllowed(phrase("Only whoever runs the console may do this, with a command."))
    user = held(person_named(username).pk)
    before, user.email = user.email, email.strip()
    if before == user.email:
        return user
    if before.lower() != user.email.lower() and (fault := _email_fault(user.email)):
        raise Invalid.field("email", fault)
    _store(user)
    detail = {"email": ["given" if before else "none", "given" if user.email else "none"]}
    audit.record(actor, "user.set_email", "user", user.pk, space_id=user.pk, detail=detail)
    return user


def looked_after(user_id: UUID, *, actor: Actor, lock: bool = False) -> User:
    """The person of this id, for an administrator. Raises NotFound for everybody else, too."""
    if not charge.may_administer(actor):
        raise NotFound(charge.NO_PERSON)
    return held(user_id) if lock else _found(User.objects.filter(pk=user_id))


def held(user_id: UUID) -> User:
    """The person of this id, locked. Raises NotFound."""
    return _found(User.objects.select_for_update(no_key=True, of=("self",)).filter(pk=user_id))


def _found(rows: QuerySet[User]) -> User:
    user = rows.first()
    if user is None:
        raise NotFound(charge.NO_PERSON)
    return user


@transaction.atomic
def invite(*, username: str, display_name: str, email: str = "", actor: Actor) -> tuple[User, str]:
    """A new person, and the code with which they choose a password, once. Raises NotAllowed, Invalid, Conflict."""
    name = display_name.strip() or username
    user = create_user(username=username, display_name=name, password=None, email=email, actor=actor)
    return user, _codes.make_token(user)


@transaction.atomic
def invite_again(*, user_id: UUID, actor: Actor) -> tuple[User, str]:
    """Another code for somebody who never signed in; the one before is void. Raises NotFound, Conflict.

    Whoever signed in before keeps what is private: a code for them would open it to whoever made the code.
    """
    user = looked_after(user_id, actor=actor, lock=True)
    charge.check_lately(actor)
    if user.last_login is not None or user.has_usable_password() or not user.is_active:
        raise Conflict(
            phrase(
                "%(person)s has had a password, or has no access. Whoever runs the console gives another password: "
                "manage.py person password %(username)s",
                person=str(user),
                username=user.username,
            )
        )
    user.set_unusable_password()
    user.save(update_fields=["password"])
    audit.record(actor, "user.invite", "user", user.pk, space_id=user.pk, detail={"code": ["void", "made"]})
    return user, _codes.make_token(user)


@transaction.atomic
def use_code(*, username: str, code: str, password: str, actor: Actor) -> User:
    """Choose a first password with a code. Raises WrongCode; Invalid for a weak password, where the code is good."""
    user = User.objects.select_for_update(no_key=True, of=("self",)).filter(username__iexact=username.strip()).first()
    if user is None or not user.is_active or not _codes.check_token(user, code.strip()):
        raise WrongCode(WRONG_CODE)
    _check_password(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    who = signed_in(user, ip=actor.ip, request_id=actor.request_id, audit_id=actor.audit_id)
    audit.record(who, "user.set_password", "user", user.pk, space_id=user.pk, detail={"password": [None, "chosen"]})
    return user
