"""Hostile values in every field and filter of every page, and bodies that are no form: no fault of ours, no row moved.

A page that is new is tried by itself. `make soak` tries every value in every place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client, override_settings
from pytest_django import DjangoDbBlocker

from tests.memories.asking import Case, filled
from tests.memories.factories import ann
from tests.memories.mutations import CASES, NEUTRAL
from tests.memories.page_client import HTMX, records_now, signed_in
from tests.rights import injections
from tests.rights.hostile import TEXTS, chosen
from tests.rights.inert import PAGES, kind_of
from tests.rights.inert import filled as about
from tests.rights.inert_world import World
from tests.rights.shape import Forms

pytestmark = pytest.mark.django_db

FEW = 2  # values in each field; others in the next
FORM = "application/x-www-form-urlencoded"
NOT_SIGNED_IN = {"login", "first-password"}
FORMS = [
    *(case for case in CASES if " v1/" not in case.route),
    *(Case(route, given, ()) for route, given in NEUTRAL.items() if " v1/" not in route),
]
each_form = pytest.mark.parametrize("case", FORMS, ids=lambda case: case.route)
# What links and forms of a page do not always show, because it leads further.
ALWAYS = ("after", "before", "limit", "selected", "next", "q", "near", "links", "version", "polls", "out", "group")


@pytest.fixture(autouse=True)
def as_often_as_one_likes() -> Iterator[None]:
    with override_settings(RATE_LIMITS=False):
        yield


class Sent:
    """The good form of a case, to be sent again and again with something changed."""

    def __init__(self, case: Case) -> None:
        key, body = case.given()
        self.path = filled(case.route.removeprefix("POST "), key)
        self.body: dict[str, Any] = {name: value for name, value in body.items() if not hasattr(value, "read")}
        public = case.route.removeprefix("POST ") in NOT_SIGNED_IN
        self.browser = Client() if public else signed_in(ann())
        self.cookies = dict(self.browser.cookies.items())

    def send(self, data: bytes, kind: str = FORM, **more: Any) -> HttpResponse:
        """The answer; who is signed in stays so."""
        self.browser.cookies.clear()
        self.browser.cookies.update(self.cookies)
        return self.browser.generic("POST", self.path, data, content_type=kind, **more)

    def form(self, **changed: str) -> bytes:
        """The body with some fields changed."""
        pairs = []
        for name, value in {**self.body, **changed}.items():
            pairs += [(name, one) for one in (value if isinstance(value, list) else [value])]
        return "&".join(f"{quoted(name)}={quoted(str(value))}" for name, value in pairs).encode()


def quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def held(answer: HttpResponse, about: Any) -> None:
    """Raises where it is a fault of ours."""
    assert answer.status_code < 500, (about, answer.status_code)
    assert answer["X-Content-Type-Options"] == "nosniff" and "X-Injected" not in answer, about


def ways(number: int, most: int | None) -> list[dict[str, str]]:
    """As a page and as a fragment; where not all is tried, one after the other."""
    return [{}, HTMX] if most is None else [{}, HTMX][number % 2 :][:1]


# ---- Forms ----


def in_fields(case: Case, most: int | None) -> None:
    sent, numbers = Sent(case), count(len(case.route))
    for name in [*sent.body, "next", "reason"]:
        number = next(numbers)
        for value in chosen(TEXTS, number, most):
            for headers in ways(number, most):
                point = transaction.savepoint()
                held(sent.send(sent.form(**{name: value}), headers=headers), (name, value[:40], headers))
                transaction.savepoint_rollback(point)


@each_form
def test_some_hostile_values_in_every_field_of_a_page(case: Case) -> None:
    in_fields(case, FEW)


@pytest.mark.soak
@each_form
def test_every_hostile_value_in_every_field_of_a_page(case: Case) -> None:
    in_fields(case, None)


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "json": ({"kind": "application/json"}, 415, "cannot be read"),
    "text": ({"kind": "text/plain"}, 415, "cannot be read"),
    "bytes": ({"kind": "application/octet-stream"}, 415, "cannot be read"),
    "no type": ({"kind": ""}, 415, "cannot be read"),
    "no boundary": ({"kind": "multipart/form-data"}, 400, "cannot be read"),
    "another encoding": ({"kind": f"{FORM}; charset=utf-16"}, 400, "cannot be read"),
    "too large": ({"CONTENT_LENGTH": "5000000000"}, 413, "larger than"),
}


@each_form
def test_what_is_no_form_of_ours_is_refused_and_moves_nothing(case: Case) -> None:
    sent = Sent(case)
    good = sent.form(one="more")
    before = records_now()
    for headers in ({}, HTMX):
        for name in [*sent.body, "unknown"]:
            answer = sent.send(sent.form(**{name: "a\0b"}), headers=headers)
            assert answer.status_code == 422 and "NUL" in answer.content.decode(), name
        for name, (how, status, said) in REFUSED.items():
            answer = sent.send(good, headers=headers, **how)
            assert answer.status_code == status and said in answer.content.decode(), name
        sent.browser.handler.enforce_csrf_checks = True
        for data in (good, sent.form(csrfmiddlewaretoken="x" * 64)):
            answer = sent.send(data, headers=headers)
            assert answer.status_code == 403 and "out of date" in answer.content.decode()
        sent.browser.handler.enforce_csrf_checks = False
    assert records_now() == before


# ---- Addresses ----


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """Somebody who has something of everything."""
    with django_db_blocker.unblock(), override_settings(RATE_LIMITS=False), transaction.atomic():
        yield World("olga", [injections.harmless(text) for text in injections.ALL[:60]])
        transaction.set_rollback(True)


def address(world: World, path: str) -> str:
    """The page about the first record of its kind."""
    if "<uuid:" not in path:
        return path
    kind = kind_of(path)
    assert world.ids[kind], f"Nothing of the kind {kind} is written for {path}: add it to tests/rights/inert_world.py."
    return about(world, path, world.ids[kind][0])


def parameters(page: str, path: str) -> list[str]:
    """The names that forms and links of a page send to it."""
    names = [name for form in Forms(page).found if form.method == "get" for name in form.values]
    links = [urlsplit(unescape(link)) for link in re.findall(r'(?:href|hx-get)="([^"]*\?[^"]*)"', page)]
    names += [name for link in links if link.path in ("", path) for name, _ in parse_qsl(link.query)]
    return list(dict.fromkeys([*names, *ALWAYS]))


def in_filters(world: World, path: str, most: int | None) -> None:
    browser, where = signed_in(world.who), address(world, path)
    page = browser.get(where)
    html = page.get("Content-Type", "").startswith("text/html") and not page.streaming
    numbers = count(len(path))
    for name in parameters(page.content.decode() if html else "", where):
        number = next(numbers)
        for value in chosen(TEXTS, number, most):
            for headers in ways(number, most):
                answer = browser.get(f"{where}?{quoted(name)}={quoted(value[:7_000])}", headers=headers)
                held(answer, (where, name, value[:40], headers))
                assert not answer.streaming or b"".join(answer), (where, name)


@pytest.mark.parametrize("path", [path for path in PAGES if path != "/logout"])
def test_some_hostile_values_in_every_filter_of_a_page(world: World, path: str) -> None:
    in_filters(world, path, 1)


@pytest.mark.soak
@pytest.mark.parametrize("path", [path for path in PAGES if path != "/logout"])
def test_every_hostile_value_in_every_filter_of_a_page(world: World, path: str) -> None:
    in_filters(world, path, None)
