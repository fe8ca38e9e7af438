"""The overview: its numbers are those of the rows that the reader may see, and each leads to these rows."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.charts import Chart
from console.overview_charts import grown
from memories import audit
from memories.models import Memory
from memories.models.memory import MemoryType
from memories.pages.forms import ListFilter
from memories.pages.listing import filtered
from memories.services import tallies
from reflection.services import undo
from tests.console.overview_worlds import ByHand, fill
from tests.memories.factories import actor, ann, bea, bob, memory, team
from tests.memories.page_client import signed_in, text_of
from tests.reflection import life

pytestmark = pytest.mark.django_db

WORLDS = 24


def chart(page: HttpResponse, key: str) -> Chart | None:
    found = {one.key: one for one in page.context["charts"]}  # type: ignore[attr-defined]
    return found.get(key)


def numbers(one: Chart) -> list[list[int]]:
    """The cells of the table below a chart."""
    return [[int(cell.replace(",", "")) for cell in row[1:]] for row in one.table.rows]


@pytest.fixture
def worlds() -> Callable[[], Iterator[random.Random]]:
    """Many small worlds, one after the other, in which Ann reads; Bob's records and Bea's own are among the rows."""
    atlas = team("Atlas", ann="member", bea="member")
    owners = [ann(), bea(), bob()]

    def each() -> Iterator[random.Random]:
        for seed in range(WORLDS):
            with transaction.atomic():
                point = transaction.savepoint()
                chance = random.Random(seed)
                fill(chance, owners, atlas)
                yield chance
                transaction.savepoint_rollback(point)

    return each


def test_every_number_is_that_of_the_rows_counted_by_hand(worlds: Any) -> None:
    client = signed_in(ann())
    for _ in worlds():
        page, mine = client.get("/"), ByHand(actor(ann()))
        told = {kind: {key: n for key, n in row.items() if n} for kind, _, row in page.context["by_type"]}
        assert told == mine.by_type()
        assert {key: page.context["backlog"][key] for key in ("todos", "overdue", "untold")} == mine.backlog()
        sums = {status: sum(row.get(status, 0) for row in mine.by_type().values()) for status in tallies.STATUSES}
        assert page.context["total"] == sums
        importance = chart(page, "importance")
        assert (importance and [row[0] for row in numbers(importance)]) == (mine.tenths() if sums["active"] else None)


def test_the_growth_chart_holds_what_was_written_in_each_period(worlds: Any) -> None:
    client = signed_in(ann())
    for _ in worlds():
        growth, mine = chart(client.get("/"), "growth"), ByHand(actor(ann()))
        kept = [one for one in mine.rows if one.state.status != "deleted"]
        assert (growth is None) == (not kept)
        if growth is None:
            continue
        first = timezone.localdate(min(one.created_at for one in kept))
        hand = mine.grown(grown(first, timezone.localdate()).starts)
        names = {kind.capitalize(): kind for kind in MemoryType.values}
        assert growth.table.head[-1] == "Total" and set(growth.table.head[1:-1]) <= set(names)
        rows = [dict(zip(growth.table.head[1:], row, strict=True)) for row in numbers(growth)]
        totals = [row.pop("Total") for row in rows]
        assert [{names[key]: n for key, n in row.items() if n} for row in rows] == [dict(one) for one in hand]
        assert totals == [sum(one.values()) for one in hand] and sum(totals) == len(kept)


def test_every_count_by_type_leads_to_as_many_rows(worlds: Any) -> None:
    client, me = signed_in(ann()), actor(ann())
    for _ in worlds():
        body = client.get("/").content.decode()
        links = re.findall(r'<a href="/memories\?(type=\w+&amp;status=\w+)">(\d+)</a>', body)
        for query, count in links:
            form = ListFilter(dict(part.split("=") for part in unescape(query).split("&")), me)
            assert form.is_valid()
            assert filtered(Memory.objects.all(), me, form.cleaned_data).count() == int(count)


def test_the_trash_of_a_type_holds_what_the_overview_counts() -> None:
    for kind in ("semantic", "semantic", "working"):
        memory(ann(), "gone", memory_type=kind, status="deleted")
    memory(bob(), "gone", memory_type="semantic", status="deleted")
    client = signed_in(ann())
    assert '<a href="/trash?kind=memory&amp;type=semantic">2</a>' in client.get("/").content.decode()
    assert len(client.get("/trash?kind=memory&type=semantic").context["page"].rows) == 2
    assert len(client.get("/trash?kind=todo&type=working").context["page"].rows) == 1
    assert client.get("/trash?type=odd").status_code == 422


def test_nothing_of_somebody_else_changes_an_overview() -> None:
    memory(ann(), "mine", memory_type="episodic")
    client = signed_in(ann())
    before = shown(client)
    atlas = team("Atlas", bea="admin")
    for owner, more in ((bob(), {}), (bea(), {"team": atlas})):
        fill(random.Random(7), [owner], atlas)
        memory(owner, "theirs", created_at=timezone.now() - timedelta(days=3_000), **more)
        life.fill(owner)
    life.applied(life.plan_all(actor(bob())), actor(bob()))
    life.plan_all(actor(bob()))
    assert shown(client) == before


def shown(client: Client) -> Any:
    context = client.get("/").context
    names = ("total", "by_type", "backlog", "charts", "inbox_count", "passes_changed")
    return {name: context[name] for name in names}


def test_what_passes_changed_is_counted_in_the_week_in_which_they_were_applied() -> None:
    life.fill(ann())
    done = life.applied(life.plan_all(actor(ann())), actor(ann()))
    page = signed_in(ann()).get("/")
    activity = chart(page, "activity")
    assert activity is not None and len(activity.table.rows) == 12
    words = dict(zip(activity.table.head[1:], numbers(activity)[-1], strict=True))
    counts = {name: n for name, n in done.applied_counts.items() if n}
    total = words.pop("Total")
    assert sorted(words.values()) == sorted(counts.values()) and total == sum(counts.values()) > 0
    assert words["Summarized"] == done.applied_counts["summarize"]
    assert not any(any(row) for row in numbers(activity)[:-1])


def test_what_was_undone_later_was_done_all_the_same_and_older_weeks_are_left_out() -> None:
    life.fill(ann())
    done = life.applied(life.plan_all(actor(ann())), actor(ann()))
    before = chart(signed_in(ann()).get("/"), "activity")
    undo.roll_back(pass_id=done.pk, actor=actor(ann()))
    assert chart(signed_in(ann()).get("/"), "activity") == before
    type(done).objects.filter(pk=done.pk).update(applied_at=timezone.now() - timedelta(weeks=13))
    page = signed_in(ann()).get("/")
    assert chart(page, "activity") is None and "In the last twelve weeks no pass changed anything" in text_of(page)


def test_passes_that_wait_are_counted_and_lead_to_the_inbox() -> None:
    life.fill(ann())
    life.plan_all(actor(ann()))
    page = signed_in(ann()).get("/")
    assert page.context["backlog"]["to_review"] == page.context["inbox_count"] == 1
    assert '<dt>pass to review</dt><dd><a href="/inbox">1</a>' in page.content.decode()


def test_the_backlog_leads_to_a_plan_of_the_one_action_that_helps() -> None:
    memory(ann(), "over", expires_at=timezone.now() - timedelta(hours=1))
    client = signed_in(ann())
    assert '<a href="/passes/new?actions=expire">1</a>' in client.get("/").content.decode()
    body = client.get("/passes/new?actions=expire").content.decode()
    assert re.findall(r'name="actions" value="(\w+)"[^>]* checked', body) == ["expire"]
    body = client.get("/passes/new?actions=nothing").content.decode()
    assert len(re.findall(r'name="actions" value="\w+"[^>]* checked', body)) == 5


def test_a_console_without_records_says_what_it_is_for_and_offers_every_way_in() -> None:
    page = signed_in(ann()).get("/")
    body = page.content.decode()
    assert "This is where you look after what your AI agents remember" in text_of(page)
    assert "python manage.py demo" in text_of(page) and '<svg class="picture"' not in body
    for address in ("/memories/new", "/connect", "/import"):
        assert f'href="{address}">' in body.split("<main", 1)[1]


def test_one_memory_makes_a_week_of_days() -> None:
    memory(ann(), "the first", created_at=timezone.now(), memory_type="identity")
    growth = chart(signed_in(ann()).get("/"), "growth")
    assert growth is not None and growth.table.head == ["Day", "Identity", "Total"]
    assert [row[0] for row in numbers(growth)] == [0, 0, 0, 0, 0, 0, 1]


def test_with_everything_in_the_trash_there_is_nothing_to_draw() -> None:
    memory(ann(), "gone", status="deleted")
    page = signed_in(ann()).get("/")
    assert page.status_code == 200 and page.context["charts"] == [] and not page.context["first_use"]


def test_a_memory_counts_on_the_day_that_it_was_in_the_zone_of_the_reader() -> None:
    who = ann()
    who.time_zone = "Pacific/Auckland"
    who.save()
    late = timezone.now().replace(hour=23, minute=30) - timedelta(days=3)
    memory(who, "late in the evening of UTC", created_at=late)
    growth = chart(signed_in(who).get("/"), "growth")
    assert growth is not None
    day = timezone.localdate(late, ZoneInfo(who.time_zone))
    assert [row[0] for row in growth.table.rows if row[-1] == "1"] == [f"{day.day} {day:%b %Y}"]


@pytest.mark.parametrize("at", ["0001-01-02T00:00:00+00:00", "1899-12-31T12:00:00+00:00", "9998-01-01T00:00:00+00:00"])
def test_a_memory_from_an_end_of_the_calendar_is_drawn_too(at: str) -> None:
    memory(ann(), "odd", created_at=datetime.fromisoformat(at))
    memory(ann(), "now", created_at=timezone.now())
    growth = chart(signed_in(ann()).get("/"), "growth")
    assert growth is not None and sum(row[-1] for row in numbers(growth)) == 2


def asked(client: Client) -> list[str]:
    with CaptureQueriesContext(connection) as caught:
        assert client.get("/").status_code == 200
    return [one["sql"] for one in caught.captured_queries]


def test_it_asks_as_often_whatever_there_is_and_reads_no_whole_text() -> None:
    client, atlas = signed_in(ann()), team("Atlas", bea="member")
    one = memory(ann(), "one", memory_type="episodic")
    audit.record(actor(ann()), "memory.create", "memory", one.pk)
    few = asked(client)
    fill(random.Random(3), [ann()], atlas, most=60)
    life.fill(ann())
    life.applied(life.plan_all(actor(ann())), actor(ann()))
    life.plan_all(actor(ann()))
    many = asked(client)
    assert len(few) == len(many), "\n".join(many)
    assert len(many) <= 24
    assert not any('"content"' in sql.replace('LEFT("memories_memory"."content", 300)', "") for sql in many)
