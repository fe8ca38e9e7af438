"""A small world at random: people, teams, tokens and records, as the oracle knows them and as they are stored."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

from django.utils import timezone
from uuid6 import uuid7

from memories import audit
from memories.access import Actor, bearer
from memories.models import (
    ApiToken,
    Decision,
    LedgerEntry,
    Membership,
    Memory,
    MemoryLink,
    MemoryState,
    MemoryVersion,
    SavedView,
    Snapshot,
    Team,
    Todo,
    User,
)
from memories.models.people import SCOPES, Role
from reflection.services.plan import plan
from tests.memories.factories import actor, token, user
from tests.rights.oracle import Thing, Who

PEOPLE = ("ann", "bea", "bob", "cid")
TEAMS = ("Atlas", "Borealis")
BUCKETS = ("work", "home", "w_rk", "%")
SCOPES_OF_RECORDS = (None, None, "tenant:project:7", "tenant:project:77", "tenant_project:7")
PATHS = ("", "a", "a/b", "ab", "a_b", "axb/c", "A/d")
AGENTS = ("", "", "alpha", "beta")
KINDS = {"memory": 20, "todo": 5, "ledger": 5, "decision": 4, "snapshot": 4, "line": 6, "view": 6}
QUERIES = ("", "bucket=w_rk", "status=archived", "under=a", "order=oldest")
STATUSES = ("active", "active", "active", "archived", "expired", "deleted")


@dataclass
class World:
    """What there is. `ids` finds the record of a word."""

    seed: int
    teams: dict[str, set[str]]
    things: list[Thing] = field(default_factory=list)
    whos: list[Who] = field(default_factory=list)
    ids: dict[str, UUID] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)  # of tokens
    crowd: list[str] = field(default_factory=list)  # who has tokens: few, so that one has several


def random_world(seed: int) -> World:
    """The world of this number, stored."""
    roll = Random(seed)
    teams = {name: set(roll.sample(PEOPLE, roll.randint(1, 3))) for name in TEAMS}
    world = World(seed, teams)
    people = {name: user(name) for name in PEOPLE}
    stored = {name: Team.objects.create(name=name) for name in TEAMS}
    Membership.objects.bulk_create(
        Membership(user=people[name], team=stored[team], role=roll.choice(Role.values))
        for team, names in teams.items()
        for name in sorted(names)
    )
    world.whos = [Who(name, scopes=frozenset(SCOPES)) for name in roll.sample(PEOPLE, 2)]
    world.crowd = roll.sample(PEOPLE, 2)
    for number in range(5):
        _token(world, roll, f"t{number}", people, stored)
    for kind, most in KINDS.items():
        world.things += [_thing(world, roll, kind, number) for number in range(most)]
    _store(world, people, stored)
    _link(world, roll)
    _passes(world, roll, people, stored)
    return world


def _token(world: World, roll: Random, name: str, people: dict[str, User], teams: dict[str, Team]) -> None:
    """A token with some bounds, and with some scopes."""
    person = roll.choice(world.crowd)
    theirs = sorted(team for team, names in world.teams.items() if person in names)
    who = replace(Who(person, token=name, scopes=_scopes(roll)), **_bounds(roll, theirs))
    made, key = token(
        people[person],
        team=teams[who.team] if who.team else None,
        buckets=list(who.buckets) if who.buckets is not None else None,
        scope=who.scope,
        path_prefix=who.prefix,
        agent_id=who.agent,
        scopes=sorted(who.scopes),
    )
    world.whos.append(who)
    world.keys[name], world.ids[name] = key, made.pk


def _scopes(roll: Random) -> frozenset[str]:
    """All of them, all but money, all but one, or few."""
    few, one = roll.sample(SCOPES, 4), roll.choice(SCOPES)
    lacking = roll.choice(([], [], ["ledger:read"], [one], [name for name in SCOPES if name not in few]))
    return frozenset(SCOPES) - frozenset(lacking)


def _bounds(roll: Random, teams: list[str]) -> dict[str, Any]:
    """One limit mostly, sometimes none or two: with more of them a token sees nothing that could be wrong."""
    every = {
        "team": roll.choice(teams) if teams else None,
        "buckets": tuple(roll.sample(BUCKETS, roll.choice((0, 1, 2, 2)))),
        "scope": roll.choice([one for one in SCOPES_OF_RECORDS if one]),
        "prefix": roll.choice(("a", "a", "a_b", "A")),
        "agent": roll.choice(("alpha", "beta")),
    }
    return {name: every[name] for name in roll.sample(sorted(every), roll.choice((0, 1, 1, 1, 1, 2)))}


def _thing(world: World, roll: Random, kind: str, number: int) -> Thing:
    """A record of somebody, in their own space or in a team's: also in one that they have left, or never were in."""
    owner, status = roll.choice(PEOPLE), roll.choice(STATUSES)
    return Thing(
        word=f"zq{kind}{world.seed}x{number}z",
        kind=kind,
        owner=owner,
        team=roll.choice(TEAMS) if roll.random() < 0.45 else None,
        bucket=roll.choice(BUCKETS),
        scope=roll.choice(SCOPES_OF_RECORDS),
        path=roll.choice(PATHS),
        agent=roll.choice(AGENTS),
        status=status if kind == "memory" or status in ("active", "deleted") else "active",
        overdue=kind == "memory" and roll.random() < 0.4,
        event=kind == "memory" and roll.random() < 0.3,
        by_token=roll.choice(["", *world.keys]) if kind == "line" else "",
    )


