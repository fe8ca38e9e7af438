"""Going to a page by its name or by an id: one list for the rail, the palette and the page without scripts."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from html import unescape
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from console import going, navigation, shortcuts
from console.navigation import Part, Place
from memories import audit
from memories.services import decisions, ledger, preferences, snapshots, todos
from memories.services.erase import erase
from reflection.services import schedules
from reflection.services.plan import plan
from tests.memories.factories import actor, ann, bob, memory, token_actor, user
from tests.memories.page_client import HTMX, signed_in, text_of

pytestmark = pytest.mark.django_db

MONEY = {"transaction_type": "expense", "amount": Decimal(3), "currency": "EUR", "occurred_on": date(2026, 5, 1)}
CHOICE = re.compile(r'<a role="option" id="([\w-]+)" href="([^"]+)"')
PLACES = [place for part in (*navigation.RAIL, navigation.FURTHER) for place in part.places]
UNKNOWN = "Nothing here has this id, or it is not yours to see."


def of_ann() -> dict[str, UUID]:
    """One id of everything that an id can lead to."""
    me = actor(ann())
    gone = memory(ann(), "gone", status="deleted")
    erase(record_id=gone.pk, typed=str(gone.pk)[-6:], reason="x", seen_version=1, actor=me)
    rhythm = {"rhythm": "hours", "every_hours": 1, "actions": ["decay"]}
    token = token_actor(ann()).token_id
    assert token
    return {
        "/memories/{}": memory(ann(), "a note").pk,
        "/todos/{}": todos.add(content="call", actor=me).pk,
        "/ledger/{}": ledger.add(item="tea", actor=me, **MONEY).pk,
        "/decisions/{}": decisions.ask(context="which?", actor=me).pk,
        "/snapshots/{}": snapshots.take(label="now", actor=me).pk,
        "/erased/{}": gone.pk,
        "/passes/{}": plan(given={}, actor=me).pk,
        "/schedules/{}": schedules.add(space_id=ann().pk, given=rhythm, actor=me).pk,
        "/tokens/{}": token,
        "/audit?line={}": audit.record(me, "memory.use", "memory", uuid4()),
    }


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_every_place_is_a_page_that_is_called_so(place: Place) -> None:
    """To whoever may open all of them."""
    answer = signed_in(user("chief", is_superuser=True)).get(reverse(place.name), follow=True)
    title = re.search(r"<h1[^>]*>(.*?)</h1>", answer.content.decode(), re.DOTALL)
    assert answer.status_code == 200 and title
    assert unescape(title[1]) == place.label


def test_the_palette_offers_what_the_rail_shows_and_more() -> None:
    web = signed_in(ann())
    rail = re.findall(r'<li><a href="([^"]+)"', web.get("/access").content.decode().split("</nav>")[0])
    offered = [url for _, url in CHOICE.findall(web.get("/go", headers=HTMX).content.decode())]
    assert len(rail) > 15 and offered[: len(rail)] == rail
    assert len(offered) == len(set(offered)) > len(rail) + 5


def test_only_pages_are_offered_that_open() -> None:
    offered = {}
    for name, chief in (("chief", True), ("ann", False)):
        web = signed_in(user(name, is_superuser=chief))
        offered[name] = {url for _, url in CHOICE.findall(web.get("/go", headers=HTMX).content.decode())}
        assert [url for url in offered[name] if web.get(url, follow=True).status_code != 200] == []
    assert len(offered["chief"]) == len(PLACES) > len(offered["ann"])


def test_a_place_that_is_not_open_to_somebody_is_not_offered_to_them() -> None:
    closed = Part("x", "X", (Place("trash", "T", "trash", may=lambda who: False), Place("audit", "A", "audit")))
    found = list(navigation._open_to(actor(ann()), (closed,)))
    assert [place.name for part in found for place in part.places] == ["audit"]
    only = Part("x", "X", closed.places[:1])
    assert list(navigation._open_to(actor(ann()), (only,))) == []


def test_the_name_of_one_page_leads_there() -> None:
    web = signed_in(ann())
    assert web.get("/go?q=timel")["Location"] == "/timeline"
    assert web.get("/go", {"q": " SAVED   views "})["Location"] == "/memories/views"
    several = web.get("/go?q=pass")
    assert several.status_code == 200 and "New pass" in text_of(several)
    assert "No page is called that" in text_of(web.get("/go?q=zebra"))


def test_pages_are_found_in_the_language_of_the_reader_and_in_english() -> None:
    parts = navigation.everywhere(actor(ann()))
    with translation.override("pt-br"):
        own = str(next(place.label for place in PLACES if place.name == "trash"))
        for text in (own, own.upper(), "trash", "ｔｒａｓｈ"):
            names = [place.name for part in going.named(text, parts) for place in part.places]
            assert "trash" in names, text


def test_an_id_leads_to_what_it_is_of() -> None:
    web = signed_in(ann())
    for page, key in of_ann().items():
        assert web.get(f"/go?q={key}")["Location"] == page.format(key), page
        choices = CHOICE.findall(web.get(f"/go?q={key}", headers=HTMX).content.decode())
        assert choices == [("go-place", page.format(key))], page


def test_to_a_stranger_an_id_is_unknown() -> None:
    web = signed_in(bob())
    nothing = text_of(web.get(f"/go?q={uuid4()}", headers=HTMX))
    assert UNKNOWN in nothing
    for page, key in of_ann().items():
        answer = web.get(f"/go?q={key}")
        assert answer.status_code == 200 and UNKNOWN in text_of(answer), page
        assert text_of(web.get(f"/go?q={key}", headers=HTMX)) == nothing, page


def test_the_key_of_a_token_is_refused_and_not_repeated() -> None:
    key = "mc_" + "a" * 43
    answer = signed_in(ann()).get("/go", {"q": key})
    assert answer.status_code == 400 and key not in answer.content.decode()


def test_whoever_is_signed_out_signs_in_first_and_comes_back() -> None:
    assert Client().get("/go?q=trash")["Location"] == "/login?next=%2Fgo%3Fq%3Dtrash"
    assert Client().get("/go", headers=HTMX).status_code == 401


def test_the_keys_that_are_told_are_those_that_work() -> None:
    """Switched off, single keys are neither told nor known to the script."""
    web = signed_in(ann())
    page = web.get("/keys").content.decode()
    assert "<kbd>j</kbd>" in page and "<kbd>g</kbd> <kbd>m</kbd>" in page
    assert "data-single-keys" in page and 'data-key="m"' in page
    preferences.choose(language="", time_zone="UTC", single_keys=False, actor=actor(ann()))
    for headers in ({}, HTMX):
        page = web.get("/keys", headers=headers).content.decode()
        assert "<kbd>Ctrl</kbd>" in page and "<kbd>j</kbd>" not in page
        assert "data-single-keys" not in page and "data-key=" not in page


def test_no_two_pages_have_the_same_key() -> None:
    keys = [place.key for place in PLACES if place.key]
    assert len(keys) > 5 and len(keys) == len(set(keys))
    told = shortcuts.shown_to(actor(ann()), single=True)
    assert len({section.name for section in told}) == len(told)
