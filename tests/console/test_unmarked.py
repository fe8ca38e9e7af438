"""Nothing that is said to people escapes the translators, whichever template or line of code says it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from django.conf import settings

from console import translations
from tests.console import texts, unmarked
from tests.console.quiet import World, somebody, wide, wide_letters
from tests.console.test_every_address import addresses
from tests.memories.page_client import signed_in

ROOT = Path(settings.BASE_DIR)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
UNITS = frozenset({"UTC", "JST", "EUR", "ID", "TODO", "API", "JSON", "CSV", "MB", "MCP", "URL", "ISO"})
NO_PAGES = ("/v1/", "/health", "/ready", "/.well-known/", "/api-docs")
OF_PREFIX = {"todos": "todo", "ledger": "entry", "decisions": "decision", "snapshots": "snapshot", "erased": "erased"}
RECORDS = ("memory", "todo", "entry", "decision", "snapshot")
QUERIES = (
    "/search?query=1234&bucket=1",
    "/search?query=%E5%9B%9B%E5%8D%81&near=1",
    "/search?query=1&limit=0",
    "/memories?bucket=1",
    "/memories?limit=0",
    "/trash/retention?days=1",
    "/trash/retention?days=0",
    "/todos?query=9999",
    "/todos?limit=0",
    "/ledger?month=13",
    "/timeline?since=1",
    "/audit?verify=1",
    "/audit?action=9",
    "/tokens?limit=0",
    "/passes?limit=0",
    "/passes/revert?token=1&limit=0",
)
DATE = re.compile(r"""\|(?:date|time):(?:"([^"]*)"|'([^']*)')""")
FOR_PEOPLE = re.compile(r"[A-Z]+(?:_[A-Z]+)+")  # named in console/dates
FOR_MACHINES = re.compile(r"Y(-m(-d(\\TH:i(:s(\\Z)?)?)?)?)?|H:i|c|U")


def filled(path: str, world: World) -> Iterator[str]:
    """The address with every id of the right kind."""
    if "<uuid:candidate_id>" in path:
        for pass_id, candidate_id in world.candidates().items():
            yield path.replace("<uuid:pass_id>", str(pass_id)).replace("<uuid:candidate_id>", str(candidate_id))
        return
    name = re.search(r"<uuid:(\w+)_id>", path)
    if name is None:
        yield path
        return
    for key in ids_of(name[1], path.split("/")[1], world):
        yield path.replace(name[0], str(key))


def ids_of(name: str, prefix: str, world: World) -> list[UUID]:
    """The ids that an address of this kind is about."""
    if name != "record":
        return world.ids[name]
    if prefix == "records":
        return [key for kind in RECORDS for key in world.ids[kind]]
    return world.ids[OF_PREFIX.get(prefix, "memory")]


def pages(world: World) -> Iterator[tuple[str, str]]:
    """Addresses as the map spells them, and as they are asked for."""
    for path in addresses():
        if not path.startswith(NO_PAGES):
            yield from ((path, address) for address in filled(path, world))
    yield from ((address.split("?")[0], address) for address in QUERIES)


def walked(world: World) -> dict[str, set[str]]:
    """What each page says in Latin letters to somebody who has everything and to somebody who has nothing."""
    found: dict[str, set[str]] = {}
    browsers = [signed_in(world.who), signed_in(somebody("太郎")), signed_in(world.who, seconds_ago=9_999)]
    for path, address in pages(world):
        for browser in browsers:
            answer = browser.get(address)
            if answer.status_code not in (301, 302, 405) and answer["Content-Type"].startswith("text/html"):
                found.setdefault(path, set()).update(texts.said_by(answer.content.decode(), known=UNITS))
    return found


@pytest.mark.django_db
def test_every_page_speaks_the_language_of_its_reader() -> None:
    world = World()
    with wide_letters():
        found = walked(world)
    assert len(found) > 45
    left = sorted(f"{path}: {one}" for path, said in found.items() for one in said)
    assert not left, "\n".join(left)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT / "templates")))
def test_a_template_marks_what_it_says(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert texts.unmarked_in(source) == []
    assert "|pluralize" not in source, "Use blocktranslate with count: languages have other plurals."
    formats = [double or single for double, single in DATE.findall(source)]
    assert [one for one in formats if not FOR_PEOPLE.fullmatch(one) and not FOR_MACHINES.fullmatch(one)] == []


@pytest.mark.parametrize("path", list(unmarked.sources(ROOT)), ids=lambda path: str(path.relative_to(ROOT)))
def test_code_marks_what_it_tells_people(path: Path) -> None:
    assert unmarked.unmarked_in(path.read_text(encoding="utf-8")) == []


def test_every_message_is_plain_text() -> None:
    assert len(translations.collected()) > 100
    with pytest.raises(ValueError, match="no plain text"):
        list(translations._of_code(b'phrase(f"{name} is empty.")'))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("<p>Not yet</p>", ["Not yet"]),
        ('<p>{% translate "Done" %} at {{ at }}</p>', ["at"]),
        ("<p>{% blocktranslate %}All of <b>it</b>{% endblocktranslate %}</p>", []),
        ('<a title="Go" href="/go">→</a>', ["Go"]),
        ("<p><code>manage.py up</code> {{ 1 }}</p><pre lang='en'>text</pre>", []),
        ('{% include "parts/empty.html" with title="No tokens" %}', ["No tokens"]),
        ('{% include "parts/empty.html" with title=_("No tokens") kind="token" %}', []),
        ('<p>{{ name|default:"nobody" }}</p>', ["nobody"]),
        ("<html lang='en'><body>Memory Console in English</body></html>", ["in English"]),
    ],
)
def test_the_rule_about_templates_sees_what_is_not_marked(source: str, said: list[str]) -> None:
    assert texts.unmarked_in(source) == said


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ('raise NotFound("It is gone.")', 1),
        ('raise NotFound(f"{name} is gone.")', 1),
        ('raise NotFound(phrase("%(name)s is gone.", name=name))', 0),
        ('raise Invalid.field("name", "It is empty.")', 1),
        ('Problem(("body", "name"), "It is empty." if new else _("It is too long."))', 1),
        ('forms.CharField(label="Name", error_messages={"required": "It is empty."})', 2),
        ('messages.success(request, _("Saved as %(name)s.") % {"name": name})', 0),
        ('default_error_messages = {"of": "There is no such table."}', 1),
        ('log.error("database unavailable, reference %s", key)', 0),
    ],
)
def test_the_rule_about_code_sees_what_is_not_marked(source: str, number: int) -> None:
    assert len(unmarked.unmarked_in(source)) == number


def test_the_made_up_language_keeps_values_and_tags() -> None:
    said = '<a href="%(address)s">All of {n}</a> &amp; %(count)s more'
    assert wide(said) == '<a href="%(address)s">Ａｌｌ ｏｆ {n}</a> &amp; %(count)s ｍｏｒｅ'
