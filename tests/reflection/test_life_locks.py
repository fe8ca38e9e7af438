"""Who locks what first, and what becomes of a plan when its words are erased before the approval."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.errors import Invalid
from reflection.models import Candidate
from reflection.services import decide, dream
from reflection.services.run import reflect
from reflection.states import Outcome
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    life.fill(factories.ann())
    return factories.actor(factories.ann())


def test_a_pass_without_approval_locks_records_before_it_writes_to_the_audit(ann):
    with CaptureQueriesContext(
        connection,
    ) as seen:
        assert reflect(given={}, actor=ann).status == "applied"
    statements = [query["sql"] for query in seen.captured_queries]
    locked = next(n for n, sql in enumerate(statements) if "memories_memory" in sql and "KEY UPDATE" in sql)
    turn = next(n for n, sql in enumerate(statements) if "'apply " in sql)
    noted = next(n for n, sql in enumerate(statements) if "audit_append" in sql)
    assert turn < locked < noted


def test_an_item_that_is_confirmed_locks_the_pass_before_the_records_as_applying_it_does(ann):
    planned = dream.preview(given={}, actor=ann)
    first = life.candidates(planned)[0].pk
    with CaptureQueriesContext(connection) as seen:
        done = dream.confirm(pass_id=planned.pk, candidate_id=first, expected_run_version=1, actor=ann)
    assert done.status == "applied"
    statements = [query["sql"] for query in seen.captured_queries]
    the_pass = next(n for n, sql in enumerate(statements) if '"reflection_reflectpass"' in sql and "KEY UPDATE" in sql)
    turn = next(n for n, sql in enumerate(statements) if "'apply " in sql)
    records = next(n for n, sql in enumerate(statements) if "memories_memory" in sql and "KEY UPDATE" in sql)
    noted = next(n for n, sql in enumerate(statements) if "audit_append" in sql)
    assert the_pass < turn < records < noted


def _erased(*candidates: Candidate) -> None:
    Candidate.objects.filter(pk__in=[one.pk for one in candidates]).update(
        after={}, why={"rule": "x", "text": "gone"}, erased_at=timezone.now()
    )


def test_what_is_left_of_a_plan_is_approved_after_an_erasure_and_the_erased_part_is_skipped(ann):
    planned = life.plan_all(ann)
    gone = next(one for one in life.candidates(planned) if one.action == "summarize")
    _erased(gone)
    done = life.applied(planned, ann)
    assert done.status == "applied"
    outcomes = {one.pk: one.outcome for one in life.candidates(done)}
    assert outcomes.pop(gone.pk) == Outcome.DRIFTED
    assert set(outcomes.values()) == {Outcome.APPLIED}


def test_a_plan_of_which_everything_was_erased_cannot_be_approved(ann):
    planned = life.plan_all(ann)
    _erased(*life.candidates(planned))
    with pytest.raises(Invalid, match="Nothing is left"):
        decide.approve(pass_id=planned.pk, digest=planned.digest, actor=ann)
