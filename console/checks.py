"""Is this database fit for the console? Each answer says what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import DatabaseError

from console.postgres.setup import EXTENSIONS, LEAKPROOF, LEAST_SERVER

LEAST_VECTOR = (0, 8)
# Every table of records, plans and audit. `tests/console/test_row_security.py` looks that none is left out.
GUARDED = {
    "memories_memory",
    "memories_memorystate",
    "memories_memoryembedding",
    "memories_memorylink",
    "memories_memoryversion",
    "memories_memoryuse",
    "memories_todo",
    "memories_ledgerentry",
    "memories_decision",
    "memories_snapshot",
    "memories_spacesettings",
    "memories_savedview",
    "memories_auditrecord",
    "memories_audithead",
    "memories_erasure",
    "reflection_reflectionpolicy",
    "reflection_reflectpass",
    "reflection_candidate",
    "reflection_basis",
    "reflection_viewed",
    "reflection_schedule",
    "reflection_scheduledrun",
    "reflection_subscription",
    "reflection_notice",
}


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
        if alias == "default" and not problems:
            yield from (Warning(text, id="console.W001", obj=alias) for text in slow_search(connection))


def verify_runtime(connection: BaseDatabaseWrapper) -> list[str]:
    """Why web and worker must not run on this connection: one sentence each, none when all is well.

    Looks at the server (`verify_server`), at the role (no superuser, no bypass of row security, owner of nothing) and
    at row security itself, once the tables are there. Raises DatabaseError when the database does not answer.
    """
    return verify_server(connection) + _role_problems(connection) + _unguarded(connection)


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


def _unguarded(connection: BaseDatabaseWrapper) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class "
            "WHERE relnamespace = current_schema()::regnamespace AND relname = ANY (%s)",
            [list(GUARDED)],
        )
        found = dict(cursor.fetchall())
    bare = sorted(name for name in found if not found[name])
    if not bare:
        return []
    return [f"Row security is not forced on {', '.join(bare)}. Run `manage.py migrate`."]


def slow_search(connection: BaseDatabaseWrapper) -> list[str]:
    """Why search reads more rows than it needs to: conditions that PostgreSQL does not trust with row security."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM unnest(%s::text[]) name JOIN pg_proc p ON p.oid = ('pg_catalog.' || name)::regprocedure "
            "WHERE NOT p.proleakproof ORDER BY name",
            [list(LEAKPROOF)],
        )
        plain = [row[0] for row in cursor.fetchall()]
    if not plain:
        return []
    commands = "\n".join(f"  ALTER FUNCTION pg_catalog.{name} LEAKPROOF;" for name in plain)
    return [
        f"Searches read all rows of their spaces. A superuser makes them use the index, in this database:\n{commands}"
    ]
