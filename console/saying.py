"""Sentences that can be said in another language later.

A service says things in English: what it raises is logged, audited and answered to agents as it stands. `phrase` keeps
beside the English sentence what it was made of, and a door that speaks to a person calls `told`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext, ngettext, pgettext


class Said(str):
    """An English sentence that knows its form and the values in it."""

    form: tuple[str, ...]
    values: dict[str, Any]
    number: int
    context: str


class Quoted(str):
    """Words of a record inside a sentence. What is kept for ever is kept without them."""


def phrase(text: str, /, **values: Any) -> Said:
    """The sentence `text`, with `values` in place of `%(name)s`. Without values `%` stands for itself."""
    return _said((text,), text, 0, values)


def phrase_of(context: str, text: str, /) -> Said:
    """A word that languages say differently by what it is said of, which `context` names."""
    said = _said((text,), text, 0, {})
    said.context = context
    return said


def phrase_many(one: str, many: str, /, count: int, **values: Any) -> Said:
    """`one` or `many`, as `count` asks; `%(count)s` stands for the number."""
    return _said((one, many), one if count == 1 else many, count, {"count": f"{count:,}", **values})


def stored(text: str) -> Said:
    """An English sentence as it was stored: told where it is one of ours that holds no values."""
    return _said((text,), text, 0, {})


def joined(parts: Sequence[str], between: str = " ") -> Said:
    """Several sentences in a row, each of which keeps its form."""
    values = {f"part{number}": part for number, part in enumerate(parts)}
    form = between.join(f"%({name})s" for name in values)
    return _said((form,), form, 0, values)


def _said(form: tuple[str, ...], text: str, count: int, values: dict[str, Any]) -> Said:
    said = Said(text % values if values else text)
    said.form, said.number, said.values, said.context = form, count, values, ""
    return said


def unquoted(text: str) -> str:
    """The English sentence with “…” for each value that is Quoted."""
    if not isinstance(text, Said) or not text.values:
        return str(text)
    form = text.form[0] if text.number == 1 else text.form[-1]
    return form % {name: _kept(value) for name, value in text.values.items()}


def _kept(value: Any) -> Any:
    if isinstance(value, Quoted):
        return "…"
    return unquoted(value) if isinstance(value, Said) else value


def told(text: Any) -> str:
    """`text` in the language of the reader; what `phrase` did not make is returned as it is, as text."""
    if not isinstance(text, Said):
        return str(text)
    one, many = text.form[0], text.form[-1]
    if text.context:
        return pgettext(text.context, one)
    form = (gettext(one) if one else "") if len(text.form) == 1 else ngettext(one, many, text.number)
    values = {name: told(value) if isinstance(value, Said) else value for name, value in text.values.items()}
    return form % values if values else form