def _store(world: World, people: dict[str, User], teams: dict[str, Team]) -> None:
    now, made = timezone.now() - timedelta(hours=3), dict[str, list[Any]]()
    for number, thing in enumerate(world.things):
        if thing.kind in BESIDE:
            BESIDE[thing.kind](world, thing, people, teams)
            continue
        world.ids[thing.word] = uuid7()
        common = {
            "id": world.ids[thing.word],
            "owner": people[thing.owner],
            "team": teams[thing.team] if thing.team else None,
            "bucket": thing.bucket,
            "scope": thing.scope,
            "path": thing.path,
            "agent_id": thing.agent,
            "source": "test",
            "created_at": now + timedelta(seconds=number),
            "updated_at": now + timedelta(seconds=number),
        }
        made.setdefault(thing.kind, []).append(MAKE[thing.kind](thing, common))
    for rows in made.values():
        type(rows[0]).objects.bulk_create(rows)
    _states(world, people, now)


def _marks(thing: Thing, people: dict[str, User]) -> dict[str, Any]:
    """The fields of where a record stands."""
    now = timezone.now()
    if thing.status == "deleted":
        gone = {"deleted_at": now, "deleted_by": people[thing.owner], "status_before_delete": "active"}
        return {"status": "deleted", **gone}
    return {"status": thing.status, **({f"{thing.status}_at": now} if thing.status != "active" else {})}


def _states(world: World, people: dict[str, User], now: Any) -> None:
    memories = [thing for thing in world.things if thing.kind == "memory"]
    MemoryState.objects.bulk_create(
        MemoryState(memory_id=world.ids[one.word], anchor=now, **_marks(one, people)) for one in memories
    )
    MemoryVersion.objects.bulk_create(
        MemoryVersion(memory_id=world.ids[one.word], number=1, content=f"{one.word} before", fields={}, replaced_at=now)
        for one in memories[::3]
    )
    for thing in world.things:
        if thing.kind in ("todo", "ledger", "decision", "snapshot") and thing.status == "deleted":
            MODELS[thing.kind].objects.filter(pk=world.ids[thing.word]).update(**_marks(thing, people))


def _link(world: World, roll: Random) -> None:
    """Some memories cite others, also of other people and places, with the words that they took."""
    words = [thing.word for thing in world.things if thing.kind == "memory"]
    pairs = {tuple(roll.sample(words, 2)) for _ in range(10)}
    MemoryLink.objects.bulk_create(
        MemoryLink(
            origin_id=world.ids[origin],
            target_id=world.ids[target],
            kind=roll.choice(["derived_from", "relates_to", "supersedes"]),
            quote=target,
            created_at=timezone.now(),
        )
        for origin, target in sorted(pairs)
    )


