"""What could turn the reading direction or hide is written by its code on the pages of records and of access."""

from __future__ import annotations

import pytest

from tests.memories.factories import ann, memory, token
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db
TURNED = "a\u202eb"


def test_bounds_of_a_token_show_them() -> None:
    token(ann(), buckets=[TURNED], scope=TURNED, path_prefix=TURNED, agent_id=TURNED)
    page = signed_in(ann()).get("/access").content.decode()
    assert page.count('title="invisible character U+202E"') == 4 and "\u202e" not in page


def test_the_facts_of_a_memory_show_them() -> None:
    made = memory(ann(), "Tea.", source=TURNED, hold=TURNED, bucket=TURNED, agent_id=TURNED)
    page = signed_in(ann()).get(f"/memories/{made.pk}").content.decode()
    assert page.count('title="invisible character U+202E"') >= 4 and "\u202e" not in page.split("<main")[-1]


def test_filters_in_force_show_them() -> None:
    page = signed_in(ann()).get("/memories", {"bucket": TURNED}).content.decode()
    assert 'title="invisible character U+202E"' in page
