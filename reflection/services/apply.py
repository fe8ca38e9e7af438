"""Applying an approved plan: versions first, then all writes and their audit in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from console.errors import Conflict, NotAllowed
from console.saying import phrase, phrase_many
from memories import audit
from memories.access import Actor, may_approve
from memories.embedding.waking import embed_soon
from memories.models import Memory, MemoryState
from memories.models.memory import Derivation
from memories.services import continuing, lifecycle, provenance
from memories.services.turns import hold_off_erasures
from reflection import queries
from reflection.digest import approved_digest, is_whole
from reflection.models import Basis, Candidate, ReflectPass
from reflection.planner.decay import faded
from reflection.services import demands, drift, policies, reversal, storing
from reflection.services.decide import line, move
from reflection.states import CHANGES, Action, Outcome, PassKind, Reversal, Status

NUMBERS = {Action.EXPIRE, Action.DECAY, Action.ARCHIVE}  # they change no words


@transaction.atomic
def apply(*, pass_id: UUID, actor: Actor) -> ReflectPass:
    """Write what was approved. A candidate whose basis moved is skipped and named; the rest is written.

    Called again (redelivery), it finds the pass applied and does nothing. Raises NotFound, Conflict for a pass nobody
    approved, and NotAllowed where the approver has lost the right meanwhile.
    """
    space_id = queries.find(pass_id, actor=actor).space_id
    hold_off_erasures(space_id)
    policies.hold(space_id)
    reflect_pass = queries.find(pass_id, actor=actor, lock=True)
    if reflect_pass.status in (Status.APPLIED, Status.ROLLED_BACK):
        return reflect_pass
    _one_at_a_time(reflect_pass.space_id)
    _check_approver(reflect_pass, actor)
    move(reflect_pass, Status.APPLYING)
    candidates = queries.candidates_of(reflect_pass)
    basis = queries.basis_of(candidates)
    _check_digest(reflect_pass, candidates, basis)
    work = _Work(reflect_pass, actor, timezone.now(), basis)
    work.sort(candidates)
    if work.drifted and demands.on(reflect_pass).refuses:
        raise Conflict(
            phrase_many(
                "%(count)s record changed since this was planned, and the policy refuses that.",
                "%(count)s records changed since this was planned, and the policy refuses that.",
                len(work.drifted),
            )
        )
    work.write()
    work.finish(candidates)
    transaction.on_commit(embed_soon)
    return reflect_pass


def claim(reflect_pass: ReflectPass, *, actor: Actor) -> None:
    """Take the locks of `apply` now: its turn in the space, then every record that the plan stands on."""
    _one_at_a_time(reflect_pass.space_id)
    cited = Basis.objects.filter(candidate__reflect_pass=reflect_pass)
    lifecycle.lock_many(set(cited.values_list("memory_id", flat=True)), whole=(), actor=actor)


def _one_at_a_time(space_id: UUID) -> None:
    """One apply per space; the lock ends with the transaction, a crash included."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"apply {space_id}"])


def _check_approver(reflect_pass: ReflectPass, actor: Actor) -> None:
    """Rights changes act at once: who approved must still be allowed to when it is applied."""
    if reflect_pass.approved_by_id != actor.user_id or reflect_pass.space_id not in actor.spaces:
        raise NotAllowed(phrase("Whoever approved this pass may not change these records any more."))
    if not reflect_pass.approved_by_policy:
        person = _as_person(actor)
        if not may_approve(person, reflect_pass, four_eyes=demands.on(reflect_pass).four_eyes):
            raise NotAllowed(phrase("Whoever approved this pass may not approve passes any more."))


def _as_person(actor: Actor) -> Actor:
    return actor.through("console")


def _check_digest(reflect_pass: ReflectPass, candidates: Sequence[Candidate], basis: dict[UUID, list[Basis]]) -> None:
    excluded = [candidate.pk for candidate in candidates if candidate.outcome == Outcome.EXCLUDED]
    if (
        not is_whole(reflect_pass, candidates, basis)
        or approved_digest(reflect_pass.digest, excluded) != reflect_pass.approved_digest
    ):
        raise Conflict(phrase("The plan is not the one that was approved; nothing was written. Plan again."))


