"""Selections as addresses, word diffs, and long plans in pages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone, translation
from hypothesis import given
from hypothesis import strategies as st

from console.errors import Invalid
from reflection.pages import groups
from reflection.pages.diff import pieces
from reflection.pages.selection import parse, written
from reflection.planner.wording import elapsed
from reflection.templatetags.reflection_tags import linked, local, moment, window
from tests.memories import factories
from tests.reflection import life, pages


@given(st.frozensets(st.integers(0, 4_999), max_size=200))
def test_positions_written_are_read_back(positions):
    assert parse(written(positions)) == positions


def test_runs_are_written_short():
    assert written([1, 2, 3, 7, 9, 10]) == "1-3,7,9-10"
    assert written(range(5_000)) == "0-4999"


@pytest.mark.parametrize("text", ["a", "1-", "-1", "2-1", "1,,2", "5000", "٣", "1-2-3", " 1"])
def test_malformed_positions_are_refused(text):
    with pytest.raises(Invalid):
        parse(text)


def test_a_selection_too_scattered_for_an_address_is_refused():
    with pytest.raises(Invalid):
        written(range(0, 5_000, 2))


@given(st.text(max_size=80), st.text(max_size=80))
def test_a_diff_holds_both_texts_whole(before, after):
    found = pieces(before, after)
    assert "".join(text for kind, text in found if kind != "ins") == before
    assert "".join(text for kind, text in found if kind != "del") == after


def test_a_diff_marks_whole_words():
    assert pieces("We ship on Friday.", "We ship on Thursday.") == [
        ("same", "We ship on"),
        ("del", " Friday"),
        ("ins", " Thursday"),
        ("same", "."),
    ]


def test_a_diff_of_a_script_without_spaces_marks_signs():
    assert pieces("火曜日に変更", "木曜日に変更")[-1] == ("same", "曜日に変更")


def test_a_very_long_diff_is_made_by_lines():
    before, after = "word " * 3_000, "word " * 3_000 + "\nnew line"
    assert pieces(before, after)[-1][0] == "ins"


def test_times_stand_in_the_zone_of_the_reader_with_utc_behind_them():
    with timezone.override(ZoneInfo("Asia/Seoul")):
        assert local("2025-11-29T20:00:00+00:00") == (
            '<span title="29 Nov 2025, 20:00 UTC">30 Nov 2025, 05:00 KST</span>'
        )
        span = window("2025-11-28T20:00:00+00:00", "2025-11-29T20:00:00+00:00")
        assert 'title="28 Nov 2025, 20:00 UTC to 29 Nov 2025, 20:00 UTC"' in span
        assert ">29 Nov 2025 05:00 to 30 Nov 2025 05:00 KST<" in span
    with timezone.override(ZoneInfo("Europe/Berlin")):
        assert "CET to" in window("2025-03-29T20:00:00+00:00", "2025-03-30T20:00:00+00:00")


def test_this_moment_is_just_now():
    assert ">just now<" in moment(timezone.now())
    assert ">in a moment<" in moment(timezone.now(), ahead=True)
    assert ">2 hours ago<" in moment(timezone.now() - timedelta(hours=2))


@pytest.mark.parametrize(
    ("days", "said"),
    [(79.003, "79 days"), (2, "2 days"), (1.5, "1.5 days"), (1, "1 day"), (0, "0 days"), (-1, "0 days")],
)
def test_time_gone_by_is_told_in_whole_days_from_two_days_on(days, said):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    assert elapsed(start, start + timedelta(days=days)) == said


@pytest.mark.django_db
def test_ids_in_a_reason_become_links_and_the_rest_is_escaped():
    key = "01a22ca1-f59c-74f6-ba24-502a19734a15"
    found = linked(f"<b>Kept in mem_{key}; 4 days")
    assert found.startswith('&lt;b&gt;Kept in <span class="id"><a ')
    assert f'href="/memories/{key}"' in found


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_pass_in_a_reason_is_a_link_to_that_pass(language):
    key = "01a22ca1-f59c-74f6-ba24-502a19734a15"
    with translation.override(language):
        found = linked(f"The token applied pass {key}. Undo it on its own page.")
    assert f'href="/passes/{key}"' in found and "/memories/" not in found


@pytest.mark.django_db
def test_a_long_plan_is_shown_in_pages_that_keep_the_selection(monkeypatch):
    monkeypatch.setattr(groups, "ALL_AT_ONCE", 4)
    monkeypatch.setattr(groups, "PER_GROUP", 2)
    life.fill(factories.ann())
    plan = life.plan_all(factories.actor(factories.ann()))
    web = pages.browser(factories.ann())
    first = web.get(pages.address(plan), {"out": "7"})
    assert "archive" in first.content.decode()
    assert 'name="turn" value="archive:5"' in first.content.decode()
    assert "7 of 8 selected" in pages.text(first)
    assert "1 of the selected not shown on this page" in pages.text(first)
    second = web.get(pages.address(plan), {"group": "archive", "after": "5", "out": "7"})
    assert second.content.decode().count('name="include"') == 2
    assert second.content.decode().count("data-group") == 2
    assert "7 of 8 selected" in pages.text(second)
