"""What a page is made of, apart from its words: two pages that differ only in texts have the same shape.

The forms of a page can be filled in and sent, as a person would.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import zip_longest
from urllib.parse import urlsplit

# Attributes that hold words; of all others the value is part of the shape.
WORDS = {"value", "title", "alt", "aria-label", "placeholder", "content", "label", "datetime", "lang"}
WORDS |= {"data-copy", "data-copied", "data-announce", "d", "points", "hx-headers", "maxlength"}
# The language of a text is guessed, if it can be, and lists in the order of texts differ in what is in force. What is
# invisible is shown by an element of the class `control`, wherever such a text stands in a list.
VARYING = {"lang", "aria-current"}
ADDRESSES = {"href", "src", "action", "formaction", "data", "poster", "srcset", "ping", "background", "xlink:href"}
ADDRESSES |= {f"hx-{verb}" for verb in ("get", "post", "put", "patch", "delete")}
OWN = re.compile(r"(/(?![/\\])|#|\?|$)")  # an address within the console
CHANGING = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{6,64}\b|[0-9][0-9.,]*")
TEXTS = {"", "text", "search", "email", "url", "password"}

Element = tuple[str, tuple[tuple[str, str], ...]]


class Shape(HTMLParser):
    """The elements of a page in order, each with its attributes, and the addresses that lead elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.elsewhere: list[str] = []
        self.handlers: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kept = []
        for name, value in attrs:
            text = value or ""
            if name.startswith(("on", "hx-on")) or name == "style":
                self.handlers.append(f"{tag} {name}={text}")
            if name in ADDRESSES and not OWN.match(text):
                self.elsewhere.append(f"{tag} {name}={text}")
            if name not in VARYING:
                kept.append((name, _kept(name, text)))
        if ("class", "control") not in kept:
            self.elements.append((tag, tuple(sorted(kept))))

    def handle_comment(self, data: str) -> None:
        self.elements.append(("comment", (("", data),)))

    def handle_decl(self, decl: str) -> None:
        self.elements.append(("declaration", (("", decl),)))

    unknown_decl = handle_decl
    handle_pi = handle_decl


def _kept(name: str, text: str) -> str:
    if name in WORDS:
        return ""
    if name in ADDRESSES:
        text = urlsplit(text).path if OWN.match(text) else text
    return CHANGING.sub("#", text)


def unlike(page: str, twin: str) -> str:
    """The first place at which the shapes differ, or what is there that no page may have; empty where all is well."""
    one, other = Shape(page), Shape(twin)
    if one.handlers or one.elsewhere:
        return f"handlers {one.handlers[:3]}, addresses elsewhere {one.elsewhere[:3]}"
    for place, (mine, theirs) in enumerate(zip_longest(one.elements, other.elements)):
        if mine != theirs:
            return f"element {place}: {mine} instead of {theirs}, after {one.elements[max(0, place - 3) : place]}"
    return ""


@dataclass
class Form:
    """A form as it stands on a page: where it is sent, and what every field holds."""

    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)  # the fields in which a person writes


class Forms(HTMLParser):
    """All forms of a page, also with fields that stand elsewhere and name their form."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Form] = []
        self._named: dict[str, Form] = {}
        self._open: Form | None = None
        self._writing: tuple[Form, str] | None = None
        self._choosing: tuple[Form, str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._open = Form(given.get("action", ""), given.get("method", "get").lower())
            self.found.append(self._open)
            self._named[given.get("id", "")] = self._open
        form, name = self._named.get(given.get("form", "")) if "form" in given else self._open, given.get("name", "")
        if form is None or not name:
            if tag == "option" and self._choosing:
                self._chosen(given)
            return
        if tag == "input":
            self._input(form, name, given)
        elif tag == "textarea":
            form.values[name], self._writing = "", (form, name)
            form.texts.append(name)
        elif tag == "select":
            self._choosing = (form, name)

    def _input(self, form: Form, name: str, given: dict[str, str]) -> None:
        kind = given.get("type", "").lower()
        if kind in ("checkbox", "radio") and "checked" not in given:
            return
        form.values[name] = given.get("value", "on" if kind == "checkbox" else "")
        if kind in TEXTS and name != "csrfmiddlewaretoken":
            form.texts.append(name)

    def _chosen(self, given: dict[str, str]) -> None:
        assert self._choosing
        form, name = self._choosing
        if "selected" in given or name not in form.values:
            form.values[name] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        if self._writing:
            form, name = self._writing
            form.values[name] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        if tag == "textarea":
            self._writing = None
        if tag == "select":
            self._choosing = None