def _line(world: World, thing: Thing, people: dict[str, User], teams: dict[str, Team]) -> None:
    by: Actor = actor(people[thing.owner])
    if thing.by_token:
        by = _bearer(world, thing.by_token)
    space = teams[thing.team].pk if thing.team else people[thing.owner].pk
    audit.record(by, "memory.update", "memory", uuid7(), space_id=space, reason=thing.word)


def _view(world: World, thing: Thing, people: dict[str, User], teams: dict[str, Team]) -> None:
    """Filters under a name, also those that lead into one space, be it left by now."""
    number = len(world.ids)
    only = people[thing.owner].pk if number % 2 else teams[TEAMS[number % len(TEAMS)]].pk
    query = QUERIES[number % len(QUERIES)] or f"space={only}"
    team = teams[thing.team] if thing.team else None
    made = SavedView.objects.create(owner=people[thing.owner], team=team, name=thing.word, query=query)
    world.ids[thing.word] = made.pk


BESIDE: dict[str, Any] = {"line": _line, "view": _view}


def _passes(world: World, roll: Random, people: dict[str, User], teams: dict[str, Team]) -> None:
    """A plan of each person for themselves, of a member for each team, and of some tokens where these stand."""
    plans: list[tuple[str, str | None, str]] = [(name, None, "") for name in PEOPLE]
    plans += [(roll.choice(sorted(names)), team, "") for team, names in world.teams.items()]
    able = [who for who in world.whos if who.token and "memory:read" in who.scopes]
    plans += [(who.person, who.team, who.token) for who in able[:2]]
    for number, (name, team, by) in enumerate(plans):
        word = f"zqpass{world.seed}x{number}z"
        who = _bearer(world, by) if by else actor(people[name])
        given = {"dry_run": True, "actions_csv": "expire,archive", "team_id": str(teams[team].pk) if team else ""}
        world.ids[word] = plan(given=given, actor=who).pk
        world.things.append(Thing(word, "pass", name, team, by_token=by))


def _bearer(world: World, name: str) -> Actor:
    return bearer(ApiToken.objects.select_related("user", "team").get(pk=world.ids[name]))


def _memory(thing: Thing, common: dict[str, Any]) -> Memory:
    kind = "episodic" if thing.event else "semantic"
    when = {"occurred_at": common["created_at"], "event_type": "deployment"} if thing.event else {}
    over = {"expires_at": timezone.now() - timedelta(hours=1)} if thing.overdue else {}
    more = {"metadata": {"speaker": thing.word}, "provenance": {"said_by": thing.word}, "semantic_key": thing.word}
    return Memory(content=f"{thing.word} is here", memory_type=kind, **more, **when, **over, **common)


def _entry(thing: Thing, common: dict[str, Any]) -> LedgerEntry:
    money = {
        "transaction_type": "expense",
        "amount": Decimal(3),
        "currency": "EUR",
        "occurred_on": timezone.localdate(),
    }
    return LedgerEntry(item=f"{thing.word} bought", note=thing.word, category=thing.word, **money, **common)


def _snapshot(thing: Thing, common: dict[str, Any]) -> Snapshot:
    state = {"main": {"content": thing.word, "state_key": "main", "updated_at": common["created_at"].isoformat()}}
    return Snapshot(label=thing.word, state=state, **common)


MAKE: dict[str, Any] = {
    "memory": _memory,
    "todo": lambda thing, common: Todo(content=f"{thing.word} to do", **common),
    "ledger": _entry,
    "decision": lambda thing, common: Decision(context=f"{thing.word}?", options=[thing.word], **common),
    "snapshot": _snapshot,
}
MODELS: dict[str, Any] = {"todo": Todo, "ledger": LedgerEntry, "decision": Decision, "snapshot": Snapshot}
