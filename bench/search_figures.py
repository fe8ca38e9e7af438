"""Figures of a search system: how often the evidence comes first, and how often it answers what it cannot know.

An outcome is what one question brought: asked of its own conversation, of another, and of the other with the names of
the speakers replaced. `right` is the share of questions that get an answer at or above the cut and have evidence among
the first five, with the cut just above what 95 % of the foreign questions score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

Ranked = list[tuple[str, float]]  # source ids with scores, best first


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question's ranked answers and its evidence; of the foreign askings only the best score counts (0: none)."""

    conversation: str
    evidence: frozenset[str]
    own: Ranked
    foreign: float
    swapped: float

    @property
    def best(self) -> float:
        """The best score among its own, -inf where nothing was found."""
        return self.own[0][1] if self.own else -math.inf

    def recall(self, at: int) -> float:
        """The share of the evidence among the first `at`."""
        return len(self.evidence & {key for key, _ in self.own[:at]}) / len(self.evidence)

    @property
    def reciprocal_rank(self) -> float:
        """1 / place of the first evidence, 0 where it is not found."""
        return next((1 / place for place, (key, _) in enumerate(self.own, 1) if key in self.evidence), 0.0)


@dataclass(frozen=True, slots=True)
class Figures:
    """What is reported of a system; shares, 0..1."""

    recall_at_5: float
    recall_at_10: float
    mrr: float
    right: float
    right_names_swapped: float
    hit_at_5: float = field(default=0.0)


def cut_for(scores: Sequence[float], share: float = 0.05) -> float:
    """The score that at most `share` of `scores` exceed."""
    return sorted(scores, reverse=True)[math.floor(share * len(scores))]


def right_above(outcomes: Sequence[Outcome], cut: float) -> float:
    """The share with a best score above `cut` and evidence among the first five."""
    return sum(one.best > cut and one.recall(5) > 0 for one in outcomes) / len(outcomes)


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """The figures of one system over its outcomes."""
    count = len(outcomes)
    return Figures(
        recall_at_5=sum(one.recall(5) for one in outcomes) / count,
        recall_at_10=sum(one.recall(10) for one in outcomes) / count,
        mrr=sum(one.reciprocal_rank for one in outcomes) / count,
        right=right_above(outcomes, cut_for([one.foreign for one in outcomes])),
        right_names_swapped=right_above(outcomes, cut_for([one.swapped for one in outcomes])),
        hit_at_5=sum(one.recall(5) > 0 for one in outcomes) / count,
    )


def curve(outcomes: Sequence[Outcome], *, swapped: bool) -> list[tuple[float, float]]:
    """(share of foreign questions answered, share answered rightly), as the cut falls; at most a hundred points."""
    false = [one.swapped if swapped else one.foreign for one in outcomes]
    shares = [number / 100 for number in range(1, 51)]
    return [(share, right_above(outcomes, cut_for(false, share))) for share in shares]
