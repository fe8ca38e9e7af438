"""Wakes the tasks that look for what is due: left by a lost message, a dead worker or a broker that was down.

Celery's beat would be one more process, and its embedded form forks a worker full of threads and keeps a schedule
file. A thread of the worker that sends a few messages every few seconds needs neither. With several workers each of
them sends: the tasks find nothing the second time, and a message expires before the next one comes.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery import Celery, bootsteps

from console import environment

TASKS = (
    "reflection.tasks.sweep",
    "reflection.tasks.tell_task",
    "memories.tasks.embed_pending_task",
    "memories.tasks.purge_trash_task",
    "memories.tasks.sweep_answers_task",
)
SECONDS = environment.number("SWEEP_SECONDS", 15, least=1, most=3_600)

log = logging.getLogger("console.sweep")


def wake(app: Celery) -> int:
    """Send each of TASKS once; returns how many the broker took. A broker that is down is logged, never raised."""
    sent = 0
    for name in TASKS:
        try:
            app.send_task(name, expires=SECONDS)
            sent += 1
        except Exception as error:  # noqa: BLE001 - whatever a broker raises, the next round tries again
            log.warning("The broker does not take %s (%s). Trying again in %s s.", name, error, SECONDS)
    return sent


class Sweep(bootsteps.StartStopStep):
    """A part of the worker: a thread that calls `wake` at once and then every SECONDS."""

    requires = {"celery.worker.components:Pool"}

    def __init__(self, worker: Any, **_: Any) -> None:
        self.ended = threading.Event()
        self.thread: threading.Thread | None = None
        super().__init__(worker)

    def start(self, worker: Any) -> None:
        self.thread = threading.Thread(target=self._run, args=(worker.app,), name="sweep", daemon=True)
        self.thread.start()

    def stop(self, worker: Any) -> None:
        self.ended.set()

    terminate = stop

    def _run(self, app: Celery) -> None:
        while not self.ended.is_set():
            wake(app)
            self.ended.wait(SECONDS)
