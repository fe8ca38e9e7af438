"""Who else says the same words. Each speaker is heard apart, so these are no repetitions: but whoever wonders why equal
words made no fact has to be told. Pure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reflection.planner.rows import Row, Skipped
from reflection.planner.statement import state
from reflection.planner.wording import many
from reflection.policy import Policy
from reflection.states import Action

APART = "of another speaker, or of none that is known; each speaker is heard apart."


def apart(others: int) -> str:
    """That so many more say the same words, and why they do not count."""
    return f"{others:,} more with the same words {'is' if others == 1 else 'are'} {APART}"


def unevident(others: int) -> str:
    """That so many more say the same words, and are no events."""
    verb = "is" if others == 1 else "are"
    return f"{others:,} more with the same words {verb} no evidence: no event, under hold, or written by a pass."


def elsewhere(others: int) -> str:
    """That so many more say the same words where no pass holds them together."""
    verb = "is" if others == 1 else "are"
    return f"{others:,} more with the same words {verb} of another space, owner, bucket or scope."


@dataclass(frozen=True, slots=True)
class Voices:
    """How often a boundary says the same words, where more than one speaker does."""

    said: Mapping[str, Sequence[Row]] = field(default_factory=dict)  # by their words

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Voices:
        """All words that two speakers say, or one that is known and one that is not."""
        found: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            found[row.folded].append(row)
        return cls({words: said for words, said in found.items() if len({row.speaker for row in said}) > 1})

    def others(self, cluster: Sequence[Row]) -> int:
        """How many rows say words of `cluster`, which is of one speaker, and are of somebody else."""
        spoken = (row for words in {row.folded for row in cluster} for row in self.said.get(words, ()))
        return sum(row.speaker != cluster[0].speaker for row in spoken)

    def each_once(self, policy: Policy) -> list[Skipped]:
        """What is stated often enough, but by nobody twice."""
        often = (said for said in self.said.values() if _often(said, policy.promote_min_rows))
        return [_once(said, policy) for said in often if state(said, policy)]


def _often(said: Sequence[Row], least: int) -> bool:
    return len(said) >= least and max(Counter(row.speaker for row in said).values()) == 1


def _once(said: Sequence[Row], policy: Policy) -> Skipped:
    text = (
        f"Said {many(len(said), 'time')} in the same words, each time by somebody else; each speaker is heard apart, "
        f"and the rule asks for {policy.promote_min_rows} of one."
    )
    return Skipped(Action.PROMOTE, tuple(row.id for row in said), "repeated", text)
