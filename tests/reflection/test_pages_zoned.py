"""Reasons on pages tell their times in the reader's zone; stored, and over the API, they stay in UTC."""

from __future__ import annotations

import pytest
from django.utils import timezone, translation

from reflection.pages.moments import zoned
from reflection.templatetags.reflection_tags import linked, said
from tests.memories import factories
from tests.reflection import life, pages

SPAN = "3 memories say so, 8 Feb 2026 23:00 to 9 Feb 2026 01:30 UTC."


@pytest.mark.parametrize(
    ("zone", "text", "told"),
    [
        ("Asia/Seoul", "Its time was over on 10 Mar 2026 12:00 UTC.", "Its time was over on 10 Mar 2026, 21:00 KST."),
        ("Asia/Seoul", SPAN, "3 memories say so, 9 Feb 2026, 08:00 to 10:30 KST."),
        ("America/New_York", "8 Mar 2026 06:30 to 07:30 UTC", "8 Mar 2026, 01:30 EST to 03:30 EDT"),
        ("America/New_York", "9 Feb 2026 04:30 to 05:30 UTC", "8 Feb 2026, 23:30 to 9 Feb 2026, 00:30 EST"),
        ("UTC", SPAN, "3 memories say so, 8 Feb 2026, 23:00 to 9 Feb 2026, 01:30 UTC."),
        ("Asia/Seoul", "31 Feb 2026 12:00 UTC", None),
        ("America/New_York", "1 Jan 0001 00:00 UTC", None),
        ("Asia/Seoul", "Importance 0.300 on 9 Jan 2026, 60 days ago.", None),
    ],
)
def test_moments_and_spans_are_told_in_the_zone_of_the_reader(zone: str, text: str, told: str | None) -> None:
    with timezone.override(zone):
        assert zoned(text) == (text if told is None else told)


@pytest.mark.parametrize("language", ["en", "pt-br", "es", "ja", "ko"])
def test_a_reason_names_no_time_in_utc_to_who_lives_elsewhere(language: str) -> None:
    known, new = SPAN.removesuffix("."), "Nobody knows this sentence of 8 Feb 2026 23:00 UTC."
    with timezone.override("Asia/Seoul"), translation.override(language):
        for text in (linked(known), said(known), linked(new), said(new)):
            assert "UTC" not in text and "KST" in text


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "pt-br", "es", "ja", "ko"])
def test_no_page_of_reflection_tells_a_reason_in_utc(language: str) -> None:
    kept = life.fill(factories.ann())
    reader = factories.ann()
    reader.language, reader.time_zone = language, "Asia/Seoul"
    reader.save()
    plan, web = life.plan_all(factories.actor(reader)), pages.browser(reader)
    for address in (pages.address(plan), *(f"/memories/{kept[name].pk}/why" for name in ("turn0", "old"))):
        assert " UTC" not in pages.text(web.get(address)), address
