"""A running web server, for as long as tests of this folder run, and somebody who has a token."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count

import pytest
from django.db import connections
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from memories.models import User
from tests.browser.running import WEB, running_console
from tests.mcp.bridge import Bridge
from tests.memories import factories

_numbers = count(1)
collect_ignore = [] if os.environ.get("MCP_CONFORMANCE") else ["test_conformance.py"]


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
    return factories.user(f"caller{next(_numbers)}")


@pytest.fixture
def bridge(server: str, who: User) -> Bridge:
    """An agent of theirs with every scope."""
    return Bridge(server, who)
