"""Planning: the one planner over the rows an actor may see, its answer stored and never changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from console import endpoints
from memories import audit
from memories.access import Actor, check_may_use
from memories.models import Memory
from memories.services.turns import hold_off_erasures
from reflection import filters as parameters
from reflection.filters import Filters
from reflection.loading import meaning, memories_of, survey_of
from reflection.models import ReflectionPolicy, ReflectPass
from reflection.services import policies, storing
from reflection.services.decide import wake_planner
from reflection.services.reading import read_only
from reflection.states import Action, Status
from reflection.summarizer import Summarizer, extractive
from reflection.summarizer.chat import Chat
from reflection.summarizer.critic import HttpCritic
from reflection.summarizer.http import HttpSummarizer
from reflection.summarizer.opinion import Critic, nobody

AT_ONCE = 500  # candidates that are planned while somebody waits; more are left to the worker
EVENTS_AT_ONCE = 5_000  # events in the window that are compared while somebody waits
WAITING = {"phase": "waiting", "done": 0, "of": 0}


@transaction.atomic
def plan(*, given: Mapping[str, Any], as_of: datetime | None = None, actor: Actor) -> ReflectPass:
    """Compute what reflect would do with these parameters and store it. Nothing else is written.

    What takes long is left to the worker: the pass is `planning` then. A dry run needs memory:read, any other
    memory:write. Raises Invalid, NotAllowed.
    """
    stored = compute(given=given, as_of=as_of, actor=actor)
    note(stored, actor)
    return stored


def compute(
    *,
    given: Mapping[str, Any],
    as_of: datetime | None = None,
    goes_on: Callable[[ReflectionPolicy], bool] = lambda policy: False,
    reaches_back: bool = False,
    actor: Actor,
) -> ReflectPass:
    """`plan` without its audit line, for a caller that has locks to take before it. The same transaction notes it.

    `goes_on` says under the policy in force whether the plan is to be applied without a person, as far as may be.
    `reaches_back`: see Filters.
    """
    check_may_use(actor, "memory:read")
    as_of = as_of or timezone.now()
    wanted = replace(parameters.read(given, actor=actor, as_of=as_of), reaches_back=reaches_back)
    if not wanted.dry_run:
        check_may_use(actor, "memory:write")
    hold_off_erasures(wanted.space.id)
    policies.hold(wanted.space.id)
    policy = policies.in_force(wanted.space)
    made = storing.new_pass(given=given, wanted=wanted, policy=policy, as_of=as_of, actor=actor)
    made.goes_on = goes_on(policy)
    if takes_long(wanted, actor):
        return _left_to_the_worker(made)
    model, rules = meaning(policy.rules)
    with read_only():
        survey = survey_of(wanted, actor, as_of=as_of, model=model, rules=rules)
        found = survey.plan(wanted.limit)
    candidates, basis = storing.fill(made, found, storing.notes_of(found, survey))
    made.save(force_insert=True)
    storing.write(made, candidates, basis)
    return made


def takes_long(wanted: Filters, actor: Actor) -> bool:
    """Whether nobody should wait for this plan: many candidates or events to compare, or a model over the network."""
    reading = Action.SUMMARIZE in wanted.actions or Action.PROMOTE in wanted.actions
    if reading and settings.SUMMARIZER_URL:
        return True
    rows = memories_of(wanted, actor)
    if wanted.limit > AT_ONCE and _more_than(AT_ONCE, rows):
        return True
    events = rows.filter(memory_type="episodic", created_at__gte=wanted.since, created_at__lt=wanted.until)
    return reading and _more_than(EVENTS_AT_ONCE, events)


def _more_than(count: int, rows: QuerySet[Memory]) -> bool:
    return rows.order_by()[: count + 1].count() > count


def _left_to_the_worker(made: ReflectPass) -> ReflectPass:
    made.status, made.progress, made.queued_at = Status.PLANNING, WAITING, timezone.now()
    made.save(force_insert=True)
    transaction.on_commit(lambda: wake_planner(made.pk))
    return made


def note(stored: ReflectPass, actor: Actor) -> None:
    """The audit line of a plan, or of one that is asked for."""
    audit.record(
        actor,
        "pass.plan",
        "pass",
        stored.pk,
        space_id=stored.space_id,
        pass_id=stored.pk,
        detail={"status": [None, stored.status], "counts": stored.counts, "digest": stored.digest},
    )


def chat() -> Chat | None:
    """The model of SUMMARIZER_URL for one plan, or None where none is set."""
    url, model, key = settings.SUMMARIZER_URL, settings.SUMMARIZER_MODEL, settings.SUMMARIZER_API_KEY
    if not url:
        return None
    whole = endpoints.completed("SUMMARIZER_URL", url, endpoints.CHAT)
    return Chat(whole, model, api_key=key, forbids=endpoints.hands_out_keys)


def summarizer(asked: Chat | None) -> Summarizer:
    """The model that is asked, or where there is none the extractive one."""
    return HttpSummarizer(asked) if asked else extractive


def critic(asked: Chat | None) -> Critic:
    """The same model's opinion on facts; where there is none, nobody's."""
    return HttpCritic(asked) if asked else nobody
