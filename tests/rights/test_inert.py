"""Two hundred texts that would like to run, in every field, on every page, in tables and in JSON: they stay texts.

Two people write the same, the one with such texts, the other with harmless ones of the same kind. Every page that is
theirs has to have the same elements with the same attributes. `make soak` writes each text in every kind of record, and
opens all of them.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from itertools import count
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import override_settings
from pytest_django import DjangoDbBlocker

from memories.models import Memory
from memories.services.sheets import RUN, cell, unguarded
from tests.console.test_every_address import addresses
from tests.memories.page_client import HTMX
from tests.rights import injections
from tests.rights.inert import ABOUT, ID, LISTS, MORE, PAGES, Both, alike, forms_of
from tests.rights.injections import ALL, harmless
from tests.rights.shape import Form, Shape, unlike

FEW, FORMS = 2, 5  # records of a kind whose pages are opened, others for each page; forms of a page that are sent
TABLES = ["/memories.csv", "/todos.csv", "/ledger.csv?every=on", "/audit.csv"]
GOING_ON = "/sign-in-again?next={}"  # its page has a link to that address
WRITING = sorted({*(path for path in PAGES if "<" not in path), *MORE} - {"/logout", "/login", "/sign-in-again"})


@pytest.fixture(
    scope="module", params=[pytest.param(False, id="some"), pytest.param(True, id="all", marks=pytest.mark.soak)]
)
def both(request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Both]:
    """Each text in all fields of one kind of record; in the long campaign, of every kind."""
    with django_db_blocker.unblock(), override_settings(RATE_LIMITS=False), transaction.atomic():
        yield Both(whole=request.param)
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def taken_back(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a test sends does not stay."""
    if "both" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("both")
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def test_there_are_two_hundred_and_their_twins_hold_nothing_active() -> None:
    twins = [harmless(text) for text in ALL]
    assert len(set(ALL)) == len(ALL) == 200 and all(injections.KINDS.values())
    assert not any(set(twin) & set(injections.ACTIVE + injections.WIDE) for twin in twins)
    assert all(len(twin) == len(text) for twin, text in zip(twins, ALL, strict=True))


@pytest.mark.parametrize("text", [text for text in ALL if "<" in text and text[text.index("<") + 1].isalpha()])
def test_a_page_that_let_such_a_text_through_would_be_found_out(text: str) -> None:
    page = "<main><p>{}</p></main>"
    assert unlike(page.format(text), page.format(harmless(text)))
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    assert not unlike(page.format(escaped), page.format(harmless(text)))


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_a_list_has_the_same_elements_whatever_is_written(both: Both, path: str, headers: dict[str, str]) -> None:
    alike(both.opened(path, headers=headers), path)


@pytest.mark.parametrize("path", ABOUT)
def test_the_page_of_a_record_has_the_same_elements_whatever_is_written(both: Both, path: str) -> None:
    for mine, theirs in both.about(path, None if both.whole else FEW):
        alike(both.opened(mine, theirs), mine)


# ---- What is sent comes back ----


def send_forms(both: Both, path: str, twin: str) -> None:
    """Every form of a page with a text in all fields in which one writes, and in one; in the long campaign in each."""
    numbers = count(7 * len(path))
    for form, other in forms_of(both.opened(path, twin))[: None if both.whole else FORMS]:
        single = form.texts if both.whole else form.texts[next(numbers) % len(form.texts) :][:1]
        for names in [form.texts, *([name] for name in single)]:
            text = ALL[13 * next(numbers) % len(ALL)]
            point = transaction.savepoint()
            mine, theirs = (_with(one, names, said) for one, said in ((form, text), (other, harmless(text))))
            alike(both.sent(mine, theirs, path), f"{path} {form.action} {names} {text!r}")
            transaction.savepoint_rollback(point)


def _with(form: Form, names: list[str], text: str) -> Form:
    return Form(form.action, form.method, form.values | dict.fromkeys(names, text), form.texts)


