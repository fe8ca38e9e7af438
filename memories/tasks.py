"""Background work of memories. Tasks are wake-up calls: what is due stands in the tables, and a repeat does no harm."""

from __future__ import annotations

import logging

from celery import shared_task

from memories.embedding import EmbeddingUnavailable, store
from memories.services import answers, rates
from memories.services.purge import purge_due

log = logging.getLogger(__name__)


@shared_task(acks_late=True, ignore_result=True)
def embed_pending_task() -> None:
    """Give a vector to every memory that lacks one."""
    try:
        store.drain()
    except (EmbeddingUnavailable, store.ModelChanged) as problem:
        log.warning("No vectors were written; search works by words. %s", problem)


@shared_task(acks_late=True, ignore_result=True)
def purge_trash_task() -> None:
    """Delete what is due in the trash of spaces that chose a time; does nothing anywhere else."""
    for space_id, purged in purge_due().items():
        if purged.ids:
            log.info("trash of %s: %d deleted for good, %d left", space_id, len(purged.ids), len(purged.left))


@shared_task(acks_late=True, ignore_result=True)
def sweep_answers_task() -> None:
    """Delete the answers that were kept for a retry and are older than a day, and counts of spans that are over."""
    answers.sweep()
    rates.sweep()
