"""The worker is killed with -9 in the middle of an apply, at twenty points: all or nothing, and it converges."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection

from console import broker
from memories import audit
from reflection.models import ReflectPass
from reflection.services.apply import apply
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.reflection import life

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(__file__).with_name("dying_worker.py")
POINTS = 20
SECONDS = 30

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    pause = time.sleep
    while not condition():
        assert time.monotonic() < deadline, f"not within {SECONDS} s"
        pause(0.02)


def rows() -> dict[str, str]:
    """Everything but the vectors: the worker makes those at its own time."""
    return life.snapshot(*(table for table in life.TABLES if table != "memories_memoryembedding"))


def empty_queue() -> None:
    """A message of the last point would be redelivered, and its harmless apply would be the one that dies."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM pgmq.q_{broker.QUEUE}")


def worker(environment: dict[str, str], at: str, when: str, mark: Path) -> subprocess.Popen[bytes]:
    extra = {
        "BROKER_VISIBILITY_SECONDS": "1",
        "SWEEP_SECONDS": "1",
        "PYTHONPATH": str(ROOT),
        "DIE_AT": at,
        "DIE_WHEN": when,
        "DIE_MARK": str(mark),
    }
    return subprocess.Popen([sys.executable, PROGRAM], cwd=ROOT, env=os.environ | environment | extra)


def statements_of_one_apply(ann) -> int:
    planned = life.approve(life.plan_all(ann), ann)
    count = 0

    def watch(execute, *args):
        nonlocal count
        count += 1
        return execute(*args)

    with connection.execute_wrapper(watch):
        apply(pass_id=planned.pk, actor=ann.through("job"))
    roll_back(pass_id=planned.pk, actor=ann)
    return count


def points(count: int) -> list[tuple[str, str]]:
    """Both sides of COMMIT, and the rest drawn at random from all statements."""
    every = [(str(n), when) for n in range(1, count + 1) for when in ("before", "after")]
    return [("commit", "before"), ("commit", "after"), *random.sample(every, min(POINTS - 2, len(every)))]


def test_a_killed_worker_leaves_all_or_nothing_and_the_next_one_finishes(database_environment, tmp_path):
    broker.ensure_broker_schema()
    ann = factories.actor(factories.ann())
    life.fill(factories.ann())
    count = statements_of_one_apply(ann)
    before = rows()
    done = life.applied(life.plan_all(ann), ann)
    applied = shape(rows())
    roll_back(pass_id=done.pk, actor=ann)
    seen = set()
    for number, (at, when) in enumerate(points(count)):
        planned = life.plan_all(ann)
        empty_queue()
        mark = tmp_path / str(number)
        process = worker(database_environment, at, when, mark)
        life.approve(planned, ann)
        try:
            process.wait(SECONDS)
        finally:
            process.kill()
            process.wait()
        assert mark.exists(), f"the worker was not killed at {at} {when}"
        seen.add(outcome(planned, before, applied))
        finish(planned, database_environment, mark)
        assert shape(rows()) == applied
        roll_back(pass_id=planned.pk, actor=ann)
        assert rows() == before
    assert seen == {"nothing", "all"}
    assert audit.verify() == []


def shape(snapshot: dict[str, str]) -> dict[str, int]:
    """How many rows there are, and how many of each status: ids and times of new rows differ from pass to pass."""
    rows = {table: text.count('"id"') or text.count('"memory_id"') for table, text in snapshot.items()}
    states = snapshot["memories_memorystate"]
    return rows | {name: states.count(f'"status": "{name}"') for name in ("active", "archived", "expired")}


def outcome(planned: ReflectPass, before: dict[str, str], applied: dict[str, int]) -> str:
    planned.refresh_from_db()
    if planned.status == "approved":
        assert rows() == before
        return "nothing"
    assert planned.status == "applied"
    assert shape(rows()) == applied
    return "all"


def finish(planned: ReflectPass, environment: dict[str, str], mark: Path) -> None:
    """A worker started again finds the pass, by redelivery or by the sweep."""

    def is_applied() -> bool:
        return ReflectPass.objects.filter(pk=planned.pk, status="applied").exists()

    if is_applied():
        return
    process = worker(environment, "0", "before", mark)
    try:
        wait_for(is_applied)
    finally:
        process.kill()
        process.wait()
