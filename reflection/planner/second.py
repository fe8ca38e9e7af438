"""Facts that a critic reads once more before they are proposed: it may withhold one, never add one. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from reflection.planner.rows import Proposal, Skipped
from reflection.states import Action
from reflection.summarizer.opinion import Critic, nobody
from reflection.summarizer.words import fold


@dataclass(slots=True)
class Read:
    """The facts that stay, those that are withheld, and how many nobody read: there was no room for more."""

    kept: list[Proposal] = field(default_factory=list)
    withheld: list[Skipped] = field(default_factory=list)
    unread: int = 0


def read_again(
    facts: Sequence[Proposal], room: int, critic: Critic, step: Callable[[int, int], None] = lambda read, of: None
) -> Read:
    """The first `room` of `facts` that the critic does not withhold. `step` hears before each how many are read."""
    if critic is nobody:
        return Read(list(facts[:room]), [], len(facts[room:]))
    found = Read()
    for at, fact in enumerate(facts):
        if len(found.kept) == room:
            found.unread = len(facts) - at
            break
        step(at, len(facts))
        _read(fact, critic, found)
    return found


def _read(fact: Proposal, critic: Critic, found: Read) -> None:
    """Put one fact where it belongs. Equal words need no opinion."""
    quotes = [cited.quote for cited in fact.basis]
    if len({fold(quote) for quote in quotes}) == 1:
        found.kept.append(fact)
        return
    opinion = critic(fact.after["content"], quotes)
    if opinion.agrees:
        found.kept.append(replace(fact, why=fact.why | {"note": opinion.note}))
    else:
        ids = tuple(cited.memory_id for cited in fact.basis)
        found.withheld.append(Skipped(Action.PROMOTE, ids, "model_disagrees", opinion.note))
