"""How long a search takes among 100,000 memories, through HTTP and as the bare SQL of the same search.

Run by `make bench-scale`: four to five minutes on two cores, in a console of its own in a temporary home. Two layouts:
one owner with all memories, and 200 owners with 500 each. The texts are drawn from a made-up vocabulary in which some
words are common and most are rare, the vectors are random, so that it measures time and says nothing of quality.

For each of 60 queries by one client: the time of `GET /v1/memories/search` (HTTP), of the model alone for the same
query, and of the statements that the same search sends, sent again by psycopg with nothing around them (SQL). The
plans of these statements are looked through for sequential scans. The last line is JSON; all times are milliseconds.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

HOME = Path(tempfile.mkdtemp(prefix="memory-console-scale-"))
ROOT = Path(__file__).resolve().parent.parent
os.environ.update(MEMORY_CONSOLE_HOME=str(HOME), DJANGO_SETTINGS_MODULE="console.settings")
for variable in ("DATABASE_URL", "DATABASE_RUNTIME_URL", "EMBEDDING_URL"):
    os.environ.pop(variable, None)
HOME.chmod(0o755)  # the server runs under an account of its own when this runs as root
sys.path.insert(0, str(ROOT))

import django  # noqa: E402

django.setup()

import numpy as np  # noqa: E402
import psycopg  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, connections, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from console.postgres import launcher  # noqa: E402
from console.supervisor import LIFELINE  # noqa: E402
from memories.access import OPERATOR, bearer  # noqa: E402
from memories.embedding import get_embedder  # noqa: E402
from memories.models import User  # noqa: E402
from memories.search.nearest import forget_sizes  # noqa: E402
from memories.search.search import Search, search  # noqa: E402
from memories.services import tokens  # noqa: E402

MEMORIES = 100_000
LAYOUTS = {"one owner of 100,000": 1, "200 owners of 500": 200}
ASKED_MOST = 10  # owners that queries are asked of
QUERIES, WARM_UP = 60, 4
VOCABULARY, WORDS = 5_000, 16  # words in all, and in a text
TARGET = 2.0
READY_SECONDS = 60
SHOWN = 160  # characters of a statement
WEB = [sys.executable, "-m", "gunicorn", "-c", "python:console.gunicorn_conf", "console.wsgi"]
TABLES = ["memories_memory", "memories_memorystate", "memories_memoryembedding"]

T = TypeVar("T")
ID = "('01900000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid"
FILL = (
    # Squaring makes low places common: the first word stands in about one text of five, the last in one of 600.
    f"""INSERT INTO memories_memory (id, owner_id, bucket, path, created_at, updated_at, memory_type, content, metadata,
      provenance, session, source, agent_id, language, trust, derivation, event_type, pinned, hold)
    SELECT {ID}, (%(owners)s::uuid[])[1 + i %% %(count)s], 'work', 'bench/' || i %% 50, at, at, 'episodic', said.text,
      '{{}}', '{{}}', 's' || i %% %(count)s || '-' || i / (20 * %(count)s), '', '', 'en', 1, '', '', false, ''
    FROM generate_series(0, %(memories)s - 1) AS i, LATERAL (SELECT now() - i * interval '10 minutes' AS at) AS t,
      LATERAL (SELECT string_agg((%(words)s::text[])[1 + floor(random() ^ 2 * %(vocabulary)s)::int], ' ') AS text
               FROM generate_series(1, %(length)s) WHERE i >= 0) AS said""",  # noqa: S608 - constants
    """INSERT INTO memories_memorystate (memory_id, status, version, status_before_delete, importance, base, anchor,
      use_count) SELECT id, 'active', 1, '', 0.5, 0.5, created_at, 0 FROM memories_memory""",
    """INSERT INTO memories_memoryembedding (memory_id, space_id, active, model, dimension, vector, created_at)
    SELECT id, space_id, true, %(model)s, %(dimension)s, l2_normalize(
      (SELECT array_agg(random_normal()::real) FROM generate_series(1, %(dimension)s) WHERE m.id IS NOT NULL)::halfvec
    ), created_at FROM memories_memory AS m""",
)
INDEXES = """SELECT i.relname, pg_get_indexdef(i.oid) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
  WHERE x.indrelid = ANY(%s::regclass[]) AND NOT x.indisunique ORDER BY i.relname"""


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
class Measured:
    """Milliseconds of each query, by what was measured, and what the plans say."""

    http: list[float] = field(default_factory=list)
    model: list[float] = field(default_factory=list)
    sql: list[float] = field(default_factory=list)
    answered: int = 0
    plans: int = 0
    scans: list[str] = field(default_factory=list)  # tables read from end to end, once a plan
    reading_texts: dict[str, int] = field(default_factory=dict)  # how often, by the end of the statement


def timed(verb: Callable[..., T], *given: Any) -> tuple[float, T]:
    """How long `verb` took, in milliseconds, and what it returned."""
    start = time.perf_counter()
    result = verb(*given)
    return (time.perf_counter() - start) * 1000, result


def vocabulary(chance: random.Random) -> list[str]:
    """Different made-up words of two to four syllables."""
    syllables = [first + second for first in "bcdfghjklmnprstvz" for second in ("a", "e", "i", "o", "u", "an", "or")]
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(chance.choices(syllables, k=chance.randint(2, 4)))] = None
    return list(words)


def fill(owners: list[User], words: list[str]) -> None:
    """The memories of one layout, in place of any before, with states, vectors and fresh statistics.

    The indexes are made after the rows: the same ones, sooner.
    """
    embedder = get_embedder()
    given: dict[str, Any] = {
        "owners": [owner.pk for owner in owners],
        "count": len(owners),
        "memories": MEMORIES,
        "words": words,
        "vocabulary": VOCABULARY,
        "length": WORDS,
        "model": embedder.name,
        "dimension": embedder.dimension,
    }
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(TABLES)} CASCADE")
        cursor.execute(INDEXES, [TABLES])
        indexes = cursor.fetchall()
        cursor.execute(f"DROP INDEX {', '.join(name for name, _ in indexes)}")
        cursor.execute("SELECT setseed(0.5)")
        for statement in FILL:
            cursor.execute(statement, given)
        for _, made in indexes:
            cursor.execute(made)
        cursor.execute(f"VACUUM ANALYZE {', '.join(TABLES)}")


@contextmanager
def web() -> Iterator[HTTPConnection]:
    """One client's connection to a web server of this console; the server ends with this process at the latest."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    reading, writing = os.pipe()
    environment = os.environ | {"PORT": str(port), "CONSOLE_URL": f"http://127.0.0.1:{port}", LIFELINE: str(reading)}
    server = subprocess.Popen(WEB, cwd=ROOT, env=environment, pass_fds=(reading,), start_new_session=True)
    client = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        wait_for(port, server)
        yield client
    finally:
        client.close()
        os.close(writing)
        os.close(reading)
        server.terminate()
        server.wait(30)


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Return once the server takes connections. Exits with a sentence where it does not."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"The web server did not start within {READY_SECONDS} s. What it said stands above.")


