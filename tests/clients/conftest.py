"""A running web server for as long as tests of this folder run, and somebody who has a key to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from memories.models import User
from tests.clients.hermes import Client, Provider, home_is, opened, provider_of
from tests.memories import factories
from tests.served import server

__all__ = ["server"]

_numbers = count(1)


@pytest.fixture
def who(server: str) -> User:
    """Somebody new, so that tests do not meet."""
    return factories.user(f"host{next(_numbers)}")


@pytest.fixture
def key(who: User) -> str:
    """A key of theirs, to read and to write memories."""
    return factories.token(who)[1]


@pytest.fixture
def client(server: str, key: str) -> Iterator[Client]:
    """The client of Hermes with that key."""
    with opened(server, key) as made:
        yield made


@pytest.fixture
def provider(server: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """The memory of a Hermes at home in a folder of its own, in a session that has begun."""
    home_is(tmp_path, server, key, monkeypatch)
    with provider_of("session-1") as made:
        yield made
