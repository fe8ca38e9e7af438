"""The history of a memory compares only as much as a page can hold; the rest is compared where it is asked for."""

from __future__ import annotations

import pytest

from memories.models import Memory
from memories.services.revise import revise
from tests.memories.factories import actor, ann, memory
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db
LONG = "word " * 4_000


def changed(text: str, times: int) -> Memory:
    """A memory of `text` whose beginning was changed so many times."""
    found = memory(ann(), f"version 0 {text}")
    for n in range(1, times + 1):
        revise(memory_id=found.pk, changes={"content": f"version {n} {text}"}, actor=actor(ann()))
    return found


def test_short_changes_are_all_compared() -> None:
    page = signed_in(ann()).get(f"/memories/{changed('is here.', 6).pk}").content.decode()
    assert page.count('class="diff"') == 6 and "Show what changed" not in page


def test_of_long_ones_the_newest_are_and_each_other_on_demand() -> None:
    long, web = changed(LONG, 6), signed_in(ann())
    page = web.get(f"/memories/{long.pk}").content.decode()
    assert page.count('class="diff"') == 1 and len(page) < 6 * len(LONG)
    assert page.count("Show what changed in its text") == 5
    assert 'href="?version=1#v1"' in page and 'id="v1"' in page
    first = web.get(f"/memories/{long.pk}?version=1").content.decode()
    assert first.count('class="diff"') == 2 and "version=1#v1" not in first


@pytest.mark.parametrize("version", ["x", "-1", "99", "1\x00", "9" * 400])
def test_a_version_that_is_none_opens_nothing(version: str) -> None:
    found, web = changed("is here.", 1), signed_in(ann())
    assert web.get(f"/memories/{found.pk}", {"version": version}).status_code == (422 if "\x00" in version else 200)
