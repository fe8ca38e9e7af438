"""What says something alike: the memories nearest in meaning to one of them, of those that may be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import BooleanField, F
from django.db.models.expressions import RawSQL
from django.db.models.functions import Left
from pgvector.django import CosineDistance

from console.saying import phrase
from memories.access import Actor, live, visible_to
from memories.embedding import EmbeddingUnavailable, get_embedder
from memories.embedding.waiting import floor_of
from memories.models import Memory, MemoryEmbedding
from memories.search.nearest import nearest

MOST = 6
ALIKE = 0.45  # of the way from what unlike texts score to the same: they have a topic in common
GLIMPSE = 160  # characters


@dataclass(frozen=True, slots=True)
class Alike:
    """A memory with how it begins (`line`), how alike it is, 0..1, and whether it says the same words."""

    memory: Memory
    likeness: float
    same: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """The most alike, nearest first. Where nothing could be compared, `why_not` says why."""

    found: Sequence[Alike] = ()
    why_not: str = ""


def related(memory: Memory, *, actor: Actor) -> Related:
    """At most MOST live memories, whatever the number of those that may be seen."""
    vector = MemoryEmbedding.objects.filter(memory=memory).first()
    try:
        embedder = get_embedder()
        if vector is None or vector.model != embedder.name:
            return Related(why_not=phrase("It has no vector of the current model yet, so it cannot be compared."))
        floor = floor_of(embedder)
    except EmbeddingUnavailable:
        return Related(why_not=phrase("The embedding model cannot be reached, so nothing can be compared."))
    rows = live(visible_to(actor, Memory.objects.exclude(pk=memory.pk)))
    rows = rows.filter(embedding__active=True, embedding__model=vector.model)
    ids = nearest(rows, embedder, np.asarray(vector.vector, dtype=np.float32), most=MOST)
    near = rows.filter(pk__in=ids).select_related("state").defer("content", "metadata", "provenance")
    same = RawSQL("memories_memory.folded = mc_fold(%s)", [memory.content], output_field=BooleanField())
    near = near.annotate(line=Left(F("content"), GLIMPSE), far=CosineDistance("embedding__vector", vector.vector))
    near = near.annotate(same=same).order_by("-same", "far", "pk")
    alike = [Alike(one, 1.0 if one.same else (1 - one.far - floor) / (1 - floor), one.same) for one in near]
    return Related([one for one in alike if one.likeness >= ALIKE])
