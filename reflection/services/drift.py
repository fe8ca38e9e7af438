"""What moved since a plan was made: records at another version, and sources that another one tells by now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Exists, OuterRef
from django.utils import timezone

from console.saying import phrase
from memories.access import Actor, visible_to
from memories.models import AuditRecord, Memory, MemoryLink
from memories.models.memory import Derivation, LinkKind
from reflection.models import Basis, Candidate, ReflectPass
from reflection.queries import basis_of
from reflection.states import Action, Outcome, Status


@dataclass(frozen=True, slots=True)
class Change:
    """One record that moved since a plan was made: from which version to which, by whom, how.

    `text` is what was done to it, to be told after `was`; empty where nothing says so, or nothing was.
    """

    memory_id: UUID
    seen: int
    now: int | None  # None: gone, or out of sight
    text: str = ""
    tells: bool = False  # it did not move: it tells by now what was to be told
    back: bool = False  # every change since the plan was taken back; only the version went on


def moved(basis: Iterable[Basis], versions: dict[UUID, int]) -> list[Basis]:
    """The basis rows that are not at the version seen any more."""
    return [line for line in basis if versions.get(line.memory_id) != line.version]


_DERIVES = {Action.SUMMARIZE.value: Derivation.SUMMARY, Action.PROMOTE.value: Derivation.FACT}


def told(candidates: Iterable[Candidate], basis: dict[UUID, list[Basis]]) -> dict[UUID, UUID]:
    """Candidates whose sources another active summary or fact cites by now, with that record.

    Citing does not move a version, so without this look two plans made at the same time would tell one episode twice.
    What a record that goes on has cited before does not count: another may have told it as well all along.
    """
    deriving = [one for one in candidates if one.action in _DERIVES]
    ids = {line.memory_id for one in deriving for line in basis[one.pk]}
    links = MemoryLink.objects.filter(
        target_id__in=ids, kind=LinkKind.DERIVED_FROM, origin__state__status="active"
    ).exclude(origin__derivation=Derivation.NONE)
    links = links.exclude(origin__expires_at__lte=timezone.now())  # over by the clock, whether or not a pass said so
    by: dict[tuple[str, UUID], set[UUID]] = defaultdict(set)
    for derivation, target, origin in links.values_list("origin__derivation", "target_id", "origin_id"):
        by[derivation, target].add(origin)
    found: dict[UUID, UUID] = {}
    for one in deriving:
        citing = [by[_DERIVES[one.action], line.memory_id] for line in basis[one.pk]]
        if others := {origin for origins in citing if one.target_id not in origins for origin in origins}:
            found[one.pk] = min(others)
    return found


def current_versions(ids: Iterable[UUID], *, actor: Actor) -> dict[UUID, int]:
    """The versions of the visible memories among `ids`."""
    rows = visible_to(actor, Memory.objects.all()).filter(pk__in=set(ids))
    return dict(rows.values_list("pk", "state__version"))


def changed_since(plans: Iterable[ReflectPass], *, actor: Actor) -> dict[UUID, int]:
    """How many of the records that each of these plans stands on are at another version now, or out of sight."""
    open_ = [one.pk for one in plans if one.status == Status.PLANNED]
    seen = visible_to(actor, Memory.objects.all())
    still = seen.filter(pk=OuterRef("memory_id"), state__version=OuterRef("version"))
    rows = Basis.objects.filter(candidate__reflect_pass__in=open_).exclude(Exists(still)).order_by()
    return dict(rows.values_list("candidate__reflect_pass").annotate(records=Count("memory_id", distinct=True)))


def since(reflect_pass: ReflectPass, *, actor: Actor) -> dict[UUID, list[Change]]:
    """For a plan that is not applied yet: the candidates whose basis moved, each with what changed."""
    if reflect_pass.status not in (Status.PLANNED, Status.APPROVED):
        return {}
    candidates = list(reflect_pass.candidates.exclude(outcome=Outcome.EXCLUDED))
    basis = basis_of(candidates)
    versions = current_versions((line.memory_id for lines in basis.values() for line in lines), actor=actor)
    drifted = {one.pk: lines for one in candidates if (lines := moved(basis[one.pk], versions))}
    deeds = _deeds_since(reflect_pass, {line.memory_id for lines in drifted.values() for line in lines})
    said = {key: _deed(*done[-1]) for key, done in deeds.items()}
    back = {key for key, done in deeds.items() if _taken_back(done)}
    found = {
        key: [
            Change(
                line.memory_id,
                line.version,
                versions.get(line.memory_id),
                said.get(line.memory_id, ""),
                back=line.memory_id in back,
            )
            for line in lines
        ]
        for key, lines in drifted.items()
    }
    for key, origin in told(candidates, basis).items():
        found.setdefault(key, []).append(Change(origin, 0, None, tells=True))
    return found


Deed = tuple[str, str, UUID | None]  # the action, by whom, in which pass


def _deeds_since(reflect_pass: ReflectPass, ids: set[UUID]) -> dict[UUID, list[Deed]]:
    """What was done to each record since the plan, in order, from the audit."""
    rows = AuditRecord.objects.filter(
        space_id=reflect_pass.space_id, object_id__in=ids, at__gte=reflect_pass.planned_at, result="done"
    ).order_by("seq")
    found: dict[UUID, list[Deed]] = defaultdict(list)
    for key, action, who, pass_id in rows.values_list("object_id", "action", "actor_name", "pass_id"):
        assert key is not None
        found[key].append((action, who, pass_id))
    return found


def _taken_back(deeds: Sequence[Deed]) -> bool:
    """Whether each of these deeds of passes was undone again, and nothing else was done."""
    standing: list[tuple[str, UUID | None]] = []
    for action, _, pass_id in deeds:
        undone = (action.replace("undo_", "", 1), pass_id)
        if pass_id and "undo_" in action and undone in standing:
            standing.remove(undone)
        else:
            standing.append((action, pass_id))
    return not standing


def _deed(action: str, who: str, pass_id: UUID | None) -> str:
    """What was done by `who`, or by another pass."""
    if pass_id:
        known = {
            "memory.update": phrase("edited"),
            "memory.forget": phrase("moved to the trash"),
            "memory.restore": phrase("restored"),
            "memory.erase": phrase("deleted for good"),
            "memory.redact": phrase("redacted"),
        }
        return known.get(action, phrase("changed by another pass"))
    known = {
        "memory.update": phrase("edited by %(who)s", who=who),
        "memory.forget": phrase("moved to the trash by %(who)s", who=who),
        "memory.restore": phrase("restored by %(who)s", who=who),
        "memory.erase": phrase("deleted for good by %(who)s", who=who),
        "memory.redact": phrase("redacted by %(who)s", who=who),
    }
    return known.get(action, phrase("changed by %(who)s", who=who))
