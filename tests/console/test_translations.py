"""Every text is said in every language, with the same values, and the compiled catalogues are those of the texts."""

from __future__ import annotations

import pytest
from babel.messages.catalog import Catalog

from console import translations

LANGUAGES = translations.languages()
FOUND = translations.collected()


def test_four_languages_beside_english_have_a_catalogue() -> None:
    assert LANGUAGES == ["pt_BR", "es", "ja", "ko"]
    assert len({(message, context) for _, message, context in FOUND}) > 2_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_missing_fuzzy_wrong_or_stale(language: str) -> None:
    assert translations.problems(language, FOUND) == []


def catalogue(string: str | tuple[str, ...], **more: object) -> Catalog:
    made = Catalog(locale="es")
    made.add(("%(count)s row of %(what)s", "%(count)s rows of %(what)s"), string, **more)  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize(
    ("string", "wrong"),
    [
        (("una fila de %(what)s", "%(count)s filas de %(what)s", "%(count)s de %(what)s"), set()),
        (("una fila", "%(count)s filas de %(what)s", "%(count)s de %(what)s"), {"what"}),
        (("%(cuenta)s de %(what)s", "%(count)s filas de %(what)s", "%(count)s de %(what)s"), {"cuenta"}),
    ],
)
def test_a_translation_with_other_values_is_seen(string: tuple[str, ...], wrong: set[str]) -> None:
    [message] = [one for one in catalogue(string) if one.id]
    assert translations._variables(message) == wrong


def test_what_is_not_there_is_named() -> None:
    more = [*FOUND, ("somewhere.py", "A text that nobody has translated.", None)]
    said = translations.problems("ja", more)
    assert said[0] == "ja: no translation of 'A text that nobody has translated.'"
    assert any("not that of the code" in one for one in said)


def test_a_text_that_is_put_together_is_refused() -> None:
    with pytest.raises(ValueError, match="takes no plain text"):
        list(translations._of_code(b'_(f"Hello {name}")'))


def test_templates_are_read_with_plurals_contexts_and_parameters() -> None:
    source = (
        '{% load i18n %}{% translate "One" context "number" %}{% include "x.html" with title=_("Two") %}'
        "{% blocktranslate trimmed count counter=n %}\n {{ counter }} row\n{% plural %}{{ counter }} rows\n"
        "{% endblocktranslate %}"
    )
    assert set(translations._of_template(source)) == {
        ("One", "number"),
        ("Two", None),
        (("%(counter)s row", "%(counter)s rows"), None),
    }
