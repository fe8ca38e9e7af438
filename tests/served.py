"""A running web server, for as long as the tests of one folder run. Their conftest imports the fixture."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connections
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from tests.browser.running import WEB, running_console


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
