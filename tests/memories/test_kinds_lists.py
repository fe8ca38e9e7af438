"""The lists of decisions and of snapshots of working state."""

from __future__ import annotations

from typing import Any

import pytest

from memories.models import Decision, Snapshot
from memories.services import decisions, snapshots, state
from memories.services.forget import forget
from tests.memories.factories import actor, ann, bea, bob, team
from tests.memories.page_client import HTMX, everything, signed_in, text_of

pytestmark = pytest.mark.django_db

LISTS = ["/decisions", "/snapshots"]
every_list = pytest.mark.parametrize("address", LISTS)


def ask(context: str, answer: str = "", **more: Any) -> Decision:
    made = decisions.ask(context=context, actor=actor(ann()), **more)
    if answer:
        decisions.resolve(decision_id=made.pk, resolution=answer, actor=actor(ann()))
    return made


def take(label: str, **more: Any) -> Snapshot:
    return snapshots.take(label=label, actor=actor(ann()), **more)


def make(address: str, words: str, **more: Any) -> Decision | Snapshot:
    return ask(words, **more) if address == "/decisions" else take(words, **more)


def test_decisions_stand_with_what_was_decided_and_are_parted_by_it() -> None:
    ask("Which carrier?")
    ask("Which colour?", "Deep red.")
    client = signed_in(ann())
    text = text_of(client.get("/decisions"))
    assert text.index("Which colour?") < text.index("Which carrier?") and "Deep red." in text
    assert all(count in text for count in ("All 2", "Open 1", "Decided 1"))
    assert "colour" not in text_of(client.get("/decisions?show=open"))
    assert "carrier" not in text_of(client.get("/decisions?show=decided"))


def test_snapshots_name_their_slots_and_session() -> None:
    state.update(current_task="Comparing invoices", actor=actor(ann()))
    take("before the move", session="night")
    take("")
    text = text_of(signed_in(ann()).get("/snapshots"))
    assert "before the move" in text and "active_task" in text and "night" in text


@every_list
def test_pages_of_a_list_follow_each_other_without_loss(address: str) -> None:
    made = [make(address, f"number {number}").pk for number in range(7)]
    client, url, seen = signed_in(ann()), f"{address}?limit=3", []
    while url:
        page = client.get(url).context["page"]
        seen += [row.pk for row in page.rows]
        url = page.next_url
    assert seen == made[::-1]


@pytest.mark.parametrize(
    ("address", "more", "query"),
    [
        ("/decisions", {}, "query=kiosks"),
        ("/decisions", {"bucket": "home"}, "bucket=home"),
        ("/decisions", {"scope": "tenant:project:42"}, "scope=tenant:project:42"),
        ("/snapshots", {"bucket": "home"}, "bucket=home"),
        ("/snapshots", {"session": "night"}, "session=night"),
    ],
)
def test_filters_narrow_and_each_is_taken_off_with_one_click(address: str, more: dict[str, Any], query: str) -> None:
    make(address, "other")
    make(address, "zebra kiosk", **more)
    page = signed_in(ann()).get(f"{address}?{query}")
    assert "zebra kiosk" in text_of(page)
    assert len(page.context["page"].rows) == 1
    [chip] = page.context["chips"]
    assert len(signed_in(ann()).get(chip["remove_url"]).context["page"].rows) == 2


def test_the_space_narrows_to_what_the_team_shares() -> None:
    atlas = team("Atlas", ann="member", bea="member")
    for address in LISTS:
        make(address, "private")
        make(address, "shared", team_id=atlas.pk)
        assert "private" not in text_of(signed_in(ann()).get(address, {"space": atlas.pk}))
        seen = text_of(signed_in(bea()).get(address))
        assert "shared" in seen and "private" not in seen


WRONG = ["after=x", "limit=0", "limit=201", "space=x", "bucket=%00"]


@pytest.mark.parametrize(
    "query", [*(f"{address}?{wrong}" for address in LISTS for wrong in WRONG), "/decisions?show=x"]
)
def test_a_wrong_filter_is_refused(query: str) -> None:
    assert signed_in(ann()).get(query).status_code == 422


@every_list
def test_a_list_shows_nothing_of_strangers_or_of_the_trash_and_changes_nothing(address: str) -> None:
    make(address, "secret words")
    gone = make(address, "thrown away")
    forget(record_id=gone.pk, actor=actor(ann()))
    owner, stranger = signed_in(ann()), signed_in(bob())
    before = everything()
    for headers in ({}, HTMX):
        text = text_of(owner.get(address, headers=headers))
        assert "secret words" in text and "thrown away" not in text
        page = stranger.get(address, headers=headers)
        assert page.context["first_use"] and "secret" not in text_of(page)
    assert everything() == before


@every_list
def test_a_list_without_a_match_is_told_from_an_empty_one(address: str) -> None:
    client = signed_in(ann())
    assert "yet" in text_of(client.get(address)) and "matches these filters" not in text_of(client.get(address))
    make(address, "one")
    assert "matches these filters" in text_of(client.get(f"{address}?bucket=nowhere"))


@every_list
def test_the_menu_leads_to_the_list_and_marks_it_there_and_on_the_page_of_a_record(address: str) -> None:
    client, made = signed_in(ann()), make(address, "one")
    assert f'href="{address}"' in client.get("/").content.decode()
    for page in (address, f"{address}/{made.pk}"):
        assert f'href="{address}" aria-current="page"' in client.get(page).content.decode()
