"""Who is acting, what they may touch, and every question about rights.

Every read starts at `visible_to(actor)`. No boundary means no rows. Questions come in pairs: `may_x` for templates,
`check_may_x` for services; the refusal's text is shown to the person as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID

from django.db import models
from django.db.models import Q, QuerySet
from django.utils import timezone

from console.errors import NotAllowed, NotFound, SignInAgain
from console.saying import phrase
from memories.models import LedgerEntry, Membership, Memory, User
from memories.models.people import SCOPES, ApiToken, Role

NOBODY = UUID(int=0)  # the space of acts by nobody known
CHANNELS = ("console", "api", "mcp", "cli", "job")


@dataclass(frozen=True, slots=True)
class Space:
    """One boundary: a person's private records, or a team's."""

    id: UUID
    name: str
    team_id: UUID | None
    role: Role  # one's own space: admin


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits fixed on a token. None means no limit of that kind; an empty tuple of buckets means no bucket."""

    buckets: tuple[str, ...] | None = None
    scope: str | None = None
    path_prefix: str = ""
    agent_id: str = ""

    def condition(self) -> Q:
        """These limits as a condition on records."""
        wanted = Q()
        if self.buckets is not None:
            wanted &= Q(bucket__in=self.buckets)
        if self.scope is not None:
            wanted &= Q(scope=self.scope)
        if prefix := self.path_prefix.strip("/"):  # as paths are stored; a slash alone is the root, and no limit
            wanted &= Q(path=prefix) | Q(path__startswith=prefix + "/")
        return wanted

    def allow(self, *, bucket: str, scope: str | None, path: str) -> bool:
        """Whether a record with these fields lies inside."""
        prefix, path = self.path_prefix.strip("/"), path.strip("/")
        return (
            (self.buckets is None or bucket in self.buckets)
            and (self.scope is None or scope == self.scope)
            and (not prefix or path == prefix or path.startswith(prefix + "/"))
        )


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, through which door, with which rights, inside which boundary."""

    user_id: UUID | None
    name: str
    channel: str
    spaces: Mapping[UUID, Space] = field(default_factory=dict)
    bounds: Bounds = Bounds()
    scopes: frozenset[str] = frozenset()
    token_id: UUID | None = None
    token_prefix: str = ""
    auth_method: str = "none"  # none, password, token, command
    signed_in_at: datetime | None = None
    agent_id: str = ""
    agent_instance_hash: str = ""
    ip: str = ""
    request_id: str = ""
    audit_id: UUID | None = None
    superuser: bool = False

    @property
    def is_person(self) -> bool:
        """A person at the console, as opposed to a token or a job."""
        return self.user_id is not None and self.token_id is None and self.channel == "console"

    @property
    def administers(self) -> bool:
        """A person who looks after the people of this console."""
        return self.is_person and self.superuser

    @property
    def own(self) -> UUID:
        """The space of the actor's private records."""
        if self.user_id is None:
            raise NotAllowed(phrase("Sign in first."))
        return self.user_id

    def space(self, space_id: UUID) -> Space:
        """The space with this id. Raises NotFound where it lies outside the boundary."""
        try:
            return self.spaces[space_id]
        except KeyError:
            raise NotFound(phrase("There is nothing here with this id.")) from None

    def through(self, channel: str) -> Actor:
        """The same actor at another door."""
        return replace(self, channel=channel)


ANYONE = Actor(user_id=None, name="", channel="console")
OPERATOR = Actor(user_id=None, name="operator", channel="cli", auth_method="command")  # whoever may run commands


def spaces_of(user: User) -> dict[UUID, Space]:
    """A person's own space first, then their teams by name; none for somebody who has no access any more."""
    if not user.is_active:
        return {}
    found = {user.pk: Space(user.pk, phrase("Private"), None, Role.ADMIN)}
    memberships = Membership.objects.filter(user=user).select_related("team").order_by("team__name", "team_id")
    for membership in memberships:
        team = membership.team
        found[team.pk] = Space(team.pk, team.name, team.pk, Role(membership.role))
    return found


def person(user: User, *, channel: str = "console", signed_in_at: datetime | None = None, **request: Any) -> Actor:
    """A signed-in person (or, through `channel`, a command they run) with all scopes."""
    return Actor(
        user_id=user.pk,
        name=user.username,
        channel=channel,
        spaces=spaces_of(user),
        scopes=frozenset(SCOPES),
        auth_method="password" if channel == "console" else "command",
        signed_in_at=signed_in_at,
        superuser=user.is_superuser,
        **request,
    )


def with_implied(scopes: Iterable[str]) -> frozenset[str]:
    """These scopes of a token and those that come along with them: what may be written may be brought back."""
    given = frozenset(scopes)
    return given | {"memory:restore"} if "memory:write" in given else given


def bearer(token: ApiToken, *, channel: str = "api", **request: Any) -> Actor:
    """An agent acting for the token's user, inside the token's bound space."""
    spaces = spaces_of(token.user)
    if token.team_id is not None:
        spaces = {key: space for key, space in spaces.items() if key == token.team_id}
    agent = request.pop("agent_id", "")
    return Actor(
        user_id=token.user_id,
        name=token.user.username,
        channel=channel,
        spaces=spaces,
        bounds=Bounds(
            buckets=tuple(token.buckets) if token.buckets is not None else None,
            scope=token.scope,
            path_prefix=token.path_prefix,
            agent_id=token.agent_id,
        ),
        scopes=with_implied(token.scopes),
        token_id=token.pk,
        token_prefix=token.prefix,
        auth_method="token",
        agent_id=token.agent_id or agent,
        **request,
    )


class Placed(Protocol):
    """Anything that stands in a space: records, passes, policies."""

    space_id: UUID


