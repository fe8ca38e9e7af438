"""Creates what migrations need and cannot make: roles, database, extensions and the runtime role's rights.

Everything here may be repeated. The rights are default privileges, so every table a migration creates is usable by the
runtime role at once, and a migration may take single rights away again (the audit is append-only).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import DatabaseError, OperationalError
from psycopg import sql

from console.postgres import PostgresUnavailable, launcher

EXTENSIONS = ("vector", "pg_trgm", "unaccent", "btree_gin")
LEAST_SERVER = 160_000
# Row security is looked at before conditions that might give rows away by an error, and keeps them from using an index.
# These never fail, whatever the row holds; PostgreSQL takes a superuser's word for it.
LEAKPROOF = ("ts_match_vq(tsvector, tsquery)", "textlike(text, text)", "texticlike(text, text)")
LOCK = 0x6D656D6F7279  # one preparation at a time

OWNER_FLAGS = "LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION"
RUNTIME_FLAGS = OWNER_FLAGS


def prepare(alias_owner: str = "owner", alias_app: str = "default") -> None:
    """Make the database of the two aliases ready for `migrate`.

    Raises PostgresUnavailable with what an administrator has to do, if the owner role may not do it itself.
    """
    owner, app = connections[alias_owner], connections[alias_app]
    if owner.settings_dict.get("EMBEDDED"):
        _prepare_embedded(owner.settings_dict, app.settings_dict)
    else:
        _prepare_external(owner, app.settings_dict)
    with owner.cursor() as cursor:
        _grant(cursor, owner.settings_dict["USER"], app.settings_dict["USER"])


@contextmanager
def superuser(settings: dict[str, Any], database: str = "postgres") -> Iterator[psycopg.Connection]:
    """A superuser's autocommit connection to a database of the embedded server of these settings."""
    server = launcher.ensure_running(Path(settings["EMBEDDED"]["home"]))
    with psycopg.connect(
        host=str(server.socket_dir),
        port=server.port,
        user=server.superuser,
        dbname=database,
        autocommit=True,
    ) as connection:
        yield connection


def _prepare_embedded(owner: dict[str, Any], app: dict[str, Any]) -> None:
    launcher.keep(Path(owner["EMBEDDED"]["home"]))
    with superuser(owner) as admin:
        admin.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        _embedded_role(admin, owner["USER"], OWNER_FLAGS)
        _embedded_role(admin, app["USER"], RUNTIME_FLAGS)
        name, role = sql.Identifier(owner["NAME"]), sql.Identifier(owner["USER"])
        if not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [owner["NAME"]]).fetchone():
            admin.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, role))
        admin.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
        admin.execute(
            sql.SQL("GRANT CONNECT, TEMPORARY ON DATABASE {} TO {}").format(name, sql.Identifier(app["USER"]))
        )
        with superuser(owner, owner["NAME"]) as inside:
            for extension in EXTENSIONS:
                inside.execute(_create_extension(extension))
            for function in LEAKPROOF:
                inside.execute(_leakproof(function))


def _embedded_role(admin: psycopg.Connection, role: str, flags: str) -> None:
    known = admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    verb = sql.SQL("ALTER ROLE" if known else "CREATE ROLE")
    admin.execute(sql.SQL("{} {} {}").format(verb, sql.Identifier(role), sql.SQL(flags)))


def _create_extension(name: str) -> sql.Composed:
    return sql.SQL("CREATE EXTENSION IF NOT EXISTS {} SCHEMA public").format(sql.Identifier(name))


def _leakproof(function: str) -> sql.Composed:
    return sql.SQL("ALTER FUNCTION pg_catalog.{} LEAKPROOF").format(sql.SQL(function))  # type: ignore[arg-type]


def _prepare_external(owner: BaseDatabaseWrapper, app: dict[str, Any]) -> None:
    try:
        owner.ensure_connection()
    except OperationalError as error:
        raise PostgresUnavailable(
            f"The server of DATABASE_URL does not let us in: {error} Check host, port, database, role and password."
        ) from error
    with transaction.atomic(using=owner.alias), owner.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        cursor.execute("SELECT current_setting('server_version_num')::int, current_setting('server_version')")
        number, version = cursor.fetchone()
        if number < LEAST_SERVER:
            raise PostgresUnavailable(f"The server runs PostgreSQL {version}; version 16 or newer is needed.")
        if app.get("MANAGED_ROLE"):
            _managed_role(owner, app)
        missing = [name for name in EXTENSIONS if not _try(owner, _create_extension(name))]
        for function in LEAKPROOF:
            _try(owner, _leakproof(function))
    if missing:
        commands = "\n".join(f"  CREATE EXTENSION IF NOT EXISTS {name} SCHEMA public;" for name in missing)
        raise PostgresUnavailable(
            f"The role {owner.settings_dict['USER']} could not create every extension. An administrator has to install "
            f"them on the server (pgvector 0.8 or newer) and run in the database {owner.settings_dict['NAME']}:\n"
            f"{commands}"
        )


def _managed_role(owner: BaseDatabaseWrapper, app: dict[str, Any]) -> None:
    """Create the runtime role or renew its password, which follows SECRET_KEY."""
    with owner.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [app["USER"]])
        known = cursor.fetchone() is not None
    # Only a superuser may name every flag; a new role has none anyway, and `verify_runtime` looks at the result.
    statement = sql.SQL("{} {} LOGIN PASSWORD {}").format(
        sql.SQL("ALTER ROLE" if known else "CREATE ROLE"),
        sql.Identifier(app["USER"]),
        sql.Literal(app["PASSWORD"]),
    )
    if not _try(owner, statement):
        raise PostgresUnavailable(
            f"The role {owner.settings_dict['USER']} may not {'alter' if known else 'create'} the role {app['USER']}. "
            "Let an administrator create a login role without any attributes for web and worker, and set "
            "DATABASE_RUNTIME_URL to it."
        )


def _try(owner: BaseDatabaseWrapper, statement: sql.Composed) -> bool:
    """Run one statement in a savepoint; False when the server refuses. Its text, maybe a password, is not kept."""
    try:
        with transaction.atomic(using=owner.alias), owner.cursor() as cursor:
            cursor.cursor.execute(statement)
    except (DatabaseError, psycopg.Error):
        return False
    return True


def _grant(cursor: Any, owner: str, app: str) -> None:
    names = {"owner": sql.Identifier(owner), "app": sql.Identifier(app)}
    for statement in (
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "GRANT USAGE ON SCHEMA public TO {app}",
        "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} GRANT USAGE ON SCHEMAS TO {app}",
        "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {app}",
        "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} GRANT USAGE ON SEQUENCES TO {app}",
        "ALTER DEFAULT PRIVILEGES FOR ROLE {owner} GRANT EXECUTE ON ROUTINES TO {app}",
    ):
        cursor.execute(sql.SQL(statement).format(**names))
