"""On every way out of the console, in random worlds, everybody is shown what is theirs and never anything else."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.memories.factories import user
from tests.memories.page_client import signed_in
from tests.rights.channels import TOKEN, Channel, Person, Shown, Token, case
from tests.rights.oracle import Thing, Who, sees, stands
from tests.rights.world import World, random_world

pytestmark = pytest.mark.django_db

CASES = 60  # of one world
PLAN = next(channel for channel in TOKEN if channel.name == "plan")
# What depends on the bounds and scopes of a token more than on the records: asked for each of them.
ALWAYS = [one for one in TOKEN if one.name in ("list of passes", "export of everything")]
WORDS = re.compile(r"zq[a-z]+\d+x\d+z")


@pytest.mark.parametrize("seed", range(17))
def test_a_thousand_questions(seed: int) -> None:
    asked(random_world(seed))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1_000, 1_167))
def test_ten_thousand_questions(seed: int) -> None:
    asked(random_world(seed))


def asked(world: World) -> None:
    """Put so many questions and compare each answer."""
    roll = Random(world.seed)
    askers: dict[Who, Any] = {
        who: Token(world, who) if who.token else Person(world, signed_in(user(who.person))) for who in world.whos
    }
    for who, asker in askers.items():
        if who.token:
            compare(world, who, PLAN, "", PLAN.ask(asker, ""))  # so that there are passes
    for who, asker in askers.items():
        for channel in ALWAYS if who.token else ():
            compare(world, who, channel, "", channel.ask(asker, ""))
    for _ in range(CASES):
        who, channel, word = case(world, roll, askers)
        compare(world, who, channel, word, channel.ask(askers[who], word))


def expected(world: World, who: Who, channel: Channel, word: str) -> set[str]:
    """The words that the channel has to show."""
    if channel.scope not in who.scopes:
        return set()
    return {thing.word for thing in world.things if wanted(thing, who, channel, word) and sees(who, thing, world.teams)}


def wanted(thing: Thing, who: Who, channel: Channel, word: str) -> bool:
    """Whether this is what the channel is about."""
    kinds = {thing.kind, "event" if thing.event else ""}
    if thing.kind == "ledger" and "ledger:read" not in who.scopes:
        return False
    return bool(kinds & set(channel.kinds)) and stands(thing, channel.how) and (not channel.one or thing.word == word)


def compare(world: World, who: Who, channel: Channel, word: str, shown: Shown) -> None:
    """Raises where something is shown that may not be, or is missing."""
    about = (world.seed, who, channel.name, word)
    words, right = set(WORDS.findall(shown.text)), expected(world, who, channel, word)
    kinds = (*channel.beside, *(channel.kinds if channel.linked else ()))
    beside = expected(world, who, replace(channel, kinds=kinds, one=False, how="any"), word)
    assert words - right - beside == set(), ("shown to the wrong one", *about)
    if channel.scope not in who.scopes:
        assert shown.status == 403, about
    elif channel.one and shown.status == 404:
        assert right == set(), ("not shown", *about)
    else:
        assert shown.status in (200, 202), (shown, about)
        assert not channel.whole or words >= right, ("not shown", *about)
        assert shown.count is None or shown.count == len(right), ("counted", *about)
