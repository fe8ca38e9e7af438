"""The broker that needs no install: kombu's `pgmq://` transport on the console's own database.

The transport is kombu's, with three differences. It connects with the settings of the alias `default` (unix socket,
TLS and passwords included, embedded server started when need be). Its queue is made by the owner of the schema in
`ensure_broker_schema`, so that the runtime role sends and reads messages but creates, alters and truncates nothing.
And a server that does not answer is given up after a second, because requests wait for it.

Messages are wake-up calls: what is due stands in our tables, so a lost queue loses nothing.
"""

from __future__ import annotations

from typing import Any

import psycopg
from django.db import connections, transaction
from django.db.utils import DatabaseError
from kombu.transport import TRANSPORT_ALIASES, pgmq
from pgmq import PGMQueue
from pgmq.install import get_embedded_install_sql, get_embedded_sql_version
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool

from console.postgres import PostgresUnavailable

QUEUE = "memory_console"
URL = "pgmq://database"  # the name is only shown; see `conninfo`
ANSWER_SECONDS = 1.0
MARK = "Task queue of the Memory Console"
LOCK = 0x62726F6B6572  # one installation at a time
OPTIONS = {
    "use_notify": True,
    "polling_interval": 0.2,  # seconds; also how late a message is seen when its notification was lost
    "wait_time_seconds": 0,  # no polling inside the server: it would hold a connection
}
NOT_PASSED_ON = {"context", "cursor_factory", "prepare_threshold"}  # keywords of psycopg, unknown to libpq


class Channel(pgmq.Channel):
    """Uses the queue that the owner made; creates none."""

    def _new_queue(self, queue: str, **_: Any) -> None:
        """Nothing: a connection that only sends must not listen. Nobody would read what it hears, until the server
        waits for it to be read and a database cannot be dropped.
        """

    def _maybe_enable_notify(self, queue: str, queue_name: str | None = None) -> None:
        self.connection._register_notify_queue(queue_name or self._queue_name(queue))


class Transport(pgmq.Transport):
    """kombu's pgmq transport on the database of the alias `default`."""

    Channel = Channel

    def _create_pgmq_client(self) -> PGMQueue:
        pool = ConnectionPool(
            conninfo(),
            kwargs={"autocommit": True, "prepare_threshold": None},
            min_size=1,
            max_size=4,
            timeout=ANSWER_SECONDS,
            check=ConnectionPool.check_connection,
            open=True,
            name="broker",
        )
        try:
            with pool.connection():
                pass
        except psycopg.OperationalError:
            pool.close(timeout=0)  # or it would go on trying, one pool for every time that somebody sends
            raise
        return PGMQueue(conn_string="", pool=pool, init_extension=False)

    def close_connection(self, connection: Any) -> None:
        pool = self._pgmq_client.pool if self._pgmq_client else None
        super().close_connection(connection)
        if pool is not None:
            pool.close()  # the client leaves a pool alone that was given to it

    def _get_notify_waiter(self) -> Any:
        if self._notify_waiter is None:
            self._notify_waiter = pgmq._NotifyWaiter(conninfo())
        return self._notify_waiter


TRANSPORT_ALIASES["pgmq"] = "console.broker:Transport"


def conninfo() -> str:
    """libpq's connection string of the alias `default`; psycopg.OperationalError when its server cannot start."""
    try:
        params = connections["default"].get_connection_params()
    except DatabaseError as error:
        raise psycopg.OperationalError(str(error)) from error
    known = {name: value for name, value in params.items() if name not in NOT_PASSED_ON}
    return make_conninfo(**({"connect_timeout": 5} | known))


def ensure_broker_schema(alias_owner: str = "owner", alias_app: str = "default") -> None:
    """Install the queue's schema as the owner and grant the runtime role its use; may be repeated.

    A schema of another version is replaced, messages included. Raises PostgresUnavailable with advice when the owner
    role may not create it.
    """
    owner = connections[alias_owner]
    try:
        with transaction.atomic(using=alias_owner), owner.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            _install(cursor)
            _grant(cursor, connections[alias_app].settings_dict["USER"])
    except DatabaseError as error:
        raise PostgresUnavailable(
            f"The task queue could not be made in the database {owner.settings_dict['NAME']}: {error} Let the role "
            f"{owner.settings_dict['USER']} create schemas there (GRANT CREATE ON DATABASE), or set CELERY_BROKER_URL "
            "to a Redis or RabbitMQ server."
        ) from error


def _install(cursor: Any) -> None:
    mark = f"{MARK}, pgmq {get_embedded_sql_version()}"
    cursor.execute("SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'pgmq'")
    found = cursor.fetchone()
    if found and str(found[0]).startswith(MARK) and found[0] != mark:
        cursor.execute("DROP SCHEMA pgmq CASCADE")
        found = None
    if found is None:
        cursor.execute(get_embedded_install_sql())
        cursor.execute(sql.SQL("COMMENT ON SCHEMA pgmq IS {}").format(sql.Literal(mark)))
    cursor.execute("SELECT to_regclass(%s)", [f"pgmq.q_{QUEUE}"])
    if cursor.fetchone() == (None,):
        cursor.execute("SELECT pgmq.create(%s)", [QUEUE])
    cursor.execute("SELECT 1 FROM pgmq.notify_insert_throttle WHERE queue_name = %s", [QUEUE])
    if cursor.fetchone() is None:  # the table is unlogged: a crash of the server empties it
        cursor.execute("SELECT pgmq.enable_notify_insert(%s, 0)", [QUEUE])


def _grant(cursor: Any, app: str) -> None:
    """What sending, reading, deleting and measuring take, and no more; default privileges would give more."""
    names = {"app": sql.Identifier(app), "queue": sql.Identifier(f"q_{QUEUE}")}
    names["numbers"] = sql.Identifier(f"q_{QUEUE}_msg_id_seq")
    for statement in (
        "REVOKE ALL ON ALL TABLES IN SCHEMA pgmq FROM {app}",
        "REVOKE ALL ON ALL SEQUENCES IN SCHEMA pgmq FROM {app}",
        "GRANT USAGE ON SCHEMA pgmq TO {app}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON pgmq.{queue} TO {app}",
        "GRANT SELECT ON SEQUENCE pgmq.{numbers} TO {app}",
        "GRANT SELECT ON pgmq.meta TO {app}",
        "GRANT SELECT, UPDATE ON pgmq.notify_insert_throttle TO {app}",
    ):
        cursor.execute(sql.SQL(statement).format(**names))
