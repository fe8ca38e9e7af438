"""What is foretold of a memory among very many like it is right, or it is not foretold at all."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from memories.models import MemoryLink
from reflection.planner import plan as plan_of
from reflection.planner.ahead import FAR, Ahead, Leaving
from reflection.planner.rows import Row, Window
from reflection.policy import Policy
from reflection.services import ahead as looking
from reflection.states import Action
from tests.memories import factories
from tests.memories.api_client import Api
from tests.reflection import pages
from tests.reflection.planner_rows import DAY, HOUR, NOW, row
from tests.reflection.random_rows import SHORT, some_rows

SOON = timedelta(microseconds=7)  # after the moment at which a rule changes its mind
AWAY = (Action.EXPIRE, Action.ARCHIVE)


def goes(rows: list[Row], one: Row, days: int, policy: Policy) -> str:
    """The rule by which a pass so many days from now takes a record away, or nothing."""
    at = NOW + days * DAY + SOON
    found = plan_of(rows, actions=AWAY, window=Window(at, at), as_of=at, policy=policy, limit=len(rows)).proposals
    return next((str(p.why["rule"]) for p in found if p.target_id == one.id), "")


def first_day(rows: list[Row], one: Row, policy: Policy) -> tuple[int, str] | None:
    """The first day on which a pass takes it away, counted day by day."""
    days = ((day, goes(rows, one, day, policy)) for day in range(1_000))
    return next(((day, rule) for day, rule in days if rule), None)


def as_day(left: Leaving | None) -> tuple[int, str] | None:
    return left and (-(-(left.at - NOW) // DAY), str(left.proposal.why["rule"]))


@pytest.mark.parametrize("count", [2, 50, 51, 150])
def test_the_newest_of_many_equal_ones_leaves_on_the_day_on_which_a_pass_takes_it(count: int) -> None:
    rows = [row(n, "Backup finished.", created_at=NOW - 60 * DAY + n * 9 * HOUR) for n in range(count)]
    newest = rows[-1]
    told = as_day(Ahead(rows, newest.id, NOW, Policy()).leaving())
    assert told == first_day(rows, newest, Policy()) and told is not None and told[0] > 1


@pytest.mark.parametrize("seed", range(6))
def test_in_a_crowd_every_day_is_the_one_on_which_a_pass_takes_it(seed: int) -> None:
    chance = random.Random(seed)
    rows = [replace(one, content="Same.", folded="same.") for one in some_rows(chance)]
    for one in chance.sample(rows, min(4, len(rows))):
        told = as_day(Ahead(rows, one.id, NOW, SHORT).leaving())
        before = range(told[0] if told else 1_000)
        assert not any(goes(rows, one, day, SHORT) for day in chance.sample(before, min(20, len(before))))
        assert told is None or goes(rows, one, told[0], SHORT) == told[1]


@pytest.mark.parametrize("year", [1, 2026, 9999])
def test_no_date_is_too_far_away_to_look_from(year: int) -> None:
    at = NOW.replace(year=year, month=12, day=29)
    for fields in ({}, {"memory_type": "working"}, {"expires_at": at}, {"is_summary": True}):
        one = Ahead([row(1, created_at=at, **fields)], row(1).id, NOW, Policy())
        left = one.leaving()
        assert left is None or NOW <= left.at <= NOW + FAR
        assert (left is None) is (year == 9999)


@pytest.mark.django_db
def test_the_newest_of_many_doubles_has_a_day_on_its_page() -> None:
    owner, now = factories.ann(), timezone.now()
    times = [now - timedelta(hours=3 * n) for n in range(60)]
    made = [factories.memory(owner, "Backup finished.", created_at=at, anchor=at, base=0.5) for at in times]
    web = pages.browser(owner)
    newest = pages.text(web.get(f"/memories/{made[0].pk}/importance"))
    assert "a pass would archive it from" in newest or "no rule puts it away" in newest
    assert "A pass would archive it now." in pages.text(web.get(f"/memories/{made[1].pk}/importance"))
    told = Api(owner).get(f"memories/{made[1].pk}/importance").json()["ahead"]
    assert told["leaves_known"] and told["leaves"]["rule"] == "duplicate"


@pytest.mark.django_db
def test_what_hangs_together_with_more_than_is_looked_at_is_not_foretold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "SOURCES", 3)
    owner, now = factories.ann(), timezone.now() - timedelta(days=400)
    made = {"created_at": now, "anchor": now, "base": 0.01}
    summary = factories.memory(owner, "All.", derivation="summary", pass_id=owner.pk, **made)
    for n in range(4):
        said = factories.memory(owner, f"Said {n}.", memory_type="episodic", pinned=n == 3, **made)
        MemoryLink.objects.create(origin=summary, target=said, kind="derived_from", position=n, created_at=now)
    seen = pages.text(pages.browser(owner).get(f"/memories/{summary.pk}/importance"))
    assert "nobody foretells when it leaves" in seen and "would archive it" not in seen
    told = Api(owner).get(f"memories/{summary.pk}/importance").json()["ahead"]
    assert told["leaves"] is None and told["leaves_known"] is False
    monkeypatch.setattr(looking, "SOURCES", 4)
    told = Api(owner).get(f"memories/{summary.pk}/importance").json()["ahead"]
    assert told["leaves"] is None and told["leaves_known"] is True  # its pinned source needs it


@pytest.mark.django_db
def test_one_summary_of_very_many_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "SOURCES", 4)
    owner, now = factories.ann(), timezone.now() - timedelta(days=10)
    same = [factories.memory(owner, "Same words.", memory_type="episodic", created_at=now) for _ in range(6)]
    summary = factories.memory(owner, "All.", derivation="summary", pass_id=owner.pk, created_at=now)
    for n, one in enumerate(same):
        MemoryLink.objects.create(origin=summary, target=one, kind="derived_from", position=n, created_at=now)
    assert Api(owner).get(f"memories/{same[0].pk}/importance").json()["ahead"]["leaves_known"]