@pytest.mark.parametrize("path", WRITING)
def test_what_is_sent_from_a_page_comes_back_as_text(both: Both, path: str) -> None:
    send_forms(both, path, path)


@pytest.mark.parametrize("path", ABOUT)
def test_what_is_sent_from_the_page_of_a_record_comes_back_as_text(both: Both, path: str) -> None:
    for mine, theirs in both.about(path, 1):
        send_forms(both, mine, theirs)


@pytest.mark.parametrize(
    "place",
    [
        "/{}",
        "/search?bucket=nowhere&query={}",
        "/go?q={}",
        "/memories/{}",
        "/login?next={}",
        GOING_ON,
        "/memories?{}=1",
    ],
)
def test_what_stands_in_an_address_comes_back_as_text(both: Both, place: str) -> None:
    for text in ALL[:: 1 if both.whole else 25]:
        if place == GOING_ON and re.match(r"/(?![/\\])", text):  # a path of the console, whatever it is called
            assert not Shape(both.mine.get(place.format(quoted(text))).content.decode()).elsewhere
            continue
        alike(both.opened(place.format(quoted(text)), place.format(quoted(harmless(text)))), text)


def quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def test_names_and_lines_of_a_file_to_import_are_texts(both: Both) -> None:
    space = [str(world.who.pk) for world in both.worlds]
    for text in ALL[:: 1 if both.whole else 20]:
        rows = [
            json.dumps({"content": said, "path": said, "metadata": {said: said}}) for said in (text, harmless(text))
        ]
        name = text.replace("/", "").replace("\\", "")[:60]
        pages = []
        for browser, row, key, called in zip(
            (both.mine, both.theirs), rows, space, (name, harmless(name)), strict=True
        ):
            file = SimpleUploadedFile(f"{called}.jsonl", f"{row}\n{row}x\n".encode())
            pages.append(browser.post("/import", {"file": file, "space": key, "format": "memory-console"}))
        alike((pages[0], pages[1]), text)


# ---- Tables and JSON ----


@pytest.mark.parametrize("path", TABLES)
def test_no_cell_of_a_table_is_run(both: Both, path: str) -> None:
    answer = both.mine.get(path)
    assert answer["Content-Type"] == "text/csv; charset=utf-8" and answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("attachment; ")
    read = list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"), newline="")))
    assert len({len(row) for row in read}) == 1 and len(read) > 20
    cells = [one for row in read for one in row if not _number(one)]
    assert not [one for one in cells if one.startswith(RUN) or one.lstrip().startswith(RUN)]


def _number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_a_table_tells_the_texts_as_they_were_written(both: Both) -> None:
    answer = both.mine.get("/memories.csv")
    read = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"), newline=""))
    told = {UUID(row["id"]): unguarded(row["content"]) for row in read}
    stored = dict(Memory.objects.filter(pk__in=told).values_list("pk", "content"))
    assert told == {key: unguarded(str(cell(text))) for key, text in stored.items()} and len(told) > 100


@pytest.mark.parametrize("path", [path for path in addresses() if path.startswith("/v1/")])
def test_an_answer_of_the_api_is_never_taken_for_a_page(both: Both, path: str) -> None:
    answer = both.api.call("GET", ID.sub(str(both.worlds[0].ids["memory"][0]), path))
    assert answer.status_code < 500 and answer["X-Content-Type-Options"] == "nosniff"
    kind = answer["Content-Type"].partition(";")[0]
    assert kind in ("application/json", "application/x-ndjson", "text/csv")
    if kind == "application/json":
        json.loads(answer.getvalue())


def test_json_tells_the_texts_as_they_were_written(both: Both) -> None:
    keys = both.worlds[0].ids["memory"][:: 1 if both.whole else 4]
    stored = dict(Memory.objects.filter(pk__in=keys).values_list("pk", "content"))
    told = {key: both.api.call("GET", f"memories/{key}").json()["content"] for key in keys}
    assert told == stored and len(told) > 30
