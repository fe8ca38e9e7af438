"""The test database: a fresh one on the embedded server, used through the weak runtime role as in real life.

MEMORY_CONSOLE_TEST_HOME names another data folder for that server, TEST_DATABASE_URL a server of your own (its role
needs CREATEDB and CREATEROLE, or TEST_DATABASE_RUNTIME_URL for the second role).
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hypothesis
import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.signals import request_finished
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import TransactionTestCase
from psycopg import sql
from pytest_django import DjangoDbBlocker

from console.postgres import config, launcher, setup

ROOT = Path(__file__).resolve().parent.parent
HOME = Path(os.environ.get("MEMORY_CONSOLE_TEST_HOME") or ROOT / ".local" / "test").absolute()
PREFIX = "test_memory_console_"
HERE = f"tests on {socket.gethostname()}"
# What migrations fill and every test expects to find.
KEPT = ["django_migrations", "django_content_type", "auth_permission", "pgmq.meta", "pgmq.notify_insert_throttle"]

# How long an example takes says how busy the machine is, not whether the example is right.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

# What tests do beside the doors sees every space; requests, worker and commands name their own as in real life.
SEES_ALL = "-c memory_console.spaces=*"

# TRUNCATE as the owner: the runtime role may not, and the audit's triggers would refuse even the owner.
EMPTY_ALL_TABLES = """
DO $$
DECLARE filled regclass[]; item regclass;
BEGIN
    SELECT array_agg(c.oid::regclass) INTO filled FROM pg_class c
    WHERE c.relkind = 'r' AND c.relowner = current_user::regrole AND pg_relation_size(c.oid) > 0
      AND NOT c.oid::regclass::text = ANY (current_setting('tests.kept')::text[]);
    IF filled IS NULL THEN RETURN; END IF;
    FOREACH item IN ARRAY filled LOOP EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', item); END LOOP;
    EXECUTE 'TRUNCATE ' || array_to_string(filled, ', ') || ' CASCADE';
    FOREACH item IN ARRAY filled LOOP EXECUTE format('ALTER TABLE %s ENABLE TRIGGER USER', item); END LOOP;
END $$
"""


def pytest_configure() -> None:
    """People of the tests sign in with cheap hashes; any other process can still read them."""
    settings.PASSWORD_HASHERS = ["tests.hashing.CheapHasher"]
    settings.RATE_LIMITS = False  # the tests of limits put them on
    os.environ.setdefault("RATE_LIMITS", "0")
    settings.ERASURES_FILE = HOME / "erasures.jsonl"


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Create, migrate and at the end drop a database of this process; `default` is its runtime role."""
    original = TransactionTestCase._fixture_teardown
    with django_db_blocker.unblock():
        name = f"{PREFIX}{os.getpid()}"
        aliases = _point_aliases_at(name)
        with _administrator(aliases["owner"]) as admin:
            _drop_left_overs(admin)
            _create(admin, name, aliases["owner"])
        call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
    TransactionTestCase._fixture_teardown = _empty_tables  # type: ignore[method-assign]
    try:
        yield
    finally:
        TransactionTestCase._fixture_teardown = original  # type: ignore[method-assign]
        with django_db_blocker.unblock():
            connections.close_all()
            with _administrator(aliases["owner"]) as admin:
                _drop(admin, name)
        if aliases["owner"].get("EMBEDDED"):
            launcher.stop_if_unused(HOME)


