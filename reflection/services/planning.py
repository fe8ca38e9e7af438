"""Planning in the worker: what takes too long to be waited for, or asks a model over the network.

Reading, thinking and writing are three steps. Nothing is locked while the planner thinks and the model writes, so an
erasure never waits for it; the last step looks again, in the transaction that stores the plan, and leaves out whatever
rests on a record that changed or went meanwhile. One session lock keeps a second worker away and ends with the first
one's connection, a crash included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import timedelta
from time import monotonic
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models.expressions import RawSQL
from django.utils import timezone
from django.utils.translation import gettext_noop

from console.errors import Conflict, NotAllowed, Refused
from console.saying import phrase
from memories import audit
from memories.access import Actor, bearer, check_may_approve, check_may_use, person
from memories.models import ApiToken
from memories.services.turns import hold_off_erasures
from reflection import filters as parameters
from reflection import queries
from reflection.filters import Filters
from reflection.loading import meaning, memories_of, survey_of
from reflection.models import ReflectPass, ScheduledRun
from reflection.planner.rows import Plan, Skipped
from reflection.planner.survey import Survey
from reflection.planner.wording import many
from reflection.services import policies, storing
from reflection.services.decide import line, move
from reflection.services.plan import chat, critic, summarizer
from reflection.services.reading import read_only
from reflection.services.run import carry_on
from reflection.states import Status

ATTEMPTS = 5
SAYS_EVERY = 0.5  # seconds between two notes of how far it is
LEFT_OUT = "left out: records changed or were deleted while this was planned. Plan again for them."
MOVED = "A record it stood on changed or was deleted while this was planned."
PHASES = {
    "waiting": gettext_noop("Waiting for the worker"),
    "reading": gettext_noop("Reading records"),
    "telling": gettext_noop("Writing summaries"),
    "checking": gettext_noop("Asking the model about facts"),
    "storing": gettext_noop("Storing the plan"),
}


Inside = Callable[[Actor], AbstractContextManager[None]]  # one transaction that sees the spaces of an actor


class Ended(Exception):
    """The pass is no longer being planned: somebody cancelled it."""


def carry_out(*, pass_id: UUID, inside: Inside) -> ReflectPass | None:
    """Make the plan of a pass that is `planning`; None where there is nothing to do or another worker does it.

    It is made with the rights that whoever asked for it has now, as of the moment they asked; what is read and written
    for them, happens `inside` their spaces. Raises NotAllowed where the rights are gone, Invalid, and what applying
    raises where the plan goes on.
    """
    with _alone(pass_id) as mine:
        reflect_pass = _begun(pass_id) if mine else None
        if reflect_pass is None:
            return None
        try:
            return _made(reflect_pass, inside)
        except Ended:
            return None


@contextmanager
def _alone(pass_id: UUID) -> Iterator[bool]:
    """Whether nobody else plans this pass, for as long as the block runs."""
    key = f"plan {pass_id}"
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [key])
        got = bool(cursor.fetchone()[0])
    try:
        yield got
    finally:
        if got and connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [key])


@transaction.atomic
def _begun(pass_id: UUID) -> ReflectPass | None:
    """The pass, with this attempt counted; None where it is not planned any more, or was tried often enough."""
    reflect_pass = _locked(pass_id)
    if reflect_pass is None:
        return None
    if reflect_pass.attempts >= ATTEMPTS:
        why = Refused(phrase("It could not be planned; the worker's log says why. Plan again, over less if it can be."))
        _end(reflect_pass, why, person(reflect_pass.planned_by, channel="job"))
        return None
    reflect_pass.attempts, reflect_pass.queued_at = reflect_pass.attempts + 1, timezone.now()
    reflect_pass.save(update_fields=["attempts", "queued_at"])
    return reflect_pass


def _locked(pass_id: UUID) -> ReflectPass | None:
    rows = ReflectPass.objects.select_related("policy", "planned_by").select_for_update(no_key=True, of=("self",))
    return rows.filter(pk=pass_id, status=Status.PLANNING).first()


def _made(reflect_pass: ReflectPass, inside: Inside) -> ReflectPass | None:
    wanted, actor = _asked(reflect_pass)
    progress = _Progress(reflect_pass.pk)
    progress.say("reading", 0, 0)
    model, rules = meaning(reflect_pass.policy.rules)
    with inside(actor), read_only():
        survey = survey_of(wanted, actor, as_of=reflect_pass.as_of, model=model, rules=rules)
    asked = chat()
    found = survey.plan(wanted.limit, summarizer(asked), progress.say, critic(asked))
    progress.say("storing", 0, 0)
    with inside(planner_of(reflect_pass)):
        return _stored(reflect_pass.pk, found, survey, asked.given_up if asked else "")


class _Progress:
    """How far it is, where everybody sees it. Raises Ended once the pass is no longer being planned."""

    def __init__(self, pass_id: UUID) -> None:
        self.pass_id, self.phase, self.at = pass_id, "", 0.0

    def say(self, phase: str, done: int, of: int) -> None:
        """Note it, but the same phase only every SAYS_EVERY seconds."""
        if phase == self.phase and monotonic() - self.at < SAYS_EVERY:
            return
        self.phase, self.at = phase, monotonic()
        now = {"phase": phase, "done": done, "of": of}
        rows = ReflectPass.objects.filter(pk=self.pass_id, status=Status.PLANNING)
        if not rows.update(progress=now, queued_at=timezone.now()):
            raise Ended


def _asked(reflect_pass: ReflectPass) -> tuple[Filters, Actor]:
    """What was asked for and by whom, as it holds now. Raises NotAllowed, Invalid."""
    actor = planner_of(reflect_pass)
    check_may_use(actor, "memory:read" if reflect_pass.dry_run else "memory:write")
    scheduled = ScheduledRun.objects.filter(reflect_pass=reflect_pass).exists()
    wanted = parameters.read(reflect_pass.requested, actor=actor, as_of=reflect_pass.as_of)
    wanted = replace(wanted, reaches_back=scheduled)
    if wanted.space.id != reflect_pass.space_id:
        raise NotAllowed(phrase("Whoever asked for this plan has no access to this space any more."))
    return wanted, actor


def planner_of(reflect_pass: ReflectPass) -> Actor:
    """Whoever asked for this plan, with the rights they have now. Raises NotAllowed."""
    if reflect_pass.planned_token_id is None:
        actor = person(reflect_pass.planned_by, channel="job")
    else:
        alive = ApiToken.objects.filter(revoked_at__isnull=True, expires_at__gt=timezone.now())
        token = alive.select_related("user", "team").filter(pk=reflect_pass.planned_token_id).first()
        if token is None:
            raise NotAllowed(phrase("The token that asked for this plan was revoked or has expired."))
        actor = bearer(token, channel="job", agent_id=reflect_pass.planned_agent_id)
    if reflect_pass.space_id not in actor.spaces:
        raise NotAllowed(phrase("Whoever asked for this plan has no access to this space any more."))
    return actor


@transaction.atomic
def _stored(pass_id: UUID, found: Plan, survey: Survey, given_up: str) -> ReflectPass | None:
    """Store what still stands, and let it go on where it may. Rights and records are looked at once more.

    `given_up` is why the model was asked no more, if it was.
    """
    space_id = ReflectPass.objects.values_list("space_id", flat=True).get(pk=pass_id)
    hold_off_erasures(space_id)
    policies.hold(space_id)
    reflect_pass = _locked(pass_id)
    if reflect_pass is None:
        return None
    wanted, actor = _asked(reflect_pass)
    left, gone = _standing(found, wanted, actor)
    notes = storing.notes_of(left, survey)
    if given_up:
        notes.append(f"The model was asked no more ({given_up}); the rest was planned without it.")
    if gone:
        what = many(gone, "candidate was", "candidates were")
        notes.append(f"{what} {LEFT_OUT}")
    candidates, basis = storing.fill(reflect_pass, left, notes)
    names = ("cut", "counts", "skipped", "near_misses", "notes", "digest")
    fields: dict[str, Any] = {name: getattr(reflect_pass, name) for name in names}
    expires_at = timezone.now() + timedelta(hours=reflect_pass.policy.plan_hours)
    move(reflect_pass, Status.PLANNED, **fields, progress={}, attempts=0, expires_at=expires_at)
    storing.write(reflect_pass, candidates, basis)
    return carry_on(reflect_pass, actor=actor)


def _standing(found: Plan, wanted: Filters, actor: Actor) -> tuple[Plan, int]:
    """What rests on records as they are now, and how many proposals do not. No word of another stays."""
    ids = {cited.memory_id for proposal in found.proposals for cited in proposal.basis}
    ids |= {key for item in (*found.skipped, *found.near_misses) for key in item.memory_ids}
    among = RawSQL("SELECT unnest(%s::uuid[])", [list(ids)])
    versions = dict(memories_of(wanted, actor).filter(pk__in=among).values_list("pk", "state__version"))
    kept = [
        proposal
        for proposal in found.proposals
        if all(versions.get(cited.memory_id) == cited.version for cited in proposal.basis)
    ]

    def told(items: Sequence[Skipped]) -> list[Skipped]:
        return [one if versions.keys() >= set(one.memory_ids) else replace(one, text=MOVED) for one in items]

    left = replace(found, proposals=kept, skipped=told(found.skipped), near_misses=told(found.near_misses))
    return left, len(found.proposals) - len(kept)


@transaction.atomic
def cancel(*, pass_id: UUID, actor: Actor) -> ReflectPass:
    """End a planning that is under way; nothing of it is kept. Whoever asked for it may, and who decides on passes.

    Raises NotFound, NotAllowed, Conflict.
    """
    reflect_pass = queries.find(pass_id, actor=actor, lock=True)
    if not actor.is_person:
        raise NotAllowed(phrase("Planning is cancelled by a person in the console."))
    if reflect_pass.planned_by_id != actor.user_id:
        check_may_approve(actor, reflect_pass, four_eyes=False)
    if reflect_pass.status != Status.PLANNING:
        raise Conflict(phrase("This pass is not being planned any more. Look at it again."), status=reflect_pass.status)
    failure = f"Cancelled by {actor.name} before the plan was made."
    move(reflect_pass, Status.FAILED, failure=failure, progress={})
    line(actor, "pass.cancel", reflect_pass, detail={"status": ["planning", "failed"]})
    return reflect_pass


@transaction.atomic
def fail(*, pass_id: UUID, why: Refused) -> None:
    """End a pass that cannot be planned, with the reason."""
    if reflect_pass := _locked(pass_id):
        _end(reflect_pass, why, person(reflect_pass.planned_by, channel="job"))


def _end(reflect_pass: ReflectPass, why: Refused, actor: Actor) -> None:
    move(reflect_pass, Status.FAILED, failure=why.message[:500], progress={})
    detail = {"status": ["planning", "failed"]}
    line(actor, "pass.fail", reflect_pass, result=audit.REFUSED, reason=why.message[:500], detail=detail)
