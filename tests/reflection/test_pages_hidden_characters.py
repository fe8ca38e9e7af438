"""Characters that turn the reading direction or show nothing cannot deceive whoever approves a plan."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.memories import factories
from tests.memories.page_client import signed_in
from tests.reflection import life

pytestmark = pytest.mark.django_db
TURNED = "Pay \u202eeerht\u202c to Bob"


def test_a_card_shows_them_by_their_code() -> None:
    ann = factories.ann()
    due = timezone.now() - timedelta(hours=1)
    factories.memory(ann, TURNED, path="a\u202eb", expires_at=due, bucket="work")
    planned = life.plan_all(factories.actor(ann), actions_csv="expire")
    page = signed_in(ann).get(f"/passes/{planned.pk}").content.decode()
    assert "U+202E" in page and "\u202e" not in page
    assert page.count('title="invisible character U+202E"') >= 2


def test_evidence_shows_them_by_their_code() -> None:
    ann = factories.ann()
    for n in range(3):
        at = timezone.now() - timedelta(hours=2 + 2 * n)
        factories.memory(
            ann, f"{TURNED}.", created_at=at, memory_type="episodic", bucket="work", path=f"day{n}", session=f"s{n}"
        )
    planned = life.plan_all(factories.actor(ann), actions_csv="promote")
    assert planned.counts["promote"] == 1
    page = signed_in(ann).get(f"/passes/{planned.pk}").content.decode()
    assert "U+202E" in page and "\u202e" not in page