@pytest.fixture
def owner_connection(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[BaseDatabaseWrapper]:
    """A connection of the schema's owner, in autocommit and outside the test's transaction: clean up after it."""
    with django_db_blocker.unblock():
        connection = connections.create_connection("owner")
        try:
            connection.ensure_connection()  # later Django would refuse an alias that the test does not list
            yield connection
        finally:
            connection.close()


@pytest.fixture(scope="session")
def database_environment(django_db_setup: None) -> dict[str, str]:
    """Environment variables with which a process started by a test uses the test database."""
    owner, runtime = connections.settings["owner"], connections.settings["default"]
    if owner.get("EMBEDDED"):
        return {"MEMORY_CONSOLE_HOME": str(HOME), "MEMORY_CONSOLE_DATABASE": owner["NAME"]}
    urls = {"DATABASE_URL": os.environ["TEST_DATABASE_URL"]}
    if "TEST_DATABASE_RUNTIME_URL" in os.environ:
        urls["DATABASE_RUNTIME_URL"] = os.environ["TEST_DATABASE_RUNTIME_URL"]
    named = {variable: config.with_database(url, runtime["NAME"]) for variable, url in urls.items()}
    return {**named, "SECRET_KEY": settings.SECRET_KEY}


@pytest.fixture(autouse=True)
def context_ends_with_the_request() -> Iterator[None]:
    """A request's context ends with its transaction, which here may lie within the test's."""
    request_finished.connect(_see_all)
    yield
    request_finished.disconnect(_see_all)


def _see_all(**_: Any) -> None:
    if connection.connection is not None and connection.in_atomic_block and not connection.needs_rollback:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('memory_console.spaces', '*', true)")


def _point_aliases_at(name: str) -> dict[str, dict[str, Any]]:
    """Make both aliases use the database `name`, in every thread: all wrappers share these dictionaries."""
    given = {
        variable: os.environ[f"TEST_{variable}"]
        for variable in ("DATABASE_URL", "DATABASE_RUNTIME_URL")
        if os.environ.get(f"TEST_{variable}")
    }
    fresh = config.databases(given, HOME, secret_key=settings.SECRET_KEY)
    connections.close_all()
    for alias, wanted in fresh.items():
        current = connections.settings[alias]
        current.pop("EMBEDDED", None)
        current.update({**wanted, "NAME": name})
        current["OPTIONS"] = {**current["OPTIONS"], "options": SEES_ALL}
    return {alias: {**wanted, "TEST": wanted["NAME"], "NAME": name} for alias, wanted in fresh.items()}


@contextmanager
def _administrator(owner: dict[str, Any]) -> Iterator[psycopg.Connection]:
    """Who may create databases: the embedded superuser, or the role of TEST_DATABASE_URL."""
    if owner.get("EMBEDDED"):
        launcher.keep(HOME)
        with setup.superuser(owner) as connection:
            yield connection
        return
    with _connect(owner, owner["TEST"]) as connection:
        yield connection


def _connect(settings: dict[str, Any], database: str) -> psycopg.Connection:
    """Past Django, which forbids tests the aliases that they do not list."""
    found = {"host": settings["HOST"], "port": settings["PORT"], "user": settings["USER"]}
    found["password"] = settings["PASSWORD"]
    return psycopg.connect(dbname=database, autocommit=True, **{name: value for name, value in found.items() if value})


def _create(admin: psycopg.Connection, name: str, owner: dict[str, Any]) -> None:
    _drop(admin, name)
    if owner.get("EMBEDDED"):
        setup.prepare()  # makes roles and database
    else:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    admin.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(name), sql.Literal(HERE)))


def _drop(admin: psycopg.Connection, name: str) -> None:
    admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _drop_left_overs(admin: psycopg.Connection) -> None:
    """Drop the databases of test processes on this machine that ended without doing so."""
    rows = admin.execute(
        "SELECT datname FROM pg_database WHERE starts_with(datname, %s) AND shobj_description(oid, 'pg_database') = %s",
        [PREFIX, HERE],
    ).fetchall()
    for (name,) in rows:
        pid = name.removeprefix(PREFIX)
        if pid.isdigit() and not _alive(int(pid)):
            _drop(admin, name)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _empty_tables(case: TransactionTestCase) -> None:
    """What Django's `flush` does after a test with real commits, by the role that may."""
    owner = connections.settings["owner"]
    with _connect(owner, owner["NAME"]) as connection:
        connection.execute("SELECT set_config('tests.kept', %s::text[]::text, false)", [KEPT])
        connection.execute("SET lock_timeout = '10s'")
        connection.execute(EMPTY_ALL_TABLES)
