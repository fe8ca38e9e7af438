"""Whose text does not belong among those that agree two by two: the one of another thing. Pure.

Two texts in which one word differs may be two wordings. Of three, two bear each other out: where both speak of the
youth orchestra, a third that speaks of the brass band is of something else.
"""

from __future__ import annotations

from collections.abc import Sequence

from reflection.planner.claims import Claim
from reflection.planner.stems import lacking
from reflection.planner.things import things

MOST = 24  # texts of a cluster up to which each is held against all others


def without_outsiders(claims: Sequence[Claim], smallest: int) -> list[int]:
    """Which of `claims` stay when those leave that lack a word all others have, and have one that no other has.

    As long as more than `smallest` stay any word counts. Then only a thing does, whoever is left: two tellings and a
    third of another thing are no three.
    """
    staying = list(range(len(claims)))
    while 1 < len(staying) <= MOST:
        others = {n: [claims[m] for m in staying if m != n] for n in staying}
        strangeness = {n: _strangeness(claims[n], others[n]) if len(staying) > smallest else 0 for n in staying}
        worst = max(staying, key=lambda n: (strangeness[n], n))
        if not strangeness[worst]:
            replacing = [n for n in staying if _of_another_thing(claims[n], others[n])]
            if not replacing:
                break
            worst = replacing[-1]
        staying.remove(worst)
    return staying


def _strangeness(claim: Claim, others: Sequence[Claim]) -> int:
    """How many words all others have and `claim` lacks; 0 where it has no word of its own."""
    missing = len(_missing(claim, others)) + (not claim.refusals and all(other.refusals for other in others))
    return missing if _own(claim, others) else 0


def _of_another_thing(claim: Claim, others: Sequence[Claim]) -> bool:
    """Whether `claim` lacks a thing that all others name, and says something of its own; beside one alone, a thing."""
    own = _own(claim, others)
    if len(others) == 1:
        own = _named(own, [claim])
    return bool(own and _named(_missing(claim, others), others))


def _missing(claim: Claim, others: Sequence[Claim]) -> list[str]:
    common = [word for word in others[0].words if all(not lacking([word], other.words) for other in others[1:])]
    return lacking(common, claim.words)


def _own(claim: Claim, others: Sequence[Claim]) -> list[str]:
    return [word for word in claim.words if all(lacking([word], other.words) for other in others)]


def _named(words: Sequence[str], claims: Sequence[Claim]) -> list[str]:
    """Those of `words` that some claim names as a thing, or as part of one."""
    named = {thing.casefold() for claim in claims for thing in things(claim.text)}
    return [word for word in words if any(word in thing or thing in word for thing in named)]
