"""A running console and a browser, for as long as tests of this folder run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connections
from django.test import TransactionTestCase
from playwright.sync_api import Browser, expect, sync_playwright
from pytest_django import DjangoDbBlocker

from tests.browser import people
from tests.browser.running import running_console
from tests.browser.steps import Visit
from tests.browser.watch import PATIENCE_MS, launch, watched_page


@pytest.fixture(scope="package")
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database with real commits, which the console's processes see; emptied at the end."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")  # Playwright keeps a resting event loop in this thread
        yield
        TransactionTestCase._fixture_teardown(TransactionTestCase())
        connections.close_all()


@pytest.fixture(scope="package")
def console(database: None, database_environment: dict[str, str]) -> Iterator[str]:
    """The address of a console that runs."""
    with running_console(database_environment) as url:
        yield url


@pytest.fixture(scope="package")
def chromium(database: None) -> Iterator[Browser]:
    """A real browser. Playwright must end with this folder: its event loop would disturb other tests."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def visit(console: str, chromium: Browser, javascript: bool) -> Iterator[Visit]:
    """A person with memories of their own, before the sign-in page."""
    person = people.someone()
    with watched_page(chromium, console, javascript=javascript) as (page, watch):
        yield Visit(page, watch, person, javascript)
