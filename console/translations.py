"""The catalogues of the console's languages: collected from the code, compared with it, and compiled.

Made with Babel, so that no system tool is needed. Templates are read by Django's own parser. English is the language
of the code and has no catalogue.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.template import Template
from django.template.base import Node
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from console import saying

PACKAGES = ("console", "memories", "reflection")
CALLS = {  # what is called, and which of its arguments are context, message and plural
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "phrase"), (None, 0, None)),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "ngettext_noop", "phrase_many"), (None, 0, 1)),
    **dict.fromkeys(("pgettext", "pgettext_lazy", "phrase_of"), (0, 1, None)),
    "npgettext": (0, 1, 2),
}
IN_FILTER = re.compile(r"""_\((?:"([^"]+)"|'([^']+)')\)""")
VARIABLE = re.compile(r"%\((\w+)\)s")
WIDTH = 120

Found = tuple[str, str | tuple[str, str], str | None]  # file, message, context


def languages() -> list[str]:
    """The languages that have a catalogue, as folders are named: pt_BR."""
    from django.utils.translation import to_locale

    return [to_locale(code) for code, _ in settings.LANGUAGES if code != "en"]


def path_of(language: str) -> Path:
    """Where the catalogue of `language` lies."""
    return Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "django.po"


def collected() -> list[Found]:
    """Every message of templates and code, in order of files."""
    root = Path(settings.BASE_DIR)
    found: list[Found] = []
    for path in sorted((root / "templates").rglob("*.html")):
        found += [(str(path.relative_to(root)), *one) for one in _of_template(path.read_text(encoding="utf-8"))]
    for package in PACKAGES:
        for path in sorted(set((root / package).rglob("*.py")) - {Path(saying.__file__)}):
            found += [(str(path.relative_to(root)), *one) for one in _of_code(path.read_bytes())]
    return found


def _of_code(source: bytes) -> Iterator[tuple[str | tuple[str, str], str | None]]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in CALLS:
            continue
        context, one, many = (None if at is None else _text(node, at) for at in CALLS[node.func.id])
        assert one is not None
        yield (one if many is None else (one, many)), context


def _text(call: ast.Call, at: int) -> str:
    """The text that stands as argument `at`. Raises ValueError where it is put together, which nobody can translate."""
    given = call.args[at] if at < len(call.args) else None
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return given.value
    raise ValueError(f"Line {call.lineno}: {ast.unparse(call)[:100]} takes no plain text, so it cannot be translated.")


def _of_template(source: str) -> Iterator[tuple[str | tuple[str, str], str | None]]:
    for node in _nodes(Template(source).nodelist):
        if isinstance(node, TranslateNode):
            yield str(node.filter_expression.var.literal), _context(node)
        elif isinstance(node, BlockTranslateNode):
            one = node.render_token_list(node.singular)[0]
            one = _trimmed(one) if node.trimmed else one
            if node.plural:
                many = node.render_token_list(node.plural)[0]
                yield (one, _trimmed(many) if node.trimmed else many), _context(node)
            else:
                yield one, _context(node)
    for match in IN_FILTER.finditer(source):
        yield match[1] or match[2], None


def _trimmed(text: str) -> str:
    return " ".join(line.strip() for line in text.strip().splitlines() if line.strip())


def _context(node: Any) -> str | None:
    context = node.message_context
    return str(context.var) if context is not None else None


def _nodes(nodelist: Any) -> Iterator[Node]:
    for node in nodelist:
        yield node
        for name in node.child_nodelists:
            if inner := getattr(node, name, None):
                yield from _nodes(inner)


class Undated(Catalog):
    """A catalogue whose header changes with nothing but its language."""

    @property  # type: ignore[misc]
    def mime_headers(self) -> list[tuple[str, str]]:  # type: ignore[override]
        """What readers of the file need to know."""
        return [
            ("Language", str(self.locale)),
            ("Plural-Forms", self.plural_forms),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]

    @property  # type: ignore[misc]
    def header_comment(self) -> str:  # type: ignore[override]
        """Whose texts these are."""
        return f"# The Memory Console in {self.locale.english_name if self.locale else 'no language'}."


def catalogue_of(language: str) -> Catalog:
    """What stands in the file of `language`; an empty catalogue where there is none."""
    path = path_of(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def updated(language: str, found: list[Found]) -> Catalog:
    """The catalogue of `language` with the messages `found`, what is translated already kept; no fuzzy guesses."""
    before = catalogue_of(language)
    after = Undated(locale=language, fuzzy=False)
    for file, message, context in found:
        key = message if isinstance(message, str) else message[0]
        known = before.get(key, context)
        string = known.string if known is not None and _same_kind(known, message) else None
        after.add(message, string, locations=[(file, None)], context=context)  # type: ignore[list-item]
    return after


def _same_kind(known: Message, message: str | tuple[str, str]) -> bool:
    return isinstance(known.id, str) == isinstance(message, str)


def write(language: str, catalogue: Catalog) -> None:
    """The catalogue as text and compiled."""
    path = path_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_text(catalogue))
    path.with_suffix(".mo").write_bytes(compiled(catalogue))


def as_text(catalogue: Catalog) -> bytes:
    """The file for people who translate."""
    file = BytesIO()
    write_po(file, catalogue, width=WIDTH, omit_header=False, include_lineno=False, sort_output=True)
    return file.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    """The file that the console reads."""
    file = BytesIO()
    write_mo(file, catalogue)
    return file.getvalue()


def problems(language: str, found: list[Found]) -> list[str]:
    """What is missing or wrong in the files of `language`, a sentence each."""
    path, catalogue = path_of(language), updated(language, found)
    said = [f"{language}: no translation of {_shown(one)}" for one in catalogue if one.id and not _whole(one)]
    said += [f"{language}: {_shown(one)} is marked fuzzy" for one in catalogue_of(language) if one.id and one.fuzzy]
    for one in catalogue:
        if one.id and _whole(one) and (wrong := _variables(one)):
            said.append(f"{language}: {_shown(one)} is translated with other values: {', '.join(sorted(wrong))}")
    if not path.exists() or path.read_bytes() != as_text(catalogue):
        said.append(f"{language}: the catalogue is not that of the code. Run manage.py translations.")
    mo = path.with_suffix(".mo")
    if not mo.exists() or mo.read_bytes() != compiled(catalogue):
        said.append(f"{language}: the compiled catalogue is stale. Run manage.py translations.")
    return said


def _whole(one: Message) -> bool:
    return all(one.string) if isinstance(one.string, tuple | list) else bool(one.string)


def _variables(one: Message) -> set[str]:
    """Names of values that a translation lacks or makes up. A singular may leave out its number."""
    ids = one.id if isinstance(one.id, tuple | list) else (one.id,)
    strings = one.string if isinstance(one.string, tuple | list) else (one.string or "",)
    wanted = set(VARIABLE.findall(ids[-1]))
    wrong: set[str] = set()
    for string in strings:
        had = set(VARIABLE.findall(string))
        wrong |= had - wanted
        wrong |= wanted - had - ({"count", "counter"} if len(ids) > 1 else set())
    return wrong


def _shown(one: Message) -> str:
    text = one.id if isinstance(one.id, str) else one.id[0]
    return repr(text[:80])
