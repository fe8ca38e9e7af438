"""Is this database fit for the console? Each answer says what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import DatabaseError

from console.postgres.setup import EXTENSIONS, LEAST_SERVER

LEAST_VECTOR = (0, 8)


@register(Tags.database)
def database_is_fit(databases: Sequence[str] | None = None, **_: Any) -> Iterable[CheckMessage]:
    """Run by `migrate` and by `check --database …`."""
    for alias in databases or ():
        connection = connections[alias]
        look = verify_runtime if alias == "default" else verify_server
        try:
            problems = look(connection)
        except DatabaseError as error:
            problems = [f"The database does not answer: {error}"]
        yield from (Error(problem, id="console.E001", obj=alias) for problem in problems)


def verify_runtime(connection: BaseDatabaseWrapper) -> list[str]:
    """Why web and worker must not run on this connection: one sentence each, none when all is well.

    Looks at the server (`verify_server`) and at the role: no superuser, no bypass of row security, owner of nothing.
    Raises DatabaseError when the database does not answer.
    """
    return verify_server(connection) + _role_problems(connection)


def verify_server(connection: BaseDatabaseWrapper) -> list[str]:
    """What the server lacks: version, extensions, a locale in which trigrams see every script."""
    problems = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version_num')::int, current_setting('server_version')")
        number, version = cursor.fetchone()
        if number < LEAST_SERVER:
            problems.append(f"The server runs PostgreSQL {version}. Move to version 16 or newer.")
        cursor.execute("SELECT extname, extversion FROM pg_extension")
        installed = dict(cursor.fetchall())
    for name in EXTENSIONS:
        if name not in installed:
            problems.append(f"The extension {name} is missing. Run `manage.py migrate`, which creates it or says how.")
    vector = installed.get("vector")
    if vector and tuple(int(part) for part in vector.split(".")[:2]) < LEAST_VECTOR:
        problems.append(
            f"The extension vector is version {vector}. Install pgvector 0.8 or newer on the server, then run "
            "`ALTER EXTENSION vector UPDATE` in this database."
        )
    if "pg_trgm" in installed:
        problems += _locale_problems(connection)
    return problems


def _locale_problems(connection: BaseDatabaseWrapper) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT cardinality(show_trgm('日本語')), current_setting('server_encoding')")
        trigrams, encoding = cursor.fetchone()
    if trigrams and encoding == "UTF8":
        return []
    advice = (
        f"The locale of this database (encoding {encoding}) is blind to Japanese, Korean and accents. Create it anew: "
        "CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'."
    )
    return [advice]


def _role_problems(connection: BaseDatabaseWrapper) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user")
        role, is_super, bypasses = cursor.fetchone()
        cursor.execute(
            "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE pg_has_role(c.relowner, 'USAGE') AND c.relkind IN ('r', 'p', 'v', 'm', 'S') "
            "AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"
        )
        owned = cursor.fetchone()[0]
    if is_super:
        return [f"The runtime role {role} is a superuser. Set DATABASE_RUNTIME_URL to a role that is none."]
    problems = []
    if bypasses:
        problems.append(f"The runtime role {role} bypasses row security. Run: ALTER ROLE {role} NOBYPASSRLS.")
    if owned:
        problems.append(
            f"The runtime role {role} owns {owned} tables or may act as their owner. Set DATABASE_RUNTIME_URL to a "
            "role that owns nothing, and run migrations as the role of DATABASE_URL."
        )
    return problems