@dataclass
class _Work:
    """One application: what is written, what drifted, and the audit lines of both."""

    reflect_pass: ReflectPass
    actor: Actor
    at: datetime
    basis: dict[UUID, list[Basis]]
    todo: dict[str, list[Candidate]] = field(default_factory=lambda: defaultdict(list))
    drifted: list[Candidate] = field(default_factory=list)
    memories: dict[UUID, Memory] = field(default_factory=dict)

    def sort(self, candidates: Sequence[Candidate]) -> None:
        """Lock every basis row in id order, then compare all versions before any write."""
        pending = [candidate for candidate in candidates if candidate.outcome == Outcome.PENDING]
        ids = {row.memory_id for candidate in pending for row in self.basis[candidate.pk]}
        rewritten = {one.target_id for one in pending if one.target_id and one.action not in NUMBERS}
        self.memories = lifecycle.lock_many(ids, whole=rewritten, actor=self.actor)
        versions = {key: memory.state.version for key, memory in self.memories.items()}
        told = drift.told(pending, self.basis)
        for candidate in pending:
            why = _why_drifted(candidate, drift.moved(self.basis[candidate.pk], versions), told.get(candidate.pk))
            if why:
                candidate.outcome, candidate.outcome_text = Outcome.DRIFTED, why
                self.drifted.append(candidate)
            else:
                self.todo[candidate.action].append(candidate)
        for one, why in reversal.taken([*self.todo[Reversal.REVERT], *self.todo[Reversal.TRASH]]):
            one.outcome, one.outcome_text = Outcome.DRIFTED, why
            self.drifted.append(one)
            self.todo[one.action].remove(one)

    def write(self) -> None:
        """All kinds of change, set by set."""
        self._derived(self.todo[Action.SUMMARIZE], Derivation.SUMMARY)
        self._derived(self.todo[Action.PROMOTE], Derivation.FACT)
        self._status(self.todo[Action.EXPIRE], "expired")
        self._status(self.todo[Action.ARCHIVE], "archived")
        decays = self.todo[Action.DECAY]
        lifecycle.set_importance({_target(one): one.after["importance"] for one in decays})
        for one in decays:
            one.result_id = one.target_id
        reversed_ = [*self.todo[Reversal.REVERT], *self.todo[Reversal.TRASH]]
        reversal.write(reversed_, self.memories, at=self.at, actor=self.actor)

    def _status(self, candidates: Sequence[Candidate], status: str) -> None:
        lifecycle.set_status([_target(one) for one in candidates], status, at=self.at)
        for one in candidates:
            one.result_id = one.target_id

    def _derived(self, candidates: Sequence[Candidate], derivation: Derivation) -> None:
        new = [one for one in candidates if one.target_id is None]
        many = [self._as_derived(one, derivation) for one in new]
        made = lifecycle.create_derived(many, pass_id=self.reflect_pass.pk, at=self.at, actor=self.actor)
        for one, key in zip(new, made, strict=True):
            one.result_id = key
        going_on = [one for one in candidates if one.target_id is not None]
        pairs = [(self.memories[_target(one)], self._as_derived(one, derivation)) for one in going_on]
        undo = continuing.extend(pairs, pass_id=self.reflect_pass.pk, at=self.at, actor=self.actor)
        for one, back in zip(going_on, undo, strict=True):
            one.undo, one.result_id = back, one.target_id

    def _as_derived(self, candidate: Candidate, derivation: Derivation) -> lifecycle.Derived:
        after: dict[str, Any] = candidate.after
        cited = [row for row in self.basis[candidate.pk] if row.memory_id != candidate.target_id]
        model = self.memories[candidate.target_id] if candidate.target_id else self.memories[cited[0].memory_id]
        languages = {self.memories[row.memory_id].language for row in cited if row.memory_id in self.memories}
        return lifecycle.Derived(
            owner_id=model.owner_id,
            team_id=model.team_id,
            bucket=model.bucket,
            scope=model.scope,
            path=after.get("path", model.path),
            content=after["content"],
            derivation=derivation,
            importance=after["importance"] if "importance" in after else self._worth(model),
            confidence=after.get("confidence"),
            trust=after.get("trust", model.trust),
            language=languages.pop() if len(languages) == 1 else "",
            provenance=self._provenance(candidate, model if candidate.target_id else None),
            sources=tuple(lifecycle.Source(row.memory_id, row.quote) for row in cited),
            metadata={"speaker": after["speaker"]} if "speaker" in after else {},
        )

    def _worth(self, memory: Memory) -> float:
        """What a record that goes on is worth now, whenever a pass has last stored that."""
        state = memory.state
        return round(faded(state.base, state.anchor, memory.memory_type, self.at, self.reflect_pass.policy.rules), 6)

    def _provenance(self, candidate: Candidate, before: Memory | None) -> dict[str, Any]:
        """How a derived record came about. One that goes on (`before`) still tells of what it was written from."""
        gone = provenance.sources_gone(before) if before else 0
        return {
            "channel": self.actor.channel,
            "derived_by": "reflect",
            "rule": candidate.why.get("rule"),
            "span": _widest(candidate.after.get("span"), provenance.span_of(before) if before else None),
            "method": candidate.why.get("method"),
            **({"sources_gone": gone} if gone else {}),
        }

    def finish(self, candidates: Sequence[Candidate]) -> None:
        """Outcomes, versions written, audit lines, and the pass itself."""
        done = [one for group in self.todo.values() for one in group]
        ids = {_result(one) for one in done}
        versions = dict(MemoryState.objects.filter(memory_id__in=ids).values_list("memory_id", "version"))
        lines = []
        for one in sorted(done, key=lambda candidate: candidate.position):
            one.outcome = Outcome.APPLIED
            one.result_version = versions[_result(one)]
            entry = self._entry(one)
            one.audit_id = entry.id
            lines.append(entry)
        storing.write_outcomes([*done, *self.drifted])
        audit.record_all(self.actor, lines, space_id=self.reflect_pass.space_id)
        counts = {name.value: len(self.todo[name]) for name in CHANGES[PassKind(self.reflect_pass.kind)]}
        move(self.reflect_pass, Status.APPLIED, applied_at=self.at, applied_counts=counts)
        line(
            self.actor,
            "pass.apply",
            self.reflect_pass,
            detail={
                "status": ["approved", "applied"],
                "counts": counts,
                "drifted": [str(one.pk) for one in self.drifted],
                "digest": self.reflect_pass.approved_digest,
            },
        )

    def _entry(self, candidate: Candidate) -> audit.Entry:
        detail: dict[str, Any] = {"candidate": str(candidate.pk), "version": candidate.result_version}
        for name in ("status", "importance", "trust"):
            if name in candidate.after and name in candidate.before:
                detail[name] = [candidate.before[name], candidate.after[name]]
        if candidate.action in reversal.KINDS:
            detail["fields"] = sorted(candidate.after)
        if candidate.target_id is None:
            detail |= {"status": [None, "active"], "sources": len(self.basis[candidate.pk])}
        return audit.Entry(
            f"reflect.{candidate.action}",
            "memory",
            candidate.result_id,
            reason=str(candidate.why.get("rule", ""))[:500],
            detail=detail,
            pass_id=self.reflect_pass.pk,
        )


def _widest(span: list[str] | None, before: list[datetime] | None) -> list[str] | None:
    """From the first moment to the last of both: a summary that goes on keeps telling of its old sources."""
    moments = [*map(datetime.fromisoformat, span or ()), *(before or ())]
    return [at.astimezone(UTC).isoformat() for at in (min(moments), max(moments))] if moments else None


def _why_drifted(candidate: Candidate, lost: Sequence[Basis], told_by: UUID | None) -> str:
    """What happened to a candidate since the plan; empty when nothing did."""
    if lost:
        names = ", ".join(f"…{str(row.memory_id)[-6:]}" for row in lost[:5])
        more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
        return f"changed since the plan: {names}{more}"
    if candidate.erased_at:
        return "a source was deleted for good"
    return f"…{str(told_by)[-6:]} tells the same sources already" if told_by else ""


def _target(candidate: Candidate) -> UUID:
    assert candidate.target_id is not None
    return candidate.target_id


def _result(candidate: Candidate) -> UUID:
    assert candidate.result_id is not None
    return candidate.result_id
