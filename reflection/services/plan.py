"""Planning: the one planner over the rows an actor may see, its answer stored and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from console import endpoints
from memories import audit
from memories.access import Actor, check_may_use
from memories.services.turns import hold_off_erasures
from reflection import filters as parameters
from reflection.loading import meaning, survey_of
from reflection.models import ReflectPass
from reflection.services import policies, storing
from reflection.states import Status
from reflection.summarizer import Summarizer, extractive
from reflection.summarizer.http import HttpSummarizer


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
    model, rules = meaning(policy.rules)
    hold_off_erasures(wanted.space.id)
    survey = survey_of(wanted, actor, as_of=as_of, model=model, rules=rules)
    found = survey.plan(wanted.limit, _summarizer())
    made = storing.new_pass(given=given, wanted=wanted, policy=policy, status=Status.PLANNED, as_of=as_of, actor=actor)
    candidates, basis = storing.fill(made, found, storing.notes_of(found, survey))
    made.save(force_insert=True)
    storing.write(made, candidates, basis)
    return made


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


def _summarizer() -> Summarizer:
    """The model of SUMMARIZER_URL where one is set, else the extractive one."""
    if not settings.SUMMARIZER_URL:
        return extractive
    url, model, key = settings.SUMMARIZER_URL, settings.SUMMARIZER_MODEL, settings.SUMMARIZER_API_KEY
    return HttpSummarizer(url, model, api_key=key, forbids=endpoints.hands_out_keys)
