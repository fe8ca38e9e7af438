"""The pages of TODOs, with scripts and without."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories.models import Todo
from memories.services import todos
from memories.services.forget import forget
from tests.memories.factories import actor, ann, bob, memory, team, user
from tests.memories.page_client import HTMX, everything, signed_in, text_of

pytestmark = pytest.mark.django_db

UNKNOWN = "01a22ca2-8482-7386-8256-67939b2aa67b"
VERBS = ["complete", "reopen", "forget", "restore"]


def add(content: str = "Call Bea.", **fields: Any) -> Todo:
    return todos.add(content=content, actor=actor(ann()), **fields)


def standing(todo: Todo) -> tuple[str, str, int]:
    todo.refresh_from_db()
    return todo.status, todo.item_status, todo.version


def test_what_is_due_first_stands_first_and_each_list_has_its_count() -> None:
    now = timezone.now()
    for name, days in (("next week", 7), ("yesterday", -1), ("tomorrow", 1)):
        add(name, due_at=now + timedelta(days=days))
    add("some day")
    done = add("done already")
    todos.complete(todo_id=done.pk, actor=actor(ann()))
    text = text_of(signed_in(ann()).get("/todos"))
    places = [text.index(name) for name in ("yesterday", "tomorrow", "next week", "some day")]
    assert places == sorted(places) and "done already" not in text and text.count("overdue") == 1
    assert all(count in text for count in ("Open 4", "Overdue 1", "Completed 1"))
    overdue = text_of(signed_in(ann()).get("/todos?show=overdue"))
    assert "yesterday" in overdue and "tomorrow" not in overdue
    assert "done already" in text_of(signed_in(ann()).get("/todos?show=completed"))


@pytest.mark.parametrize("show", ["open", "completed"])
def test_pages_follow_each_other_without_loss(show: str) -> None:
    due = timezone.now()
    for number in range(7):
        todo = add(f"number {number}", due_at=None if number > 4 else due + timedelta(days=number // 2))
        if show == "completed":
            todos.complete(todo_id=todo.pk, actor=actor(ann()))
    client, url, seen = signed_in(ann()), f"/todos?show={show}&limit=3", []
    while url:
        page = client.get(url).context["page"]
        seen += [row.line for row in page.rows]
        url = page.next_url
    assert sorted(seen) == [f"number {number}" for number in range(7)]


def test_filters_narrow_and_can_be_taken_off() -> None:
    add("the report", bucket="home", scope="s")
    add("the rest")
    client = signed_in(ann())
    for query in ("query=report", "bucket=home", "scope=s"):
        text = text_of(client.get(f"/todos?{query}"))
        assert "the report" in text and "the rest" not in text and "Remove filter" in text
    assert "No TODO matches" in text_of(client.get("/todos?query=zebra"))
    assert client.get("/todos?show=x").status_code == 422
    assert client.get(f"/todos?query={'x' * 1001}").status_code == 422
    assert client.get("/todos?after=x").status_code == 422


def test_adding_goes_back_to_the_list_and_a_mistake_keeps_what_was_typed() -> None:
    client = signed_in(ann())
    sent = {"content": "Buy tea", "due_at": "2030-01-01T10:00", "space": str(ann().pk), "next": "/todos?bucket=work"}
    assert client.post("/todos", sent)["Location"] == "/todos?bucket=work"
    todo = Todo.objects.get()
    assert (todo.content, todo.source, todo.due_at.isoformat()) == ("Buy tea", "console", "2030-01-01T10:00:00+00:00")
    wrong = client.post("/todos", {**sent, "content": "Keep me", "due_at": "soon"})
    assert wrong.status_code == 422 and "Keep me" in wrong.content.decode() and Todo.objects.count() == 1
    assert client.post("/todos", {**sent, "content": "\u200b"}).status_code == 422
    other = team("Other", bob="admin")
    assert client.post("/todos", {**sent, "space": str(other.pk)}).status_code == 403


def test_a_due_date_is_read_and_shown_in_the_persons_zone() -> None:
    tokyo = user("ken", time_zone="Asia/Tokyo")
    signed_in(tokyo).post("/todos", {"content": "Buy tea", "due_at": "2030-01-01T09:00", "space": str(tokyo.pk)})
    todo = Todo.objects.get()
    assert todo.due_at.isoformat() == "2030-01-01T00:00:00+00:00"
    assert "1 Jan 2030, 09:00 JST" in text_of(signed_in(tokyo).get(f"/todos/{todo.pk}"))


def test_completing_and_opening_again_with_and_without_scripts() -> None:
    todo, client = add(), signed_in(ann())
    answer = client.post(f"/todos/{todo.pk}/complete", {"version": 1, "next": "/todos"})
    assert (answer.status_code, answer["Location"], standing(todo)) == (302, "/todos", ("active", "completed", 2))
    row = client.post(f"/todos/{todo.pk}/reopen", {"version": 2, "as": "row", "next": "/todos"}, headers=HTMX)
    assert row.status_code == 200 and "Complete" in row.content.decode() and "<html" not in row.content.decode()
    assert standing(todo) == ("active", "open", 3)


def test_the_row_becomes_an_undo_and_comes_back() -> None:
    todo, client = add(), signed_in(ann())
    gone = client.post(f"/todos/{todo.pk}/forget", {"version": 1, "next": "/todos"}, headers=HTMX).content.decode()
    assert "Undo" in gone and f"/todos/{todo.pk}/restore" in gone and standing(todo) == ("deleted", "open", 2)
    row = client.post(f"/todos/{todo.pk}/restore", {"version": 2, "as": "row", "next": "/todos"}, headers=HTMX)
    assert "Call Bea." in row.content.decode() and standing(todo) == ("active", "open", 3)
    assert client.post(f"/todos/{todo.pk}/forget", {"version": 3, "next": "/todos"})["Location"] == "/todos"
    assert "Undo" in text_of(client.get("/todos"))


def test_restored_at_the_address_of_memories_it_is_no_row_of_their_list() -> None:
    one = add()
    forget(record_id=one.pk, actor=actor(ann()))
    sent = {"version": 2, "as": "row", "next": "/memories"}
    response = signed_in(ann()).post(f"/memories/{one.pk}/restore", sent, headers=HTMX)
    assert (response.status_code, response.url) == (302, "/memories")
    assert standing(one)[0] == "active"


def test_the_page_shows_the_todo_its_history_and_a_form() -> None:
    todo, client = add("Call <Bea>."), signed_in(ann())
    saved = client.post(f"/todos/{todo.pk}", {"version": 1, "content": "Call <Bob>.", "bucket": "home"})
    assert saved["Location"] == f"/todos/{todo.pk}" and standing(todo) == ("active", "open", 2)
    page = client.get(f"/todos/{todo.pk}")
    assert "Call &lt;Bob&gt;." in page.content.decode()
    assert "TODO changed" in text_of(page) and "TODO written" in text_of(page)


def test_what_was_not_touched_stays_to_the_second() -> None:
    due = timezone.now().replace(microsecond=0, second=17)
    todo, client = add(due_at=due), signed_in(ann())
    form = client.get(f"/todos/{todo.pk}").context["form"]
    sent = {
        "version": 1,
        "content": "Call.",
        "bucket": "work",
        "due_at": form["due_at"].value().strftime("%Y-%m-%dT%H:%M:%S"),
    }
    client.post(f"/todos/{todo.pk}", sent)
    todo.refresh_from_db()
    assert (todo.due_at, todo.content) == (due, "Call.")


def test_somebody_elses_save_in_between_shows_both() -> None:
    todo, client = add(), signed_in(ann())
    todos.edit(todo_id=todo.pk, changes={"content": "Theirs"}, actor=actor(ann()))
    answer = client.post(f"/todos/{todo.pk}", {"version": 1, "content": "Mine", "bucket": "work"})
    assert answer.status_code == 409 and standing(todo)[2] == 2
    assert "Theirs" in text_of(answer) and "Mine" in text_of(answer) and "Save mine over version 2" in text_of(answer)
    assert client.post(f"/todos/{todo.pk}/complete", {"version": 1}).status_code == 409


def test_in_the_trash_it_says_so_and_offers_the_way_back() -> None:
    todo = add()
    forget(record_id=todo.pk, actor=actor(ann()))
    client = signed_in(ann())
    text = text_of(client.get(f"/todos/{todo.pk}"))
    assert "In the trash" in text and "Restore" in text and "Save changes" not in text
    assert "Call Bea." not in text_of(client.get("/todos"))


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_strangers_cannot_tell_anothers_from_none(headers: dict[str, str]) -> None:
    todo, client = add("secret"), signed_in(bob())
    before = everything()
    for key in (todo.pk, UNKNOWN):
        answers = [client.get(f"/todos/{key}", headers=headers)]
        sent = {"version": 1, "content": "x", "bucket": "work", "as": "row", "next": "/todos"}
        answers += [client.post(f"/todos/{key}", sent, headers=headers)]
        answers += [client.post(f"/todos/{key}/{verb}", sent, headers=headers) for verb in VERBS]
        assert [answer.status_code for answer in answers] == [404] * 6
        assert all("secret" not in answer.content.decode() for answer in answers)
    assert everything() == before and "secret" not in text_of(client.get("/todos"))


def test_nobody_and_forms_without_their_token_get_nowhere() -> None:
    todo = add()
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann())
    before = everything()
    for path in ("", f"/{todo.pk}", *(f"/{todo.pk}/{verb}" for verb in VERBS)):
        assert Client().post(f"/todos{path}", {"version": 1}).status_code == 401
        assert client.post(f"/todos{path}", {"version": 1}).status_code == 403
    assert everything() == before


def test_a_form_without_its_version_is_refused() -> None:
    todo, client = add(), signed_in(ann())
    for verb in VERBS:
        assert client.post(f"/todos/{todo.pk}/{verb}", {}).status_code == 422
    assert client.post(f"/todos/{todo.pk}", {"content": "x", "bucket": "work"}).status_code == 422
    assert standing(todo)[2] == 1


def test_before_the_first_todo_the_page_says_what_it_is_for() -> None:
    assert "Nothing to do yet" in text_of(signed_in(ann()).get("/todos"))


def test_a_record_of_another_kind_is_not_here() -> None:
    note, client = memory(ann(), "no TODO"), signed_in(ann())
    before = everything()
    sent = {"version": 1, "content": "x", "bucket": "work", "next": "/todos"}
    answers = [client.get(f"/todos/{note.pk}"), client.post(f"/todos/{note.pk}", sent)]
    answers += [
        client.post(f"/{place}/{note.pk}/{verb}", sent)
        for place in ("todos", "ledger")
        for verb in ("forget", "restore")
    ]
    assert [answer.status_code for answer in answers] == [404] * 6 and everything() == before
