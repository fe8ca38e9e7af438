"""What a page says to people: its text and those attributes that are read out or shown, without code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from django.template.base import VARIABLE_TAG_START, tag_re

SAYING = ("aria-label", "aria-description", "placeholder", "title", "alt", "label", "data-label")
CODE = {"code", "pre", "kbd", "samp", "script", "style"}  # and whatever is of the class mono, or said to be English
VOID = {"input", "img", "meta", "link", "br", "hr", "wbr", "use", "path"}
WORD = re.compile(r"[A-Za-z]{2,}")
# What stands for itself in every language: the console's name, ids whole and short, keys, rights, zones, commands, and
# languages in their own words.
ITSELF = re.compile(
    r"Memory Console|(?:\w+_)?[0-9a-f]{8}-[0-9a-f-]{27}|(?:[a-zａ-ｚ]+_)?…[0-9a-f]{6}|\b[0-9a-f]{6}\b|mc_[\w-]*…?"
    r"|\bmem_|(?:memory|ledger):[a-z]+|Asia/Tokyo|python manage\.py demo|http://127\.0\.0\.1\S*|BCDF-GHJK"
    r"|Português \(Brasil\)|Español|[A-Z][\w+-]*(?:/[\w +-]+)* \(UTC[+-]\d\d:\d\d\)"
    r"|projects/(?:%|atlas(?:/notes)?)|reflections/\d{4}-\d\d-\d\d|\[REDACTED\]"
)
BLOCK = re.compile(r"{% (blocktranslate|comment)\b.*?{% end\1 %}", re.DOTALL)
LITERAL = re.compile(r"""(_\()?(?:"([^"]*)"|'([^']*)')""")
SPEAKING = re.compile(r"\|(?:default|default_if_none|yesno|add):\"([^\"]*)\"")
PIECE = re.compile(r'\?\w+=|\w+="">')  # of an address, or of an element whose attributes a tag chooses


class Reader(HTMLParser):
    """Collects what is said in `said`."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Attributes that speak; the inside of code is passed over."""
        about = {name: value or "" for name, value in attrs}
        aside = tag in CODE or "mono" in about.get("class", "").split() or (tag != "html" and about.get("lang") == "en")
        if tag not in VOID and (self.skipping[-1:] == [tag] or (aside and not self.skipping)):
            self.skipping.append(tag)
        if not self.skipping and not (aside and tag in VOID):
            self.said += [about[name] for name in SAYING if name in about]
            if tag == "input" and about.get("type") in ("submit", "button"):
                self.said.append(about.get("value", ""))
        if about.get("http-equiv") is None and tag == "meta" and about.get("name") == "description":
            self.said.append(about.get("content", ""))

    def handle_endtag(self, tag: str) -> None:
        """Where code ends."""
        if self.skipping[-1:] == [tag]:
            self.skipping.pop()

    def handle_data(self, data: str) -> None:
        """Text."""
        if not self.skipping:
            self.said.append(data)


def said_by(page: str, *, known: frozenset[str] = frozenset()) -> list[str]:
    """The texts of `page` that hold words in Latin letters, the name of the console and the words `known` aside."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    found = []
    for text in reader.said:
        plain = " ".join(ITSELF.sub(" ", text).split())
        if any(word not in known for word in WORD.findall(plain)):
            found.append(plain)
    return found


def unmarked_in(source: str) -> list[str]:
    """What a template says that no translation can reach."""
    source = BLOCK.sub("", source)
    said = said_by(tag_re.sub("", source))
    return [*(text for text in said if not PIECE.match(text)), *_literals(source)]


def _literals(source: str) -> Iterator[str]:
    """Texts inside of tags that are handed on or shown: `{% include … with title="No tokens" %}`."""
    for token in tag_re.findall(source):
        if token.startswith((VARIABLE_TAG_START, "{% firstof ")):
            yield from (text for text in SPEAKING.findall(token) if WORD.search(text))
        if token.startswith(("{% include ", "{% firstof ", "{% with ")):
            for marked, double, single in LITERAL.findall(token):
                text = double or single
                if not marked and WORD.search(ITSELF.sub("", text)) and (" " in text or text[0].isupper()):
                    yield text
