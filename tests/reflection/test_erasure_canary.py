"""Of an erased memory no word is in any column of any table: not in plans, summaries, versions, statistics, queues."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from console.traces import base64_cores
from memories.models import AuditRecord, Memory, Snapshot
from memories.services import elsewhere, removal
from reflection import erasure
from reflection.models import Candidate, OnErasure
from tests.memories import factories
from tests.memories.api_client import Api
from tests.memories.page_client import signed_in
from tests.reflection.erasure_scene import CANARY, analyze, erased, places, scene, taken_slots, traces_of

pytestmark = pytest.mark.django_db(transaction=True)
BOTH = [OnErasure.ERASE, OnErasure.RESUMMARIZE]


@pytest.mark.parametrize("on_erasure", BOTH)
def test_no_word_of_an_erased_memory_is_left_anywhere(on_erasure: str) -> None:
    there = scene(on_erasure)
    page = signed_in(factories.ann())
    before = there.traces()
    assert {
        "memories_memory.content",
        "memories_memory.folded",
        "memories_memory.search",
        "memories_memoryversion.content",
        "memories_memoryembedding.vector",
        "memories_memorylink.quote",
        "memories_memoryuse.context",
        "memories_snapshot.state",
        "memories_erasurerequest.reason",
        "reflection_candidate.after",
        "reflection_candidate.undo",
        "reflection_basis.quote",
        "reflection_reflectpass.skipped",
    } <= places(before)
    assert {trace.form for trace in before} >= {"text", "folded", "words", "vector"}
    gone = there.erased()
    _open_every_page(page, there)
    analyze()
    assert there.traces() == []
    assert Memory.objects.filter(pk=there.summary.pk).exists() == (on_erasure == OnErasure.RESUMMARIZE)
    assert gone.ids[0] == there.canary.pk


def _open_every_page(page: Client, there: Any) -> None:
    """What pages leave in sessions counts too."""
    for address in (f"/erased/{there.canary.pk}", "/trash", "/audit", f"/passes/{there.passes['waiting'].pk}"):
        assert page.get(address).status_code == 200


def test_statistics_hold_no_words_even_while_the_memory_stands() -> None:
    found = [trace for trace in scene().traces() if trace.schema == "pg_catalog"]
    assert found == []


class Nothing:
    """A model whose rows cannot be found: what it would have taken out stays."""

    objects: Any = None

    def filter(self, **_: Any) -> Nothing:
        return self

    def update(self, **_: Any) -> int:
        return 0

    def delete(self) -> int:
        return 0

    def select_for_update(self, **_: Any) -> Nothing:
        return self

    def order_by(self, *_: Any) -> list[Any]:
        return []


Nothing.objects = Nothing()

WITHOUT = {
    "saved plans": (elsewhere, "SCRUBBERS", [], "reflection_candidate.after", OnErasure.ERASE),
    "quotes of the basis": (erasure, "Basis", Nothing, "reflection_basis.quote", OnErasure.ERASE),
    "numbers only": (erasure, "_numbers", lambda values: values, "reflection_candidate.after", OnErasure.ERASE),
    "what was left out": (
        erasure,
        "_told",
        lambda items, ids: items,
        "reflection_reflectpass.skipped",
        OnErasure.ERASE,
    ),
    "snapshots": (removal, "scrub_snapshots", lambda gone, at: {}, "memories_snapshot.state", OnErasure.ERASE),
    "requests": (removal, "ErasureRequest", Nothing, "memories_erasurerequest.reason", OnErasure.ERASE),
    "derived": (removal, "_derived_from", lambda gone, cause: [], "memories_memory.content", OnErasure.ERASE),
    "versions": (removal, "MemoryVersion", Nothing, "memories_memoryversion.content", OnErasure.RESUMMARIZE),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_the_look_sees_what_is_left_when_one_place_is_forgotten(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, instead, place, on_erasure = WITHOUT[name]
    there = scene(on_erasure)
    monkeypatch.setattr(module, attribute, instead)
    there.erased()
    assert place in places(there.traces())


def test_the_key_of_a_slot_is_left_in_no_outcome_and_no_refusal() -> None:
    api, slots = Api(factories.ann()), taken_slots(CANARY)
    refused = api.patch(f"memories/{slots[0].pk}", {"status": "active"})
    assert refused.status_code == 409 and f"The state “{CANARY}” is held" in str(refused.json())
    line = AuditRecord.objects.get(result="refused")
    assert line.reason.startswith("The state “…” is held by another memory here,") and str(slots[1].pk) in line.reason
    assert "reflection_candidate.outcome_text" in places(traces_of(CANARY))
    for slot in slots:
        erased(slot)
    analyze()
    assert traces_of(CANARY) == []


@pytest.mark.parametrize("name", ["undone", "drifted"])
def test_a_check_counts_an_outcome_that_still_names_the_key(name: str) -> None:
    slot = taken_slots(CANARY)[0]
    erased(slot)
    assert erasure.plans_quoting(slot.pk) == 0
    text = f"{'kept: ' * (name == 'undone')}the state “{CANARY}” is held by another memory, {slot.pk}"
    Candidate.objects.filter(target_id=slot.pk).update(outcome_text=text)
    assert erasure.plans_quoting(slot.pk) == 1


def test_a_snapshot_loses_only_the_slot_that_repeats_the_memory() -> None:
    there = scene()
    there.erased()
    kept = Snapshot.objects.get()
    assert kept.state == {"other": {"content": "stays"}} and kept.label == "" and kept.version == 2


def test_base64_is_found_whatever_stands_before_it() -> None:
    from base64 import b64encode

    for before in ("", "a", "ab", "abc"):
        encoded = b64encode((before + CANARY + " and more").encode()).decode()
        assert any(core in encoded for core in base64_cores(CANARY))


def test_the_look_finds_a_text_in_each_form() -> None:
    from base64 import b64encode

    from tests.memories.factories import ann, memory

    memory(ann(), "plain", metadata={"copy": b64encode(f"x{CANARY}".encode()).decode()})
    memory(ann(), CANARY.encode().hex())
    memory(ann(), "a", provenance={"said": CANARY})
    found = {(trace.column, trace.form) for trace in traces_of(CANARY)}
    assert {("metadata", "base64"), ("content", "bytes"), ("provenance", "text")} <= found
