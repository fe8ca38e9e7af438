"""Planning: the one planner over the rows an actor may see, its answer stored and never changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from console import endpoints
from memories import audit
from memories.access import Actor, check_may_use
from memories.services.turns import hold_off_erasures
from reflection import filters as parameters
from reflection.digest import plan_digest
from reflection.filters import Filters
from reflection.loading import comparable, load
from reflection.models import Basis, Candidate, ReflectPass
from reflection.planner import plan as propose
from reflection.planner.rows import Plan, Proposal, Row, Skipped, Window
from reflection.services import policies
from reflection.states import Status
from reflection.summarizer import Summarizer, extractive
from reflection.summarizer.http import HttpSummarizer

SKIPPED_KEPT = 500  # skips stored with a pass; more are counted in its notes


@transaction.atomic
def plan(*, given: Mapping[str, Any], as_of: datetime | None = None, actor: Actor) -> ReflectPass:
    """Compute what reflect would do with these parameters and store it. Nothing else is written.

    A dry run needs memory:read, any other memory:write. Raises Invalid, NotAllowed.
    """
    stored = compute(given=given, as_of=as_of, actor=actor)
    note(stored, actor)
    return stored


def compute(*, given: Mapping[str, Any], as_of: datetime | None = None, actor: Actor) -> ReflectPass:
    """`plan` without its audit line, for a caller that has locks to take before it. The same transaction notes it."""
    check_may_use(actor, "memory:read")
    as_of = as_of or timezone.now()
    wanted = parameters.read(given, actor=actor, as_of=as_of)
    if not wanted.dry_run:
        check_may_use(actor, "memory:write")
    policy = policies.in_force(wanted.space)
    hold_off_erasures(wanted.space.id)
    rows, rules = comparable(load(wanted, actor), policy.rules)
    found = propose(
        rows,
        actions=wanted.actions,
        window=Window(wanted.since, wanted.until),
        as_of=as_of,
        policy=rules,
        limit=wanted.limit,
        summarizer=_summarizer(),
    )
    return _stored(given, wanted, policy, found, rows, as_of, actor)


def note(stored: ReflectPass, actor: Actor) -> None:
    """The audit line of a plan."""
    audit.record(
        actor,
        "pass.plan",
        "pass",
        stored.pk,
        space_id=stored.space_id,
        pass_id=stored.pk,
        detail={"status": [None, "planned"], "counts": stored.counts, "digest": stored.digest},
    )


def _stored(
    given: Mapping[str, Any],
    wanted: Filters,
    policy: Any,
    found: Plan,
    rows: Sequence[Row],
    as_of: datetime,
    actor: Actor,
) -> ReflectPass:
    now = timezone.now()
    reflect_pass = ReflectPass(
        space_id=wanted.space.id,
        owner_id=actor.own,
        team_id=wanted.space.team_id,
        status=Status.PLANNED,
        dry_run=wanted.dry_run,
        actions=[action.value for action in wanted.actions],
        requested={key: value for key, value in given.items() if value not in (None, "")},
        filters=wanted.as_json(),
        boundary=boundary_of(wanted, actor),
        as_of=as_of,
        policy=policy,
        on_drift=wanted.on_drift or policy.on_drift,
        limit=wanted.limit,
        cut=found.cut,
        counts=found.counts(),
        skipped=[_skip_json(item) for item in found.skipped[:SKIPPED_KEPT]],
        near_misses=[_skip_json(item) for item in found.near_misses],
        notes=[*wanted.notes, *_notes(found, rows)],
        planned_by_id=actor.own,
        planned_token_id=actor.token_id,
        planned_channel=actor.channel,
        planned_at=now,
        expires_at=now + timedelta(hours=policy.plan_hours),
    )
    candidates, basis = _candidates(reflect_pass, found.proposals)
    by_candidate: dict[UUID, list[Basis]] = defaultdict(list)
    for line in basis:
        by_candidate[line.candidate_id].append(line)
    reflect_pass.digest = plan_digest(reflect_pass, candidates, by_candidate)
    reflect_pass.save(force_insert=True)
    Candidate.objects.bulk_create(candidates, batch_size=1000)
    Basis.objects.bulk_create(basis, batch_size=2000)
    return reflect_pass


def boundary_of(wanted: Filters, actor: Actor) -> dict[str, Any]:
    """What this caller could see while planning."""
    bounds = actor.bounds
    return {
        "space": wanted.space.name,
        "space_id": str(wanted.space.id),
        "owner": wanted.owner_name or None,
        "token": actor.token_prefix or None,
        "buckets": list(bounds.buckets) if bounds.buckets is not None else None,
        "scope": bounds.scope,
        "path_prefix": bounds.path_prefix or None,
        "agent_id": bounds.agent_id or None,
    }


def _notes(found: Plan, rows: Sequence[Row]) -> list[str]:
    notes = []
    if found.cut:
        notes.append(f"The limit left {found.cut} more for the next pass.")
    if waiting := sum(row.vector is None for row in rows):
        notes.append(f"{waiting} of {len(rows)} memories have no usable vector now; their meaning was not compared.")
    if len(found.skipped) > SKIPPED_KEPT:
        notes.append(f"{len(found.skipped)} were skipped; the first {SKIPPED_KEPT} are listed.")
    return notes


def _skip_json(item: Skipped) -> dict[str, Any]:
    return {
        "action": item.action.value,
        "gate": item.gate,
        "text": item.text,
        "memory_ids": [str(key) for key in item.memory_ids],
    }


def _candidates(reflect_pass: ReflectPass, proposals: Sequence[Proposal]) -> tuple[list[Candidate], list[Basis]]:
    candidates: list[Candidate] = []
    basis: list[Basis] = []
    for position, proposal in enumerate(proposals):
        candidate = Candidate(
            reflect_pass=reflect_pass,
            position=position,
            action=proposal.action.value,
            target_id=proposal.target_id,
            before=proposal.before,
            after=proposal.after,
            why=proposal.why,
        )
        candidates.append(candidate)
        basis += [
            Basis(
                candidate=candidate,
                memory_id=cited.memory_id,
                version=cited.version,
                changes=cited.changes,
                position=place,
                quote=cited.quote,
            )
            for place, cited in enumerate(proposal.basis)
        ]
    return candidates, basis


def _summarizer() -> Summarizer:
    """The model of SUMMARIZER_URL where one is set, else the extractive one."""
    if not settings.SUMMARIZER_URL:
        return extractive
    url, model, key = settings.SUMMARIZER_URL, settings.SUMMARIZER_MODEL, settings.SUMMARIZER_API_KEY
    return HttpSummarizer(url, model, api_key=key, forbids=endpoints.hands_out_keys)
