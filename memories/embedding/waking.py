"""Telling the worker that vectors are wanted. By the name of its task: tasks call services, not the other way round."""

from __future__ import annotations

import logging

from celery import current_app

TASK = "memories.tasks.embed_pending_task"

log = logging.getLogger(__name__)


def embed_soon() -> None:
    """Wake the worker for new vectors. With the broker down the sweep does it later: this never fails."""
    try:
        current_app.send_task(TASK, retry=False)
    except Exception as error:  # noqa: BLE001 - the write is committed; no ailing broker may undo its answer
        log.warning("The worker could not be woken (%s); the sweep will do it.", type(error).__name__)
