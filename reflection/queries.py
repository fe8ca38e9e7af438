"""Reading passes: which ones an actor may see, what waits for a decision, what they stand on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Left, Length
from django.utils import timezone

from console.errors import NotFound
from console.saying import phrase
from memories.access import Actor, Bounds, in_spaces, visible_to
from memories.models import Memory, User
from memories.models.people import Membership, Role
from reflection.models import Basis, Candidate, ReflectPass
from reflection.services import demands
from reflection.states import Outcome, PassKind, Status


def passes_of(actor: Actor) -> QuerySet[ReflectPass]:
    """The passes an actor may see: those of its spaces, for a bounded token only those it planned itself.

    A member of a team sees the team's passes; a plan of somebody's private space is theirs alone.
    """
    rows = in_spaces(actor, ReflectPass.objects.select_related("policy", "planned_by", "team", "approved_by"))
    rows = rows.annotate(policy_now=demands.POLICY_NOW)
    if actor.bounds != Bounds():
        rows = rows.filter(planned_token_id=actor.token_id)
    return rows


def find(pass_id: UUID, *, actor: Actor, lock: bool = False) -> ReflectPass:
    """The visible pass of this id. Raises NotFound."""
    rows = passes_of(actor)
    if lock:
        rows = rows.select_for_update(no_key=True, of=("self",))
    found = rows.filter(pk=pass_id).first()
    if found is None:
        raise NotFound(phrase("There is no such pass, or it is not yours to see."))
    return found


def touching(rows: QuerySet[ReflectPass], record_id: UUID) -> QuerySet[ReflectPass]:
    """Those of `rows` that planned something about this record, made it, or cite it."""
    of_pass = Candidate.objects.filter(reflect_pass=OuterRef("pk"))
    cited = Basis.objects.filter(candidate__reflect_pass=OuterRef("pk"), memory_id=record_id)
    return rows.filter(Exists(of_pass.filter(Q(target_id=record_id) | Q(result_id=record_id))) | Exists(cited))


def standing(rows: QuerySet[ReflectPass], status: Status) -> QuerySet[ReflectPass]:
    """Those of `rows` in `status`. A plan past its time counts as expired, also before the sweep came by."""
    over = Q(status=Status.PLANNED, expires_at__lte=timezone.now())
    if status == Status.EXPIRED:
        return rows.filter(Q(status=Status.EXPIRED) | over)
    return rows.filter(status=status).exclude(over)


def older(rows: QuerySet[ReflectPass], than: ReflectPass) -> QuerySet[ReflectPass]:
    """Those of `rows` that come after `than` in a list with the newest first."""
    return rows.filter(Q(planned_at__lt=than.planned_at) | Q(planned_at=than.planned_at, pk__lt=than.pk))


def deciding_spaces(actor: Actor) -> list[UUID]:
    """The spaces in which the actor may approve."""
    return [space.id for space in actor.spaces.values() if space.role != Role.MEMBER] if actor.is_person else []


# An agent only wanted to know: a person may still approve the plan, and nobody is asked to.
LOOKED_AT_BY_AN_AGENT = Q(kind=PassKind.REFLECT, status=Status.PLANNED, dry_run=True, planned_token_id__isnull=False)
FILLED = Exists(Candidate.objects.filter(reflect_pass=OuterRef("pk")))


def _deciding(team: Any) -> QuerySet[Membership]:
    """Those who may decide on the passes of a team, by its id or an expression for it."""
    return Membership.objects.filter(team_id=team, user__is_active=True).exclude(role=Role.MEMBER)


# Whoever previews a pass of a team in the console and may decide on it does so, and asks nobody else.
FOR_ITS_MAKER = Q(
    Exists(_deciding(OuterRef("space_id")).filter(user_id=OuterRef("planned_by_id"))), status=Status.PLANNED
)
FOR_ITS_MAKER &= Q(planned_channel="console", planned_token_id__isnull=True)


def waiting(actor: Actor) -> QuerySet[ReflectPass]:
    """What waits for this person: plans to decide on, and applied passes that nobody has signed off."""
    mine = passes_of(actor).filter(space_id__in=deciding_spaces(actor))
    to_decide = Q(FILLED, status=Status.PLANNED, expires_at__gt=timezone.now())
    to_sign_off = Q(status=Status.APPLIED, approved_by_policy=True, signed_off_at__isnull=True)
    own = Q(demands.FOUR_EYES, planned_by_id=actor.user_id, status=Status.PLANNED)
    asked = ~FOR_ITS_MAKER | Q(planned_by_id=actor.user_id) | demands.FOUR_EYES
    return mine.filter(to_decide | to_sign_off).filter(asked).exclude(own).exclude(LOOKED_AT_BY_AN_AGENT)


def deciders(reflect_pass: ReflectPass) -> list[str]:
    """The names of those in whose inbox this plan of a team stands."""
    asked = ReflectPass.objects.filter(FILLED, pk=reflect_pass.pk, status=Status.PLANNED)
    if not asked.exclude(LOOKED_AT_BY_AN_AGENT).exists():
        return []
    found = _deciding(reflect_pass.space_id)
    if demands.on(reflect_pass).four_eyes:
        found = found.exclude(user_id=reflect_pass.planned_by_id)
    elif asked.filter(FOR_ITS_MAKER).exists():
        found = found.filter(user_id=reflect_pass.planned_by_id)
    return list(found.order_by("user__username").values_list("user__username", flat=True))


def waiting_count(actor: Actor) -> int:
    """How many passes wait for this person."""
    return waiting(actor).count()


def basis_of(candidates: Iterable[Candidate]) -> dict[UUID, list[Basis]]:
    """The basis of each candidate, in order."""
    found: dict[UUID, list[Basis]] = defaultdict(list)
    for line in Basis.objects.filter(candidate__in=list(candidates)).order_by("candidate_id", "position"):
        found[line.candidate_id].append(line)
    return found


def candidates_of(reflect_pass: ReflectPass) -> list[Candidate]:
    """All candidates in order."""
    return list(reflect_pass.candidates.order_by("position"))


def applied_of(reflect_pass: ReflectPass) -> frozenset[UUID]:
    """The candidates whose change stands."""
    return frozenset(reflect_pass.candidates.filter(outcome=Outcome.APPLIED).values_list("pk", flat=True))


def quoted(candidates: Iterable[Candidate], basis: dict[UUID, list[Basis]], *, actor: Actor) -> dict[UUID, Any]:
    """The visible memories that candidates change or cite, by id, with only what a card shows."""
    ids = {line.memory_id for lines in basis.values() for line in lines}
    ids |= {candidate.result_id for candidate in candidates if candidate.result_id}
    rows = visible_to(actor, Memory.objects.all()).filter(pk__in=ids)
    return {row.pk: row for row in rows.select_related("state")}


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What a card shows of a memory. `text` is at most GLIMPSE characters; `cut` says whether there is more."""

    path: str
    text: str
    cut: bool
    language: str
    trust: int


