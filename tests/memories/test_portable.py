"""Every model and every column either travels in an export, or is named with the reason why it stays."""

from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps

from memories.services import export_everything
from memories.services.portable import BESIDE, OF_MEMORIES, STAY, Portable

TRAVEL = [*OF_MEMORIES.values(), *BESIDE.values()]


def of(model: Any) -> str:
    return f"{model._meta.app_label}.{model.__name__}"


def left_unsaid(portable: Portable) -> set[str]:
    """Columns that are neither told nor excused."""
    names = {field.name: {field.name, field.attname} for field in portable.model._meta.concrete_fields}
    said = {*portable.fields, *portable.stay}
    return {name for name, both in names.items() if not both & said}


def test_every_model_travels_or_says_why_it_stays() -> None:
    known = {of(one.model) for one in TRAVEL} | STAY.keys()
    assert {of(model) for model in apps.get_models()} == known
    assert all(len(why) > 15 for why in STAY.values())
    assert not STAY.keys() & {of(one.model) for one in TRAVEL}


@pytest.mark.parametrize("portable", TRAVEL, ids=lambda one: of(one.model))
def test_every_column_travels_or_says_why_it_stays(portable: Portable) -> None:
    assert left_unsaid(portable) == set()
    names = {name for field in portable.model._meta.concrete_fields for name in (field.name, field.attname)}
    assert {*portable.fields, *portable.stay} <= names
    assert not set(portable.fields) & portable.stay.keys() and all(portable.stay.values())


def test_a_column_that_is_not_thought_of_is_seen() -> None:
    todo = BESIDE["todo"]
    less = Portable(todo.model, tuple(name for name in todo.fields if name != "note"), todo.stay)
    assert left_unsaid(less) == {"note"}


def test_each_kind_beside_memories_has_its_place_in_the_export() -> None:
    assert set(export_everything.KINDS) == {"memory", "link", *BESIDE}
