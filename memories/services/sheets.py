"""Records as tables for a spreadsheet: CSV in which no cell is ever taken for a formula.

A spreadsheet runs what begins with = + - @ or a control character. Such a text gets a ' before it, also after white
space and in the wide forms of East Asian fonts; numbers and times are ours and stay as they are. Every text stands in
quotes, so that no separator inside begins a cell.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder

BOM = "\ufeff"
RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
ROWS_MOST = 100_000
Cell = Any
Number = int | float | Decimal


def cell(value: Cell) -> str | Number:
    """What stands in a cell: a number as a number, everything else as a text that no spreadsheet runs."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int() | float() | Decimal():
            return value
        case datetime() | date():
            return value.isoformat()
        case UUID():
            return str(value)
        case dict() | list():
            value = json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False) if value else ""
    text = str(value)
    return f"'{text}" if text.startswith(RUN) or text.lstrip().startswith(RUN) else text


def unguarded(text: str) -> str:
    """The text that was written as `text`: what `cell` put before it is taken away."""
    rest = text[1:]
    return rest if text.startswith("'") and (rest.startswith(RUN) or rest.lstrip().startswith(RUN)) else text


def lines(rows: Iterable[Sequence[Cell]]) -> str:
    """Rows as CSV: commas, quotes around texts, and line ends as RFC 4180 has them."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
    for row in rows:
        writer.writerow([cell(value) for value in row])
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The columns of one kind, each with how a record says it."""

    columns: dict[str, Callable[[Any], Cell]]

    def head(self) -> str:
        """The first line."""
        return lines([list(self.columns)])

    def body(self, records: Iterable[Any]) -> str:
        """A line for each record."""
        return lines([said(record) for said in self.columns.values()] for record in records)


def _own(*names: str) -> dict[str, Callable[[Any], Cell]]:
    return {name: attrgetter(name) for name in names}


def _state(*names: str) -> dict[str, Callable[[Any], Cell]]:
    return {name: attrgetter(f"state.{name}") for name in names}


def _hand(row: Any, name: str) -> Cell:
    """Something of the token that wrote a row, as far as the reader may know it; see `hands.attach`."""
    return getattr(row.hand, name) if row.hand else ""


TOKEN: dict[str, Callable[[Any], Cell]] = {
    "token_prefix": lambda row: _hand(row, "prefix"),
    "token_name": lambda row: _hand(row, "name"),
}
PLACE = ("space_id", "bucket", "scope", "path")
ORIGIN = ("source", "source_id", "agent_id")
MEMORIES = Sheet(
    {
        **_own("id", "created_at", "updated_at"),
        **_state("status", "importance"),
        **_own("memory_type", "content", *PLACE, "semantic_key", "confidence", "expires_at", "language", "session"),
        **_own(*ORIGIN, "trust", "pinned", "hold", "derivation", "event_type", "occurred_at", "metadata"),
        **_state("version", "use_count", "last_used_at"),
        **TOKEN,
    }
)
TODOS = Sheet(
    {
        **_own("id", "created_at", "updated_at", "item_status", "content", "due_at", "completed_at", "note"),
        **_own(*PLACE, *ORIGIN, "hold", "version"),
    }
)
LEDGER = Sheet(
    {
        **_own("id", "occurred_on", "transaction_type", "item", "amount", "currency", "category", "note"),
        **_own(*PLACE, *ORIGIN, "hold", "created_at", "updated_at", "version"),
    }
)
AUDIT = Sheet(
    _own(
        *("id", "at", "space_id", "seq", "action", "result", "actor_name", "auth_method", "channel", "agent_id"),
        *("object_type", "object_id", "pass_id", "reason", "detail", "request_id", "audit_id"),
    )
    | TOKEN
)
