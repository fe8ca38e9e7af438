"""Why a record would, or would not, be told in a summary or bear out a fact. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np

from reflection.planner.clusters import similarity
from reflection.planner.columns import columns_of
from reflection.planner.question import Answer, Gate, Question, Reason, Told, answer
from reflection.planner.rows import Row
from reflection.planner.voices import apart, unevident
from reflection.planner.wording import elapsed, many, name
from reflection.policy import Policy
from reflection.states import Action

WITHOUT: dict[str, dict[str, Any]] = {
    "repeated": {"promote_min_rows": 2},
    "independent": {"promote_min_sessions": 0, "promote_min_hours": 0},
    "declarative": {"promote_min_words": 0},
    "untrusted": {"promote_min_trust": -1},
}
# How the figures of a gate that holds are told, and what the policy asks for.
MEASURES: dict[str, tuple[Callable[[dict[str, Any]], str], Callable[[Policy], str]]] = {
    "repeated": (
        lambda why: f"said {many(why['rows'], 'time')}, likeness {why['lowest_similarity']:.2f}",
        lambda policy: f"{policy.promote_min_rows} times, likeness {policy.promote_cosine:g}",
    ),
    "independent": (
        lambda why: f"{many(why['sessions'], 'session')}, {many(why['hours'], 'hour')}",
        lambda policy: f"{policy.promote_min_sessions} sessions, {policy.promote_min_hours} hours",
    ),
    "declarative": (
        lambda why: "a statement",
        lambda policy: f"a statement of {policy.promote_min_words} words or more",
    ),
    "already_known": (
        lambda why: "no fact says so",
        lambda policy: f"no fact as near as {policy.promote_known_cosine:g}",
    ),
    "untrusted": (
        lambda why: "every source is trusted enough",
        lambda policy: f"trust {policy.promote_min_trust} or more of every source",
    ),
}


def _original(of: Question) -> Gate:
    row = of.row
    kind = f"{row.memory_type}{', written by a pass' if row.is_summary else ''}{', held' if row.held else ''}"
    holds = bool(columns_of([row]).originals[0])
    return Gate("an event", kind, "episodic, not written by a pass, not under hold", holds)


def _recent(of: Question) -> Gate:
    hours = (of.window.until - of.window.since) / timedelta(hours=1)
    return Gate(
        "recent",
        f"written {elapsed(of.row.created_at, of.window.until)} before the end of the window",
        f"in the last {hours:g} hours",
        of.row.created_at in of.window,
    )


def summarize(of: Question) -> Answer:
    """Whether a summary would tell it."""
    row, policy = of.row, of.policy
    found = Told() if row.cited_by else of.verdict(Action.SUMMARIZE)
    gates = [
        _original(of),
        _recent(of),
        Gate(
            "not told yet",
            f"told in {name(row.cited_by)}" if row.cited_by else "untold",
            "untold",
            row.cited_by is None,
        ),
    ]
    if row.undated:
        gates.append(Gate("placed in time", "only the time of its import is known", "a time of its own", False))
    elif gates[0].holds and gates[2].holds:
        gates += _episode(of, policy)
    otherwise = f"It is told already, in {name(row.cited_by)}." if row.cited_by else "No summary would tell it."
    text = found.left.text if found.left else otherwise
    return answer(Action.SUMMARIZE, found, text, Reason("episode", tuple(gates)))


def _episode(of: Question, policy: Policy) -> list[Gate]:
    """How many make up its episode, asked of a planner that takes any number of them."""
    always = of.always()
    whole = of.ask(Action.SUMMARIZE, replace(policy, summary_min_rows=1), window=always)
    told = of.ask(Action.SUMMARIZE, policy, window=always)
    silent = whole.left is not None and whole.left.gate == "declarative"
    rows = int(whole.proposal.why["rows"]) if whole.proposal else None
    continues = told.proposal is not None and told.proposal.target_id is not None
    asked = "a summary to go on with" if continues else f"{policy.summary_min_rows}"
    enough = None if rows is None else told.proposal is not None
    measured = "not counted" if rows is None else many(rows, "memory", "memories")
    return [
        Gate("says something", "only greetings and questions" if silent else "yes", "yes", not silent),
        Gate("in its episode", measured, asked, enough),
    ]


def promote(of: Question) -> Answer:
    """Whether it bears out a fact."""
    found = of.verdict(Action.PROMOTE)
    gates = [_original(of), _recent(of)]
    if gates[0].holds:
        gates += _evidence(of)
        if not found.proposal and all(gate.holds for gate in gates):
            gates.insert(2, _together(of))
    text = found.left.text if found.left else "Nothing makes a fact of it."
    return answer(Action.PROMOTE, found, text, Reason("repeated", tuple(gates)))


def _together(of: Question) -> Gate:
    """How many of those that say so a pass looks at: all conditions hold, and only the window parts them."""
    told = of.ask(Action.PROMOTE, of.policy, window=of.always()).proposal
    ids = {cited.memory_id for cited in told.basis} if told else set()
    seen = sum(row.created_at in of.window for row in of.rows if row.id in ids)
    hours = (of.window.until - of.window.since) / timedelta(hours=1)
    asked = f"{of.policy.promote_min_rows} in the last {hours:g} hours"
    return Gate("recent", f"{seen} of the {len(ids)} that say so", asked, False)


def _evidence(of: Question) -> list[Gate]:
    """The gates of a cluster in the planner's order: each that stops it is taken away, and the planner asked again."""
    always, policy, rows = of.always(), of.policy, of.rows
    stopped: dict[str, str] = {}
    found = of.ask(Action.PROMOTE, policy, rows, always)
    while found.left and found.left.gate not in stopped:
        gate = found.left.gate
        stopped[gate] = found.left.text
        policy = replace(policy, **WITHOUT.get(gate, {}))
        if gate == "already_known":
            rows = [row for row in rows if row.memory_type != "semantic"]
        found = of.ask(Action.PROMOTE, policy, rows, always)
    if not stopped and not found.proposal:
        return [
            Gate("repeated", _alone(of) or _nearest(of), f"{of.policy.promote_min_rows} memories that say so", False)
        ]
    why = found.proposal.why if found.proposal else None
    return [_gate(of, gate, stopped, why) for gate in dict.fromkeys([*MEASURES, *stopped])]


