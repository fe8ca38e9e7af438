"""Ticking all that match, not only what one page of the list shows."""

from __future__ import annotations

import re
from html import unescape

import pytest

from memories.models import Memory
from memories.pages import picking
from memories.services import views
from tests.memories.factories import ann, bob, memory
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db

BOX = re.compile(r'<input type="checkbox" name="include" value="([^"]+)"([^>]*)>')
HIDDEN = re.compile(r'<input type="hidden" name="include" value="([^"]+)">')


def five() -> list[str]:
    """What the form sends for five of ann's memories; there are others, which the filter leaves out."""
    memory(ann(), "elsewhere", bucket="home")
    memory(bob(), "not hers", bucket="work")
    return sorted(f"{memory(ann(), f'note {n}', bucket='work').pk}:1" for n in range(5))


def ticked(body: str) -> list[str]:
    return sorted([value for value, more in BOX.findall(body) if "checked" in more] + HIDDEN.findall(body))


def test_at_first_nothing_is_ticked_and_a_link_ticks_all_that_match() -> None:
    wanted = five()
    web = signed_in(ann())
    body = web.get("/memories?bucket=work&limit=2").content.decode()
    assert ticked(body) == [] and "of 5 selected" in re.sub("<[^>]+>", "", body)
    url = unescape(re.search(r'<a href="([^"]+)">Select all 5 matching</a>', body)[1])  # type: ignore[index]
    body = web.get(url).content.decode()
    assert ticked(body) == wanted and len(HIDDEN.findall(body)) == 3
    assert 'data-more="3"' in body and 'data-total="5"' in body
    assert "5 of 5 selected" in re.sub("<[^>]+>", "", body) and "3 of them are on other pages" in body
    none = unescape(re.search(r'<a href="([^"]+)">Select none</a>', body)[1])  # type: ignore[index]
    assert ticked(web.get(none).content.decode()) == []


def test_what_is_ticked_that_way_is_shown_again_before_it_moves() -> None:
    wanted = five()
    web = signed_in(ann())
    sent = ticked(web.get("/memories?bucket=work&limit=2&selected=all").content.decode())
    assert "Move 5 records to the trash?" in text_of(web.post("/records/selected/forget", {"include": sent}))
    web.post("/records/selected/forget", {"include": sent, "count": "5"})
    gone = Memory.objects.filter(state__status="deleted")
    assert sorted(f"{one.pk}:1" for one in gone) == wanted


def test_more_than_go_at_once_are_refused_and_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    five()
    monkeypatch.setattr(picking, "SOFT_MOST", 4)
    web = signed_in(ann())
    assert "Select all" not in text_of(web.get("/memories?bucket=work"))
    answer = web.get("/memories?bucket=work&selected=all")
    assert answer.status_code == 422
    assert "5 memories match; at most 4 can be ticked at once. Narrow the filters." in text_of(answer)


def test_no_link_takes_the_ticks_to_another_list() -> None:
    """Another page, order, filter or file would tick what nobody looked at."""
    five()
    body = signed_in(ann()).get("/memories?bucket=work&limit=2&selected=all&type=semantic").content.decode()
    assert "after=" in body and "order=updated" in body and "memories.csv" in body and 'class="chip"' in body
    links = [unescape(link) for link in re.findall(r'href="([^"]+)"', body)]
    assert [link for link in links if "selected" in link] == []


def test_a_view_keeps_no_ticks() -> None:
    assert views.kept("bucket=work&selected=all") == "bucket=work"