GLIMPSE = 400


def glimpses(ids: Iterable[UUID], *, actor: Actor) -> dict[UUID, Glimpse]:
    """The visible memories among `ids`, in brief: a summary may cite sixty of them."""
    rows = visible_to(actor, Memory.objects.all()).filter(pk__in=set(ids))
    brief = rows.annotate(text=Left("content", GLIMPSE), chars=Length("content"))
    return {
        row["pk"]: Glimpse(row["path"], row["text"], row["chars"] > GLIMPSE, row["language"], row["trust"])
        for row in brief.values("pk", "path", "text", "chars", "language", "trust")
    }


def sources_per_action(reflect_pass: ReflectPass) -> dict[str, int]:
    """How many different records the candidates of each action cite without changing them."""
    cited = Basis.objects.filter(candidate__reflect_pass=reflect_pass, changes=False)
    counted = cited.values("candidate__action").annotate(sources=Count("memory_id", distinct=True))
    return {row["candidate__action"]: row["sources"] for row in counted.order_by()}


def records_in(reflect_pass: ReflectPass) -> int:
    """How many different records a plan stands on."""
    return Basis.objects.filter(candidate__reflect_pass=reflect_pass).values("memory_id").distinct().count()


def space_name(reflect_pass: ReflectPass, actor: Actor) -> str:
    """What the pass runs over, for titles."""
    space = actor.spaces.get(reflect_pass.space_id)
    return space.name if space else str(User.objects.get(pk=reflect_pass.owner_id))
