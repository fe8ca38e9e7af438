"""Somebody's whole console: records of every kind and in every state, and what they come to in numbers and hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from memories.models import (
    Decision,
    LedgerEntry,
    Memory,
    MemoryEmbedding,
    MemoryLink,
    MemoryState,
    MemoryUse,
    MemoryVersion,
    Snapshot,
    Todo,
    User,
)
from memories.services import decisions, ledger, snapshots, state, timeline, todos, usage
from memories.services.forget import forget
from memories.services.portable import BESIDE, OF_MEMORIES, told
from tests.memories.factories import actor, memory, version

MODELS = (MemoryUse, MemoryLink, MemoryVersion, MemoryEmbedding, MemoryState, Memory, Todo, LedgerEntry, Decision)
FORGOTTEN = (*MODELS, Snapshot)


def filled(who: User) -> dict[str, Any]:
    """Records of `who` of every kind: open, done, held, archived, in the trash, with histories, links and uses."""
    me = actor(who)
    found = _memories(who) | {"todo": todos.add(content="Mend the kettle.", actor=me)}
    done = todos.add(content="Buy tea.", due_at=timezone.now() + timedelta(days=2), actor=me)
    todos.complete(todo_id=done.pk, note="green", actor=me)
    forget(record_id=todos.add(content="Gone.", source="mail", source_id="9", actor=me).pk, actor=me)
    money = {"transaction_type": "expense", "amount": Decimal("12.50"), "currency": "EUR"}
    found["entry"] = ledger.add(item="=tea", occurred_on=date(2026, 5, 1), note="a\nb", actor=me, **money)
    LedgerEntry.objects.filter(pk=found["entry"].pk).update(hold="Case 2")
    found["decision"] = decisions.ask(context="Which kettle?", options=["red", "blue"], actor=me)
    decisions.resolve(decision_id=found["decision"].pk, resolution="Red.", actor=me)
    decisions.ask(context="Which tea?", actor=me)
    state.update(content="Boiling.", current_task="tea", actor=me)
    found["snapshot"] = snapshots.take(label="noon", actor=me)
    timeline.record(event=timeline.NewEvent(content="It boiled.", event_type="boiling"), actor=me)
    usage.mark(memory_id=found["fact"].pk, action="cited", tracking_id="t-1", metadata={"a": 1}, actor=me)
    usage.mark(memory_id=found["fact"].pk, context="again", actor=me)
    return found


def _memories(who: User) -> dict[str, Memory]:
    now = timezone.now()
    fact = memory(who, "The zebra “Zoë” waits 🦓.\nTwice.", metadata={"tags": ["a", "b"]}, semantic_key="zebra")
    kettle = memory(who, "The kettle is new.", version=3, importance=0.91, path="a/b", pinned=True, hold="Case 1")
    version(kettle, 1, "The kettle leaks.")
    version(kettle, 2, "The kettle is mended.")
    summary = memory(who, "Zebra and kettle.", derivation="summary", pass_id=uuid4())
    for place, (origin, target) in enumerate([(summary, fact), (summary, kettle), (fact, summary)]):
        MemoryLink.objects.create(origin=origin, target=target, kind="relates_to", position=place, created_at=now)
    memory(who, "old", status="archived", expires_at=now + timedelta(days=9), confidence=0.4, bucket="home", scope="x")
    memory(who, "past", status="expired", language="en", trust=0)
    memory(who, "gone", status="deleted", source="mail", source_id="7")
    return {"fact": fact, "kettle": kettle, "summary": summary}


def emptied() -> None:
    """As a console in which nobody has anything."""
    for model in FORGOTTEN:
        model.objects.all().delete()


def sums(who: User, *, same_ids: bool = True) -> dict[str, tuple[int, str]]:
    """How many records of each model `who` has, and a hash over all that they say."""
    found = {}
    for portable in [*OF_MEMORIES.values(), *BESIDE.values()]:
        rows = portable.model._default_manager.filter(**{_owner(portable.model): who})
        texts = sorted(_text(told(row, portable), same_ids) for row in rows)
        found[portable.model.__name__] = (len(texts), _hash(texts))
    return found


def _owner(model: Any) -> str:
    names = {field.name for field in model._meta.fields}
    return "owner" if "owner" in names else "origin__owner" if "origin" in names else "memory__owner"


NAMES = ("id", "memory_id", "target")


def _text(values: dict[str, Any], same_ids: bool) -> str:
    if not same_ids:
        values = {name: value for name, value in values.items() if name not in NAMES}
        if isinstance(values.get("state"), dict):
            values["state"] = {key: {**slot, "memory_id": ""} for key, slot in values["state"].items()}
    return json.dumps(values, cls=DjangoJSONEncoder, sort_keys=True)


def _hash(texts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
