"""What a pass has done travels: in another console the same records are not told, moved or faded again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.models import Memory, MemoryLink
from memories.services.export_everything import Wanted, export_everything
from memories.services.import_all import import_all
from memories.services.import_lines import Place
from reflection.models import ReflectPass
from tests.memories.belongings import FORGOTTEN
from tests.memories.factories import actor, ann
from tests.reflection import life

pytestmark = pytest.mark.django_db


def planned_now() -> list[tuple[str, str]]:
    """What a pass over everything would do now."""
    made: list[Any] = life.candidates(life.plan_all(actor(ann())))
    return sorted((one.action, str(one.target_id)) for one in made)


def test_after_a_pass_export_and_import_the_next_plan_is_the_same() -> None:
    life.fill(ann())
    before = planned_now()
    life.applied(life.plan_all(actor(ann())), actor(ann()))
    after = planned_now()
    assert len(after) < len(before)
    page = export_everything(wanted=Wanted(), actor=actor(ann()))
    assert page.following is None
    links = MemoryLink.objects.count()
    ReflectPass.objects.all().delete()
    for model in FORGOTTEN:
        model.objects.all().delete()
    rows = [(number, json.loads(line)) for number, line in enumerate(page.lines, 1)]
    assert import_all(rows=rows, place=Place(), actor=actor(ann())).errors == []
    assert MemoryLink.objects.count() == links > 0
    assert Memory.objects.filter(derivation="summary").exists()
    assert planned_now() == after
