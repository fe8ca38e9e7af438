"""How long a search takes among 100,000 memories, through HTTP and as the bare SQL of the same search.

Run by `make bench-scale`: four to five minutes on two cores, in a console of its own in a temporary home. Two layouts:
one owner with all memories, and 200 owners with 500 each. The texts are drawn from a made-up vocabulary in which some
words are common and most are rare, the vectors are random, so that it measures time and says nothing of quality.

For each of 60 queries by one client: the time of `GET /v1/memories/search` (HTTP), of the model alone for the same
query, and of the statements that the same search sends, sent again by psycopg with nothing around them (SQL). These are
the search's own statements, after the one that names the spaces to row security, without which they find nothing; what
the request asks about its token is left out and counts against HTTP. The model works while the database counts, so that
HTTP less model is no time that passes anywhere; it says what would remain with a model that takes none. The plans are
looked through for sequential scans. The last line is JSON; all times are milliseconds.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import apart

HOME = apart.begin("scale")

import numpy as np  # noqa: E402
import psycopg  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from bench.scale_data import MEMORIES, VOCABULARY, fill, vocabulary  # noqa: E402
from bench.scale_sql import TEXTS, Plans, send, sent  # noqa: E402
from bench.scale_web import ask, web  # noqa: E402
from console.postgres.context import everywhere  # noqa: E402
from memories.access import OPERATOR  # noqa: E402
from memories.embedding import get_embedder  # noqa: E402
from memories.models import User  # noqa: E402
from memories.search.nearest import forget_sizes  # noqa: E402
from memories.services import tokens  # noqa: E402

LAYOUTS = {"one owner of 100,000": 1, "200 owners of 500": 200}
ASKED_MOST = 10  # owners that queries are asked of
QUERIES, WARM_UP = 60, 4
TARGET = 2.0

T = TypeVar("T")


@dataclass(slots=True)
class Measured:
    """Milliseconds of each query, by what was measured, and what the plans say."""

    http: list[float] = field(default_factory=list)
    model: list[float] = field(default_factory=list)
    sql: list[float] = field(default_factory=list)
    answered: int = 0
    plans: Plans = field(default_factory=Plans)

    def add(self, http: float, model: float, sql: float, *, answered: bool) -> None:
        """One query."""
        self.http.append(http)
        self.model.append(model)
        self.sql.append(sql)
        self.answered += answered


def timed(verb: Callable[..., T], *given: Any) -> tuple[float, T]:
    """How long `verb` took, in milliseconds, and what it returned."""
    start = time.perf_counter()
    result = verb(*given)
    return (time.perf_counter() - start) * 1000, result


def measure(client: HTTPConnection, keys: list[str], queries: list[str]) -> Measured:
    """Each query by HTTP, by the model alone and by bare SQL; HTTP and SQL take turns in going first."""
    measured, embedder = Measured(), get_embedder()
    parameters = connection.get_connection_params()
    forget_sizes()
    with psycopg.connect(**parameters, autocommit=True) as raw:
        for place, query in enumerate(queries[:WARM_UP] + queries):
            key = keys[place % len(keys)]
            statements = sent(key, query)
            if place % 2:
                sql, _ = timed(send, raw, statements)
            http, answered = timed(ask, client, key, query)
            if not place % 2:
                sql, _ = timed(send, raw, statements)
            model, _ = timed(embedder.embed_query, query)
            if place >= WARM_UP:
                measured.add(http, model, sql, answered=answered)
                send(raw, statements, explain=measured.plans)
    return measured


def report(name: str, measured: Measured) -> dict[str, Any]:
    """Print one layout's figures; the same as plain values."""
    without_model = list(np.subtract(measured.http, measured.model))
    shown = {"HTTP": measured.http, "HTTP less model": without_model, "model": measured.model, "SQL": measured.sql}
    figures: dict[str, Any] = {}
    print(f"\n{name}: {len(measured.http)} queries, {measured.answered} answered")
    for what, values in shown.items():
        p50, p95 = (round(float(value), 1) for value in np.percentile(values, [50, 95]))
        figures[what] = {"p50": p50, "p95": p95}
        print(f"  {what:16} p50 {p50:7.1f} ms   p95 {p95:7.1f} ms")
    total, less = (round(figures[what]["p95"] / figures["SQL"]["p95"], 2) for what in ("HTTP", "HTTP less model"))
    counts = {table: measured.plans.scans.count(table) for table in sorted(set(measured.plans.scans))}
    print(f"  p95 of HTTP to p95 of SQL: {total}; less model: {less} (target at most {TARGET})")
    print(f"  {measured.plans.count} plans; sequential scans by table: {counts or 'none'}")
    for end, times in measured.plans.reading_texts.items():
        print(f"  reads the table of texts in {times} plans: … {end}")
    return {
        **{what.lower().replace(" ", "_"): values for what, values in figures.items()},
        "ratio_p95": total,
        "ratio_p95_less_model": less,
        "reached": total <= TARGET,
        "plans": measured.plans.count,
        "sequential_scans": counts,
        "reads_texts_sequentially": TEXTS in counts,
        "answered": measured.answered,
    }


def token_for(owner: User) -> str:
    """A key that reads the owner's memories."""
    until = timezone.now() + timedelta(days=1)
    return tokens.create(user=owner, name="bench", scopes=["memory:read"], expires_at=until, actor=OPERATOR)[1]


@everywhere()
def main() -> None:
    """Both layouts, one after the other, before one web server each."""
    chance = random.Random(7)  # noqa: S311 - the same words each time
    words = vocabulary(chance)
    lengths = [1 + place % 4 for place in range(QUERIES)]
    queries = [" ".join(words[int(chance.random() ** 2 * VOCABULARY)] for _ in range(length)) for length in lengths]
    owners = [User(username=f"owner-{place}") for place in range(max(LAYOUTS.values()))]
    User.objects.bulk_create(owners)
    keys = [token_for(owner) for owner in owners[:ASKED_MOST]]
    result = {}
    for name, count in LAYOUTS.items():
        took, _ = timed(fill, owners[:count], words)
        print(f"{name}: {MEMORIES} memories made in {took / 1000:.0f} s", flush=True)
        with web() as client:
            result[name] = report(name, measure(client, keys[:count], queries))
    print(json.dumps({"memories": MEMORIES, "queries": QUERIES, "target": TARGET, "layouts": result}))


if __name__ == "__main__":
    with apart.database(HOME):
        main()
