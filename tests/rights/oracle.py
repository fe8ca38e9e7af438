"""Who may see what, said a second time and as plainly as can be: nothing here knows the program."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Thing:
    """A record, a line of the audit, a pass or a saved view, as the oracle knows it. `word` names nothing else."""

    word: str
    kind: str
    owner: str
    team: str | None = None
    bucket: str = "work"
    scope: str | None = None
    path: str = ""
    agent: str = ""
    status: str = "active"
    overdue: bool = False
    event: bool = False
    by_token: str = ""  # of a line or a pass: the token that made it


@dataclass(frozen=True)
class Who:
    """A person at the console, or one of their tokens with its bounds."""

    person: str
    token: str = ""
    team: str | None = None
    buckets: tuple[str, ...] | None = None
    scope: str | None = None
    prefix: str = ""
    agent: str = ""
    scopes: frozenset[str] = field(default_factory=frozenset)

    @property
    def bounded(self) -> bool:
        return bool(self.buckets is not None or self.scope is not None or self.prefix or self.agent)


def reaches(who: Who, thing: Thing, teams: dict[str, set[str]]) -> bool:
    """Whether the thing stands in a space that is theirs."""
    homes = {who.person} | {team for team, people in teams.items() if who.person in people}
    return (thing.team or thing.owner) in (homes & {who.team} if who.team else homes)


def sees(who: Who, thing: Thing, teams: dict[str, set[str]]) -> bool:
    """Whether they may see it at all."""
    if not reaches(who, thing, teams):
        return False
    if thing.kind in ("line", "pass"):
        return not who.bounded or thing.by_token == who.token
    in_bucket = who.buckets is None or thing.bucket in who.buckets
    in_scope = who.scope is None or thing.scope == who.scope
    on_path = not who.prefix or (thing.path + "/").startswith(who.prefix + "/")
    return in_bucket and in_scope and on_path and (not who.agent or thing.agent == who.agent)


def stands(thing: Thing, how: str) -> bool:
    """Whether it stands as a list wants it."""
    live = thing.status == "active" and not thing.overdue
    return {"live": live, "kept": thing.status != "deleted", "any": True}.get(how, thing.status == how)
