"""Lineage and the rules' answers over the API."""

from __future__ import annotations

import pytest
from django.utils import timezone

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


def test_what_lies_before_a_memory_is_told_as_on_its_page(records):
    api = Api(factories.ann())
    found = api.get(f"memories/{records['old'].pk}/importance").json()
    ahead = found["ahead"]
    assert found["stored"] == 0.5 and found["policy"]["number"] == 1 and found["out_of_reach"] is None
    assert ahead["leaves"]["action"] == "archive" and ahead["leaves"]["rule"] == "faded"
    assert ahead["written_from"] < ahead["below_from"] <= ahead["leaves"]["at"]
    values = [one["importance"] for one in ahead["importance"]]
    assert values == sorted(values, reverse=True) and ahead["importance"][0]["days"] == 0
    kept = api.get(f"memories/{records['pinned'].pk}/importance").json()["ahead"]
    assert kept["steady_because"] == "pinned" and kept["leaves"] is kept["written_from"] is None
    assert {one["importance"] for one in kept["importance"]} == {0.5}


def test_what_no_pass_looks_at_says_why(records):
    Memory.objects.filter(pk=records["old"].pk).update(redacted_at=timezone.now())
    found = Api(factories.ann()).get(f"memories/{records['old'].pk}/importance").json()
    assert found["ahead"] is None and "none without words" in found["out_of_reach"]


@pytest.mark.parametrize("what", ["lineage", "why", "importance"])
def test_all_take_the_right_to_read_and_a_record_of_one_s_own(records, what):
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
