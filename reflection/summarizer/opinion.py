"""The port for a second opinion on a fact: whether all its evidence says the same. Adapter: `critic`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Opinion:
    """Whether all say the same, and a note for the reviewer, if any."""

    agrees: bool = True
    note: str = ""


Critic = Callable[[str, Sequence[str]], Opinion]  # of a statement and the words that bear it out


def nobody(statement: str, quotes: Sequence[str]) -> Opinion:
    """The opinion where no model is set: none."""
    return Opinion()
