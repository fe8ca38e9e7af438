"""Lineage and the rules' answers over the API."""

from __future__ import annotations

import pytest

from memories.models import Memory
from tests.memories import factories
from tests.memories.api_client import Api, problems
from tests.reflection import life

pytestmark = pytest.mark.django_db


@pytest.fixture
def summary(ann, plan):
    life.applied(plan, ann)
    return Memory.objects.get(derivation="summary")


def test_a_lineage_names_sources_quotes_and_the_candidate(plan, summary, records):
    found = Api(factories.ann()).get(f"memories/{summary.pk}/lineage").json()
    assert found["id"] == found["memory_id"] == str(summary.pk) and found["sources_gone"] == 0
    assert [one["id"] for one in found["sources"]["records"]] == [str(records[f"turn{n}"].pk) for n in range(4)]
    assert found["sources"]["total"] == 4 and found["sources"]["next"] is None and found["derived"]["total"] == 0
    (made,) = Api(factories.ann()).get(f"memories/{records['turn0'].pk}/lineage").json()["derived"]["records"]
    (one,) = plan.candidates.filter(action="summarize")
    assert (made["pass_id"], made["candidate_id"], made["trust"]) == (str(plan.pk), str(one.pk), 1)


def test_the_answers_are_told_gate_by_gate(records):
    found = Api(factories.ann()).get(f"memories/{records['old'].pk}/why", hours="48").json()
    assert [one["action"] for one in found["answers"]] == ["summarize", "promote", "expire", "decay", "archive"]
    assert {one["action"] for one in found["answers"] if one["would"]} == {"decay"}
    gates = [gate for one in found["answers"] for reason in one["reasons"] for gate in reason["gates"]]
    assert all(set(gate) == {"name", "measured", "asked", "holds"} for gate in gates)
    assert found["time_window_hours"] == 48 and found["policy"]["number"] == 1


@pytest.mark.parametrize("what", ["lineage", "why"])
def test_both_take_the_right_to_read_and_a_record_of_one_s_own(records, what):
    key = records["old"].pk
    assert Api(factories.ann(), scopes=["audit"]).get(f"memories/{key}/{what}").status_code == 403
    assert Api(factories.bob()).get(f"memories/{key}/{what}").status_code == 404
    assert Api(factories.ann()).get(f"memories/x/{what}").status_code == 400
    assert problems(Api(factories.ann()).get(f"memories/{key}/{what}", color="red")) == ["color"]


def test_a_bounded_token_sees_no_source_outside(summary, records):
    Memory.objects.filter(pk=records["turn1"].pk).update(bucket="home")
    found = Api(factories.ann(), buckets=["work"]).get(f"memories/{summary.pk}/lineage").json()
    assert found["sources"]["total"] == 3 and found["sources"]["hidden"] == 1
    assert str(records["turn1"].pk) not in str(found)
