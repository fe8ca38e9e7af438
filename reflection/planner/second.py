"""Facts that a critic reads once more before they are proposed: it may withhold one, never add one. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from reflection.planner.promote import Bench, Found
from reflection.planner.rows import Proposal, Skipped
from reflection.states import Action
from reflection.summarizer.opinion import Critic, Opinion, nobody
from reflection.summarizer.words import fold


@dataclass(slots=True)
class Read:
    """The facts that stay, those that are withheld, and how many nobody read: there was no room for more."""

    kept: list[Proposal] = field(default_factory=list)
    withheld: list[Skipped] = field(default_factory=list)
    unread: int = 0


def settle(
    first: Found, bench: Bench, room: int, critic: Critic, step: Callable[[int, int], None] = lambda read, of: None
) -> tuple[Found, Read]:
    """The facts as they stand without those withheld, which make nothing known; and the first `room` of them, read.

    A fact that came to be known only by one that is withheld gets its chance: the gates judge again until no more is.
    """
    found, withheld = first, list[Skipped]()
    ask = critic if critic is nobody else _once(critic)
    while True:
        read = read_again(found.proposals, room, ask, step)
        withheld += read.withheld
        if not read.withheld:
            return found, replace(read, withheld=withheld)
        found = bench.judge({frozenset(one.memory_ids) for one in withheld})


def _once(critic: Critic) -> Critic:
    """`critic`, asked the same question only once."""
    heard: dict[tuple[str, ...], Opinion] = {}

    def ask(statement: str, quotes: Sequence[str]) -> Opinion:
        question = (statement, *quotes)
        if question not in heard:
            heard[question] = critic(statement, quotes)
        return heard[question]

    return ask


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
    """Put one fact where it belongs. Equal words need no opinion, and are read once."""
    said: dict[str, str] = {}
    for cited in fact.basis:
        said.setdefault(fold(cited.quote), cited.quote)
    if len(said) == 1:
        found.kept.append(fact)
        return
    opinion = critic(fact.after["content"], list(said.values()))
    if opinion.agrees:
        found.kept.append(replace(fact, why=fact.why | {"note": opinion.note}))
    else:
        ids = tuple(cited.memory_id for cited in fact.basis)
        found.withheld.append(Skipped(Action.PROMOTE, ids, "model_disagrees", opinion.note))
