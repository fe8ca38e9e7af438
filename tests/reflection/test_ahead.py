"""How an importance will fade and when a pass puts a memory away: as a dry run on that day answers."""

from __future__ import annotations

import random
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.models import Memory, MemoryLink, MemoryState, User
from memories.services.forget import forget
from memories.services.redact import redact
from reflection.models import ReflectionPolicy
from reflection.planner import plan as plan_of
from reflection.planner.ahead import CLOSE, Ahead
from reflection.planner.rows import Proposal, Row, Window
from reflection.policy import Policy
from reflection.services import policies
from reflection.services.ahead import look_ahead
from reflection.services.plan import plan
from reflection.states import Action
from tests.memories import factories
from tests.memories.page_client import everything
from tests.reflection import life, pages
from tests.reflection.planner_rows import DAY, NOW, row
from tests.reflection.random_rows import SHORT, some_rows

LIFECYCLE = (Action.EXPIRE, Action.DECAY, Action.ARCHIVE)
AWAY = {Action.EXPIRE, Action.ARCHIVE}
LATER = timedelta(microseconds=7)  # than the moments at which rules change their minds


def dry_run(rows: list[Row], at: Any, policy: Policy) -> list[Proposal]:
    return plan_of(rows, actions=LIFECYCLE, window=Window(at, at), as_of=at, policy=policy, limit=len(rows)).proposals


@pytest.mark.parametrize("policy", [Policy(), SHORT, Policy(decay_floor=0.2), Policy(half_life_days={"working": 3})])
@pytest.mark.parametrize("seed", range(8))
def test_what_is_told_of_a_day_is_what_a_pass_on_that_day_proposes(seed: int, policy: Policy) -> None:
    chance = random.Random(seed)
    rows = some_rows(chance)
    ahead = {one.id: Ahead(rows, one.id, NOW, policy) for one in chance.sample(rows, min(8, len(rows)))}
    leaving = {key: one.leaving() for key, one in ahead.items()}
    for days in (0, *chance.choices(range(1, 900), k=8)):
        at = NOW + days * DAY + LATER
        proposed = {(one.target_id, one.action): one for one in dry_run(rows, at, policy)}
        for key, one in ahead.items():
            left = leaving[key]
            goes = any((key, action) in proposed for action in AWAY)
            assert not goes or (left is not None and left.at <= at), (days, one.row)
            if left is None or left.at > at:
                as_told(one, at, proposed.get((key, Action.DECAY)))


def as_told(one: Ahead, at: Any, decay: Proposal | None) -> None:
    """The curve at `at` beside what decay proposes then, if anything."""
    if decay is not None:
        assert decay.after["importance"] == pytest.approx(one.value_at(at), abs=1e-6)
    else:
        assert abs(one.value_at(at) - one.row.importance) < one.policy.decay_step + 1e-6


@pytest.mark.parametrize("seed", range(8))
def test_the_first_moment_is_the_first(seed: int) -> None:
    chance = random.Random(100 + seed)
    rows = some_rows(chance)
    for one in chance.sample(rows, min(8, len(rows))):
        left = Ahead(rows, one.id, NOW, SHORT).leaving()
        if left and left.at > NOW:
            before, after = (dry_run(rows, at, SHORT) for at in (left.at - 2 * CLOSE, left.at + LATER))
            assert not [p for p in before if p.target_id == one.id and p.action in AWAY]
            assert [p.action for p in after if p.target_id == one.id] == [left.proposal.action]


def alone(**fields: Any) -> Ahead:
    return Ahead([row(1, created_at=NOW - 10 * DAY, **fields)], row(1).id, NOW, Policy())


def test_a_faded_memory_leaves_when_it_is_both_faint_and_unused() -> None:
    one = alone(base=0.5, importance=0.5)  # halves in 30 days: below 0.15 after 52, unused for 90 after 80 more
    left = one.leaving()
    assert left and left.at == NOW + 80 * DAY and left.proposal.why["rule"] == "faded"
    below = one.below_from()
    assert below and (below - NOW) / DAY == pytest.approx(42.11, abs=0.01)


def test_an_idle_working_memory_leaves_after_two_weeks_and_a_lasting_fact_never() -> None:
    idle = alone(memory_type="working").leaving()
    assert idle and idle.at == NOW + 4 * DAY and idle.proposal.why["rule"] == "idle_working"
    lasting = Ahead([row(1, memory_type="semantic")], row(1).id, NOW, Policy(half_life_days={}))
    assert lasting.steady == "half_life" and lasting.leaving() is None and lasting.below_from() is None


def test_when_a_new_value_is_stored_is_when_it_differs_by_a_step() -> None:
    one = Ahead([row(1, created_at=NOW, base=1.0, importance=1.0)], row(1).id, NOW, Policy())
    at = one.written_from()
    assert at and one.row.importance - one.value_at(at) == pytest.approx(0.01, abs=1e-6)
    assert alone(base=0.5, importance=0.5).written_from() == NOW


@pytest.mark.parametrize(
    ("fields", "why"),
    [({"pinned": True}, "pinned"), ({"held": True}, "legal hold"), ({"memory_type": "identity"}, "identity")],
)
def test_what_is_protected_neither_fades_nor_leaves(fields: dict[str, Any], why: str) -> None:
    one = alone(base=0.2, importance=0.4, expires_at=NOW + DAY, **fields)
    assert one.steady == why and one.leaving() is None and one.written_from() is None
    assert one.value_at(NOW + 900 * DAY) == 0.4


# With the database


