"""The parameters of reflect: read strictly, resolved against the actor's boundary, refused with a sentence each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime

from console.errors import Invalid, NotAllowed, Problem
from console.saying import phrase
from console.text import unstorable
from memories.access import Actor, Space
from memories.services.fields import TIMES
from reflection.states import Action

LIMIT_MOST = 5_000
PATTERN_CHARS, PATTERN_WILDCARDS = 200, 20
CANONICAL = {action.value: action for action in Action}
ALIASES = {
    "summary": Action.SUMMARIZE,
    "summaries": Action.SUMMARIZE,
    "summarise": Action.SUMMARIZE,
    "promotion": Action.PROMOTE,
    "expiry": Action.EXPIRE,
    "expiration": Action.EXPIRE,
    "importance_decay": Action.DECAY,
    "archival": Action.ARCHIVE,
}
NAMES = (
    "actions_csv",
    "actions",
    "dry_run",
    "time_window_hours",
    "since",
    "until",
    "path_filter",
    "owner_filter",
    "bucket",
    "scope",
    "team_id",
    "limit",
    "on_drift",
)


@dataclass(frozen=True, slots=True)
class Filters:
    """What one pass looks at, as the server resolved it. `owner_id` None: everybody's records in the team."""

    actions: tuple[Action, ...]
    dry_run: bool
    since: datetime
    until: datetime
    path: str
    owner_id: UUID | None
    owner_name: str
    bucket: str
    scope: str | None
    space: Space
    limit: int
    on_drift: str
    notes: tuple[str, ...]
    reaches_back: bool = False  # an episode that goes on in the window is told with what came just before it

    def as_json(self) -> dict[str, Any]:
        """The filters as the report shows them."""
        return {
            "owner": self.owner_name or "%",
            "owner_id": str(self.owner_id) if self.owner_id else None,
            "team_id": str(self.space.team_id) if self.space.team_id else None,
            "team": self.space.name if self.space.team_id else None,
            "bucket": self.bucket,
            "scope": self.scope,
            "path_filter": self.path,
            "since": self.since.isoformat(),
            "until": self.until.isoformat(),
        }


