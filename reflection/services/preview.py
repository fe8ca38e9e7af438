"""What the next dry run would do under another policy, beside what it would do now. Nothing is written, not even audit.

The database itself is asked to refuse writes meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from memories.access import Actor, check_may_use
from reflection import filters as parameters
from reflection.filters import Filters
from reflection.loading import archived_by, meaning, memories_of, survey_of
from reflection.models import ReflectionPolicy
from reflection.planner.rows import Plan, Proposal
from reflection.policy import Policy
from reflection.services import policies
from reflection.services.reading import read_only
from reflection.states import Action

SHOWN = 20  # candidates named per action and kind of difference
ROWS_MOST = 100_000  # above, planning twice takes longer than somebody waits for a page
AHEAD_DAYS = (7, 14, 28, 56, 91, 182)  # from now


@dataclass(frozen=True, slots=True)
class Side:
    """One dry run: its five counts, and how many more the limit would leave."""

    counts: Mapping[str, int]
    cut: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The candidates of one action that only one of the two runs has, or that come out otherwise. The first of each."""

    action: str
    comes: Sequence[Proposal]
    goes: Sequence[Proposal]
    differs: Sequence[Proposal]  # as proposed
    comes_count: int
    goes_count: int
    differs_count: int


@dataclass(frozen=True, slots=True)
class Later:
    """How many of today's records passes have archived after so many days, if nobody uses, edits or adds any."""

    at: datetime
    now: int
    proposed: int


@dataclass(frozen=True, slots=True)
class Effect:
    """Both dry runs, and what comes of them. A space with more records than are compared here has no sides.

    `without_model`: one is set and was not asked, though a pass asks it.
    """

    records: int
    now: Side | None = None
    proposed: Side | None = None
    differences: Sequence[Difference] = ()
    later: Sequence[Later] = ()
    without_model: bool = False


def effect(*, proposed: ReflectionPolicy, actor: Actor) -> Effect:
    """The next dry run of the space of `proposed`, with the defaults of reflect, now and under `proposed`.

    Raises NotFound, NotAllowed.
    """
    check_may_use(actor, "memory:read")
    space = actor.space(proposed.space_id)
    given = {"dry_run": True, **({"team_id": str(space.team_id)} if space.team_id else {})}
    with read_only():
        wanted = parameters.read(given, actor=actor, as_of=timezone.now())
        records = memories_of(wanted, actor).count()
        if records > ROWS_MOST:
            return Effect(records)
        in_force = policies.current(space)
        now_is, would = (plan_under(one.rules, wanted, actor) for one in (in_force, proposed))
        later = _later(wanted, (in_force.rules, proposed.rules), actor)
    unasked = bool(settings.SUMMARIZER_URL)
    return Effect(records, _side(now_is), _side(would), _differences(now_is, would), later, without_model=unasked)


def plan_under(policy: Policy, wanted: Filters, actor: Actor) -> Plan:
    """What the rules propose under `policy`, without the model of SUMMARIZER_URL.

    So summaries are in sentences of their sources, and facts are there that the model may leave out of a pass.
    """
    model, rules = meaning(policy)
    return survey_of(wanted, actor, as_of=wanted.until, model=model, rules=rules).plan(wanted.limit)


def _later(wanted: Filters, rules: tuple[Policy, Policy], actor: Actor) -> list[Later]:
    """What both policies archive by the days of AHEAD_DAYS. The records are read once."""
    moments = [wanted.until + timedelta(days=days) for days in AHEAD_DAYS]
    counts = archived_by(wanted, actor, moments, rules)
    return [Later(at, *both) for at, *both in zip(moments, *counts, strict=True)]


def _side(found: Plan) -> Side:
    return Side(found.counts(), found.cut)


def _differences(now_is: Plan, would: Plan) -> list[Difference]:
    was = {_identity(one): one for one in now_is.proposals}
    will = {_identity(one): one for one in would.proposals}
    found = []
    for action in Action:
        comes = [one for key, one in will.items() if one.action is action and key not in was]
        goes = [one for key, one in was.items() if one.action is action and key not in will]
        differs = [
            one for key, one in will.items() if one.action is action and key in was and was[key].after != one.after
        ]
        if comes or goes or differs:
            sizes = (len(comes), len(goes), len(differs))
            found.append(Difference(action.value, comes[:SHOWN], goes[:SHOWN], differs[:SHOWN], *sizes))
    return found


def _identity(proposal: Proposal) -> tuple[Any, ...]:
    """The same change in both runs: the record it changes, or for a new one the records it rests on."""
    cited: frozenset[UUID] = frozenset(one.memory_id for one in proposal.basis)
    return (proposal.action, proposal.target_id, None if proposal.target_id else cited)
