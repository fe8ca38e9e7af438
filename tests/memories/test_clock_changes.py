"""Where a clock is set forward or back: a time that it leaves out or shows twice is taken, told, and left as it was."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.test import Client

from memories.models import Memory, Todo, User
from tests.memories.factories import memory, user
from tests.memories.page_client import signed_in, text_of
from tests.rights.shape import Form, Forms

pytestmark = pytest.mark.django_db

TYPED = [
    ("America/Sao_Paulo", "2018-11-04T00:30", datetime(2018, 11, 4, 3, 30, tzinfo=UTC)),  # left out
    ("America/Sao_Paulo", "2018-02-17T23:30", datetime(2018, 2, 18, 1, 30, tzinfo=UTC)),  # shown twice
    ("Europe/Madrid", "2026-03-29T02:30", datetime(2026, 3, 29, 1, 30, tzinfo=UTC)),  # left out
    ("Europe/Madrid", "2026-10-25T02:30", datetime(2026, 10, 25, 0, 30, tzinfo=UTC)),  # shown twice
    ("Europe/Madrid", "2026-10-25T02:30+01:00", datetime(2026, 10, 25, 1, 30, tzinfo=UTC)),
    ("Asia/Tokyo", "2026-03-29T02:30", datetime(2026, 3, 28, 17, 30, tzinfo=UTC)),
    ("Asia/Seoul", "2026-10-25T02:30", datetime(2026, 10, 24, 17, 30, tzinfo=UTC)),
]
SECOND = datetime(2026, 10, 25, 1, 30, 7, tzinfo=UTC)  # the second time that it is half past two in Madrid


def living_in(zone: str) -> User:
    who = user("kim")
    who.time_zone = zone
    who.save(update_fields=["time_zone"])
    return who


def form_of(client: Client, path: str, name: str) -> Form:
    """The form of a page that has such a field, as a browser would send it."""
    page = client.get(path)
    return next(one for one in Forms(page.content.decode()).found if name in one.values and one.method == "post")


@pytest.mark.parametrize(("zone", "typed", "meant"), TYPED)
def test_every_time_of_a_clock_is_taken_and_told_in_utc(zone: str, typed: str, meant: datetime) -> None:
    who = living_in(zone)
    client = signed_in(who)
    assert client.post("/todos", {"content": "call", "space": who.pk, "due_at": typed}).status_code == 302
    todo = Todo.objects.get()
    assert todo.due_at == meant
    assert f'datetime="{meant:%Y-%m-%dT%H:%M:%SZ}"' in client.get(f"/todos/{todo.pk}").content.decode()


@pytest.mark.parametrize(("zone", "typed", "meant"), TYPED)
def test_a_filter_takes_it_and_says_which_moment_that_is(zone: str, typed: str, meant: datetime) -> None:
    client = signed_in(living_in(zone))
    for path in ("/audit", "/search", "/timeline"):
        page = client.get(path, {"query": "tea", "since": typed})
        assert page.status_code == 200, path
        [chip] = [one for one in page.context["chips"] if one["field"] == "since"]
        assert str(chip["value"]).endswith(f" = {meant:%-d %b %Y, %H:%M} UTC"), path


def test_whoever_lives_in_utc_is_told_the_moment_once() -> None:
    page = signed_in(living_in("UTC")).get("/audit", {"since": "2026-10-25T02:30", "until": "9999-12-31T23:59"})
    assert "25 Oct 2026, 02:30 UTC" in text_of(page) and " = " not in text_of(page)


@pytest.mark.parametrize("time", ["0001-01-01T00:00", "9999-12-31T23:59", "9999-12-31T23:59Z", "0001-01-01T00:00Z"])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
def test_a_filter_at_an_end_of_the_calendar_is_told_or_refused(zone: str, time: str) -> None:
    for name in ("since", "until"):
        assert signed_in(living_in(zone)).get("/audit", {name: time}).status_code in (200, 422)


@pytest.mark.parametrize(("zone", "typed", "meant"), TYPED)
def test_an_edit_of_something_else_leaves_the_moment_alone(zone: str, typed: str, meant: datetime) -> None:
    who = living_in(zone)
    client = signed_in(who)
    at = SECOND if "02:30" in typed and zone == "Europe/Madrid" else meant
    todo = Todo.objects.create(owner=who, content="call", due_at=at, created_at=meant, updated_at=meant)
    note = memory(who, "tea", expires_at=at.replace(year=2032))
    for path, name, model in (
        (f"/todos/{todo.pk}", "due_at", Todo),
        (f"/memories/{note.pk}/edit", "expires_at", Memory),
    ):
        form = form_of(client, path, name)
        shown = re.sub(":00$", "", form.values[name]) if form.values[name].count(":") == 2 else form.values[name]
        answer = client.post(path, form.values | {name: shown, "content": "something else"})
        assert answer.status_code == 302, path
        kept = model._default_manager.get(owner=who)
        assert kept.content == "something else"
        assert getattr(kept, name) == (at if model is Todo else at.replace(year=2032))


def test_a_time_that_is_typed_anew_counts_though_it_looks_like_the_other() -> None:
    who = living_in("Europe/Madrid")
    client = signed_in(who)
    todo = Todo.objects.create(owner=who, content="call", due_at=SECOND, created_at=SECOND, updated_at=SECOND)
    form = form_of(client, f"/todos/{todo.pk}", "due_at")
    assert client.post(f"/todos/{todo.pk}", form.values | {"due_at": "2026-10-25T02:30:07+02:00"}).status_code == 302
    todo.refresh_from_db()
    assert todo.due_at == datetime(2026, 10, 25, 0, 30, 7, tzinfo=UTC)
