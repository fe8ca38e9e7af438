"""An import that only adds to a memory which was here already neither made it nor changed what it says."""

from __future__ import annotations

import pytest

from memories.models import AuditRecord, Memory, MemoryState
from memories.services.import_all import import_all
from memories.services.import_lines import Place
from memories.services.remember import NewMemory, import_many
from memories.services.revise import revise
from memories.services.story import story
from tests.memories.page_client import signed_in, text_of
from tests.reflection import life, token_writes
from tests.reflection.token_writes import POISON

pytestmark = pytest.mark.django_db


@pytest.fixture
def at():
    return token_writes.scene()


def added(one, other):
    """Lines that add to the memory, by what they add."""
    return {
        "uses": {"kind": "use", "memory_id": str(one.pk), "action": "answered"},
        "versions": {"kind": "history", "id": str(one.pk), "versions": [{"number": 1, "content": "Earlier."}]},
        "links": {"kind": "history", "id": str(one.pk), "links": [{"target": str(other.pk)}]},
    }


def brought(rows, who):
    told = import_all(rows=list(enumerate(rows, 1)), place=Place(), actor=who)
    assert told.errors == []


def add(at, what, who, one=None):
    one = one or at.kept["edited"]
    if what == "versions":
        as_of_its_second(one)
    brought([added(one, at.kept["untouched"])[what]], who)
    line = AuditRecord.objects.filter(object_id=one.pk, action="memory.import").latest("seq")
    assert line.detail == {what: 1}


def as_of_its_second(one):
    """Let the memory be at its second version at least, and keep no former one that was the first."""
    MemoryState.objects.filter(memory=one, version=1).update(version=2)
    one.versions.filter(number=1).delete()


def edited(at):
    """A memory that its person changed."""
    one = at.kept["edited"]
    revise(memory_id=one.pk, changes={"content": "Version two."}, actor=at.ann)
    return one


ADDED = pytest.mark.parametrize("what", ["uses", "versions", "links"])


@ADDED
def test_what_a_token_only_added_to_is_not_taken_for_made_by_it(at, what):
    add(at, what, at.agent)
    assert at.plan().counts == {"revert": 0, "trash": 0}


@ADDED
def test_what_it_changed_after_adding_goes_back_to_what_was_there(at, what):
    one = edited(at)
    add(at, what, at.agent)
    revise(memory_id=one.pk, changes={"content": POISON}, actor=at.agent)
    [candidate] = life.candidates(at.plan())
    assert (candidate.action, candidate.after) == ("revert", {"content": "Version two."})


@ADDED
def test_what_somebody_adds_after_the_token_does_not_keep_its_words(at, what):
    one = edited(at)
    revise(memory_id=one.pk, changes={"content": POISON}, actor=at.agent)
    made = at.made()
    add(at, what, at.ann)
    add(at, what, at.ann, made)
    planned = at.plan()
    assert planned.counts == {"revert": 1, "trash": 1} and planned.skipped == []


def test_nothing_was_before_the_first_version_so_that_the_memory_can_still_be_changed(at):
    one = at.kept["edited"]
    told = import_all(rows=[(1, added(one, one)["versions"])], place=Place(), actor=at.agent)
    assert told.imported == 0 and [text for _, text in told.errors if "version is no whole number from 2" in text]
    new = import_all(
        rows=[(1, {"content": "x", "versions": [{"number": 1, "content": "y"}]})], place=Place(), actor=at.agent
    )
    assert new.imported == 0 and len(new.errors) == 1
    revise(memory_id=one.pk, changes={"content": "Mine."}, actor=at.ann)
    assert [row.content for row in one.versions.all()] == ["The edited note of May."]


@pytest.mark.parametrize("by", ["lines", "batch"])
def test_what_a_token_brought_in_is_still_its_own(at, by):
    if by == "lines":
        brought([{"content": POISON}], at.agent)
    else:
        import_many(news=[NewMemory(content=POISON, path="notes")], actor=at.agent)
    assert at.plan().counts == {"revert": 0, "trash": 1}


@ADDED
def test_the_story_of_what_was_written_here_tells_of_no_file(at, what):
    one = at.made("Written here.")
    add(at, what, at.ann, one)
    told = story(Memory.objects.get(pk=one.pk), actor=at.ann)
    assert told.plain and [line.action for line in told.lines] == ["memory.create"]
    assert "So the imported file says." not in text_of(signed_in(one.owner).get(f"/memories/{one.pk}/lineage"))
