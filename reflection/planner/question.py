"""The planner asked about one record, under a policy of one's choice. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from uuid import UUID

from reflection.planner import plan
from reflection.planner.rows import Plan, Proposal, Row, Rows, Skipped, Window
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer import Source, Summary

ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition of a rule: what was measured, what is asked for, and whether it holds (None: not looked at)."""

    name: str
    measured: str
    asked: str
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Reason:
    """One way in which an action may come to a record, with its gates. All hold: it does."""

    name: str
    gates: tuple[Gate, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one action would do with the record, in a sentence, and why."""

    action: Action
    would: bool
    text: str
    reasons: tuple[Reason, ...]


class _Mute:
    """A summarizer for questions in which nobody reads the summary."""

    def summarize(self, sources: Sequence[Source], budget_chars: int) -> Summary:
        """One sentence, of the first source."""
        return Summary(((sources[0].text[:80], sources[0].id),), "none")


@dataclass(frozen=True, slots=True)
class Told:
    """What the planner says about the record: a proposal, or why there is none, or nothing at all."""

    proposal: Proposal | None = None
    left: Skipped | None = None

    @property
    def rule(self) -> str:
        """The rule of the proposal; `protected` where only the protection of the record stops it."""
        if self.proposal:
            return str(self.proposal.why["rule"])
        return self.left.gate if self.left else ""


@dataclass(frozen=True)
class Question:
    """One of `rows`, about which the planner is asked. `window`: what a pass looks back on for summaries and facts."""

    rows: Rows
    id: UUID
    as_of: datetime
    policy: Policy
    window: Window

    @property
    def row(self) -> Row:
        """The record in question."""
        return next(row for row in self.rows if row.id == self.id)

    @cached_property
    def _whole(self) -> Plan:
        return self._plan(list(Action), self.policy, self.rows, self.window)

    def verdict(self, action: Action) -> Told:
        """What a pass with all five actions would make of the record."""
        return self._about(action, self._whole)

    def _plan(self, actions: Sequence[Action], policy: Policy, rows: Rows, window: Window) -> Plan:
        return plan(
            rows,
            actions=actions,
            window=window,
            as_of=self.as_of,
            policy=replace(policy, near_misses=ALL),
            limit=ALL,
            summarizer=_Mute(),
        )

    def ask(self, action: Action, policy: Policy, rows: Rows | None = None, window: Window | None = None) -> Told:
        """What comes of the record, changed or cited, by this action alone."""
        found = self._plan([action], policy, self.rows if rows is None else rows, window or self.window)
        return self._about(action, found)

    def _about(self, action: Action, found: Plan) -> Told:
        for proposal in (one for one in found.proposals if one.action is action):
            if any(cited.memory_id == self.id and self._concerns(action, cited.changes) for cited in proposal.basis):
                return Told(proposal)
        left = [one for one in (*found.skipped, *found.near_misses) if self.id in one.memory_ids]
        left = [one for one in left if one.action is action]
        return Told(left=left[0] if left else None)

    @staticmethod
    def _concerns(action: Action, changes: bool) -> bool:
        return action is Action.SUMMARIZE or changes is (action is not Action.PROMOTE)

    def alone(self) -> list[Row]:
        """The record by itself, and not protected."""
        return [replace(self.row, pinned=False, held=False)]

    def free(self) -> Gate:
        """Whether it may be changed at all."""
        return Gate("protection", self.row.protected or "none", "none", self.row.protected is None)

    def always(self) -> Window:
        """A window that holds every row."""
        moments = [row.created_at for row in self.rows]
        return Window(min(moments), max(moments) + timedelta(microseconds=1))


def answer(action: Action, found: Told, otherwise: str, *reasons: Reason) -> Answer:
    """What the planner said, with the reasons it was asked for; `otherwise` where it said nothing."""
    if found.proposal:
        return Answer(action, True, str(found.proposal.why["text"]), reasons)
    text = found.left.text if found.left and found.left.gate == "protected" else otherwise
    return Answer(action, False, text, reasons)
