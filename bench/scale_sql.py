"""The statements of a search, sent again with nothing around them, and their plans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.db import connection, transaction

from console.postgres.context import name_spaces
from memories.access import bearer
from memories.search.search import Search, search
from memories.services import tokens

SHOWN = 160  # characters of a statement
TEXTS = "memories_memory"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a search as it was sent."""

    sql: str
    params: Any

    @property
    def has_plan(self) -> bool:
        """A question, as opposed to savepoints and settings."""
        return self.sql.lstrip("( ").startswith("SELECT") and "set_config" not in self.sql


@dataclass(slots=True)
class Plans:
    """What the plans of statements say."""

    count: int = 0
    scans: list[str] = field(default_factory=list)  # tables read from end to end, once a plan
    reading_texts: dict[str, int] = field(default_factory=dict)  # how often, by the end of the statement

    def note(self, statement: Statement, plan: Any) -> None:
        """One plan."""
        self.count += 1
        scanned = set(read_whole(plan))
        self.scans += sorted(scanned)
        if TEXTS in scanned:
            end = statement.sql[-SHOWN:]
            self.reading_texts[end] = self.reading_texts.get(end, 0) + 1


def sent(key: str, query: str) -> list[Statement]:
    """The statements of the same search in this process, in one transaction as in a request."""
    token = tokens.find(key)
    assert token is not None
    actor = bearer(token)
    heard: list[Statement] = []

    def listen(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        heard.append(Statement(sql, params))
        return execute(sql, params, many, context)

    with transaction.atomic(), connection.execute_wrapper(listen):
        name_spaces(actor.spaces, actor.user_id)  # without it the bare connection would be shown no rows
        search(actor, Search(query))
    return heard


def send(raw: psycopg.Connection[Any], statements: list[Statement], *, explain: Plans | None = None) -> None:
    """Send `statements` in one transaction and fetch their rows; with `explain` note their plans in it instead."""
    with raw.transaction(), raw.cursor() as cursor:
        for one in statements:
            if explain is not None and one.has_plan:
                cursor.execute("EXPLAIN (FORMAT JSON) " + one.sql, one.params)
                explain.note(one, cursor.fetchall())
                continue
            cursor.execute(one.sql, one.params)
            if cursor.description:
                cursor.fetchall()


def read_whole(plan: Any) -> Iterator[str]:
    """The tables that a plan reads from end to end."""
    if isinstance(plan, dict) and plan.get("Node Type") == "Seq Scan":
        yield plan["Relation Name"]
    parts = plan.values() if isinstance(plan, dict) else plan if isinstance(plan, list | tuple) else ()
    for part in parts:
        yield from read_whole(part)
