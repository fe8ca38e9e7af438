"""One memory whose words have got everywhere they can get, and a look at what is left of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection, connections
from django.utils import timezone

from console.postgres import setup
from console.traces import Trace, forms_of, look
from memories.access import Actor
from memories.embedding import get_embedder
from memories.models import ErasureRequest, Memory, MemoryEmbedding, MemoryUse, Snapshot
from memories.services import erase, state
from memories.services.forget import forget
from memories.services.revise import revise
from reflection.models import OnErasure, ReflectionPolicy, ReflectPass
from reflection.services import policies
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.reflection import life

CANARY = 'Ｚebrafinch déposé: 検疫室の暗証番号は青い鳥, 83-quokka-57 "twice".'
OTHERS = (
    "The label queue stopped draining at 09:12 and 1,840 parcels wait for a label.",
    "Bea found that the new print worker reads the old queue name.",
    "The queue name was corrected and the worker restarted at 09:40.",
    "All parcels had their labels at 10:30 and the carrier was told.",
)


@dataclass
class Scene:
    """Ann's space with the canary in it. `summary` quotes it; `floats` is the beginning of its vector."""

    actor: Actor
    canary: Memory
    summary: Memory
    floats: str
    passes: dict[str, ReflectPass] = field(default_factory=dict)

    def erased(self) -> erase.Erased:
        """The canary in the trash, then deleted for good."""
        return erased(self.canary)

    def traces(self) -> list[Trace]:
        """Every place in which the canary is still to be read."""
        return traces_of(CANARY, self.floats)


def erased(one: Memory) -> erase.Erased:
    """Ann's memory in the trash, then deleted for good."""
    ann = factories.actor(factories.ann())
    gone = forget(record_id=one.pk, actor=ann).record
    version = gone.state.version if isinstance(gone, Memory) else 0
    return erase.erase(
        record_id=one.pk, typed=str(one.pk)[-6:], reason="asked for by the guest", seen_version=version, actor=ann
    )


def taken_slots(key: str) -> list[Memory]:
    """A slot of this key that a pass archived and could not be given back, and the one that has its key since."""
    ann, at = factories.actor(factories.ann()), timezone.now() - timedelta(days=20)
    fields = {"memory_type": "working", "semantic_key": f"state:{key}", "bucket": "work", "created_at": at}
    old = factories.memory(factories.ann(), "Comparing two invoices.", **fields)
    done = life.applied(life.plan_all(ann, actions_csv="archive"), ann)
    new = state.update(content="Writing the offer.", state_key=key, bucket="work", actor=ann)
    roll_back(pass_id=done.pk, actor=ann)
    assert [one.outcome for one in life.candidates(done)] == ["kept"]
    return [old, new]


def traces_of(text: str, floats: str = "") -> list[Trace]:
    """Every column of every table that holds `text` in any form, read by the one who may read most."""
    settings = connections.settings["owner"]
    with setup.superuser(settings, settings["NAME"]) as reader:
        return look(reader, forms_of(text, reader, floats=floats)).traces


def places(traces: Sequence[Trace]) -> set[str]:
    return {f"{trace.table}.{trace.column}" for trace in traces}


def policy(space_id: UUID, on_erasure: str, **rules: Any) -> ReflectionPolicy:
    """A second version of the space's policy."""
    first = policies.in_force(next(s for s in factories.actor(factories.ann()).spaces.values() if s.id == space_id))
    return ReflectionPolicy.objects.create(
        space_id=space_id,
        number=first.number + 1,
        values=first.values | rules,
        approval=first.approval,
        on_erasure=on_erasure,
        created_at=timezone.now(),
    )


def turn(content: str, minutes: float, **fields: Any) -> Memory:
    """One remark of Ann's in an incident that began four hours ago."""
    at = timezone.now() - timedelta(hours=4) + timedelta(minutes=minutes)
    fields = {"memory_type": "episodic", "path": "projects/atlas/incident", "session": "incident"} | fields
    return factories.memory(factories.ann(), content, created_at=at, anchor=at, **fields)


def scene(on_erasure: str = OnErasure.ERASE) -> Scene:
    """The canary in a record, its versions, vector, saved plans, a summary and its versions, a pass undone, a snapshot,
    a mark of use and a request."""
    ann = factories.actor(factories.ann())
    policy(ann.own, on_erasure)
    for n, text in enumerate(OTHERS):
        turn(text, n)
    canary = turn(CANARY, 5)
    passes = {"undone": life.applied(life.plan_all(ann, actions_csv="summarize"), ann)}
    roll_back(pass_id=passes["undone"].pk, actor=ann)
    passes["waiting"] = life.plan_all(ann)
    passes["applied"] = life.applied(life.plan_all(ann, actions_csv="summarize"), ann)
    turn("The carrier confirmed that no parcel was lost on the way.", 30)
    turn("The alert for an idle queue now rings after three minutes.", 31)
    passes["continued"] = life.applied(life.plan_all(ann, actions_csv="summarize"), ann)
    revise(memory_id=canary.pk, changes={"content": f"Note: {CANARY}"}, actor=ann)
    canary.refresh_from_db()
    summary = Memory.objects.get(derivation="summary")
    assert CANARY in summary.content and CANARY in summary.versions.get().content
    _mention(canary, passes["waiting"])
    analyze()
    return Scene(ann, canary, summary, vector(canary), passes)


def _mention(canary: Memory, waiting: ReflectPass) -> None:
    """What stands beside the record: a snapshot, a mark of use, a request, a skip."""
    now = timezone.now()
    Snapshot.objects.create(
        owner_id=canary.owner_id,
        label=f"before {CANARY}",
        created_at=now,
        updated_at=now,
        state={"active_task": {"content": CANARY, "next_action": None}, "other": {"content": "stays"}},
    )
    MemoryUse.objects.create(memory=canary, action="answered", context=CANARY, metadata={"said": CANARY}, at=now)
    ErasureRequest.objects.create(
        record_id=canary.pk,
        kind="memory",
        version=1,
        user_id=canary.owner_id,
        reason=CANARY,
        created_at=now,
        expires_at=now + timedelta(minutes=10),
    )
    skip = {"action": "promote", "gate": "repeated", "text": f"Said once: {CANARY}", "memory_ids": [str(canary.pk)]}
    waiting.skipped = [*waiting.skipped, skip]
    waiting.near_misses = [*waiting.near_misses, skip]
    waiting.save(update_fields=["skipped", "near_misses"])


def vector(memory: Memory) -> str:
    """Give `memory` a vector, as the worker does. Returns the beginning of it as it is stored."""
    values = np.random.default_rng(7).normal(size=get_embedder().dimension)
    MemoryEmbedding.objects.create(
        memory=memory,
        space_id=memory.space_id,
        model=get_embedder().name,
        dimension=len(values),
        vector=values / np.linalg.norm(values),
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT vector::text FROM memories_memoryembedding WHERE memory_id = %s", [memory.pk])
        return ",".join(cursor.fetchone()[0].strip("[]").split(",")[:8])


def analyze() -> None:
    """Let the server take samples of every column for its statistics."""
    settings = connections.settings["owner"]
    with setup.superuser(settings, settings["NAME"]) as admin:
        admin.execute("ANALYZE")
