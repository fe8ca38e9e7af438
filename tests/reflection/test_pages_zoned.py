"""Reasons on pages tell their times in the reader's zone; stored, and over the API, they stay in UTC."""

from __future__ import annotations

import pytest
from django.utils import timezone, translation

from reflection.pages.zoned import zoned

SPAN = "3 memories say so, 8 Feb 2026 23:00 to 9 Feb 2026 01:30 UTC."


@pytest.mark.parametrize(
    ("zone", "text", "told"),
    [
        ("Asia/Seoul", "Its time was over on 10 Mar 2026 12:00 UTC.", "Its time was over on 10 Mar 2026 21:00 KST."),
        ("Asia/Seoul", SPAN, "3 memories say so, 9 Feb 2026 08:00 to 10:30 KST."),
        ("America/New_York", "8 Mar 2026 06:30 to 07:30 UTC", "8 Mar 2026 01:30 EST to 03:30 EDT"),
        ("America/New_York", "9 Feb 2026 04:30 to 05:30 UTC", "8 Feb 2026 23:30 to 9 Feb 2026 00:30 EST"),
        ("UTC", SPAN, SPAN),
        ("Asia/Seoul", "31 Feb 2026 12:00 UTC", None),
        ("America/New_York", "1 Jan 0001 00:00 UTC", None),
        ("Asia/Seoul", "Importance 0.300 on 9 Jan 2026, 60 days ago.", None),
    ],
)
def test_moments_and_spans_are_told_in_the_zone_of_the_reader(zone: str, text: str, told: str | None) -> None:
    with timezone.override(zone):
        assert zoned(text) == (text if told is None else told)


def test_what_is_told_in_another_language_starts_from_what_is_stored() -> None:
    with timezone.override("Asia/Seoul"), translation.override("ja"):
        assert zoned(SPAN) == SPAN
