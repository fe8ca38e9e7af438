"""Settings of the queue, and what a broker that is down does to those who send."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery
from django.core.exceptions import ImproperlyConfigured
from kombu.exceptions import OperationalError

from console import broker, celery, sweep

MOST_SECONDS = 1.5  # a second of waiting, and what a busy machine adds


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that takes connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(50)
        yield server.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
    return port


def app_for(settings: Any, url: str) -> Celery:
    settings.CELERY_BROKER_URL = url
    app = Celery("elsewhere", set_as_current=False)
    app.conf.update(celery.configuration())
    return app


def seconds_to_fail(app: Celery) -> float:
    begin = time.monotonic()
    with pytest.raises((OperationalError, OSError)):
        app.send_task("any.task")
    return time.monotonic() - begin


@pytest.mark.parametrize("url", ["amqp://127.0.0.1:{}//", "redis://127.0.0.1:{}/0"])
def test_sending_to_a_broker_that_is_down_fails_at_once(settings: Any, closed_port: int, url: str) -> None:
    assert seconds_to_fail(app_for(settings, url.format(closed_port))) < MOST_SECONDS


@pytest.mark.parametrize("url", ["amqp://127.0.0.1:{}//", "redis://127.0.0.1:{}/0"])
def test_sending_to_a_broker_that_never_answers_is_given_up(settings: Any, silent_port: int, url: str) -> None:
    assert seconds_to_fail(app_for(settings, url.format(silent_port))) < MOST_SECONDS


@pytest.mark.parametrize("kind", ["closed_port", "silent_port"])
def test_sending_while_the_database_is_down_is_given_up(
    settings: Any, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, kind: str
) -> None:
    port = request.getfixturevalue(kind)
    monkeypatch.setattr(broker, "conninfo", lambda: f"host=127.0.0.1 port={port} dbname=none user=none")
    monkeypatch.setattr(broker, "URL", f"pgmq://elsewhere-{port}")  # a connection that no other test has open
    assert seconds_to_fail(app_for(settings, "")) < MOST_SECONDS


def test_whoever_could_not_send_leaves_nothing_behind_that_goes_on_trying(
    settings: Any, monkeypatch: pytest.MonkeyPatch, closed_port: int
) -> None:
    monkeypatch.setattr(broker, "conninfo", lambda: f"host=127.0.0.1 port={closed_port} dbname=none user=none")
    monkeypatch.setattr(broker, "URL", f"pgmq://elsewhere-{closed_port}")
    app = app_for(settings, "")
    before = set(threading.enumerate())
    for _ in range(2):
        seconds_to_fail(app)
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=10)
    assert set(threading.enumerate()) <= before


def test_the_sweep_survives_a_broker_that_is_down(settings: Any, closed_port: int) -> None:
    assert sweep.wake(app_for(settings, f"redis://127.0.0.1:{closed_port}/0")) == 0


@pytest.mark.parametrize("url", ["sqs://", "filesystem://", "memory://", "localhost"])
def test_a_broker_that_loses_tasks_is_refused_with_advice(settings: Any, url: str) -> None:
    settings.CELERY_BROKER_URL = url
    with pytest.raises(ImproperlyConfigured, match="CELERY_BROKER_URL .* unset it to use the database"):
        celery.configuration()


def test_tasks_are_acknowledged_late_and_leave_no_results() -> None:
    conf = celery.app.conf
    assert conf.task_acks_late and conf.task_reject_on_worker_lost and conf.worker_prefetch_multiplier == 1
    assert conf.task_ignore_result and not conf.result_backend
    assert conf.accept_content == ["json"]


def test_the_tasks_that_the_sweep_wakes_exist() -> None:
    celery.app.loader.import_default_modules()
    assert set(sweep.TASKS) <= set(celery.app.tasks)
