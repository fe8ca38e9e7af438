"""TODOs as services: each verb one audited change, and lists that filter before they are cut."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Stale
from memories.models import AuditRecord, Todo
from memories.services import todos
from memories.services.forget import forget, restore
from memories.services.todos import Wanted
from tests.memories.factories import actor, ann, bea, bob, team, token_actor

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def add(content: str = "Call Bea.", **fields: Any) -> Todo:
    return todos.add(content=content, actor=fields.pop("by", None) or actor(ann()), **fields)


def contents(by: Any = None, **filters: Any) -> list[str]:
    return [todo.content for todo in todos.listed(Wanted(**filters), actor=by or actor(ann()))]


def lines(todo: Todo) -> list[str]:
    return list(AuditRecord.objects.filter(object_id=todo.pk).order_by("seq").values_list("action", flat=True))


def test_each_verb_moves_the_version_and_writes_one_line() -> None:
    todo = add()
    todos.edit(todo_id=todo.pk, changes={"content": "Call Bea back."}, seen_version=1, actor=actor(ann()))
    todos.complete(todo_id=todo.pk, note="done", seen_version=2, actor=actor(ann()))
    todos.reopen(todo_id=todo.pk, seen_version=3, actor=actor(ann()))
    todo.refresh_from_db()
    assert (todo.version, todo.item_status, todo.note) == (4, "open", "done")
    assert lines(todo) == ["todo.create", "todo.update", "todo.complete", "todo.reopen"]


def test_doing_it_again_changes_nothing() -> None:
    todo = add()
    for _ in range(2):
        todos.complete(todo_id=todo.pk, actor=actor(ann()))
    todos.edit(todo_id=todo.pk, changes={"content": "Call Bea.", "due_at": None}, actor=actor(ann()))
    for _ in range(2):
        todos.reopen(todo_id=todo.pk, actor=actor(ann()))
    assert lines(todo) == ["todo.create", "todo.complete", "todo.reopen"]


def test_the_audit_of_an_edit_names_dates_and_places_but_no_text() -> None:
    todo = add("secret plan")
    changes = {"content": "secret plot", "due_at": NOON, "bucket": "home", "scope": "s", "path": "/a/b/"}
    todos.edit(todo_id=todo.pk, changes=changes, actor=actor(ann()))
    detail = AuditRecord.objects.get(action="todo.update").detail
    assert detail["bucket"] == ["work", "home"] and detail["path"] == ["", "a/b"] and detail["content_changed"] is True
    assert detail["due_at"] == [None, "2026-11-30T12:00:00Z"] and "secret" not in str(detail)


@pytest.mark.parametrize("verb", [todos.complete, todos.reopen])
def test_a_moved_version_is_stale(verb: Any) -> None:
    todo = add()
    with pytest.raises(Stale):
        verb(todo_id=todo.pk, seen_version=2, actor=actor(ann()))
    with pytest.raises(Stale):
        todos.edit(todo_id=todo.pk, changes={"content": "x"}, seen_version=2, actor=actor(ann()))


def test_in_the_trash_it_can_only_come_back() -> None:
    todo = add()
    forget(record_id=todo.pk, actor=actor(ann()))
    assert contents() == []
    for verb in (todos.complete, todos.reopen):
        with pytest.raises(Conflict):
            verb(todo_id=todo.pk, actor=actor(ann()))
    with pytest.raises(Conflict):
        todos.edit(todo_id=todo.pk, changes={"content": "x"}, actor=actor(ann()))
    restore(record_id=todo.pk, actor=actor(ann()))
    assert contents() == ["Call Bea."]


def test_strangers_find_nothing_and_change_nothing() -> None:
    todo = add()
    assert contents(by=actor(bob())) == []
    for verb in (todos.complete, todos.reopen):
        with pytest.raises(NotFound):
            verb(todo_id=todo.pk, actor=actor(bob()))
    with pytest.raises(NotFound):
        todos.edit(todo_id=todo.pk, changes={"content": "x"}, actor=actor(bob()))
    with pytest.raises(NotFound):
        todos.find(todo.pk, actor=actor(bob()))


def test_a_team_shares_its_todos() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    todo = add(team_id=atlas.pk)
    assert contents(by=actor(bea()), space_id=atlas.pk) == ["Call Bea."]
    todos.complete(todo_id=todo.pk, actor=actor(bea()))
    with pytest.raises(NotAllowed):
        add(team_id=atlas.pk, by=actor(bob()))
    with pytest.raises(NotAllowed):
        contents(by=actor(bob()), space_id=atlas.pk)


def test_a_token_writes_and_reads_only_inside_its_bounds() -> None:
    bound = token_actor(ann(), buckets=["home"], scope="s", path_prefix="p")
    todo = add(by=bound)
    assert (todo.bucket, todo.scope, todo.path) == ("home", "s", "p")
    for outside in ({"bucket": "work"}, {"scope": "t"}, {"path": "q"}):
        with pytest.raises(NotAllowed):
            add(by=bound, **outside)
        with pytest.raises(NotAllowed):
            todos.edit(todo_id=todo.pk, changes=outside, actor=bound)
    add("elsewhere")
    assert contents(by=bound) == ["Call Bea."]


def test_a_token_that_only_reads_changes_nothing() -> None:
    todo, reader = add(), token_actor(ann(), scopes=["memory:read"])
    for refused in (
        lambda: add(by=reader),
        lambda: todos.complete(todo_id=todo.pk, actor=reader),
        lambda: todos.reopen(todo_id=todo.pk, actor=reader),
        lambda: todos.edit(todo_id=todo.pk, changes={"content": "x"}, actor=reader),
        lambda: contents(by=token_actor(ann(), scopes=["memory:write"])),
    ):
        with pytest.raises(NotAllowed):
            refused()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("content", ""),
        ("content", " \u200b"),
        ("content", "a\0b"),
        ("content", 5),
        ("due_at", "tomorrow"),
        ("due_at", datetime(2026, 1, 1)),  # noqa: DTZ001 - without an offset on purpose
        ("due_at", datetime(9999, 12, 31, 23, tzinfo=UTC)),
        ("due_at", datetime(1, 1, 1, tzinfo=UTC)),
        ("bucket", ""),
        ("path", "a/../b"),
        ("scope", "x" * 201),
        ("completed_at", NOON),
    ],
)
def test_bad_fields_are_named(name: str, value: Any) -> None:
    todo = add()
    with pytest.raises(Invalid) as refusal:
        todos.edit(todo_id=todo.pk, changes={name: value}, actor=actor(ann()))
    assert [problem.loc[-1] for problem in refusal.value.problems] == [name]


def test_lists_are_filtered_by_status_date_place_and_words() -> None:
    now = timezone.now()
    add("late report", due_at=now - timedelta(days=1), bucket="work")
    add("soon", due_at=now + timedelta(days=1), bucket="personal", scope="s")
    add("some day")
    done = add("done", due_at=now - timedelta(days=2))
    todos.complete(todo_id=done.pk, actor=actor(ann()))
    assert contents() == ["late report", "soon", "some day", "done"]
    assert contents(item_status="open") == ["late report", "soon", "some day"]
    assert contents(item_status="completed") == ["done"]
    assert contents(overdue=True) == ["late report"]
    assert contents(due_before=now) == ["late report", "done"]
    assert contents(bucket="pers%") == contents(scope="s") == ["soon"]
    assert contents(query="report") == contents(query="REPORTS") == ["late report"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("今天玩成语接龙游戏", "成语"),
        ("오늘 끝말잇기 게임", "끝말"),
        ("重跑gen-itgc后", "gen-itgc"),
        ("São Paulo", "sao paulo"),
        ("ask the bank", "the bank"),
        ("100%_sure", "%_"),
        ("Pay the second invoice today", '"second invoice"'),
    ],
)
def test_words_of_every_script_are_found(text: str, query: str) -> None:
    add(text)
    add("something else altogether, the end")
    assert contents(query=query) == [text]


@pytest.mark.parametrize("query", ["a & b", "x:*", "!", "'", "((", "a\\", "<->", "%", '"'])
def test_operators_are_plain_text(query: str) -> None:
    add("nothing of this kind")
    contents(query=query)


@pytest.mark.parametrize(
    "filters",
    [{"item_status": "done"}, {"query": "x" * 1001}, {"bucket": "%" * 21}, {"query": "a\0"}, {"due_before": "soon"}],
)
def test_bad_filters_are_refused(filters: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        contents(**filters)


def test_the_note_is_found_too() -> None:
    todo = add()
    todos.complete(todo_id=todo.pk, note="zebra", actor=actor(ann()))
    assert contents(query="zebra") == ["Call Bea."]
