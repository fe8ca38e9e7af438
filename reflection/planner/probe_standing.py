"""Why a record would, or would not, expire, decay or be archived. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reflection.planner.decay import importance_at
from reflection.planner.question import Answer, Gate, Question, Reason, answer
from reflection.planner.rows import Rows
from reflection.planner.wording import elapsed, moment, name
from reflection.policy import Policy
from reflection.states import Action

NEVER, ALWAYS = 1e9, -1e5  # days


def expire(of: Question) -> Answer:
    """Whether its time is over."""
    row, found = of.row, of.verdict(Action.EXPIRE)
    measured = moment(row.expires_at) if row.expires_at else "never"
    due = found.proposal is not None or found.rule == "protected"
    gates = (Gate("expires", measured, f"by {moment(of.as_of)}", due), of.free())
    return answer(Action.EXPIRE, found, "Its time is not over.", Reason("expired", gates))


def decay(of: Question) -> Answer:
    """Whether its stored importance is off by more than a step."""
    row, policy, found = of.row, of.policy, of.verdict(Action.DECAY)
    value = importance_at(row, of.as_of, policy)
    life = policy.half_life_days.get(row.memory_type)
    any_step = of.ask(Action.DECAY, replace(policy, decay_step=0.0), of.alone()).proposal is not None
    step = of.ask(Action.DECAY, policy, of.alone()).proposal is not None
    gates = (
        Gate("half-life", f"{life:g} days" if life and any_step else "none", "one for its type", any_step),
        Gate(
            "difference",
            f"stored {row.importance:.3f}, now {value:.3f}: {abs(row.importance - value):.3f}",
            f"{policy.decay_step:g}",
            step,
        ),
        of.free(),
    )
    leaves = any_step and step and row.protected is None and found.proposal is None
    text = "It leaves the active set in the same pass." if leaves else "Its importance stands as stored."
    return answer(Action.DECAY, found, text, Reason("half_life", gates))


def archive(of: Question) -> Answer:
    """Each of the reasons to archive."""
    found = of.verdict(Action.ARCHIVE)
    reasons = [_faded(of)]
    if of.row.memory_type == "episodic":
        reasons.append(_cited(of))
    if of.row.memory_type == "working":
        reasons.append(_idle(of))
    reasons.append(_repeated_words(of))
    reasons.append(Reason("protection", (of.free(),)))
    return answer(Action.ARCHIVE, found, "No reason to archive it holds.", *reasons)


def _off(of: Question, **limits: float) -> Policy:
    """A policy that archives nothing but duplicates, with these limits back in force."""
    none: dict[str, Any] = {"archive_below": -1.0, "archive_cited_age_days": NEVER, "archive_working_days": NEVER}
    return replace(of.policy, **(none | limits))


def _archives(of: Question, rule: str, rows: Rows, **limits: float) -> bool:
    return of.ask(Action.ARCHIVE, _off(of, **limits), rows).rule in (rule, "protected")


def _unused(of: Question) -> str:
    time = elapsed(of.row.last_touched, of.as_of)
    return f"{time} since it was made active again" if of.row.reactivated_at == of.row.last_touched else time


def _faded(of: Question) -> Reason:
    policy, rows = of.policy, of.alone()
    below = _archives(of, "faded", rows, archive_below=policy.archive_below, archive_unused_days=0.0)
    unused = _archives(of, "faded", rows, archive_below=2.0)
    value = importance_at(of.row, of.as_of, policy)
    return Reason(
        "faded",
        (
            Gate("importance", f"{value:.3f}", f"below {policy.archive_below:g}", below),
            Gate("unused", _unused(of), f"{policy.archive_unused_days:g} days", unused),
        ),
    )


def _cited(of: Question) -> Reason:
    row, policy = of.row, of.policy
    free = [replace(one, pinned=False, held=False) if one.id == of.id else one for one in of.rows]
    ages = {"archive_cited_age_days": policy.archive_cited_age_days, "archive_cited_unused_days": 0.0}
    idle = {"archive_cited_age_days": ALWAYS, "archive_cited_unused_days": policy.archive_cited_unused_days}
    kept = _archives(of, "cited", free, archive_cited_age_days=ALWAYS, archive_cited_unused_days=0.0)
    by = name(row.cited_by) if row.cited_by else "no summary"
    return Reason(
        "cited",
        (
            Gate("kept in", by, "an active summary that is not faded", kept),
            Gate(
                "age",
                elapsed(row.created_at, of.as_of),
                f"more than {policy.archive_cited_age_days:g} days",
                _archives(of, "cited", free, **ages) if kept else None,
            ),
            Gate(
                "unused",
                _unused(of),
                f"{policy.archive_cited_unused_days:g} days",
                _archives(of, "cited", free, **idle) if kept else None,
            ),
        ),
    )


def _idle(of: Question) -> Reason:
    limit = of.policy.archive_working_days
    holds = _archives(of, "idle_working", of.alone(), archive_working_days=limit)
    return Reason("idle_working", (Gate("unused", _unused(of), f"{limit:g} days", holds),))


def _repeated_words(of: Question) -> Reason:
    back = of.row.reactivated_at
    free = [replace(one, pinned=False, held=False) if one.id == of.id else one for one in of.rows]
    anew = [replace(one, reactivated_at=None) if one.id == of.id else one for one in free]
    found = of.ask(Action.ARCHIVE, _off(of), anew)
    newer = found.proposal.why.get("duplicate_of") if found.proposal else None
    gates = [Gate("a newer one with the same words", f"mem_{newer}" if newer else "none", "one", newer is not None)]
    if newer and back:
        stays = of.ask(Action.ARCHIVE, _off(of), free).proposal is None
        gates.append(Gate("made active again", moment(back), "before the newer one came, or never", not stays))
    return Reason("duplicate", tuple(gates))
