"""Writing a plan down: the pass, its candidates and their basis, each set in one statement."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.utils import timezone

from memories.access import Actor, Space
from reflection.digest import plan_digest
from reflection.filters import Filters
from reflection.models import Basis, Candidate, ReflectionPolicy, ReflectPass
from reflection.planner.rows import Plan, Proposal, Skipped
from reflection.planner.survey import Survey
from reflection.states import Status

_CANDIDATES = """INSERT INTO reflection_candidate
    (id, reflect_pass_id, position, action, target_id, before, after, why, outcome, outcome_text, undo)
  SELECT id, %s, position, action, target, before::jsonb, after::jsonb, why::jsonb, 'pending', '', '{}'
  FROM unnest(%s::uuid[], %s::int[], %s::text[], %s::uuid[], %s::text[], %s::text[], %s::text[])
    AS planned (id, position, action, target, before, after, why)"""
_BASIS = """INSERT INTO reflection_basis (candidate_id, memory_id, version, changes, position, quote)
  SELECT * FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::bool[], %s::int[], %s::text[])"""

_OUTCOMES = """UPDATE reflection_candidate AS candidate
  SET outcome = now.outcome, outcome_text = now.text, undo = now.undo::jsonb, result_id = now.result,
    result_version = now.version, audit_id = now.audit
  FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::text[], %s::uuid[], %s::int[], %s::uuid[])
    AS now (id, outcome, text, undo, result, version, audit)
  WHERE candidate.id = now.id"""


def new_pass(
    *,
    given: Mapping[str, Any],
    wanted: Filters,
    policy: ReflectionPolicy,
    as_of: datetime,
    actor: Actor,
) -> ReflectPass:
    """A pass of these parameters, not stored yet and without candidates."""
    now = timezone.now()
    return ReflectPass(
        space_id=wanted.space.id,
        owner_id=actor.own,
        team_id=wanted.space.team_id,
        status=Status.PLANNED,
        dry_run=wanted.dry_run,
        actions=[action.value for action in wanted.actions],
        requested={key: value for key, value in given.items() if value not in (None, "")},
        filters=wanted.as_json(),
        boundary=boundary(wanted.space, wanted.owner_name, actor),
        as_of=as_of,
        policy=policy,
        on_drift=wanted.on_drift or policy.on_drift,
        limit=wanted.limit,
        notes=list(wanted.notes),
        planned_by_id=actor.own,
        planned_token_id=actor.token_id,
        planned_channel=actor.channel,
        planned_agent_id=actor.agent_id,
        planned_at=now,
        expires_at=now + timedelta(hours=policy.plan_hours),
    )


def boundary(space: Space, owner: str, actor: Actor) -> dict[str, Any]:
    """What this caller could see while planning; without an `owner` everybody's records."""
    bounds = actor.bounds
    return {
        "space": space.name,
        "space_id": str(space.id),
        "owner": owner or None,
        "token": actor.token_prefix or None,
        "buckets": list(bounds.buckets) if bounds.buckets is not None else None,
        "scope": bounds.scope,
        "path_prefix": bounds.path_prefix or None,
        "agent_id": bounds.agent_id or None,
    }


def notes_of(found: Plan, survey: Survey) -> list[str]:
    """What a reader of the plan should know besides."""
    notes = []
    if found.cut:
        notes.append(f"The limit left {found.cut} more for the next pass.")
    if survey.without_meaning:
        notes.append(
            f"{survey.without_meaning} of {survey.compared} memories that were compared have no usable vector now; "
            "their meaning was not compared."
        )
    if found.more_skipped:
        total = len(found.skipped) + found.more_skipped
        notes.append(f"{total} were skipped; the first {len(found.skipped)} are listed.")
    return notes


def fill(reflect_pass: ReflectPass, found: Plan, notes: Sequence[str]) -> tuple[list[Candidate], list[Basis]]:
    """Put what was found into a pass that is not planned yet; returns its candidates and their basis, unstored."""
    candidates, basis = _candidates(reflect_pass, found.proposals)
    by_candidate: dict[UUID, list[Basis]] = defaultdict(list)
    for line in basis:
        by_candidate[line.candidate_id].append(line)
    reflect_pass.cut = found.cut
    reflect_pass.counts = found.counts()
    reflect_pass.skipped = [_skip_json(item) for item in found.skipped]
    reflect_pass.near_misses = [_skip_json(item) for item in found.near_misses]
    reflect_pass.notes = [*reflect_pass.notes, *notes]
    reflect_pass.digest = plan_digest(reflect_pass, candidates, by_candidate)
    return candidates, basis


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


def write(reflect_pass: ReflectPass, candidates: Sequence[Candidate], basis: Sequence[Basis]) -> None:
    """Store the candidates of a stored pass and what they stand on."""
    if not candidates:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            _CANDIDATES,
            [
                reflect_pass.pk,
                [one.pk for one in candidates],
                [one.position for one in candidates],
                [one.action for one in candidates],
                [one.target_id for one in candidates],
                [_json(one.before) for one in candidates],
                [_json(one.after) for one in candidates],
                [_json(one.why) for one in candidates],
            ],
        )
        cursor.execute(
            _BASIS,
            [
                [line.candidate_id for line in basis],
                [line.memory_id for line in basis],
                [line.version for line in basis],
                [line.changes for line in basis],
                [line.position for line in basis],
                [line.quote for line in basis],
            ],
        )


def write_outcomes(candidates: Sequence[Candidate]) -> None:
    """Store what became of candidates: outcome and its text, undo, result, its version, and the audit line."""
    if not candidates:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            _OUTCOMES,
            [
                [one.pk for one in candidates],
                [str(one.outcome) for one in candidates],
                [one.outcome_text for one in candidates],
                [_json(one.undo) for one in candidates],
                [one.result_id for one in candidates],
                [one.result_version for one in candidates],
                [one.audit_id for one in candidates],
            ],
        )


def _json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder)
