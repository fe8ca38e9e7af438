"""Who changes a row keeps others from changing it, and nobody from writing rows that refer to it."""

from __future__ import annotations

import ast
from pathlib import Path

import psycopg
import pytest
from django.db import OperationalError, connection, transaction
from django.http import HttpRequest

from console.errors import Conflict, Unavailable
from console.faults import as_refusal
from memories.models import ApiToken
from memories.services import preferences
from tests.memories.at_once import at_once
from tests.memories.factories import actor, ann, token

ROOT = Path(__file__).parents[2]
ROOMS = ("memories", "reflection", "console")
DELETES = "removal.py"  # what it locks is deleted, and nothing may come to refer to it meanwhile


def locks_in(source: str) -> list[str]:
    """Calls that lock rows against references too."""
    return [
        f"line {node.lineno}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "select_for_update"
        and not any(one.arg == "no_key" for one in node.keywords)
    ]


def test_rows_are_locked_without_their_keys_where_none_is_deleted() -> None:
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*.py") if path.name != DELETES]
    assert {path.name: found for path in paths if (found := locks_in(path.read_text()))} == {}
    assert locks_in("rows.select_for_update(of=('self',))") == ["line 1"]


@pytest.mark.django_db(transaction=True)
def test_while_a_person_changes_their_settings_rows_of_theirs_are_written() -> None:
    person = ann()
    one, _ = token(person)

    def written() -> int:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '3s'")
            ApiToken.objects.filter(pk=one.pk).update(user=person)
            ApiToken.objects.create(
                user=person,
                name="n",
                digest=b"d" * 32,
                prefix="mc_x",
                scopes=["memory:read"],
                expires_at=one.expires_at,
            )
            return 1

    with transaction.atomic():
        preferences.choose(language="", time_zone="Asia/Seoul", single_keys=False, actor=actor(person))
        assert at_once(written) == [1]


@pytest.mark.parametrize("cause", [psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure])
def test_who_has_to_give_way_is_told_to_try_again_and_not_that_the_database_is_away(cause: type[Exception]) -> None:
    request = HttpRequest()
    request.audit_id = "x"  # type: ignore[attr-defined]
    error = OperationalError("deadlock detected")
    error.__cause__ = cause()
    refusal = as_refusal(request, error)
    assert isinstance(refusal, Conflict) and refusal.detail["retry_after"] == 1
    assert isinstance(as_refusal(request, OperationalError("gone")), Unavailable)
