"""Saved views: what they keep, who has them, where the list begins, and that nobody else finds out."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from console.errors import Conflict, Invalid, NotAllowed, NotFound
from console.postgres.context import within
from memories.models import AuditRecord, Membership, SavedView, User
from memories.services import views
from tests.memories.factories import actor, ann, bea, bob, memory, team, token_actor
from tests.memories.page_client import records_now, signed_in, text_of

pytestmark = pytest.mark.django_db


def made(name: str = "Kettles", query: str = "bucket=home", who: User | None = None, **more: Any) -> SavedView:
    person = who or ann()
    return views.add(name=name, query=query, space_id=more.pop("space_id", person.pk), actor=actor(person), **more)


def names(who: User) -> list[str]:
    return [view.name for view in views.shown_to(actor(who))]


def test_a_view_keeps_the_filters_in_one_order_and_nothing_else() -> None:
    assert views.kept("path=a%25&type=semantic&after=x&scope=&status=active&order=created") == "type=semantic&path=a%25"
    assert (
        views.kept("order=updated&under=%E6%97%A5&status=archived") == "status=archived&under=%E6%97%A5&order=updated"
    )
    assert views.kept("") == ""


@pytest.mark.parametrize("query", ["nonsense=1", "a=1&" * 40, "scope=" + "x" * 2_001, "next=//evil.example"])
def test_what_is_no_filter_is_refused(query: str) -> None:
    before = records_now()
    with pytest.raises(Invalid):
        made(query=query)
    page = signed_in(ann()).post("/memories/views", {"name": "x", "query": query, "space": ann().pk})
    assert page.status_code == 422 and records_now() == before


@pytest.mark.parametrize("query", ["type=poem", "status=deleted", "limit=0", "owner=x", "age=old", "bucket=%00"])
def test_filters_that_the_list_refuses_are_not_saved(query: str) -> None:
    page = signed_in(ann()).post("/memories/views", {"name": "x", "query": query, "space": ann().pk})
    assert page.status_code == 422 and "The list does not take these filters" in text_of(page)
    assert not SavedView.objects.exists()


@pytest.mark.parametrize(
    ("name", "said"), [("  ", "is empty"), ("x" * 101, "100 characters"), ("a\x01b", "control character")]
)
def test_a_name_that_is_none_is_refused_with_what_was_typed(name: str, said: str) -> None:
    sent = {"name": name, "query": "bucket=home", "space": ann().pk}
    page = signed_in(ann()).post("/memories/views", sent)
    assert page.status_code == 422 and said in text_of(page) and 'value="bucket=home"' in page.content.decode()
    with pytest.raises(Invalid):
        made(name=name)


def test_a_view_is_saved_from_the_list_and_stands_above_it() -> None:
    memory(ann(), "a kettle", bucket="home")
    client = signed_in(ann())
    query = client.get("/memories?bucket=home&limit=5&after=").context["bar"].form.initial["query"]
    answer = client.post("/memories/views", {"name": " Kettles ", "query": query, "space": ann().pk})
    assert answer.status_code == 302 and parse_qs(answer["Location"].split("?")[1]) == {
        "bucket": ["home"],
        "limit": ["5"],
    }
    page = client.get(answer["Location"])
    link = page.context["bar"].links[0]
    assert (link.view.name, link.current) == ("Kettles", True) and "a kettle" in text_of(page)
    assert not client.get("/memories?bucket=work").context["bar"].links[0].current


def test_a_name_is_there_once_in_a_space_whatever_its_case() -> None:
    made("Kettles")
    with pytest.raises(Invalid, match="view of this name"):
        made("KETTLES")
    made("Kettles", who=bob())
    with pytest.raises(IntegrityError), transaction.atomic():
        SavedView.objects.create(owner=ann(), name="kettles")


def test_a_person_keeps_fifty_views(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "MOST", 2)
    made("one")
    made("two")
    made("his", who=bob())
    with pytest.raises(Conflict, match="2 views"):
        made("three")
    page = signed_in(ann()).post("/memories/views", {"name": "three", "query": "", "space": ann().pk})
    assert page.status_code == 422 and "as many as one keeps" in text_of(page)


def test_a_view_of_a_team_is_seen_by_its_members_and_by_nobody_else() -> None:
    atlas = team("Atlas", ann="member", bea="member")
    made("Ours", space_id=atlas.pk)
    made("Mine")
    assert names(ann()) == ["Mine", "Ours"] and names(bea()) == ["Ours"] and names(bob()) == []
    Membership.objects.filter(user=ann()).delete()
    assert names(ann()) == ["Mine"] and names(bea()) == ["Ours"]


def test_a_view_gives_no_right_to_what_it_shows() -> None:
    atlas = team("Atlas", ann="member", bea="member")
    memory(ann(), "hers alone", bucket="home")
    memory(ann(), "for both", bucket="home", team=atlas)
    made("Ours", space_id=atlas.pk)
    link = signed_in(bea()).get("/memories").context["bar"].links[0]
    page = text_of(signed_in(bea()).get(link.url))
    assert "for both" in page and "hers alone" not in page


def test_only_its_maker_or_an_admin_changes_a_view_of_a_team() -> None:
    atlas = team("Atlas", ann="admin", bea="member", bob="member")
    view = made("Ours", who=bea(), space_id=atlas.pk)
    with pytest.raises(NotAllowed):
        views.change(view_id=view.pk, name="His", space_id=atlas.pk, actor=actor(bob()))
    with pytest.raises(NotAllowed):
        views.remove(view_id=view.pk, actor=actor(bob()))
    with pytest.raises(NotAllowed, match="not your view"):
        views.change(view_id=view.pk, name="Ours", space_id=ann().pk, actor=actor(ann()))
    views.change(view_id=view.pk, name="Renamed", space_id=atlas.pk, actor=actor(ann()))
    views.remove(view_id=view.pk, actor=actor(ann()))
    assert names(bea()) == []


def test_a_view_of_one_private_space_is_not_shared() -> None:
    atlas = team("Atlas", ann="member")
    query = f"space={ann().pk}"
    with pytest.raises(Invalid, match="not everybody in Atlas"):
        made(query=query, space_id=atlas.pk)
    view = made(query=query)
    client = signed_in(ann())
    page = client.post(f"/memories/views/{view.pk}", {"name": "Kettles", "space": atlas.pk})
    assert page.status_code == 422 and "not everybody in Atlas" in text_of(page)
    made("Theirs", query=f"space={atlas.pk}", space_id=atlas.pk)


@pytest.mark.parametrize("address", ["", "/default", "/delete"])
def test_anothers_view_answers_as_one_that_is_missing(address: str) -> None:
    view = made(who=bob())
    before = records_now()
    sent = {"name": "x", "space": ann().pk, "chosen": "on"}
    missing = UUID("01a22ca2-8482-7386-8256-67939b2aa67b")
    answers = {signed_in(ann()).post(f"/memories/views/{key}{address}", sent).status_code for key in (view.pk, missing)}
    assert answers == {404} and records_now() == before


def test_the_database_itself_shows_nobody_elses_views() -> None:
    made(who=bob())
    with within([ann().pk], ann().pk):
        assert not SavedView.objects.exists()
    with within([bob().pk], bob().pk):
        assert SavedView.objects.count() == 1


def test_the_list_begins_with_the_view_that_comes_first() -> None:
    client, view = signed_in(ann()), made()
    client.post(f"/memories/views/{view.pk}/default", {"chosen": "on"})
    assert client.get("/memories")["Location"] == "/memories?bucket=home"
    everything_else = client.get("/memories?status=active")
    assert everything_else.status_code == 200 and everything_else.context["bar"].at_all
    other = made("Other", query="")
    client.post(f"/memories/views/{other.pk}/default", {"chosen": "on"})
    assert client.get("/memories")["Location"] == "/memories?status=active"
    client.post(f"/memories/views/{other.pk}/default", {})
    assert client.get("/memories").status_code == 200


def test_what_comes_first_is_forgotten_with_the_view_or_with_the_team() -> None:
    atlas = team("Atlas", ann="member", bea="admin")
    view = made("Ours", who=bea(), space_id=atlas.pk)
    views.choose_default(view_id=view.pk, chosen=True, actor=actor(ann()))
    Membership.objects.filter(user=ann()).delete()
    assert signed_in(ann()).get("/memories").status_code == 200
    views.remove(view_id=view.pk, actor=actor(bea()))
    assert User.objects.get(pk=ann().pk).default_view_id is None


def test_each_act_writes_one_line_and_what_is_so_already_none() -> None:
    atlas = team("Atlas", ann="admin")
    view = made()
    for _ in range(2):
        views.change(view_id=view.pk, name="Kettles", space_id=atlas.pk, actor=actor(ann()))
        views.choose_default(view_id=view.pk, chosen=True, actor=actor(ann()))
    views.change(view_id=view.pk, name="Pots", space_id=ann().pk, actor=actor(ann()))
    views.remove(view_id=view.pk, actor=actor(ann()))
    lines = AuditRecord.objects.filter(object_id=view.pk).order_by("at").values_list("action", "space_id")
    assert list(lines) == [
        ("view.create", ann().pk),
        ("view.update", atlas.pk),
        ("user.choose_default_view", ann().pk),
        ("view.update", atlas.pk),
        ("view.delete", ann().pk),
    ]


def test_tokens_have_no_views() -> None:
    view, agent = made(), token_actor(ann())
    for act in (
        lambda: views.add(name="x", query="", space_id=ann().pk, actor=agent),
        lambda: views.choose_default(view_id=view.pk, chosen=True, actor=agent),
        lambda: views.remove(view_id=view.pk, actor=agent),
    ):
        with pytest.raises(NotAllowed, match="Only people have views"):
            act()


def test_a_space_of_others_is_missing() -> None:
    with pytest.raises(NotFound):
        made(space_id=bob().pk)
    answer = signed_in(ann()).post("/memories/views", {"name": "x", "query": "", "space": bob().pk})
    assert answer.status_code == 403 and not SavedView.objects.exists()


def test_views_are_looked_after_on_a_page_of_their_own() -> None:
    client, view = signed_in(ann()), made("<b>Kettles</b>")
    page = client.get("/memories/views")
    assert "&lt;b&gt;Kettles&lt;/b&gt;" in page.content.decode() and "<b>Kettles</b>" not in page.content.decode()
    client.post(f"/memories/views/{view.pk}", {"name": "Pots", "space": ann().pk})
    assert "Pots" in text_of(client.get("/memories/views"))
    done = client.post(f"/memories/views/{view.pk}/delete", follow=True)
    assert "The view “Pots” is deleted." in text_of(done) and "No view is saved yet" in text_of(done)


def test_the_number_of_queries_does_not_grow_with_the_views() -> None:
    client, counts = signed_in(ann()), []
    team("Atlas", ann="admin")
    for size in (2, 20):
        for number in range(size):
            made(f"{size}-{number}")
        for address in ("/memories?status=active", "/memories/views"):
            with CaptureQueriesContext(connection) as queries:
                client.get(address)
            counts.append(len(queries))
    assert counts[:2] == counts[2:]
