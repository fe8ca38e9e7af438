"""Who is acting, through which door, with which scopes, inside which spaces and bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from console.errors import NotAllowed, NotFound
from console.saying import phrase
from memories.models import Membership, User
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
