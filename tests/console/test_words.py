"""What stored values, fields and numbers are called for people."""

from __future__ import annotations

import re
from decimal import Decimal
from inspect import getsource
from typing import Any

import pytest
from django import forms
from django.utils import translation
from django.utils.functional import Promise

from console import tags
from console.words import TITLES, WORDS, word
from memories import audit
from memories.models import memory, people, record
from memories.models.ledger import TransactionType
from memories.pages import caring, decisions, downloading, importing, keyset, kind_forms, retention, selecting
from memories.pages import forms as of_memories
from memories.pages import tokens as of_tokens
from memories.pages import trash as of_trash
from memories.pages.form_fields import LABELS, Labelled
from memories.pages.ledger import money

AMOUNT = Decimal("1234.5000")
ENUMS = (memory.MemoryType, memory.Trust, memory.LinkKind, people.Role, record.LifecycleStatus, TransactionType)
MODULES = (
    *(caring, decisions, downloading, importing, kind_forms, retention, selecting),
    *(of_memories, of_tokens, of_trash),
)


def shown_fields() -> dict[str, forms.Field]:
    found = {}
    for module in MODULES:
        for form in vars(module).values():
            if isinstance(form, type) and issubclass(form, Labelled) and form is not Labelled:
                fields = form.base_fields.items()  # type: ignore[attr-defined]
                found |= {f"{form.__name__}.{name}": one for name, one in fields if not one.widget.is_hidden}
    return found


@pytest.mark.parametrize("kind", ENUMS, ids=lambda kind: str(kind.__name__))
def test_every_stored_value_has_a_word_the_same_in_english(kind: Any) -> None:
    words = [str(one.label).lower() for one in kind]
    assert [word(one) for one in words] == words
    assert set(words) <= set(WORDS)


def test_every_word_is_said_anew_in_each_language() -> None:
    assert all(isinstance(one, Promise) for one in (*WORDS.values(), *TITLES.values()))


def test_a_memory_of_every_type_and_derivation_has_a_title() -> None:
    assert {*memory.MemoryType.values, *memory.Derivation.values} - {""} == set(TITLES)
    assert tags.title_of("fact") == "Fact"
    assert tags.title_of("episodic") == "Episodic memory"


def test_every_fault_of_a_chain_has_a_word() -> None:
    faults = re.findall(r"THEN '([^']+)'|'([^']+)' AS fault", getsource(audit))
    assert len(faults) == 4
    assert {one or other for one, other in faults} <= set(WORDS)


@pytest.mark.parametrize("name", shown_fields())
def test_every_field_has_a_label_that_can_be_translated(name: str) -> None:
    field = shown_fields()[name]
    own = field.label if field.label is not None else LABELS.get(name.partition(".")[2])
    assert own is None or isinstance(own, Promise)
    assert own is not None or name in {"ConfirmForm.word", "ConfirmForm.count"}, "labels made where the form is made"


def test_numbers_are_written_as_the_reader_is_used_to() -> None:
    assert (tags.score(0.996), keyset.grouped(12_304)) == ("1.00", "12,304")
    with translation.override("pt-br"):
        assert (tags.score(0.996), keyset.grouped(12_304)) == ("1,00", "12.304")
        assert money(AMOUNT, "EUR") == "1.234,50"
    assert money(AMOUNT, "EUR") == "1,234.50"
    assert money(Decimal(1234), "JPY") == "1,234"