class Reader:
    """Reads one field after the other and keeps what is wrong with each, so that all is said at once."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.problems: list[Problem] = []
        self.notes: list[str] = []

    def wrong(self, name: str, message: str) -> None:
        self.problems.append(Problem(("body", name), message))

    def text(self, name: str, default: str) -> str:
        value = self.given.get(name)
        if value is None or value == "":
            return default
        if not isinstance(value, str) or unstorable(value):
            self.wrong(name, phrase("%(field)s is not plain text. Send a string.", field=name))
            return default
        if not value.strip():
            text = phrase("%(field)s holds nothing but white space. Name one, or leave it out.", field=name)
            self.wrong(name, text)
        return value.strip() or default

    def pattern(self, name: str) -> str:
        value = self.text(name, "%")
        if len(value) > PATTERN_CHARS or value.count("%") + value.count("_") > PATTERN_WILDCARDS:
            text = phrase(
                "%(field)s has at most %(chars)s characters and %(wildcards)s wildcards. Shorten it.",
                field=name,
                chars=PATTERN_CHARS,
                wildcards=PATTERN_WILDCARDS,
            )
            self.wrong(name, text)
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self.given.get(name)
        if value is None or value == "":
            return default
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in ("true", "false"):
            return value.strip().lower() == "true"
        self.wrong(name, phrase("%(field)s is %(given)s. Send true or false.", field=name, given=repr(value)))
        return default

    def time(self, name: str) -> datetime | None:
        value = self.given.get(name)
        if value is None or value == "":
            return None
        moment = _moment(value)
        if moment is None:
            text = phrase("%(field)s is not ISO 8601. Write it like 2026-11-30T10:00:00Z.", field=name)
            self.wrong(name, text)
            return None
        if moment.tzinfo is None:
            self.notes.append(f"{name} has no offset and is read as UTC.")
            moment = moment.replace(tzinfo=UTC)
        return _dated(moment.astimezone(UTC))


def _dated(moment: datetime) -> datetime:
    """The moment, or the outermost that is a date in every zone: no record lies beyond."""
    return min(max(moment, TIMES[0]), TIMES[1])


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        parsed = parse_datetime(value.strip())
        if parsed is None and len(value.strip()) == 10:
            parsed = datetime.fromisoformat(value.strip())
        if parsed is not None and parsed.tzinfo is not None:
            parsed = parsed.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return parsed


def read(given: Mapping[str, Any], *, actor: Actor, as_of: datetime) -> Filters:
    """The filters in `given` (see NAMES), resolved at `as_of`. Raises Invalid or NotAllowed."""
    reader = Reader(given)
    for name in sorted(set(given) - set(NAMES)):
        field = str(name)[:50]
        reader.wrong(field, phrase("%(field)s is no parameter of reflect. Leave it out.", field=field))
    actions = _actions(reader)
    since, until = _window(reader, as_of)
    limit = limit_of(reader)
    on_drift = reader.text("on_drift", "")
    if on_drift not in ("", "skip", "refuse"):
        reader.wrong("on_drift", phrase("on_drift is skip or refuse. Leave it out for the policy's choice."))
    path, bucket = reader.pattern("path_filter"), reader.pattern("bucket")
    dry_run, scope = reader.flag("dry_run", False), reader.text("scope", "") or None
    owner, team = reader.text("owner_filter", ""), reader.text("team_id", "")
    if reader.problems:
        raise Invalid(*reader.problems)
    space = space_of(team, actor)
    owner_id, owner_name = _owner(owner, space, actor)
    return Filters(
        actions=actions,
        dry_run=dry_run,
        since=since,
        until=until,
        path=path,
        owner_id=owner_id,
        owner_name=owner_name,
        bucket=bucket,
        scope=scope,
        space=space,
        limit=limit,
        on_drift=on_drift,
        notes=tuple(reader.notes),
    )


def _actions(reader: Reader) -> tuple[Action, ...]:
    value = reader.given.get("actions")
    if value is None:
        value = reader.given.get("actions_csv")
    if value is None or value == "":
        return tuple(Action)
    words = value if isinstance(value, list) else str(value).split(",")
    found: set[Action] = set()
    for word in words:
        name = str(word).strip().lower()
        if name in ALIASES:
            found.add(ALIASES[name])
        elif name in CANONICAL:
            found.add(CANONICAL[name])
        elif name or isinstance(value, list):
            given = repr(str(word)[:50])
            text = phrase("%(given)s is no action. Choose among %(choices)s.", given=given, choices=", ".join(Action))
            reader.wrong("actions_csv", text)
    if not found and not reader.problems:
        text = phrase("No action is named. Choose among %(choices)s.", choices=", ".join(Action))
        reader.wrong("actions_csv", text)
    return tuple(action for action in Action if action in found)


def _window(reader: Reader, as_of: datetime) -> tuple[datetime, datetime]:
    hours = _hours(reader)
    since, until = reader.time("since"), reader.time("until")
    end = until or as_of
    if since is None:
        try:
            since = _dated(end - timedelta(hours=hours))
        except OverflowError:
            since = TIMES[0]
    if end <= since and not reader.problems:
        reader.wrong("until", phrase("until must be later than since. Change one of them."))
    return since, end


def _hours(reader: Reader) -> float:
    value = reader.given.get("time_window_hours")
    if value is None or value == "":
        return 24.0
    try:
        hours = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        hours = math.nan
    if not math.isfinite(hours) or hours <= 0:
        reader.wrong("time_window_hours", phrase("time_window_hours must be a number greater than 0."))
        return 24.0
    return hours


def limit_of(reader: Reader) -> int:
    """The most candidates that are wanted; what is more than LIMIT_MOST is clamped and noted."""
    value = reader.given.get("limit")
    if value is None or value == "":
        return 500
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not text.isascii() or not text.isdigit() or len(text) > 15 or int(text) < 1:
        reader.wrong("limit", phrase("limit must be a whole number from 1 to %(most)s.", most=f"{LIMIT_MOST:,}"))
        return 500
    if int(text) > LIMIT_MOST:
        reader.notes.append(f"limit {int(text)} was clamped to {LIMIT_MOST}.")
    return min(int(text), LIMIT_MOST)


def space_of(team: str, actor: Actor) -> Space:
    """The team named, or the one a token is bound to, or the actor's private space. Raises NotAllowed."""
    if team:
        for space in actor.spaces.values():
            if space.team_id is not None and str(space.team_id) == team.lower():
                return space
        raise NotAllowed(phrase("You are not a member of this team, or this token is not bound to it."))
    if actor.own in actor.spaces:
        return actor.spaces[actor.own]
    if len(actor.spaces) == 1:
        return next(iter(actor.spaces.values()))
    raise NotAllowed(phrase("This token reaches no space of its own. Bind it to a team its owner belongs to."))


def _owner(owner: str, space: Space, actor: Actor) -> tuple[UUID | None, str]:
    """In a private space the owner is the actor. In a team: everybody, or the actor where asked for by name."""
    if owner and owner not in (actor.name, str(actor.user_id)):
        raise NotAllowed(phrase("owner_filter may name only yourself. Leave it out, or send your own name."))
    if space.team_id is not None and not owner:
        return None, ""
    return actor.own, actor.name
