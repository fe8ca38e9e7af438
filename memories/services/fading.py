"""How important a memory is by now. Importance fades by rules that another app holds, and it says here which."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from memories.models import Memory

Rule = Callable[[Memory, datetime], float]
_rules: list[Rule] = []


def fades_by(rule: Rule) -> Rule:
    """Let `rule` say how important a memory is at a moment, as a decorator."""
    _rules[:] = [rule]
    return rule


def importance_now(memory: Memory, at: datetime) -> float:
    """The importance of a memory at `at`, in [0, 1]. The stored one is that of the last pass, however long ago."""
    return _rules[0](memory, at) if _rules else memory.state.importance
