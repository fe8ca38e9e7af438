"""The whole journey in a real browser, with scripts and without."""

from __future__ import annotations

import pytest

from tests.browser import journey
from tests.browser.steps import Visit

pytestmark = pytest.mark.browser


@pytest.fixture(params=[True, False], ids=["with-scripts", "without-scripts"])
def javascript(request: pytest.FixtureRequest) -> bool:
    """Whether scripts run in the browser."""
    return bool(request.param)


def test_a_pass_is_previewed_approved_applied_and_undone(visit: Visit) -> None:
    journey.a_pass_from_preview_to_undo(visit)


def test_a_record_edited_after_the_preview_is_skipped_and_named(visit: Visit) -> None:
    journey.a_record_edited_after_the_preview_is_skipped_and_named(visit)


def test_search_explains_its_hits_and_says_when_there_are_none(visit: Visit) -> None:
    journey.search_explains_its_hits_and_says_when_there_are_none(visit)


def test_a_memory_is_deleted_brought_back_and_deleted_for_good(visit: Visit) -> None:
    journey.a_memory_is_deleted_brought_back_and_deleted_for_good(visit)


def test_dark_stays_and_signing_out_closes_the_door(visit: Visit) -> None:
    journey.dark_stays_and_signing_out_closes_the_door(visit)
