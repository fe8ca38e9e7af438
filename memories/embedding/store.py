"""Vectors in the database: what lacks one, writing them, and what to do when the model changed.

A text that the model refuses is read as far as it takes it, or left without a vector: it holds nobody else's up.

A vector is written only for the content that it was made from: the row is locked and compared before the write. Rows
that somebody else is changing are left for the next run. Vectors of two models never stand side by side by accident:
`fill` refuses while another model's are there, `manage.py reembed` replaces them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from console.errors import Conflict
from memories.access import Actor, live, visible_to
from memories.embedding import Embedder, TextRefused, Vectors, get_embedder
from memories.models import Memory, MemoryEmbedding, MemoryState

log = logging.getLogger(__name__)
BATCH = 64
COUNT_CAP = 10_000
LATEST = 2_000
PLAIN = "The kettle in the office kitchen leaks."  # a model that does not take this is no model of texts
BEGINNINGS = (4_000, 2_000, 1_000, 500)  # characters of a text that is refused whole
LOCK = 0x6D63_656D  # advisory lock: one process fills vectors at a time


class ModelChanged(Conflict):
    """Vectors of another model are stored."""

    code = "embedding_model_changed"


def lacking(rows: QuerySet[Memory]) -> QuerySet[Memory]:
    """Those of `rows` without a vector of the current model."""
    of_now = MemoryEmbedding.objects.filter(memory_id=OuterRef("pk"), model=get_embedder().name)
    return rows.filter(~Exists(of_now))


def backlog(*, cap: int = COUNT_CAP) -> int:
    """How many live memories of everybody are found by words only so far; counts up to `cap`."""
    return lacking(live(Memory.objects.all()))[:cap].count()


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many of the latest live memories have no vector yet, and how many were looked at."""

    count: int
    looked_at: int


def waiting(actor: Actor) -> Waiting:
    """Among the latest LATEST memories of an actor, by when they came in: every search asks, however many there are."""
    # Looked up row by row: as a subquery of ids it was joined anew for each row until the table had been analyzed, and
    # for EXISTS the planner reads the vectors of everybody.
    vector = MemoryEmbedding.objects.filter(memory_id=OuterRef("pk"), model=get_embedder().name).values("pk")
    latest = live(visible_to(actor, Memory.objects.all())).order_by("-pk").values_list(Subquery(vector))[:LATEST]
    found = [key for (key,) in latest]
    return Waiting(found.count(None), len(found))


def check_model() -> str:
    """Advice when vectors of another model are stored, else an empty text."""
    now = get_embedder().name
    others = (
        MemoryEmbedding.objects.exclude(model=now)
        .values_list("model", "dimension")
        .annotate(count=Count("pk"))
        .order_by("model", "dimension")
    )
    found = [f"{count} vectors were made by {model} ({dimension})" for model, dimension, count in others]
    if not found:
        return ""
    return f"{'; '.join(found)}, but the settings name {now}. Run `manage.py reembed`, or restore the former settings."


def pending(*, replace: bool = False) -> QuerySet[Memory]:
    """Memories that want a vector: active without any; with `replace` also those whose vector another model made."""
    if not replace:
        return Memory.objects.filter(state__status="active", embedding__isnull=True)
    return lacking(Memory.objects.filter(Q(state__status="active") | Q(embedding__isnull=False)))


def text_of(memory: Memory) -> str:
    """What the model reads of a memory: the speaker, where its metadata names one, and the content."""
    speaker = memory.metadata.get("speaker") if isinstance(memory.metadata, dict) else None
    return f"{speaker}: {memory.content}" if isinstance(speaker, str) and speaker else memory.content


def fill(
    batch: int = BATCH, *, replace: bool = False, passing_over: Sequence[UUID] = ()
) -> tuple[list[UUID], list[UUID]]:
    """Write the vectors of one batch: the ids that were tried, and those whose vectors were written.

    Safe to repeat and to run twice at once. Must not run inside a transaction that others wait for: the model takes its
    time. Raises ModelChanged (unless `replace`) and EmbeddingUnavailable; then nothing was written.
    """
    embedder = get_embedder()
    if not replace and MemoryEmbedding.objects.exclude(model=embedder.name).exists():
        raise ModelChanged(check_model())
    rows = pending(replace=replace).exclude(pk__in=passing_over).order_by("pk")
    texts = {row.pk: text_of(row) for row in rows.only("pk", "content", "metadata")[:batch]}
    if not texts:
        return [], []
    return list(texts), _write(embedder, texts, _read(embedder, texts))


def _read(embedder: Embedder, texts: dict[UUID, str]) -> dict[UUID, Vectors]:
    """The vectors of these texts, but for those of which the model takes nothing. Raises EmbeddingUnavailable."""
    try:
        return dict(zip(texts, embedder.embed_documents(list(texts.values())), strict=True))
    except TextRefused:
        keys = list(texts)
    if len(keys) == 1:
        return {key: vector for key in keys if (vector := _read_in_part(embedder, key, texts[key])) is not None}
    halves = keys[: len(keys) // 2], keys[len(keys) // 2 :]
    return {key: vector for half in halves for key, vector in _read(embedder, {k: texts[k] for k in half}).items()}


def _read_in_part(embedder: Embedder, key: UUID, text: str) -> Vectors | None:
    """The vector of the beginning of a text that was refused whole. Raises what a plain text is answered."""
    embedder.embed_documents([PLAIN])
    for most in BEGINNINGS:
        if most < len(text):
            with suppress(TextRefused):
                vector: Vectors = embedder.embed_documents([text[:most]])[0]
                return vector
    log.warning("The model refuses the text of memory %s, which is found by words only.", key)
    return None


@transaction.atomic
def _write(embedder: Embedder, texts: dict[UUID, str], made: dict[UUID, Vectors]) -> list[UUID]:
    states = (
        MemoryState.objects.select_related("memory")
        .filter(pk__in=list(made))
        .order_by("pk")
        .select_for_update(no_key=True, of=("self", "memory"), skip_locked=True)
    )
    rows = [
        MemoryEmbedding(
            memory_id=state.pk,
            space_id=state.memory.space_id,
            active=state.status == "active",
            model=embedder.name,
            dimension=embedder.dimension,
            vector=made[state.pk],
            created_at=timezone.now(),
        )
        for state in states
        if text_of(state.memory) == texts[state.pk]
    ]
    MemoryEmbedding.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["memory"],
        update_fields=["space_id", "active", "model", "dimension", "vector", "created_at"],
    )
    return [row.memory_id for row in rows]


@contextmanager
def alone() -> Iterator[bool]:
    """Whether this process is the only one that fills vectors, for as long as the block runs."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK])
        got = bool(cursor.fetchone()[0])
    try:
        yield got
    finally:
        if got:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def drain(batch: int = BATCH) -> int:
    """Write vectors until none is pending or another process does it. Returns how many were written.

    Rows that change meanwhile, or that the model refuses, are left for the next time.
    """
    total, left = 0, list[UUID]()
    while True:
        with alone() as mine:
            if not mine:
                return total
            written = _fill_all(batch, left)
            total += written
        if not written or not pending().exclude(pk__in=left).exists():
            return total


def _fill_all(batch: int, left: list[UUID]) -> int:
    """Write vectors until nothing is pending but what is `left`, to which it adds. Returns how many were written."""
    written = 0
    while True:
        tried, done = fill(batch, passing_over=left)
        if not tried:
            return written
        written += len(done)
        left += set(tried) - set(done)
