"""When a schedule is due, on days on which the clock of its zone jumps, too."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reflection.slots import Kind, Rhythm


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def slots(rhythm: Rhythm, start: str, count: int) -> list[str]:
    found, moment = [], at(start)
    for _ in range(count):
        moment = rhythm.after(moment)
        found.append(f"{moment:%Y-%m-%dT%H:%M}")
    return found


def daily(zone: str, clock: str) -> Rhythm:
    return Rhythm(Kind.DAILY, at("2018-01-01T00:00"), zone, time.fromisoformat(clock))


def test_in_tokyo_each_day_has_the_same_hour_in_utc():
    assert slots(daily("Asia/Tokyo", "03:00"), "2026-03-28T00:00", 3) == [
        "2026-03-28T18:00",
        "2026-03-29T18:00",
        "2026-03-30T18:00",
    ]


def test_in_berlin_an_hour_that_the_clock_leaves_out_is_run_right_after_it():
    assert slots(daily("Europe/Berlin", "02:30"), "2026-03-28T00:00", 3) == [
        "2026-03-28T01:30",
        "2026-03-29T01:30",  # 03:30 on that day's clock: 02:30 does not exist
        "2026-03-30T00:30",
    ]


def test_in_berlin_an_hour_that_the_clock_shows_twice_is_run_once():
    assert slots(daily("Europe/Berlin", "02:30"), "2026-10-24T02:00", 3) == [
        "2026-10-25T00:30",
        "2026-10-26T01:30",
        "2026-10-27T01:30",
    ]


def test_in_sao_paulo_midnight_was_left_out_when_summer_time_began():
    assert slots(daily("America/Sao_Paulo", "00:00"), "2018-11-03T00:00", 3) == [
        "2018-11-03T03:00",
        "2018-11-04T03:00",  # 01:00 on that day's clock
        "2018-11-05T02:00",
    ]


def test_in_sao_paulo_the_last_hour_came_twice_when_summer_time_ended():
    assert slots(daily("America/Sao_Paulo", "23:30"), "2019-02-16T00:00", 3) == [
        "2019-02-16T01:30",
        "2019-02-17T01:30",
        "2019-02-18T02:30",
    ]


def test_a_week_keeps_day_and_hour_of_its_zone_across_summer_time():
    monday = Rhythm(Kind.WEEKLY, at("2026-01-01T00:00"), "Europe/Berlin", time(3), weekday=0)
    assert slots(monday, "2026-03-22T00:00", 3) == ["2026-03-23T02:00", "2026-03-30T01:00", "2026-04-06T01:00"]


def test_a_monday_is_the_one_of_the_zone():
    monday = Rhythm(Kind.WEEKLY, at("2026-01-01T00:00"), "Asia/Tokyo", time(3), weekday=0)
    assert slots(monday, "2026-11-29T00:00", 1) == ["2026-11-29T18:00"]  # Sunday evening in UTC


def test_every_few_hours_count_from_when_it_was_switched_on():
    rhythm = Rhythm(Kind.HOURS, at("2026-03-28T10:10"), "Europe/Berlin", every_hours=6)
    assert slots(rhythm, "2026-03-28T10:10", 3) == ["2026-03-28T16:10", "2026-03-28T22:10", "2026-03-29T04:10"]
    assert slots(rhythm, "2026-04-28T00:00", 1) == ["2026-04-28T04:10"]
    assert slots(rhythm, "2026-03-01T00:00", 1) == ["2026-03-28T16:10"]


def test_a_day_that_a_zone_skipped_has_no_slot_of_its_own():
    assert slots(daily("Pacific/Apia", "03:00"), "2011-12-29T14:00", 2) == ["2011-12-30T13:00", "2011-12-31T13:00"]


@pytest.mark.parametrize(
    ("rhythm", "words"),
    [
        (daily("Asia/Tokyo", "03:00"), "every day at 03:00 (Asia/Tokyo)"),
        (Rhythm(Kind.WEEKLY, at("2026-01-01"), "UTC", time(23, 5), 6), "every Sunday at 23:05 (UTC)"),
        (Rhythm(Kind.HOURS, at("2026-01-01"), every_hours=6), "every 6 hours"),
        (Rhythm(Kind.HOURS, at("2026-01-01"), every_hours=1), "every hour"),
    ],
)
def test_it_is_told_in_words(rhythm, words):
    assert rhythm.words() == words


ZONES = st.sampled_from(["America/Sao_Paulo", "Asia/Tokyo", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"])


@settings(deadline=None, max_examples=200)
@given(ZONES, st.times().map(lambda t: t.replace(second=0, microsecond=0)), st.integers(0, 9_000))
def test_each_day_of_the_zone_has_one_slot_at_its_hour_or_right_after_a_gap(zone, clock, day):
    rhythm = Rhythm(Kind.DAILY, at("2000-01-01"), zone, clock)
    moment = at("2005-01-01T00:00") + timedelta(days=day)
    found = []
    for _ in range(4):
        moment = rhythm.after(moment)
        found.append(moment.astimezone(ZoneInfo(zone)))
    assert all(timedelta(hours=21) < b - a < timedelta(hours=50) for a, b in pairwise(found))
    for one in found:
        exists = datetime.combine(one.date(), clock, ZoneInfo(zone)).astimezone(UTC).astimezone(ZoneInfo(zone))
        assert one.time() == clock or exists.time() != clock or one.fold


def test_every_zone_that_can_be_chosen_is_known_here():
    assert {"America/Sao_Paulo", "Asia/Tokyo", "Europe/Berlin", "UTC"} <= available_timezones()
