"""A fresh demo shows what a pass does: the plan that waits, and a new one, have candidates of all five actions."""

from __future__ import annotations

import pytest

from console.demo import load, passes
from memories.access import person
from memories.embedding import store
from memories.models import Memory, Team, User
from reflection import queries
from reflection.models import ReflectPass
from reflection.services.plan import plan
from reflection.states import Action, Status

pytestmark = pytest.mark.django_db
LANGUAGES = {"en", "pt-BR", "es", "ja", "ko"}
REPEATED = ("en-fact-", "es-hec-", "ja-jijitsu-", "ko-hwan-", "pt-col-")


@pytest.fixture
def made() -> ReflectPass:
    """The plan that waits for Atlas. Only what is repeated gets vectors: the model takes its time."""
    load.load()
    keys = Memory.objects.values_list("pk", "source_id")
    store.fill(passing_over=[key for key, source_id in keys if not source_id.startswith(REPEATED)])
    passes.load()
    return ReflectPass.objects.get(status=Status.PLANNED, kind="reflect")


def fresh() -> ReflectPass:
    return plan(
        given={"team_id": str(Team.objects.get(name="Atlas").pk)}, actor=person(User.objects.get(username="ann"))
    )


def test_the_plan_that_waits_and_a_fresh_one_have_candidates_of_all_five_actions(made: ReflectPass) -> None:
    assert {action for action, count in made.counts.items() if count} == set(Action)
    assert {action for action, count in fresh().counts.items() if count} == set(Action)


def test_facts_are_found_in_each_of_the_five_languages(made: ReflectPass) -> None:
    facts = [one for one in queries.candidates_of(fresh()) if one.action == Action.PROMOTE]
    basis = queries.basis_of(facts)
    languages = [{Memory.objects.get(pk=line.memory_id).language for line in basis[one.pk]} for one in facts]
    assert set().union(*languages) == LANGUAGES and all(len(one) == 1 for one in languages)
    assert "Deploys happen on Thursdays." in {one.after["content"] for one in facts}


def test_each_gate_of_promotion_is_seen_to_stop_something(made: ReflectPass) -> None:
    found = fresh()
    stopped = {one["gate"] for one in (*found.skipped, *found.near_misses) if one["action"] == Action.PROMOTE}
    assert {"already_known", "untrusted", "declarative"} <= stopped