Record = TypeVar("Record", bound=models.Model)


def visible_to(actor: Actor, queryset: QuerySet[Record]) -> QuerySet[Record]:
    """The rows of `queryset` (a model with `space_id`, bucket, scope, path and agent) inside the actor's boundary.

    Deleted rows are included: a trash needs them. Use `live` for what search, lists and counts show.
    """
    if not actor.spaces:
        return queryset.none()
    found = queryset.filter(space_id__in=list(actor.spaces)).filter(actor.bounds.condition())
    return found.filter(agent_id=actor.bounds.agent_id) if actor.bounds.agent_id else found


def in_spaces(actor: Actor, queryset: QuerySet[Record]) -> QuerySet[Record]:
    """Rows that stand in a space but have no bucket of their own: passes, policies, audit.

    An actor with bounds sees none of them unless they are its own: a plan quotes records that the bounds hide.
    """
    if not actor.spaces:
        return queryset.none()
    return queryset.filter(space_id__in=list(actor.spaces))


def live(queryset: QuerySet[Memory], *, at: datetime | None = None) -> QuerySet[Memory]:
    """Only memories that are active and not past their expiry at `at` (default: now)."""
    at = at or timezone.now()
    return queryset.filter(state__status="active").filter(Q(expires_at__isnull=True) | Q(expires_at__gt=at))


# Rights. A space's role: member writes, reviewer also approves, admin also erases.


def may_use(actor: Actor, scope: str) -> bool:
    """Whether the credential carries `scope`."""
    return scope in actor.scopes


def check_may_use(actor: Actor, scope: str) -> None:
    """Raises NotAllowed naming the scope that is missing."""
    if actor.user_id is None:
        raise NotAllowed(phrase("Sign in first."))
    if not may_use(actor, scope):
        raise NotAllowed(phrase("This token lacks the scope %(scope)s. Use one that has it.", scope=scope), scope=scope)


def check_ledger(actor: Actor, record: Any, scope: str) -> None:
    """Money has scopes of its own, whichever door leads to it. Raises NotAllowed for an entry without `scope`."""
    if isinstance(record, LedgerEntry):
        check_may_use(actor, scope)


def may_write(actor: Actor, record: Placed) -> bool:
    """Whether the actor may change this record."""
    if isinstance(record, LedgerEntry) and not may_use(actor, "ledger:write"):
        return False
    return may_use(actor, "memory:write") and record.space_id in actor.spaces


def check_may_write(actor: Actor, record: Placed) -> None:
    """Raises NotAllowed or NotFound."""
    check_may_use(actor, "memory:write")
    check_ledger(actor, record, "ledger:write")
    actor.space(record.space_id)


def check_may_revise(actor: Actor, record: Placed) -> None:
    """Raises NotAllowed or NotFound. The answer tells the whole record, so it takes the right to read it too."""
    check_may_use(actor, "memory:read")
    check_may_write(actor, record)


def check_may_restore(actor: Actor, record: Placed) -> None:
    """Raises NotAllowed or NotFound."""
    check_may_use(actor, "memory:restore")
    check_ledger(actor, record, "ledger:write")
    actor.space(record.space_id)


def may_erase(actor: Actor, record: Any) -> bool:
    """Whether the actor may delete this record for good: its owner, or an admin of its team; never under hold."""
    space = actor.spaces.get(record.space_id)
    if space is None or not may_use(actor, "memory:delete") or record.hold:
        return False
    if isinstance(record, LedgerEntry) and not may_use(actor, "ledger:write"):
        return False
    return record.owner_id == actor.user_id or space.role == Role.ADMIN


def check_may_erase(actor: Actor, record: Any) -> None:
    """Raises NotAllowed that names the hold, the scope or the role that is missing."""
    check_may_use(actor, "memory:delete")
    check_ledger(actor, record, "ledger:write")
    space = actor.space(record.space_id)
    if record.hold:
        raise NotAllowed(
            phrase("This record is under the legal hold “%(hold)s”. Lift the hold first.", hold=record.hold),
            hold=record.hold,
        )
    if record.owner_id != actor.user_id and space.role != Role.ADMIN:
        raise NotAllowed(
            phrase("Only its owner or an admin of %(space)s may delete this record for good.", space=space.name)
        )


def check_signed_in_lately(actor: Actor, *, within_seconds: int) -> None:
    """Raises SignInAgain unless a person gave their password in the last `within_seconds`."""
    if not actor.is_person:
        raise NotAllowed(phrase("Only a person at the console may do this."))
    if actor.signed_in_at is None or (timezone.now() - actor.signed_in_at).total_seconds() > within_seconds:
        raise SignInAgain(phrase("Enter your password again: your last sign-in is more than five minutes ago."))


def may_approve(actor: Actor, reflect_pass: Any, *, four_eyes: bool) -> bool:
    """Whether the actor may approve or reject this pass."""
    space = actor.spaces.get(reflect_pass.space_id)
    if space is None or not actor.is_person or space.role == Role.MEMBER:
        return False
    return not (four_eyes and reflect_pass.planned_by_id == actor.user_id)


def check_may_approve(actor: Actor, reflect_pass: Any, *, four_eyes: bool) -> None:
    """Raises NotAllowed that says who may."""
    space = actor.space(reflect_pass.space_id)
    if not actor.is_person:
        raise NotAllowed(phrase("A pass is approved by a person in the console; a token may only propose it."))
    if space.role == Role.MEMBER:
        raise NotAllowed(
            phrase(
                "Only a reviewer or an admin of %(space)s may decide on this pass. Ask one of them.", space=space.name
            )
        )
    if four_eyes and reflect_pass.planned_by_id == actor.user_id:
        raise NotAllowed(phrase("This team wants a second pair of eyes: someone else has to approve what you planned."))
