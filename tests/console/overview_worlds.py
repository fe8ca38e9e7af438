"""Anything that an overview may be about, made up by chance, and what there is of it counted by hand."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.utils import timezone

from memories.access import Actor
from memories.models import Memory, MemoryLink, MemoryState, Team, Todo, User
from memories.models.memory import MemoryType
from memories.services.status import standing

DAYS = (0, 0.3, 1, 3, 6, 8, 20, 27, 40, 100, 190, 400, 900, 2_000)
IMPORTANCES = (0, 0.05, 0.1, 0.2, 0.29999, 0.3, 0.5, 0.55, 0.7, 0.9, 0.95, 1)


def fill(chance: random.Random, owners: Sequence[User], atlas: Team, *, most: int = 30) -> None:
    """A few memories anywhere among these people, some in summaries, and TODOs, in few statements."""
    now, made = timezone.now(), []
    farthest = chance.randint(1, len(DAYS))
    for number in range(chance.randint(0, most)):
        made.append(one_memory(chance, now, owners, atlas, number, farthest))
    Memory.objects.bulk_create(made)
    MemoryState.objects.bulk_create([state(chance, one) for one in made])
    cite(chance, made)
    Todo.objects.bulk_create([todo(chance, now, owners, atlas) for _ in range(chance.randint(0, 6))])


def one_memory(
    chance: random.Random, now: datetime, owners: Sequence[User], atlas: Team, number: int, farthest: int
) -> Memory:
    at = now - timedelta(days=chance.choice(DAYS[:farthest]))
    derivation = chance.choice(("", "", "", "summary", "fact"))
    pass_id = owners[0].pk if derivation else None  # any id will do
    return Memory(
        owner=chance.choice(owners),
        team=chance.choice((atlas, None)),
        content=f"x{number}",
        memory_type=chance.choice(MemoryType.values),
        derivation=derivation,
        pass_id=pass_id,
        created_at=at,
        updated_at=at,
        expires_at=chance.choice((None, None, now - timedelta(minutes=1), now + timedelta(days=1))),
    )


def state(chance: random.Random, one: Memory) -> MemoryState:
    at = one.created_at
    marks: dict[str, dict[str, Any]] = {
        "archived": {"archived_at": at},
        "expired": {"expired_at": at},
        "deleted": {"deleted_at": at, "deleted_by": one.owner, "status_before_delete": "active"},
    }
    status = chance.choice(("active", "active", "active", "archived", "expired", "deleted"))
    importance = chance.choice(IMPORTANCES)
    return MemoryState(memory=one, anchor=at, status=status, importance=importance, **marks.get(status, {}))


def cite(chance: random.Random, made: Sequence[Memory]) -> None:
    """Summaries and facts cite what stands in their space."""
    links = []
    for origin in (one for one in made if one.derivation):
        same = [
            one
            for one in made
            if one is not origin and (one.team_id or one.owner_id) == (origin.team_id or origin.owner_id)
        ]
        for target in chance.sample(same, min(len(same), chance.randint(0, 4))):
            links.append(MemoryLink(origin=origin, target=target, kind="derived_from", created_at=origin.created_at))
    MemoryLink.objects.bulk_create(links)


def todo(chance: random.Random, now: datetime, owners: Sequence[User], atlas: Team) -> Todo:
    owner, done = chance.choice(owners), chance.choice((None, None, now))
    return Todo(
        owner=owner,
        team=chance.choice((atlas, None)),
        content="x",
        due_at=chance.choice((None, now - timedelta(hours=1), now + timedelta(days=1))),
        completed_at=done,
        completed_by=owner if done else None,
        created_at=now,
        updated_at=now,
    )


class ByHand:
    """What `actor` may see, row by row."""

    def __init__(self, actor: Actor) -> None:
        self.now = timezone.now()
        rows = Memory.objects.select_related("state")
        self.rows = [one for one in rows if one.space_id in actor.spaces]
        self.todos = [one for one in Todo.objects.all() if one.space_id in actor.spaces]
        self.links = list(MemoryLink.objects.select_related("origin__state"))

    def stands(self, one: Memory) -> str:
        return standing(one, at=self.now)

    def by_type(self) -> dict[str, dict[str, int]]:
        counted = Counter((one.memory_type, self.stands(one)) for one in self.rows)
        found: dict[str, dict[str, int]] = {kind: {} for kind in MemoryType.values}
        for (kind, status), count in counted.items():
            found[kind][status] = count
        return found

    def grown(self, starts: Sequence[date]) -> list[Counter[str]]:
        """The types of what was written in each period and is kept."""
        found: list[Counter[str]] = [Counter() for _ in starts]
        for one in self.rows:
            if one.state.status != "deleted":
                day = timezone.localdate(one.created_at)
                found[max(0, bisect_right(starts, day) - 1)][one.memory_type] += 1
        return found

    def tenths(self) -> list[int]:
        counts = [0] * 10
        for one in self.rows:
            if self.stands(one) == "active":
                counts[sum(one.state.importance >= n / 10 for n in range(1, 10))] += 1
        return counts

    def backlog(self) -> dict[str, int]:
        told = {
            link.target_id
            for link in self.links
            if link.origin.derivation == "summary" and self.stands(link.origin) == "active"
        }
        live = [one for one in self.rows if self.stands(one) == "active"]
        open_ = [one for one in self.todos if one.completed_at is None and one.due_at is not None]
        return {
            "todos": sum(one.due_at < self.now for one in open_ if one.due_at),
            "overdue": sum(one.state.status == "active" and self.stands(one) == "expired" for one in self.rows),
            "untold": sum(
                one.memory_type == "episodic"
                and not one.derivation
                and one.pk not in told
                and one.created_at >= self.now - timedelta(days=30)
                for one in live
            ),
        }