def ask(client: HTTPConnection, key: str, query: str) -> bool:
    """Put `query` through HTTP; whether anything was found. Exits with what the server said when it refuses."""
    client.request(
        "GET", f"/v1/memories/search?{urlencode({'query': query})}", headers={"Authorization": f"Bearer {key}"}
    )
    answer = client.getresponse()
    body = answer.read()
    if answer.status != 200:
        sys.exit(f"The search was answered with {answer.status}: {body[:500]!r}")
    return bool(json.loads(body)["results"])


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
        search(actor, Search(query))
    return heard


def send(raw: psycopg.Connection[Any], statements: list[Statement], *, explain: Measured | None = None) -> None:
    """Send `statements` in one transaction and fetch their rows; with `explain` note their plans in it instead."""
    with raw.transaction(), raw.cursor() as cursor:
        for one in statements:
            if explain is not None and one.has_plan:
                cursor.execute("EXPLAIN (FORMAT JSON) " + one.sql, one.params)
                explain.plans += 1
                scanned = set(read_whole(cursor.fetchall()))
                explain.scans += sorted(scanned)
                if "memories_memory" in scanned:
                    end = one.sql[-SHOWN:]
                    explain.reading_texts[end] = explain.reading_texts.get(end, 0) + 1
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
                measured.http.append(http)
                measured.sql.append(sql)
                measured.model.append(model)
                measured.answered += answered
                send(raw, statements, explain=measured)
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
    counts = {table: measured.scans.count(table) for table in sorted(set(measured.scans))}
    print(f"  p95 of HTTP to p95 of SQL: {total}; less model: {less} (target at most {TARGET})")
    print(f"  {measured.plans} plans; sequential scans by table: {counts or 'none'}")
    for end, times in measured.reading_texts.items():
        print(f"  reads the table of texts in {times} plans: … {end}")
    return {
        **{what.lower().replace(" ", "_"): values for what, values in figures.items()},
        "ratio_p95": total,
        "ratio_p95_less_model": less,
        "reached": total <= TARGET,
        "plans": measured.plans,
        "sequential_scans": counts,
        "reads_texts_sequentially": "memories_memory" in counts,
        "answered": measured.answered,
    }


def token_for(owner: User) -> str:
    """A key that reads the owner's memories."""
    until = timezone.now() + timedelta(days=1)
    return tokens.create(user=owner, name="bench", scopes=["memory:read"], expires_at=until, actor=OPERATOR)[1]


def main() -> None:
    """Both layouts, one after the other, before one web server each."""
    call_command("migrate", verbosity=0)
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
    try:
        main()
    finally:
        connections.close_all()
        launcher.stop(Path(settings.HOME))
        shutil.rmtree(HOME, ignore_errors=True)
