"""What promote makes of real conversations, in which nobody planted a fact."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from bench.reflection_planted import blank, promote
from bench.reflection_vectors import Vectoring
from reflection.planner.rows import Row
from reflection.policy import Policy
from reflection.summarizer.applause import is_compliment
from reflection.summarizer.courtesies import is_courtesy
from reflection.summarizer.sentences import says_something


def promoted(turns: Sequence[dict[str, Any]], vectors: Vectoring, policy: Policy) -> dict[str, float]:
    """The number of statements, and the share of pleasantries among them; prints each with how often it was said."""
    statements: list[str] = []
    for name in dict.fromkeys(turn["conversation"] for turn in turns):
        for proposal in promote(_rows([turn for turn in turns if turn["conversation"] == name], vectors), policy):
            statements.append(proposal.after["content"])
            print(f"  conversation {name}, said {len(proposal.basis)} times: {statements[-1]}")
    share = sum(map(is_pleasantry, statements)) / len(statements) if statements else 0.0
    print(f"promoted on LoCoMo: {len(statements)} of {len(turns):,} turns; pleasantries among them: {share:.3f}")
    return {"turns": len(turns), "promoted": len(statements), "pleasantries": share}


def is_pleasantry(sentence: str) -> bool:
    """Whether the product's own rule calls it a question, a greeting or applause."""
    return not says_something(sentence) or is_courtesy(sentence) or is_compliment(sentence)


def _rows(turns: Sequence[dict[str, Any]], vectors: Vectoring) -> list[Row]:
    near = vectors.of([f"{turn['speaker']}: {turn['content']}" for turn in turns])
    return [
        blank(
            UUID(int=n + 1),
            turn["content"],
            datetime.fromisoformat(turn["created_at"]),
            path=f"conversations/{turn['conversation']}/session-{turn['session']}",
            session=f"{turn['conversation']}/{turn['session']}",
            speaker=turn["speaker"],
            vector=near[n],
        )
        for n, turn in enumerate(turns)
    ]
