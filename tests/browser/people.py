"""People with memories, each in a private space of their own, so that tests do not meet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from itertools import count

from django.db import connection
from django.utils import timezone

from memories.embedding import store
from memories.models import Memory, User
from tests.memories import factories
from tests.reflection import life

JAPANESE = "週次の会議は水曜日の午前十時に第三会議室で開きます。"
PORTUGUESE = "A reunião com o fornecedor de etiquetas ficou para quinta-feira às 15 horas."

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Person:
    """Who signs in, and what they remember by name."""

    user: User
    memories: dict[str, Memory]

    @property
    def username(self) -> str:
        return self.user.username


def someone() -> Person:
    """Somebody new, with something to do for each of the five actions and texts in three languages."""
    user = factories.user(f"walker{next(_numbers)}")
    found = life.fill(user)
    fields = {"bucket": "work", "path": "meetings", "created_at": timezone.now() - timedelta(hours=2)}
    found["japanese"] = factories.memory(user, JAPANESE, language="ja", **fields)
    found["portuguese"] = factories.memory(user, PORTUGUESE, language="pt", **fields)
    _settle()
    return Person(user, found)


def _settle() -> None:
    """No vector comes later, in the middle of a test: who is filling some right now is waited for."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [store.LOCK])
        try:
            store.drain()
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [store.LOCK])


def nobody_yet() -> Person:
    """Somebody new who remembers nothing."""
    return Person(factories.user(f"walker{next(_numbers)}"), {})
