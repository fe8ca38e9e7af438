"""Summaries keep the dates of their sources, grow no metadata, and are shown in pages however many those are."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from memories.models import Memory
from memories.services.revise import revise
from tests.memories.api_client import Api
from tests.memories.doors import many
from tests.memories.factories import actor, ann, memory
from tests.memories.page_client import signed_in, text_of
from tests.reflection import life

pytestmark = pytest.mark.django_db

MARCH = datetime(2026, 3, 1, 9, tzinfo=UTC)
LINKS = """
INSERT INTO memories_memorylink (id, origin_id, target_id, kind, position, quote, created_at)
SELECT gen_random_uuid(), %s, id, 'derived_from', row_number() OVER (ORDER BY id), '', now()
FROM memories_memory WHERE path = 'many'
"""


def derived(of: str) -> Memory:
    return Memory.objects.get(derivation=of)


def span(of: Memory) -> list[datetime]:
    return [datetime.fromisoformat(moment) for moment in of.provenance["span"]]


def test_a_fact_tells_from_when_to_when_its_evidence_is_on_page_and_api() -> None:
    for day in (0, 3, 8):
        at = MARCH + timedelta(days=day)
        fields: dict[str, Any] = {"memory_type": "episodic", "session": f"s{day}", "path": f"talk/{day}"}
        memory(ann(), "Deploys happen on Thursdays.", created_at=at, **fields)
    who = actor(ann())
    life.applied(life.plan_all(who, actions_csv="promote", since="2026-02-01", until="2026-04-01"), who)
    fact = derived("fact")
    assert span(fact) == [MARCH, MARCH + timedelta(days=8)]
    page = text_of(signed_in(ann()).get(f"/memories/{fact.pk}"))
    assert "Tells of 1 Mar 2026, 09:00 UTC" in page and "to 9 Mar 2026, 09:00 UTC" in page
    told = Api(ann()).get(f"memories/{fact.pk}").json()["provenance"]["span"]
    assert [datetime.fromisoformat(moment) for moment in told] == span(fact)


def told_on(text: str, at: datetime) -> Memory:
    place = {"path": "projects/atlas/incident", "session": "incident", "bucket": "work"}
    return memory(ann(), text, memory_type="episodic", created_at=at, anchor=at, **place)


def test_a_summary_that_goes_on_keeps_the_first_day_of_sources_that_were_archived() -> None:
    records, who = life.fill(ann()), actor(ann())
    life.applied(life.plan_all(who, actions_csv="summarize"), who)
    first, last = span(derived("summary"))
    revise(memory_id=records["turn0"].pk, changes={"status": "archived"}, actor=who)
    later = told_on("The carrier confirmed that every parcel left the depot.", timezone.now() - timedelta(minutes=30))
    life.applied(life.plan_all(who, actions_csv="summarize"), who)
    assert "carrier confirmed" in derived("summary").content
    assert span(derived("summary")) == [first, later.created_at] and later.created_at > last


def sizes(rows: QuerySet[Memory]) -> list[tuple[Any, ...]]:
    return [
        (one.pk, sorted(one.metadata), len(json.dumps(one.metadata)), sorted(one.provenance))
        for one in rows.order_by("created_at", "pk")
    ]


def test_five_passes_leave_the_metadata_of_every_record_as_large_as_it_was() -> None:
    life.fill(ann())
    Memory.objects.update(metadata={"speaker": "Bea", "tags": ["a", "b"]})
    who, found = actor(ann()), []
    for turn in range(5):
        told_on(f"Note {turn}: the carrier lost parcel {turn}.", timezone.now() - timedelta(minutes=50 - turn))
        life.applied(life.plan_all(who, actions_csv="summarize,promote,decay"), who)
        found.append(sizes(Memory.objects.exclude(content__startswith="Note")))
    assert found[1:] == [found[0]] * 4
    assert derived("summary").versions.count() >= 3
    assert len(json.dumps(derived("summary").provenance)) < 500


def summary_of(count: int) -> UUID:
    who = ann()
    Memory.objects.filter(path="many").delete()
    many(who, count, "a source with number {}", newest=MARCH)
    one = memory(who, "It is told.")
    Memory.objects.filter(pk=one.pk).update(derivation="summary", pass_id=one.pk)
    with connection.cursor() as cursor:
        cursor.execute(LINKS, [one.pk])
    return one.pk


def test_a_summary_of_five_thousand_sources_is_shown_in_pages_at_the_cost_of_sixty(
    django_assert_max_num_queries: Any,
) -> None:
    client, api = signed_in(ann()), Api(ann())
    few = summary_of(60)
    client.get(f"/memories/{few}")
    with django_assert_max_num_queries(60) as asked:
        client.get(f"/memories/{few}")
    lots = summary_of(5_000)
    with django_assert_max_num_queries(len(asked)):
        page = client.get(f"/memories/{lots}")
    body = text_of(page)
    assert "Cites 5000 memories" in body and "1–50 of 5,000" in body
    assert len(page.content) < 100_000
    second = client.get(page.context["cites"].next_url.partition("#")[0])
    assert "51–100 of 5,000" in text_of(second)
    last = client.get(f"/memories/{lots}?cites=100")
    assert "4,951–5,000 of 5,000" in text_of(last) and last.context["cites"].next_url == ""
    seen = {link.target_id for shown in (page, second, last) for link in shown.context["cites"].rows}
    assert len(seen) == 150
    told = api.get(f"memories/{lots}/explain", offset=4_900).json()["memory"]
    assert (len(told["links"]), told["links_total"]) == (100, 5_000)


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", "9" * 30, "²"])
def test_a_page_of_links_that_is_none_is_refused(number: str) -> None:
    one = memory(ann(), "zebra")
    assert signed_in(ann()).get(f"/memories/{one.pk}", {"cites": number}).status_code == 422
