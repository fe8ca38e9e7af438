"""Search as a page: hits that explain themselves, no strong match, and filters in the address."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest

from memories import audit
from memories.services import todos
from memories.services.erase import erase
from tests.memories.factories import PAST, actor, ann, bob, memory, team, token_actor
from tests.memories.page_client import HTMX, signed_in, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_model")]


def test_a_hit_shows_its_words_its_score_and_why_it_is_visible() -> None:
    atlas = team("Atlas", ann="member")
    memory(ann(), "The plumber comes on Friday <b>at ten</b>.", team=atlas, path="home/repairs")
    response = signed_in(ann()).get("/search?query=plumber+friday")
    body = response.content.decode()
    assert "<mark>plumber</mark> comes on <mark>Friday</mark> &lt;b&gt;at ten" in body
    seen = text_of(response)
    assert "1 strong match" in seen and "Score" in seen and "matched in content" in seen
    assert "of team Atlas" in seen and "home/repairs" in seen and "went by words only" in seen


def test_no_strong_match_is_an_answer_with_every_filter_to_take_off() -> None:
    memory(ann(), "The plumber comes on Friday.")
    response = signed_in(ann()).get("/search?query=plumber&type=identity&path=home/%25")
    assert response.status_code == 200
    seen, body = text_of(response), response.content.decode()
    assert "No strong match" in seen and "Remove filter type Identity" in seen
    assert 'href="/search?query=plumber&amp;type=identity"' in body
    assert 'href="/search?query=plumber&amp;path=home%2F%25"' in body


def test_the_search_of_another_person_does_not_find_it() -> None:
    memory(ann(), "The plumber comes on Friday.")
    body = text_of(signed_in(bob()).get("/search?query=plumber"))
    assert "No strong match" in body and "comes on Friday" not in body


def test_a_whole_id_leads_straight_to_its_record() -> None:
    note = memory(ann(), "a note", status="archived")
    client = signed_in(ann())
    for written in (str(note.pk), f" {str(note.pk).upper()} ", note.pk.hex):
        assert client.get("/search", {"query": written})["Location"] == f"/memories/{note.pk}"
        assert client.get("/search", {"query": f"mem_{written.strip()}"})["Location"] == f"/memories/{note.pk}"
    assert "No strong match" in text_of(signed_in(bob()).get(f"/search?query={note.pk}"))


def test_ids_of_other_kinds_lead_to_their_pages() -> None:
    """A pass is known by its audit line."""
    client, one = signed_in(ann()), uuid4()
    todo = todos.add(content="call the plumber", actor=actor(ann()))
    assert client.get(f"/search?query=todo_{todo.pk}")["Location"] == f"/todos/{todo.pk}"
    line = audit.record(actor(ann()), "pass.plan", "pass", one)
    assert client.get(f"/search?query=pass_{one}")["Location"] == f"/passes/{one}"
    assert client.get(f"/search?query=aud_{line}")["Location"] == f"/audit?line={line}"
    key = token_actor(ann()).token_id
    assert client.get(f"/search?query=token_{key}")["Location"] == f"/tokens/{key}"
    for unseen in (f"pass_{one}", f"aud_{line}", f"token_{key}"):
        assert "Location" not in signed_in(bob()).get(f"/search?query={unseen}")


def test_an_id_of_nothing_is_said_to_be_unknown() -> None:
    assert "Nothing here has this id" in text_of(signed_in(ann()).get(f"/search?query=mem_{uuid4()}"))


def test_the_id_of_an_erased_record_leads_to_its_receipt() -> None:
    note = memory(ann(), "a note", status="deleted")
    erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    assert signed_in(ann()).get(f"/search?query={note.pk}")["Location"] == f"/erased/{note.pk}"


def test_without_a_question_the_page_says_what_can_be_asked() -> None:
    assert "Ask for something" in text_of(signed_in(ann()).get("/search"))


BAD_SEARCHES = [
    "",
    "query=%20",
    "query=x&limit=0",
    "query=x&limit=51",
    "query=x&limit=y",
    "query=x&type=odd",
    "query=x&since=soon",
    "query=x&until=2026-13-01",
    "query=x&since=2026-02-01T00:00&until=2026-01-01T00:00",
    "query=x&team=7",
    f"query=x&path={'%25' * 21}",
    f"query={'x' * 1001}",
    "query=%00",
]


@pytest.mark.parametrize("query", BAD_SEARCHES)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_bad_search_is_refused_inline(query: str, headers: dict[str, str]) -> None:
    memory(ann(), "The plumber comes on Friday.")
    response = signed_in(ann()).get(f"/search?{query or 'query='}", headers=headers)
    assert response.status_code == 422 and "plumber" not in response.content.decode()


def test_a_foreign_team_is_forbidden() -> None:
    other = team("Other", bob="admin")
    assert signed_in(ann()).get(f"/search?query=x&team={other.pk}").status_code == 403


def test_a_long_memory_is_cut_around_its_first_hit() -> None:
    memory(ann(), "word " * 300 + "giraffe " + "more " * 300)
    body = signed_in(ann()).get("/search?query=giraffe").content.decode()
    assert "<mark>giraffe</mark>" in body and body.count("word ") < 100


NEAR = "Near misses: not strong enough to count as answers"


def test_near_misses_are_shown_only_when_asked_for_and_apart_from_answers() -> None:
    memory(ann(), "the zebra kiosk opened")
    memory(ann(), "a kiosk somewhere else")
    client = signed_in(ann())
    strict, near = client.get("/search?query=zebra+kiosk"), client.get("/search?query=zebra+kiosk&near=1")
    assert 'href="/search?query=zebra+kiosk&amp;near=1">Show near misses' in strict.content.decode()
    assert NEAR not in text_of(strict) and "somewhere else" not in text_of(strict)
    answers, beside = text_of(near).split(NEAR)
    assert "opened" in answers and "somewhere else" not in answers and "1 strong match" in answers
    assert "somewhere else" in beside and "opened" not in beside and "Show near misses" not in beside


def test_near_misses_stand_below_no_strong_match() -> None:
    memory(ann(), "a kiosk somewhere else")
    client = signed_in(ann())
    assert "Show near misses" in text_of(client.get("/search?query=zebra+kiosk"))
    above, below = text_of(client.get("/search?query=zebra+kiosk&near=1")).split(NEAR)
    assert "No strong match" in above and "somewhere else" not in above and "somewhere else" in below


@pytest.mark.parametrize("near", ["", "0", "2", "true"])
def test_near_misses_need_a_plain_one(near: str) -> None:
    memory(ann(), "a kiosk somewhere else")
    seen = text_of(signed_in(ann()).get(f"/search?query=zebra+kiosk&near={near}"))
    assert NEAR not in seen and "somewhere else" not in seen and "Show near misses" in seen


def test_near_misses_keep_to_filters_and_to_what_one_may_see() -> None:
    memory(ann(), "a kiosk somewhere else", path="market")
    for who, path in ((ann(), "harbour"), (bob(), "market")):
        seen = text_of(signed_in(who).get(f"/search?query=zebra+kiosk&near=1&path={path}"))
        assert "There are none" in seen and "somewhere else" not in seen


def test_a_list_of_everything_and_a_bad_search_offer_no_near_misses() -> None:
    memory(ann(), "a kiosk somewhere else")
    client = signed_in(ann())
    for query in ("query=*", "query=%20", "query=x&limit=0", f"query={uuid4()}"):
        assert "Show near misses" not in text_of(client.get(f"/search?{query}"))
    assert client.get("/search?query=%20&near=1").status_code == 422


def test_a_hit_says_what_else_than_its_words_it_was_found_by() -> None:
    memory(ann(), "Which instrument does your sister play?", session="talk/1", created_at=PAST)
    memory(ann(), "The cello.", session="talk/1", created_at=PAST + timedelta(minutes=1), metadata={"speaker": "Zelda"})
    client = signed_in(ann())
    assert "matched in metadata" in text_of(client.get("/search?query=zelda&near=1"))
    assert "beside (a neighbour in the session)" in text_of(client.get("/search?query=sister+cello+instrument&near=1"))
    assert "date (when it was recorded)" in text_of(client.get("/search?query=cello+on+1+January+2024&near=1"))