def _gate(of: Question, gate: str, stopped: dict[str, str], why: dict[str, Any] | None) -> Gate:
    asked = MEASURES[gate][1](of.policy) if gate in MEASURES else ""
    if gate in stopped:
        idle = _idle(of) if gate == "repeated" else ""
        return Gate(gate, f"{stopped[gate]} {idle}".strip(), asked, False)
    if why is None:
        return Gate(gate, "not looked at", asked, None)
    return Gate(gate, MEASURES[gate][0](why), asked, True)


def _same(of: Question) -> list[Row]:
    """The others of its boundary with the same words."""
    row = of.row
    return [one for one in of.rows if one.id != row.id and (one.folded, one.boundary) == (row.folded, row.boundary)]


def _alone(of: Question) -> str:
    """That equal words are there and do not count, where there are any; the planner found nothing that does."""
    voices = sum(one.speaker != of.row.speaker for one in _same(of) if _counts(one))
    said = [apart(voices) if voices else "", _idle(of)]
    return " ".join([f"Said 1 time; the rule asks for {of.policy.promote_min_rows}.", *filter(None, said)]) * any(said)


def _idle(of: Question) -> str:
    """How many with the same words are no evidence whoever says them."""
    count = sum(not _counts(one) for one in _same(of))
    return unevident(count) if count else ""


def _counts(row: Row) -> bool:
    return bool(columns_of([row]).originals[0])


def _nearest(of: Question) -> str:
    """How near in meaning the nearest other event of its boundary comes, and whether only another speaker's does."""
    own, foreign = (_likeness(of, same) for same in (True, False))
    if own is None and foreign is None:
        return "no other one to compare with"
    best, asked = max(own or 0.0, foreign or 0.0), of.policy.promote_cosine
    measured = f"{best:.2f} (asked: {asked:g})"
    if own is None or (best > own and best >= asked):
        return f"none by its speaker; the nearest by another one has a likeness of {measured}"
    measured = f"{own:.2f} (asked: {asked:g})"
    if own >= asked:
        return f"none says the same, in its words and in this time; the nearest has a likeness of {measured}"
    return f"none; the nearest comes to a likeness of {measured}"


def _likeness(of: Question, same: bool) -> float | None:
    """How alike the nearest event of its boundary is, of its own speaker or of another one."""
    row = of.row
    others = [
        one.vector
        for one in of.rows
        if one.id != row.id and one.vector is not None and one.boundary == row.boundary
        if one.memory_type == row.memory_type and (one.speaker == row.speaker) is same
    ]
    if row.vector is None or not others:
        return None
    return float(similarity(np.stack(others), of.policy.cosine_floor, row.vector[None, :]).max())
