"""A worker in a process of its own, on the queue of the test database."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ProgrammingError

from console import broker, sweep
from console.celery import app

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(__file__).with_name("worker_with_probes.py")
SECONDS = 20

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

Start = Callable[..., "subprocess.Popen[bytes]"]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    pause = time.sleep
    while not condition():
        assert time.monotonic() < deadline, f"not within {SECONDS} s"
        pause(0.02)


def queued(task: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM pgmq.q_{broker.QUEUE} WHERE message -> 'headers' ->> 'task' = %s", [task])
        return int(cursor.fetchone()[0])


@pytest.fixture
def queue(transactional_db: None) -> Iterator[None]:
    """The queue, empty before and after."""
    broker.ensure_broker_schema()
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM pgmq.q_{broker.QUEUE}")
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM pgmq.q_{broker.QUEUE}")


@pytest.fixture
def start(queue: None, database_environment: dict[str, str]) -> Iterator[Start]:
    """Starts workers that redeliver after a second and sweep every second; kills them at the end."""
    extra = {"BROKER_VISIBILITY_SECONDS": "1", "SWEEP_SECONDS": "1", "PYTHONPATH": str(ROOT)}
    started: list[subprocess.Popen[bytes]] = []

    def run(**more: Any) -> subprocess.Popen[bytes]:
        environment = os.environ | database_environment | extra
        process = subprocess.Popen([sys.executable, PROGRAM], cwd=ROOT, env=environment, **more)
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()


def test_a_task_sent_on_commit_is_done(start: Start, tmp_path: Path) -> None:
    start()
    with transaction.atomic():
        transaction.on_commit(lambda: app.send_task("probe.note", [str(tmp_path / "note")]))
    wait_for((tmp_path / "note").exists)
    wait_for(lambda: queued("probe.note") == 0)


def test_a_quiet_worker_says_nothing_when_all_is_well(start: Start, tmp_path: Path) -> None:
    with (tmp_path / "said").open("wb") as said:
        worker = start(stdout=said, stderr=subprocess.STDOUT)
    with transaction.atomic():
        transaction.on_commit(lambda: app.send_task("probe.note", [str(tmp_path / "note")]))
    wait_for((tmp_path / "note").exists)
    worker.terminate()
    worker.wait(SECONDS)
    assert (tmp_path / "said").read_text() == ""


def test_a_task_of_a_rolled_back_transaction_is_never_sent(queue: None) -> None:
    with transaction.atomic():
        transaction.on_commit(lambda: app.send_task("probe.note", ["nowhere"]))
        transaction.set_rollback(True)
    assert queued("probe.note") == 0


def test_a_task_whose_worker_is_killed_is_done_by_the_next_one(start: Start, tmp_path: Path) -> None:
    first = start()
    app.send_task("probe.hang_once", [str(tmp_path)])
    wait_for((tmp_path / "started").exists)
    first.kill()
    first.wait()
    start()
    wait_for((tmp_path / "finished").exists)


def test_a_worker_asked_to_end_finishes_the_task_in_hand(start: Start, tmp_path: Path) -> None:
    process = start()
    app.send_task("probe.wait_for_leave", [str(tmp_path)])
    wait_for((tmp_path / "started").exists)
    process.terminate()
    (tmp_path / "leave").touch()
    assert process.wait(SECONDS) == 0
    assert (tmp_path / "finished").exists()
    assert queued("probe.wait_for_leave") == 0


def test_the_worker_wakes_the_tasks_that_look_for_what_is_due(start: Start, tmp_path: Path) -> None:
    start()
    with connection.cursor() as cursor:
        cursor.execute("SELECT last_value FROM pgmq.q_memory_console_msg_id_seq")
        before = cursor.fetchone()[0]

    def sent() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT last_value FROM pgmq.q_memory_console_msg_id_seq")
            return int(cursor.fetchone()[0] - before)

    wait_for(lambda: sent() >= 2 * len(sweep.TASKS))


def test_only_the_connection_that_reads_the_queue_listens(start: Start, tmp_path: Path) -> None:
    def listening() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
            return int(cursor.fetchone()[0])

    before = listening()
    app.send_task("probe.note", [str(tmp_path / "first")])
    assert listening() == before
    start()
    wait_for(lambda: queued("probe.note") == 0 and queued(sweep.TASKS[0]) == 0 and listening() > before)
    app.send_task("probe.wait_for_leave", [str(tmp_path)])
    wait_for((tmp_path / "started").exists)
    (tmp_path / "leave").touch()
    assert listening() == before + 1


def test_the_runtime_role_may_use_the_queue_and_not_change_it(queue: None) -> None:
    for statement in (
        "TRUNCATE pgmq.q_memory_console",
        "ALTER TABLE pgmq.q_memory_console DISABLE TRIGGER ALL",
        "SELECT pgmq.create('another')",
        "SELECT pgmq.drop_queue('memory_console')",
        "SELECT count(*) FROM pgmq.a_memory_console",
        "UPDATE pgmq.meta SET queue_name = 'x'",
    ):
        with pytest.raises(ProgrammingError), connection.cursor() as cursor:
            cursor.execute(statement)


def test_making_the_queue_again_keeps_its_messages(queue: None) -> None:
    app.send_task("probe.note", ["nowhere"])
    broker.ensure_broker_schema()
    assert queued("probe.note") == 1


def test_a_queue_of_another_version_is_replaced(queue: None, owner_connection: BaseDatabaseWrapper) -> None:
    app.send_task("probe.note", ["nowhere"])
    with owner_connection.cursor() as cursor:
        cursor.execute(f"COMMENT ON SCHEMA pgmq IS '{broker.MARK}, pgmq 0.0.1'")
    broker.ensure_broker_schema()
    assert queued("probe.note") == 0
    app.send_task("probe.note", ["nowhere"])
    assert queued("probe.note") == 1
