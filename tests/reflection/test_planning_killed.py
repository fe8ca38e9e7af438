"""The worker is killed with -9 while it plans, at several points: nothing half planned stays, the next one plans."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from console import broker
from memories import audit
from memories.access import Actor
from reflection.models import ReflectPass
from reflection.services import plan as planner
from reflection.tasks import plan_pass
from tests.memories import factories
from tests.reflection import life
from tests.reflection.test_life_killed import PROGRAM, ROOT, SECONDS, empty_queue, wait_for

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
POINTS = 6


@pytest.fixture
def ann(monkeypatch: pytest.MonkeyPatch) -> Actor:
    monkeypatch.setattr(planner, "AT_ONCE", 2)
    broker.ensure_broker_schema()
    life.fill(factories.ann())
    return factories.actor(factories.ann())


def statements_of_one_planning(ann: Actor) -> int:
    asked, count = life.plan_all(ann, limit=400), 0

    def watch(execute: Any, *args: Any) -> Any:
        nonlocal count
        count += 1
        return execute(*args)

    with connection.execute_wrapper(watch):
        plan_pass(str(asked.pk))
    return count


def worker(environment: dict[str, str], at: int, when: str, mark: Path) -> subprocess.Popen[bytes]:
    extra = {
        "BROKER_VISIBILITY_SECONDS": "1",
        "SWEEP_SECONDS": "1",
        "PYTHONPATH": str(ROOT),
        "DIE_IN": "plan",
        "DIE_AT": str(at),
        "DIE_WHEN": when,
        "DIE_MARK": str(mark),
    }
    return subprocess.Popen([sys.executable, PROGRAM], cwd=ROOT, env=os.environ | environment | extra)


def test_a_worker_killed_while_it_plans_leaves_nothing_and_the_next_one_plans(
    ann: Actor, database_environment: dict[str, str], tmp_path: Path
) -> None:
    count = statements_of_one_planning(ann)
    whole = sum(ReflectPass.objects.get().counts.values())
    every = [(n, when) for n in range(2, count - 3) for when in ("before", "after")]
    for number, (at, when) in enumerate(random.sample(every, POINTS)):
        empty_queue()
        mark = tmp_path / str(number)
        dying = worker(database_environment, at, when, mark)
        asked = life.plan_all(ann, limit=400)
        try:
            dying.wait(SECONDS)
        finally:
            dying.kill()
            dying.wait()
        assert mark.exists(), f"the worker was not killed {when} statement {at}"
        asked.refresh_from_db()
        assert (asked.status, asked.digest, asked.candidates.exists()) in (
            ("planning", "", False),
            ("planned", asked.digest, True),
        )
        finished(asked, database_environment, mark)
        assert sum(asked.counts.values()) == asked.candidates.count() == whole
    assert audit.verify() == []


def finished(asked: ReflectPass, environment: dict[str, str], mark: Path) -> None:
    """A worker started again finds the pass, by redelivery or by the sweep."""

    def planned() -> bool:
        asked.refresh_from_db()
        return asked.status == "planned"

    if planned():
        return
    process = worker(environment, 0, "before", mark)
    try:
        wait_for(planned)
    finally:
        process.kill()
        process.wait()
