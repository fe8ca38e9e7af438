"""Looks for a text in every column of every table of the database, in each form in which it could have been kept."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

FLOATS = 8
LEAST_WORDS = 2  # fewer words or pairs of characters prove nothing
EVERY_COLUMN = """
SELECT n.nspname, c.relname, a.attname, a.atttypid = 'tsvector'::regtype
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm') AND a.attnum > 0 AND NOT a.attisdropped AND c.relpersistence <> 't'
  AND has_table_privilege(c.oid, 'SELECT')
ORDER BY n.nspname, c.relname, a.attnum
"""


@dataclass(frozen=True, slots=True)
class Forms:
    """One text in all forms. Each of `texts` is looked for as it is; of `words`, all have to stand in one value."""

    texts: dict[str, tuple[str, ...]]
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """Where the text was found, in which form, in how many rows."""

    schema: str
    table: str
    column: str
    form: str
    rows: int


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found, and how much was looked at."""

    traces: list[Trace]
    tables: int
    columns: int


def forms_of(text: str, connection: psycopg.Connection, *, floats: str = "") -> Forms:
    """The forms of `text`; `floats` are the first numbers of its vector as the database prints them.

    The database itself folds the text and cuts it into words and pairs of characters, by the functions that made the
    columns.
    """
    row = connection.execute(
        "SELECT mc_fold(%(text)s), tsvector_to_array(mc_terms(%(text)s))", {"text": text}
    ).fetchone()
    folded, words = row if row else (text, [])
    texts = {
        "text": (text, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]),
        "folded": (folded,),
        "base64": tuple(base64_cores(text)),
        "bytes": (text.encode().hex(),),
    }
    if floats:
        numbers = [number.strip(" []") for number in floats.split(",")][:FLOATS]
        texts["vector"] = (",".join(numbers),)
    return Forms({name: tuple(dict.fromkeys(some)) for name, some in texts.items()}, tuple(words))


def base64_cores(text: str) -> Iterator[str]:
    """The part of the base64 of `text` that does not depend on what stands beside it, for each of three offsets."""
    raw = text.encode()
    for before in range(3):
        first = math.ceil(before * 8 / 6)
        last = (before + len(raw)) * 8 // 6
        core = base64.b64encode(bytes(before) + raw).decode()[first:last]
        if len(core) >= 4:
            yield core


def look(connection: psycopg.Connection, forms: Forms) -> Looked:
    """Every place in which this connection may read one of the forms; statistics too where it is a superuser's."""
    tables: dict[tuple[str, str], list[tuple[str, bool]]] = {}
    for schema, table, column, words in connection.execute(EVERY_COLUMN):
        tables.setdefault((schema, table), []).append((column, words))
    traces: list[Trace] = []
    for (schema, table), columns in tables.items():
        traces += _look_into(connection, schema, table, columns, forms)
    return Looked(traces, len(tables), sum(len(columns) for columns in tables.values()))


def _look_into(
    connection: psycopg.Connection, schema: str, table: str, columns: Sequence[tuple[str, bool]], forms: Forms
) -> Iterator[Trace]:
    wanted = [(column, form, test) for column, words in columns for form, test in _tests(column, words, forms)]
    counts = sql.SQL(", ").join(sql.SQL("count(*) FILTER (WHERE {})").format(test) for _, _, test in wanted)
    query = sql.SQL("SELECT {} FROM {}").format(counts, sql.Identifier(schema, table))
    row: Sequence[Any] = connection.execute(query).fetchone() or ()
    for (column, form, _), rows in zip(wanted, row, strict=True):
        if rows:
            yield Trace(schema, table, column, form, rows)


def _tests(column: str, is_words: bool, forms: Forms) -> Iterator[tuple[str, sql.Composed]]:
    """The conditions under which a column holds each form."""
    name = sql.Identifier(column)
    for form, texts in forms.texts.items():
        patterns = sql.Literal([f"%{_escaped(text)}%" for text in texts if text])
        yield form, sql.SQL("{}::text LIKE ANY ({}::text[])").format(name, patterns)
    if len(forms.words) < LEAST_WORDS:
        return
    if is_words:
        yield "words", sql.SQL("tsvector_to_array({}) @> {}::text[]").format(name, sql.Literal(list(forms.words)))
    else:
        patterns = sql.Literal([f"%{_escaped(word)}%" for word in forms.words])
        yield "words", sql.SQL("lower({}::text) LIKE ALL ({}::text[])").format(name, patterns)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
