"""A running console for as long as tests of this folder run, and somebody who uses its command line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from django.db import connections
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from memories.models import User
from tests.browser.running import WEB, running_console
from tests.cli.shell import Shell
from tests.memories import factories

EVERYTHING = ["memory:read", "memory:write", "memory:delete", "ledger:read", "ledger:write", "audit"]
_numbers = count(1)


@pytest.fixture(scope="package")
def server(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, database_environment: dict[str, str]
) -> Iterator[str]:
    """The address of a console on the test database, with real commits; the database is emptied at the end."""
    with django_db_blocker.unblock():
        with running_console(database_environment, [WEB]) as url:
            yield url
        TransactionTestCase._fixture_teardown(TransactionTestCase())
        connections.close_all()


@pytest.fixture
def who(server: str) -> User:
    """Somebody new, so that tests do not meet."""
    return factories.user(f"typist{next(_numbers)}")


@pytest.fixture
def shell(server: str, who: User, tmp_path: Path) -> Shell:
    """Their shell, in a folder of its own, with a token of theirs."""
    return Shell(tmp_path, url=server, token=factories.token(who, scopes=EVERYTHING)[1])
