"""Whether what a pass left may be taken back: who wrote to the record since, and which later pass relies on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID

from memories.models import Memory
from reflection.models import Candidate, ReflectPass
from reflection.services import reversal
from reflection.services.reliance import STANDS, Reliance, named, relying_on
from reflection.states import Action, Outcome


def kept(reflect_pass: ReflectPass, applied: Sequence[Candidate], memories: Mapping[UUID, Memory]) -> dict[UUID, str]:
    """Why some of these applied candidates cannot be taken back, by candidate. `memories` are locked."""
    found: dict[UUID, str] = {}
    since = _written_since(applied, memories)
    needing = _needing(reflect_pass, applied)
    for one in applied:
        memory = memories.get(one.result_id) if one.result_id else None
        if memory is None or one.erased_at:
            found[one.pk] = "kept: the record or one of its sources was deleted for good"
        elif not _reaches(one, memory.state.version, since[memory.pk]):
            found[one.pk] = _changed(one, memory.state.version, since[memory.pk])
        elif later := needing.get(one.pk):
            found[one.pk] = f"kept: {later.reason()}"
    return found


_Writes = Sequence[Candidate]


def _written_since(applied: Sequence[Candidate], memories: Mapping[UUID, Memory]) -> Mapping[UUID, _Writes]:
    """What passes wrote to those records whose version moved on, by record."""
    left = {one.result_id: one.result_version for one in applied}
    moved = [key for key, memory in memories.items() if memory.state.version != left.get(key)]
    found: dict[UUID, list[Candidate]] = defaultdict(list)
    rows = Candidate.objects.filter(result_id__in=moved, outcome__in=[*STANDS, Outcome.ROLLED_BACK])
    for row in rows.select_related("reflect_pass"):
        assert row.result_id is not None
        found[row.result_id].append(row)
    return found


def _reaches(one: Candidate, version: int, writes: _Writes) -> bool:
    """Whether the record is as the candidate left it: at its version, or only fading and undone passes lie between.

    What is undone beneath a later fading gives back the importance of before, and its base and anchor, so that nothing
    of the fading is left. The fading's own undo then finds another version and is kept: what it would give back is part
    of what was undone.
    """
    assert one.result_version is not None
    for write in writes:
        if write.result_version is not None and write.result_version > one.result_version:
            if write.outcome == Outcome.ROLLED_BACK:
                version -= 2  # what it wrote, and that this was taken back
            elif _only_faded(write, one):
                version -= 1
    return version == one.result_version


def _only_faded(write: Candidate, one: Candidate) -> bool:
    """Whether a write changed nothing but how far the record has faded.

    Of two fadings the later one goes first: its value would be the same without the other, and it gives back that of
    the other one.
    """
    return write.action == Action.DECAY and one.action != Action.DECAY


def _changed(one: Candidate, version: int, writes: _Writes) -> str:
    last = next((write for write in writes if write.result_version == version and write.outcome in STANDS), None)
    if last is not None:
        return f"kept: {named(last.reflect_pass)} changed this memory since; undo that pass first"
    return f"kept: changed since the pass (version {one.result_version}, now {version})"


def _needing(reflect_pass: ReflectPass, applied: Sequence[Candidate]) -> dict[UUID, Reliance]:
    """For the sake of which candidates' records another pass has archived something since, the latest of each."""
    keeping = {one.result_id: one for one in applied if one.result_id and _takes_words_away(one)}
    found = {}
    for need in relying_on(keeping):
        one = keeping[need.keeper]
        takes_in = one.target_id is None or "added" not in one.undo or str(need.archived) in one.undo["added"]
        since = need.by.pk != reflect_pass.pk and (
            reflect_pass.applied_at is None or need.at >= reflect_pass.applied_at
        )
        if takes_in and since:
            found[one.pk] = need
    return found


def _takes_words_away(one: Candidate) -> bool:
    """Whether undoing it removes words: of a record that it made, let go on, or gave back."""
    if one.action in reversal.KINDS:
        return bool({"content", "status"} & one.after.keys())
    return one.target_id is None or bool(one.undo)
