"""Whether what a pass left may be taken back: who wrote to the record since, and which later pass relies on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from uuid import UUID

from memories.models import Memory, MemoryState
from reflection.models import Basis, Candidate, ReflectPass
from reflection.planner.wording import moment
from reflection.services import reversal
from reflection.states import Action, Outcome

STANDS = (Outcome.APPLIED, Outcome.KEPT)


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
            found[one.pk] = f"kept: {_named(later)} archived records whose words only this one keeps; undo that first"
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
    """Whether the record is as the candidate left it: at its version, or only fading and undone passes lie between."""
    assert one.result_version is not None
    for write in writes:
        if write.result_version is not None and write.result_version > one.result_version:
            if write.outcome == Outcome.ROLLED_BACK:
                version -= 2  # what it wrote, and that this was taken back
            elif _only_faded(write, one):
                version -= 1
    return version == one.result_version


def _only_faded(write: Candidate, one: Candidate) -> bool:
    """Whether a write changed nothing but how far the record has faded. What faded after another fading, stays."""
    return write.action == Action.DECAY and one.action != Action.DECAY


def _changed(one: Candidate, version: int, writes: _Writes) -> str:
    last = next((write for write in writes if write.result_version == version and write.outcome in STANDS), None)
    if last is not None:
        return f"kept: {_named(last.reflect_pass)} changed the record since; undo that first"
    return f"kept: changed since the pass (version {one.result_version}, now {version})"


def _named(later: ReflectPass) -> str:
    assert later.applied_at
    return f"pass {later.pk} of {moment(later.applied_at)}"


def _needing(reflect_pass: ReflectPass, applied: Sequence[Candidate]) -> dict[UUID, ReflectPass]:
    """The latest other pass by which a record is archived because the candidate's own record keeps its words."""
    keeping = {one.result_id: one for one in applied if one.result_id and _takes_words_away(one)}
    lines = Basis.objects.filter(memory_id__in=keeping, changes=False, candidate__action=Action.ARCHIVE)
    lines = lines.filter(
        candidate__outcome__in=STANDS, candidate__reflect_pass__applied_at__gte=reflect_pass.applied_at
    )
    lines = lines.exclude(candidate__reflect_pass=reflect_pass).select_related("candidate__reflect_pass")
    relying = list(lines.order_by("candidate__reflect_pass__applied_at"))
    away = MemoryState.objects.filter(memory_id__in={line.candidate.target_id for line in relying}, status="archived")
    gone = set(away.values_list("memory_id", flat=True))
    found = {}
    for line in relying:
        one, target = keeping[line.memory_id], line.candidate.target_id
        if target in gone and (one.target_id is None or "added" not in one.undo or str(target) in one.undo["added"]):
            found[one.pk] = line.candidate.reflect_pass
    return found


def _takes_words_away(one: Candidate) -> bool:
    """Whether undoing it removes words: of a record that it made, let go on, or gave back."""
    if one.action in reversal.KINDS:
        return bool({"content", "status"} & one.after.keys())
    return one.target_id is None or bool(one.undo)