@pytest.mark.django_db
@pytest.mark.parametrize("days", [0, 1, 12, 45, 100, 400])
def test_the_curve_is_what_a_dry_run_as_of_that_day_proposes(ann, records, days):
    keeper = kept_in_a_summary(records)
    now = timezone.now()
    at = now + timedelta(days=days)
    made = plan(given={"dry_run": True, "actions_csv": "expire,decay,archive"}, as_of=at, actor=ann)
    proposed = {(one.target_id, one.action): one for one in life.candidates(made)}
    assert proposed
    for name, record in {**records, "keeper": keeper}.items():
        found = look_ahead(record.pk, as_of=now, actor=ann)
        left = found.ahead.leaving()
        goes = any((record.pk, action.value) in proposed for action in AWAY)
        assert goes is (left is not None and left.at < at + LATER), name
        decay = proposed.get((record.pk, "decay"))
        if decay:
            assert decay.after["importance"] == pytest.approx(found.ahead.value_at(at), abs=1e-6), name


def kept_in_a_summary(records: dict[str, Memory]) -> Memory:
    """A summary that cites two of the records, both old enough to be put away."""
    at = timezone.now() - timedelta(days=5)
    made = {"derivation": "summary", "pass_id": records["old"].pk, "bucket": "work", "created_at": at, "anchor": at}
    keeper = factories.memory(factories.ann(), "The printer and lunch.", **made)
    for n, name in enumerate(("old", "turn1")):
        MemoryLink.objects.create(origin=keeper, target=records[name], kind="derived_from", position=n, created_at=at)
    return keeper


def address(memory: Memory) -> str:
    return f"/memories/{memory.pk}/importance"


@pytest.mark.django_db
def test_the_page_shows_the_curve_the_days_and_the_rule(web, records):
    response = web.get(address(records["old"]))
    seen = pages.text(response)
    assert "How its importance fades" in seen and "version 1 of the policy" in seen
    assert "halves every 30 days without use" in seen and "It falls below 0.150 on" in seen
    assert "a pass would archive it from" in seen and "the rule asks for 90" in seen
    body = response.content.decode()
    assert 'class="line"' in body and "today" in seen and "style=" not in body
    assert address(records["old"]) in web.get(f"/memories/{records['old'].pk}").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "es", "pt-br", "ja", "ko"])
def test_the_curve_is_drawn_with_plain_numbers_in_every_language(web, records, language):
    User.objects.update(language=language)
    body = web.get(address(records["old"])).content.decode()
    (line,) = re.findall(r'<path class="line" d="([^"]+)"', body)
    assert re.fullmatch(r"M[\d.]+ [\d.]+(L[\d.]+ [\d.]+)+", line)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"pinned": True}, "because it is pinned"),
        ({"hold": "case 7"}, "because it is under a legal hold"),
        ({"memory_type": "identity"}, "because it is an identity memory"),
    ],
)
def test_what_does_not_fade_says_why_and_has_no_curve(web, fields, words):
    kept = factories.memory(factories.ann(), "Kept.", **fields)
    response = web.get(address(kept))
    assert words in pages.text(response) and 'class="line"' not in response.content.decode()


@pytest.mark.django_db
def test_the_policy_in_force_is_the_one_that_counts(ann, web):
    lasting = factories.memory(factories.ann(), "Lasting.", importance=0.3, base=0.3)
    none = policies.draft({"half_life_semantic": ""}, policies.current(ann.space(ann.own)))
    life.policy(ann.own, actor=ann, values=none.values)
    assert "no half-life for memories of its type" in pages.text(web.get(address(lasting)))
    floor = policies.draft({"half_life_semantic": 10, "decay_floor": 0.4}, policies.current(ann.space(ann.own)))
    life.policy(ann.own, actor=ann, values=floor.values)
    assert "fall below 0.400" in pages.text(web.get(address(lasting)))


@pytest.mark.django_db
def test_what_has_expired_or_will_says_so(web):
    over = factories.memory(factories.ann(), "Over.", expires_at=timezone.now() - timedelta(days=1))
    assert "a pass would note that now" in pages.text(web.get(address(over)))
    now = timezone.now()
    soon = factories.memory(factories.ann(), "Soon.", created_at=now, expires_at=now + timedelta(days=9))
    assert "It expires on" in pages.text(web.get(address(soon)))


@pytest.mark.django_db
def test_what_no_pass_looks_at_has_no_curve(web, ann, records):
    forget(record_id=records["old"].pk, actor=ann)
    assert "a pass looks only at active memories" in pages.text(web.get(address(records["old"])))
    redact(memory_id=records["turn0"].pk, reason="x", actor=ann)
    assert "looks at none without words" in pages.text(web.get(address(records["turn0"])))


@pytest.mark.django_db
def test_looking_ahead_writes_nothing(web, records):
    before = everything()
    web.get(address(records["old"]))
    assert everything() == before and not ReflectionPolicy.objects.exists()


@pytest.mark.django_db
def test_a_stranger_finds_nothing_there(records):
    assert pages.browser(factories.bob()).get(address(records["old"])).status_code == 404


@pytest.mark.django_db
def test_a_summary_of_hundreds_among_doubles_is_looked_at_in_few_queries(web):
    ann, now = factories.ann(), timezone.now() - timedelta(days=40)
    said = [
        Memory(owner=ann, content=f"Said {n // 2}.", memory_type="episodic", created_at=now, updated_at=now)
        for n in range(600)
    ]
    Memory.objects.bulk_create(said)
    MemoryState.objects.bulk_create(MemoryState(memory=one, anchor=now) for one in said)
    summary = factories.memory(ann, "All of it.", derivation="summary", pass_id=ann.pk, created_at=now, base=0.2)
    MemoryLink.objects.bulk_create(
        MemoryLink(origin=summary, target=one, kind="derived_from", position=n, created_at=now)
        for n, one in enumerate(said)
    )
    with CaptureQueriesContext(connection) as seen:
        assert web.get(address(summary)).status_code == 200
    assert len(seen) < 30
