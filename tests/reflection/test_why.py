"""Why a memory would or would not be changed: each gate with what was measured, as the planner itself decides it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.models import Memory, MemoryState
from memories.services.forget import forget
from reflection.planner.probe import answers
from reflection.planner.question import Question
from reflection.planner.rows import Row, Window
from reflection.policy import Policy
from reflection.services import why
from reflection.services.plan import plan
from reflection.states import Action
from tests.memories import factories
from tests.reflection import life, pages
from tests.reflection.planner_rows import ALWAYS, DAY, HOUR, NOW, row, unit

SAID = "Deploys happen on Thursdays."


def told(rows: list[Row], about: Row, *, window: Window = ALWAYS, **limits: Any) -> dict[str, Any]:
    """The answers about one row, by action."""
    return {one.action: one for one in answers(Question(rows, about.id, NOW, Policy(**limits), window))}


def gates(answer: Any) -> dict[str, bool | None]:
    return {f"{reason.name}: {gate.name}": gate.holds for reason in answer.reasons for gate in reason.gates}


def measured(answer: Any, name: str) -> str:
    return next(gate.measured for reason in answer.reasons for gate in reason.gates if gate.name == name)


def said(count: int, **fields: Any) -> list[Row]:
    """Rows that say the same in different sessions and hours."""
    return [
        row(n, SAID, created_at=NOW - (n + 1) * HOUR, session=f"s{n}", path=f"day{n}", **fields) for n in range(count)
    ]


def test_repeated_independent_evidence_passes_every_gate():
    rows = said(3)
    found = told(rows, rows[0])[Action.PROMOTE]
    assert found.would and "3 memories say so" in found.text
    assert all(gates(found).values())
    assert measured(found, "repeated").startswith("said 3 times")
    assert measured(found, "independent") == "3 sessions, 3 hours"


def test_twice_is_not_repeated_and_the_other_gates_are_told_all_the_same():
    rows = said(2)
    found = told(rows, rows[0])[Action.PROMOTE]
    assert not found.would and "the rule asks for 3" in found.text
    assert gates(found)["repeated: repeated"] is False
    assert gates(found)["repeated: independent"] is True


def test_one_session_is_not_independent():
    rows = [row(n, SAID, created_at=NOW - (n + 1) * HOUR, session="s", path="day") for n in range(3)]
    found = told(rows, rows[0])[Action.PROMOTE]
    assert {name for name, holds in gates(found).items() if holds is False} == {"repeated: independent"}
    assert "1 session and 3 different hours" in measured(found, "independent")


def test_a_question_declares_nothing():
    rows = [row(n, "Who deploys?", created_at=NOW - (n + 1) * HOUR, session=f"s{n}", path=f"p{n}") for n in range(3)]
    found = told(rows, rows[0])[Action.PROMOTE]
    assert gates(found)["repeated: declarative"] is False
    assert gates(found)["repeated: untrusted"] is None


def test_what_is_known_and_from_whom_is_said():
    known = row(9, SAID, memory_type="semantic", created_at=NOW - 30 * DAY)
    rows = [known, *said(3)]
    found = told(rows, rows[1])[Action.PROMOTE]
    assert gates(found)["repeated: already_known"] is False
    assert f"mem_{known.id}" in measured(found, "already_known")


def test_untrusted_evidence_needs_a_person():
    rows = said(3, trust=0)
    found = told(rows, rows[0])[Action.PROMOTE]
    assert {name for name, holds in gates(found).items() if holds is False} == {"repeated: untrusted"}


def test_several_gates_can_fail_at_once():
    rows = [row(n, SAID, created_at=NOW - HOUR + n * DAY / 10**5, session="s", path="day", trust=0) for n in range(2)]
    found = told(rows, rows[0])[Action.PROMOTE]
    failing = {name for name, holds in gates(found).items() if holds is False}
    assert failing == {"repeated: repeated", "repeated: independent", "repeated: untrusted"}


def test_the_nearest_other_memory_is_measured():
    one = row(1, "The harbour was foggy.", vector=unit(1, 0))
    other = row(2, "The printer was moved.", vector=unit(0.28, 0.96))
    asked = Policy().promote_cosine
    found = told([one, other], one)[Action.PROMOTE]
    assert f"likeness of 0.28 (asked: {asked:g})" in measured(found, "repeated")


def by(*speakers: str | None, **fields: Any) -> list[Row]:
    return [replace(one, speaker=who) for one, who in zip(said(len(speakers), **fields), speakers, strict=True)]


def test_equal_words_of_other_speakers_are_told_instead_of_a_likeness():
    far = row(9, "The printer was moved.", vector=unit(0.28, 0.96), speaker="Ann")
    rows = [far, *by("Ann", "Bo", "Cy", None, vector=unit(1, 0))]
    found = measured(told(rows, rows[1])[Action.PROMOTE], "repeated")
    assert found.startswith("Said 4 times in the same words, each time by somebody else")
    rows = [far, *by("Ann", "Bo", vector=unit(1, 0))]
    found = measured(told(rows, rows[1])[Action.PROMOTE], "repeated")
    assert found.startswith("Said 1 time; the rule asks for 3. 1 more with the same words is of another speaker")
    assert "likeness" not in found


def test_who_says_it_twice_learns_that_others_say_it_too():
    rows = by("Ann", "Ann", "Bo", "Bo")
    found = measured(told(rows, rows[0])[Action.PROMOTE], "repeated")
    assert found.startswith("Said 2 times; the rule asks for 3. 2 more with the same words are of another speaker")


def test_equal_words_that_are_no_events_are_told():
    rows = [*said(1), row(8, SAID, held=True), row(9, SAID, memory_type="working")]
    found = measured(told(rows, rows[0])[Action.PROMOTE], "repeated")
    assert found.startswith("Said 1 time; the rule asks for 3. 2 more with the same words are no evidence")


def test_a_nearer_wording_of_another_speaker_is_told_as_such():
    one = row(1, "Deploys happen on Thursdays.", vector=unit(1, 0), speaker="Ann")
    other = row(2, "We deploy on Thursdays.", vector=unit(0.9, 0.1), speaker="Bo")
    own = row(3, "The printer was moved.", vector=unit(0.28, 0.96), speaker="Ann")
    found = measured(told([one, other, own], one)[Action.PROMOTE], "repeated")
    assert found.startswith("none by its speaker; the nearest by another one has a likeness of 0.99")


def test_where_all_holds_but_a_pass_sees_too_few_of_them_that_is_told():
    rows = said(3)
    found = told(rows, rows[0], window=Window(NOW - 1.5 * HOUR, NOW))[Action.PROMOTE]
    missing = [gate.measured for reason in found.reasons for gate in reason.gates if not gate.holds]
    assert not found.would and missing == ["1 of the 3 that say so"]


def test_outside_the_window_is_said_and_the_rest_judged_as_if_inside():
    rows = said(3)
    found = told(rows, rows[0], window=Window(NOW - DAY / 10**4, NOW))[Action.PROMOTE]
    assert not found.would
    assert {name for name, holds in gates(found).items() if holds is False} == {"repeated: recent"}


def test_an_episode_of_two_is_too_short_for_a_summary():
    rows = [row(n) for n in range(2)]
    found = told(rows, rows[0])[Action.SUMMARIZE]
    assert not found.would and "a new summary needs 3" in found.text
    assert measured(found, "in its episode") == "2 memories"
    assert told([*rows, row(2)], rows[0])[Action.SUMMARIZE].would


def test_without_a_time_of_its_own_it_makes_no_episode():
    rows = [row(n, undated=n == 0) for n in range(4)]
    found = told(rows, rows[0])[Action.SUMMARIZE]
    assert not found.would and measured(found, "placed in time") == "only the time of its import is known"
    assert {name for name, holds in gates(found).items() if holds is False} == {"episode: placed in time"}


def test_what_a_summary_tells_already_is_named():
    summary = row(8, memory_type="semantic", is_summary=True)
    cited = row(1, cited_by=summary.id)
    found = told([cited, summary], cited)[Action.SUMMARIZE]
    assert not found.would and f"mem_{summary.id}" in found.text
    assert gates(found)["episode: not told yet"] is False


@pytest.mark.parametrize(
    ("fields", "failing"),
    [
        ({"base": 0.1, "created_at": NOW - 100 * DAY}, set()),
        ({"base": 0.1, "created_at": NOW - 20 * DAY}, {"faded: unused"}),
        (
            {"base": 1.0, "importance": 1.0, "created_at": NOW - 100 * DAY, "memory_type": "semantic"},
            {"faded: importance"},
        ),
        ({"base": 1.0, "created_at": NOW - DAY, "memory_type": "semantic"}, {"faded: importance", "faded: unused"}),
    ],
)
def test_each_condition_of_fading_is_measured_by_itself(fields, failing):
    one = row(1, **fields)
    found = told([one], one)[Action.ARCHIVE]
    assert {name for name, holds in gates(found).items() if name.startswith("faded") and not holds} == failing
    assert found.would is (failing == set())


@pytest.mark.parametrize(("days", "would"), [(40, True), (29, False)])
def test_a_told_event_is_archived_when_it_is_old_and_unused(days, would):
    summary = row(8, memory_type="semantic", is_summary=True, base=0.9, created_at=NOW - 20 * DAY)
    one = row(1, cited_by=summary.id, base=0.9, created_at=NOW - days * DAY)
    found = told([one, replaced(summary, cites=(one.id,))], one)[Action.ARCHIVE]
    assert found.would is would
    assert gates(found)["cited: kept in"] is True
    assert gates(found)["cited: age"] is would and gates(found)["cited: unused"] is would


def replaced(one: Row, **fields: Any) -> Row:

    return replace(one, **fields)


def test_idle_working_memory_and_doubles_are_told_apart():
    idle = row(1, memory_type="working", created_at=NOW - 20 * DAY)
    found = told([idle], idle)[Action.ARCHIVE]
    assert found.would and gates(found)["idle_working: unused"] is True
    older, newer = row(1, "Same.", created_at=NOW - DAY), row(2, "Same.", created_at=NOW - HOUR)
    assert measured(told([older, newer], older)[Action.ARCHIVE], "a newer one with the same words") == f"mem_{newer.id}"
    assert not told([older, newer], newer)[Action.ARCHIVE].would


def test_protection_is_the_only_gate_that_a_pinned_record_fails():
    one = row(1, base=0.1, created_at=NOW - 100 * DAY, pinned=True)
    found = told([one], one)[Action.ARCHIVE]
    assert not found.would and "protected: pinned" in found.text
    assert gates(found)["faded: importance"] is True and gates(found)["protection: protection"] is False


def test_expiry_and_decay_are_measured():
    one = row(1, expires_at=NOW, importance=0.5, created_at=NOW - 30 * DAY)
    found = told([one], one)
    assert found[Action.EXPIRE].would and gates(found[Action.EXPIRE])["expired: expires"] is True
    lasting = row(2, importance=0.5, created_at=NOW - 30 * DAY)
    decay = told([lasting], lasting)[Action.DECAY]
    assert decay.would and "stored 0.500, now 0.250: 0.250" in measured(decay, "difference")
    identity = row(3, memory_type="identity", created_at=NOW - 30 * DAY)
    assert gates(told([identity], identity)[Action.DECAY])["half_life: half-life"] is False


# With the database


@pytest.mark.django_db
def test_the_answers_are_those_of_a_pass_at_the_same_moment(ann, records):
    as_of = timezone.now()
    made = plan(given={"time_window_hours": 24}, as_of=as_of, actor=ann)
    changed = {(one.target_id, one.action) for one in life.candidates(made) if one.target_id}
    cited = {
        (line.memory_id, one.action) for one in life.candidates(made) if not one.target_id for line in one.basis.all()
    }
    for name, record in records.items():
        found = why.explain(record.pk, as_of=as_of, actor=ann)
        would = {(record.pk, answer.action.value) for answer in found.answers if answer.would}
        assert would == {pair for pair in changed | cited if pair[0] == record.pk}, name


@pytest.mark.django_db
def test_the_page_shows_every_action_and_gate(web, records):
    seen = pages.text(web.get(f"/memories/{records['old'].pk}/why"))
    for word in ("summarize no", "promote no", "expire no", "decay yes", "archive no", "policy v1"):
        assert word in seen
    assert "Compared with all 12 memories" in seen
    assert f"/memories/{records['old'].pk}/why" in web.get(f"/memories/{records['old'].pk}").content.decode()


@pytest.mark.django_db
def test_what_is_not_active_is_said_to_be_out_of_reach(web, ann, records):
    forget(record_id=records["old"].pk, actor=ann)
    assert "a pass looks only at active memories" in pages.text(web.get(f"/memories/{records['old'].pk}/why"))


@pytest.mark.django_db
def test_a_large_boundary_is_looked_at_in_part_and_that_is_said(web, monkeypatch, records):
    monkeypatch.setattr(why, "MOST", 5)
    ann, now = factories.ann(), timezone.now()
    many = [
        Memory(owner=ann, content=f"Noise {n}.", path="noise", memory_type="semantic", created_at=now, updated_at=now)
        for n in range(500)
    ]
    Memory.objects.bulk_create(many)
    MemoryState.objects.bulk_create(MemoryState(memory=one, anchor=now) for one in many)
    with CaptureQueriesContext(connection) as seen:
        text = pages.text(web.get(f"/memories/{records['turn1'].pk}/why"))
    assert len(seen) < 50
    assert "nearest of 512 memories" in text and "summarize yes" in text


@pytest.mark.django_db
@pytest.mark.parametrize("hours", ["x", "0", "-1", "nan", "1e9"])
def test_a_wrong_span_is_refused(web, records, hours):
    assert web.get(f"/memories/{records['old'].pk}/why", {"hours": hours}).status_code == 422


@pytest.mark.django_db
def test_a_stranger_learns_nothing(records):
    assert pages.browser(factories.bob()).get(f"/memories/{records['old'].pk}/why").status_code == 404


@pytest.mark.django_db
def test_looking_back_further_finds_more(ann, records):
    later = timezone.now() + timedelta(hours=48)
    found = {hours: why.explain(records["said0"].pk, hours=hours, as_of=later, actor=ann) for hours in (24, 72)}
    would = {hours: {one.action for one in answers.answers if one.would} for hours, answers in found.items()}
    assert Action.PROMOTE not in would[24] and Action.PROMOTE in would[72]


@pytest.mark.django_db
def test_equal_words_elsewhere_are_counted_as_far_as_the_reader_sees_them(ann, records):
    mine, text = factories.ann(), "Only Ann says this."
    made = factories.memory(mine, text, bucket="work", memory_type="episodic")
    factories.memory(mine, text, bucket="personal", memory_type="episodic")
    factories.memory(factories.bob(), text, memory_type="episodic")
    found = why.explain(made.pk, actor=ann)
    answer = next(one for one in found.answers if one.action == Action.PROMOTE)
    asked = found.policy.rules.promote_min_rows
    more = "1 more with the same words is of another space, owner, bucket or scope."
    assert measured(answer, "repeated") == f"Said 1 time; the rule asks for {asked}. {more}"
