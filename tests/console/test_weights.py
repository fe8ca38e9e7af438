"""How heavy pages are, packed as they travel: scripts, styles, lists of fifty rows, a pass with 500 candidates."""

from __future__ import annotations

import gzip
import re
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.utils import timezone

from bench.reflection_scale_rows import fill_for_apply
from memories.services import decisions, ledger, snapshots, timeline, todos
from reflection.services.plan import plan
from tests.memories.factories import actor, ann, memory
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db

SCRIPTS, STYLES, PAGE = 30_000, 15_000, 60_000  # bytes
ROWS = 50
WORDS = (
    "The label queue of the night shift stopped draining at ten past nine, and parcels {} and {} wait for the carrier "
    "that Bea called on the second line; a Zebra printer in hall {} reads the former name of the queue."
)
LISTS = ["/memories", "/search?query=label+queue&limit=50", "/trash", "/todos", "/decisions", "/snapshots", "/timeline"]
LISTS += ["/audit", "/ledger?every=on", "/memories?order=updated", "/"]


def packed(data: bytes) -> int:
    return len(gzip.compress(data, 6))


def told(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def test_scripts_and_styles_of_a_page_are_light() -> None:
    page = told(signed_in(ann()), "/memories")
    for pattern, most in (
        (r'<script src="/static/([^"]+)"', SCRIPTS),
        (r'rel="stylesheet" href="/static/([^"]+)"', STYLES),
    ):
        names = [re.sub(r"\.[0-9a-f]{12}(?=\.)", "", name) for name in re.findall(pattern, page)]
        paths = [finders.find(name) for name in names]
        assert len(paths) >= 2 and all(paths)
        assert sum(packed(Path(path).read_bytes()) for path in paths) <= most, names


@pytest.fixture
def fifty() -> None:
    """Fifty of everything, with texts and places as long as people have them."""
    me, now = actor(ann()), timezone.now()
    money = {"transaction_type": "expense", "currency": "EUR", "occurred_on": date(2026, 5, 1)}
    for n in range(ROWS):
        text, path = WORDS.format(n, n * 7, n % 9), f"projects/{n % 12}/incidents of the year/{n}"
        place = {"path": path, "bucket": f"bucket {n % 12}", "scope": f"tenant:project:{n % 20}"}
        memory(ann(), text, created_at=now - timedelta(hours=n), **place)
        memory(ann(), text, status="deleted", **place)
        todos.add(content=text, due_at=now + timedelta(hours=n), **place, actor=me)
        ledger.add(item=text[:90], amount=Decimal(n + 1), note=text, category=f"c{n % 9}", **money, **place, actor=me)
        decisions.ask(context=text, options=["the old carrier", "the new carrier"], **place, actor=me)
        snapshots.take(label=f"before the move {n}", session="night", actor=me)
        timeline.record(event=timeline.NewEvent(content=text, event_type="deploy", session="night"), actor=me)


def test_a_list_of_fifty_rows_is_light(fifty: None) -> None:
    client = signed_in(ann())
    weights = {address: packed(told(client, address).encode()) for address in LISTS}
    assert {address: bytes_ for address, bytes_ in weights.items() if bytes_ > PAGE} == {}


@pytest.mark.parametrize(("actions", "count"), [("summarize,promote,expire,decay,archive", 500), ("summarize", 40)])
def test_every_screenful_of_a_long_pass_is_light(actions: str, count: int) -> None:
    fill_for_apply(ann())
    made = plan(given={"time_window_hours": 48, "actions_csv": actions}, actor=actor(ann()))
    assert sum(made.counts.values()) == count
    client, address = signed_in(ann()), f"/passes/{made.pk}"
    seen: dict[str, int] = {}
    waiting, shown = [""], set()
    while waiting:
        query = waiting.pop()
        page = told(client, f"{address}?{query}")
        seen[query] = packed(page.encode())
        shown |= set(re.findall(r'<li class="candidate[^>]* id="(c\d+)"', page))
        turns = re.findall(r'name="turn" value="(\w+):?(\d*)"', page)
        more = [f"group={group}&after={after}" if after else f"group={group}" for group, after in turns]
        waiting += [one for one in dict.fromkeys(more) if one not in seen and one not in waiting]
    assert len(shown) == count and 1 < len(seen) < 20
    assert {query: bytes_ for query, bytes_ in seen.items() if bytes_ > PAGE} == {}
