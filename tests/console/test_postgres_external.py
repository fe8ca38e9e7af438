"""A server of one's own: here the test server, spoken to through DATABASE_URL like any other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from console import checks
from console.postgres import PostgresUnavailable, config, launcher, setup
from tests.conftest import HOME

DATABASE = "test_external"
KEEPER = "test_keeper"


@pytest.fixture
def server(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[psycopg.Connection]:
    """A superuser on a server with an empty database that a role without attributes owns."""
    found = launcher.ensure_running(HOME)
    admin = psycopg.connect(host=str(found.socket_dir), user=found.superuser, dbname="postgres", autocommit=True)
    clear(admin)
    admin.execute(f"CREATE ROLE {KEEPER} LOGIN")
    admin.execute(f"CREATE DATABASE {DATABASE} OWNER {KEEPER}")
    with django_db_blocker.unblock():
        yield admin
        for alias in ("external", "external_owner"):
            if alias in connections.settings:
                connections[alias].close()
                del connections[alias], connections.settings[alias]
    clear(admin)
    admin.close()


def clear(admin: psycopg.Connection) -> None:
    admin.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
    for role in (KEEPER, "test_weak"):
        admin.execute(f"DROP ROLE IF EXISTS {role}")


def inside(admin: psycopg.Connection, statement: str) -> None:
    info = admin.info
    with psycopg.connect(host=info.host, user=info.user, dbname=DATABASE, autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[call-overload]


def prepare(admin: psycopg.Connection, runtime: str | None) -> None:
    def url(role: str) -> str:
        return f"postgresql://{role}@/{DATABASE}?host={admin.info.host}"

    environ = {"DATABASE_URL": url(KEEPER)} | ({"DATABASE_RUNTIME_URL": url(runtime)} if runtime else {})
    found: dict[str, Any] = config.databases(environ, HOME, secret_key="k" * 50)
    for alias, name in (("external", "default"), ("external_owner", "owner")):
        connections.settings[alias] = {**connections.settings["default"], "EMBEDDED": None, **found[name]}
    setup.prepare("external_owner", "external")


def test_with_a_runtime_url_the_owner_needs_no_attribute(server: psycopg.Connection) -> None:
    server.execute("CREATE ROLE test_weak LOGIN")
    inside(server, "CREATE EXTENSION vector")
    prepare(server, "test_weak")
    setup.prepare("external_owner", "external")
    assert checks.verify_runtime(connections["external"]) == []
    with connections["external_owner"].cursor() as cursor:
        cursor.execute("CREATE TABLE drawn (id int)")
    with connections["external"].cursor() as cursor:
        cursor.execute("INSERT INTO drawn VALUES (1)")


def test_an_owner_that_may_make_roles_makes_the_runtime_role_and_renews_its_password(
    server: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.execute(f"ALTER ROLE {KEEPER} CREATEROLE")
    inside(server, "CREATE EXTENSION vector")
    monkeypatch.setattr(config, "RUNTIME_ROLE", "test_weak")
    prepare(server, None)
    server.execute("ALTER ROLE test_weak PASSWORD NULL")
    prepare(server, None)
    assert checks.verify_runtime(connections["external"]) == []
    stored = server.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'test_weak'").fetchone()
    assert stored is not None and stored[0].startswith("SCRAM-SHA-256$")


def test_an_owner_that_may_not_make_roles_is_told_about_the_runtime_url(server: psycopg.Connection) -> None:
    with pytest.raises(PostgresUnavailable, match="may not (alter|create) the role.*DATABASE_RUNTIME_URL") as refusal:
        prepare(server, None)
    assert config.runtime_password("k" * 50) not in str(refusal.value)


def test_an_extension_that_the_owner_may_not_create_is_spelled_out(
    server: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.execute("CREATE ROLE test_weak LOGIN")
    monkeypatch.setattr(setup, "EXTENSIONS", ("pg_trgm", "pg_buffercache"))
    with pytest.raises(PostgresUnavailable) as refusal:
        prepare(server, "test_weak")
    assert "CREATE EXTENSION IF NOT EXISTS pg_buffercache SCHEMA public;" in str(refusal.value)
    assert "pg_trgm" not in str(refusal.value)


def test_a_server_that_does_not_answer_is_named_with_advice(server: psycopg.Connection) -> None:
    server.execute("CREATE ROLE test_weak LOGIN")
    server.execute(f"ALTER ROLE {KEEPER} NOLOGIN")
    with pytest.raises(PostgresUnavailable, match="DATABASE_URL does not let us in.*Check host"):
        prepare(server, "test_weak")


def test_an_old_locale_is_found(server: psycopg.Connection) -> None:
    server.execute("CREATE ROLE test_weak LOGIN")
    server.execute(f"DROP DATABASE {DATABASE}")
    server.execute(f"CREATE DATABASE {DATABASE} OWNER {KEEPER} TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'")
    inside(server, "CREATE EXTENSION vector")
    prepare(server, "test_weak")
    (problem,) = checks.verify_runtime(connections["external"])
    assert "blind to Japanese" in problem and "C.UTF-8" in problem
