"""What an agent is told of a project: facts, then news, never more than asked, nothing of another project."""

from __future__ import annotations

import pytest

from tests.memories.api_client import Api, problems
from tests.memories.factories import ann, bob, memory

pytestmark = pytest.mark.django_db
SCOPE = "tenant:project:42"


def filled() -> None:
    for number in range(6):
        memory(ann(), f"The kettle has {number} cups.", scope=SCOPE)
        memory(ann(), f"We boiled water, round {number}.", scope=SCOPE, memory_type="episodic")
    memory(ann(), "The kettle of another project.", scope="tenant:project:43")
    memory(bob(), "The kettle of a stranger.", scope=SCOPE)


def test_facts_and_news_of_this_project_alone() -> None:
    filled()
    found = Api(ann()).post("projects/42/context", {"max_items": 8, "durable_query": "kettle cups"}).json()
    assert found["project_scope"]["scope_key"] == SCOPE and found["project_scope"]["owner_id"] == str(ann().pk)
    facts, recent = found["durable_context"]["items"], found["recent_memories"]
    assert len(facts) == 4 and len(facts) + len(recent) == found["budget"]["used_items"] == 8
    told = [one["content"] for one in (*facts, *recent)]
    assert len(set(told)) == 8 and not any("another" in text or "stranger" in text for text in told)


@pytest.mark.parametrize(("items", "tokens"), [(1, 4_000), (2, 4_000), (5, 30), (50, 20), (50, 1)])
def test_never_more_items_or_tokens_than_asked(items: int, tokens: int) -> None:
    filled()
    budget = Api(ann()).post("projects/42/context", {"max_items": items, "max_tokens": tokens}).json()["budget"]
    assert budget["used_items"] <= items and budget["used_tokens"] <= tokens


def test_a_project_without_memories_is_empty_and_a_wrong_id_is_refused() -> None:
    api = Api(ann())
    assert api.post("projects/none/context").json()["budget"]["used_items"] == 0
    assert problems(api.post(f"projects/{'x' * 151}/context")) == ["project_id"]
    assert Api(ann(), scopes=["memory:write"]).post("projects/42/context").status_code == 403
