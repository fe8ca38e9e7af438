"""The console in a language that only tests speak: every message in brackets, with accents, two fifths longer.

These are also the settings of such a console: those of the real one, with the texts of LENGTHENED_TEXTS. They stand in
for the Spanish ones, so that dates and plurals have their forms. The English words stay within the longer ones.
"""

from __future__ import annotations

import os
import re
from math import ceil
from pathlib import Path

from babel.messages.catalog import Catalog

from console.settings import *  # noqa: F403

LANGUAGE = "es"
LONGER = 0.4
# Values, markup and their names are kept, and nothing is drawn from them.
KEPT = re.compile(r"%\(\w+\)[sd]|%%|\{\w+\}|<[^>]*>|&\w+;")
ACCENTS = str.maketrans("aceinouyACEINOUY", "áçéíñóúýÁÇÉÍÑÓÚÝ")
LOCALE_PATHS = [Path(os.environ["LENGTHENED_TEXTS"])] if "LENGTHENED_TEXTS" in os.environ else []


def lengthened(text: str) -> str:
    """`text` in brackets with two fifths of its letters after it, one word where it is one."""
    letters = " ".join(KEPT.sub("", text).split())
    if not any(letter.isalpha() for letter in letters):
        return text
    more = letters[: ceil(len(letters) * LONGER)].strip().translate(ACCENTS)
    return f"[{text}{' ' if ' ' in letters else ''}{more}]"


def write_texts(folder: Path) -> None:
    """The compiled catalogue of all messages as they are in the code now."""
    from console import translations

    made = Catalog(locale=LANGUAGE)
    for _, message, context in translations.collected():
        if isinstance(message, str):
            made.add(message, lengthened(message), context=context)
        else:
            one, many = map(lengthened, message)
            made.add(message, (one, *[many] * (made.num_plurals - 1)), context=context)
    path = folder / LANGUAGE / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(translations.compiled(made))
