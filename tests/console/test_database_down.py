"""While the database is down pages still say so, though not even who is signed in can be found out."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest
from django.db import OperationalError

from tests.memories.factories import ann
from tests.memories.page_client import HTMX, signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
@pytest.mark.parametrize("verb", ["get", "post"])
def test_a_page_says_that_the_database_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, verb: str, headers: dict[str, Any]
) -> None:
    def gone(request: Any) -> NoReturn:
        raise OperationalError("the connection is lost")

    client = signed_in(ann())
    monkeypatch.setattr("django.contrib.auth.middleware.get_user", gone)
    answer = getattr(client, verb)("/memories/new", {"content": "Tea."}, headers=headers)
    assert answer.status_code == 503 and answer["Retry-After"]
    assert "Try again in a moment." in text_of(answer) and "the connection is lost" not in answer.content.decode()
