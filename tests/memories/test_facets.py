"""The facets of the list of memories: what a value counts is what the list holds after it is chosen."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.access import Actor
from memories.models import Memory, MemoryState
from memories.models.memory import MemoryType
from memories.pages import facets as panel
from memories.pages.forms import ListFilter
from memories.pages.listing import filtered, rows
from memories.services import facets
from memories.services.status import standing as status_of
from tests.memories.factories import actor, ann, bea, bob, memory, team
from tests.memories.page_client import HTMX, signed_in, text_of

pytestmark = pytest.mark.django_db

WORLDS = 200
BUCKETS = ("work", "private", "100%", "a_b", "仕事")
SCOPES = (None, "tenant:project:1", "50% off", "it's")
PATHS = ("", "/odd", "notes", "notes/a", "notes_2/b", "Notes/c", "a%b/c", "back\\slash/x", "日記/朝", "notes/a/b")
DAYS = (0.1, 0.5, 3.5, 6.5, 20.5, 60.5, 200.5, 900.5)


def world(chance: random.Random, owners: list[Any], atlas: Any) -> None:
    """A few memories anywhere among these people, in two statements."""
    now, made, states = timezone.now(), [], []
    for _ in range(chance.randint(0, 25)):
        at = now - timedelta(days=chance.choice(DAYS))
        one = Memory(
            owner=chance.choice(owners),
            team=chance.choice((atlas, None)),
            content="x",
            memory_type=chance.choice(MemoryType.values),
            bucket=chance.choice(BUCKETS),
            scope=chance.choice(SCOPES),
            path=chance.choice(PATHS),
            created_at=at,
            updated_at=at,
            expires_at=chance.choice((None, None, now - timedelta(days=1), now + timedelta(days=1))),
        )
        made.append(one)
        states.append(MemoryState(memory=one, anchor=at, **standing(chance, one)))
    Memory.objects.bulk_create(made)
    MemoryState.objects.bulk_create(states)


def standing(chance: random.Random, one: Memory) -> dict[str, Any]:
    marks: dict[str, dict[str, Any]] = {
        "archived": {"archived_at": one.created_at},
        "expired": {"expired_at": one.created_at},
        "deleted": {"deleted_at": one.created_at, "deleted_by": one.owner, "status_before_delete": "active"},
    }
    status = chance.choice(("active", "active", "active", "archived", "expired", "deleted"))
    return {"status": status, **marks.get(status, {})}


def some_filters(chance: random.Random, me: Actor) -> dict[str, str]:
    options: dict[str, Callable[[], str]] = {
        "type": lambda: chance.choice(MemoryType.values),
        "status": lambda: chance.choice(panel.STATUSES),
        "bucket": lambda: chance.choice(BUCKETS),
        "scope": lambda: str(chance.choice(SCOPES[1:])),
        "space": lambda: str(chance.choice(list(me.spaces))),
        "owner": lambda: str(me.user_id),
        "under": lambda: chance.choice(("notes", "/", "a%b", "notes/a", "back\\slash")),
        "age": lambda: chance.choice(list(panel.AGES)),
        "path": lambda: chance.choice(("notes%", "%a%")),
    }
    return {name: options[name]() for name in chance.sample(list(options), chance.choice((0, 1, 1, 2, 3)))}


def given_by(query: dict[str, str], me: Actor) -> dict[str, Any]:
    form = ListFilter(query, me)
    assert form.is_valid(), form.errors
    return form.cleaned_data


def differences(query: dict[str, str], me: Actor) -> list[Any]:
    """Every value of every facet whose count is not the number of rows after it is chosen."""
    given, wrong = given_by(query, me), []
    found = facets.count(given=given, at=timezone.now(), actor=me)
    assert found is not None
    for name, counts in found.items():
        for value, told in counts.rows.items():
            after = given_by(query | {name: value}, me)
            really = filtered(Memory.objects.all(), me, after).count()
            wrong += [] if really == told else [(query, name, value, told, really)]
    return wrong


def missed(query: dict[str, str], me: Actor) -> list[Any]:
    """Values that rows have which pass all filters but that of the facet, and that the facet does not name."""
    now, found = timezone.now(), facets.count(given=given_by(query, me), at=timezone.now(), actor=me) or {}
    lost = []
    for name, read in READ.items():
        others = {key: text for key, text in query.items() if key != name}
        asked = [{**others, "status": one} for one in panel.STATUSES] if name == "status" else [others]
        for one in asked:
            seen = filtered(Memory.objects.select_related("state"), me, given_by(one, me))
            values = {read(row, now) for row in seen} - {"None"}
            lost += [(query, name, value) for value in values if value not in found[name].rows]
    return lost


def age(days: float) -> str:
    return next((name for name, most in facets.AGES.items() if days < most), facets.OLDER)


READ: dict[str, Callable[[Memory, Any], str]] = {
    "status": lambda row, now: status_of(row, at=now),
    "type": lambda row, now: row.memory_type,
    "age": lambda row, now: age((now - row.created_at) / timedelta(days=1)),
    "space": lambda row, now: str(row.space_id),
    "owner": lambda row, now: str(row.owner_id),
    "bucket": lambda row, now: row.bucket,
    "under": lambda row, now: row.path.split("/")[0] or "/",
    "scope": lambda row, now: str(row.scope),
}


@pytest.mark.parametrize("part", range(4))
def test_what_a_value_counts_are_the_rows_after_it_is_chosen(part: int) -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    team("Zeta", bob="admin")
    owners, me = [ann(), bea(), bob()], actor(ann())
    for seed in range(part, WORLDS, 4):
        chance = random.Random(seed)
        with transaction.atomic():
            world(chance, owners, atlas)
            query = some_filters(chance, me)
            assert differences(query, me) == [] and missed(query, me) == []
            transaction.set_rollback(True)


def facets_of(client: Client, address: str) -> Any:
    """What the page of the list fetches after it: its facets with their counts."""
    fetched = re.search(r'<nav class="facets"[^>]* hx-get="([^"]+)" hx-trigger="load"', said(client.get(address)))
    assert fetched, "The page fetches no counts"
    return client.get(unescape(fetched[1]), headers=HTMX)


def said(page: Any) -> str:
    return str(page.content.decode())


def links(client: Client, address: str) -> dict[str, tuple[str, str]]:
    """The values beside the list: what each counts, and where it leads."""
    body = said(facets_of(client, address))
    body = body[body.index('<nav class="facets"') :]
    found = re.findall(r'<li><a[^>]* href="([^"]+)"[^>]*>(.*?)</a></li>', body, re.DOTALL)
    cut = [(unescape(url), re.sub(r"<svg.*?</svg>", "", inner, flags=re.DOTALL)) for url, inner in found]
    words = [(url, " ".join(unescape(re.sub(r"<[^>]+>", " ", inner)).split())) for url, inner in cut]
    return {text.rsplit(" ", 1)[0]: (text.rsplit(" ", 1)[1], url) for url, text in words}


def test_a_value_is_a_link_that_keeps_the_other_filters_and_can_be_taken_off_again() -> None:
    for number in range(3):
        memory(ann(), f"note {number}", bucket="work", path="atlas/plan", memory_type="episodic")
    memory(ann(), "other", bucket="home", path="kitchen")
    client = signed_in(ann())
    count, url = links(client, "/memories?bucket=work&after=&type=")["atlas"]
    assert (count, url) == ("3", "/memories?bucket=work&under=atlas")
    page = client.get(url)
    assert "1–3 of 3" in text_of(page) and 'aria-current="true"' in page.content.decode()
    assert links(client, url)["Remove filter atlas"] == ("3", "/memories?bucket=work")
    assert links(client, "/memories?bucket=work")["Remove filter work"] == ("3", "/memories?status=active")


def test_the_filters_in_force_have_names_and_can_be_taken_off() -> None:
    team("Atlas", ann="admin", bea="member")
    memory(ann(), "note", path="atlas/plan")
    page = signed_in(ann()).get(f"/memories?under=atlas&owner={ann().pk}&age=year")
    chips = {chip["field"]: (chip["name"], str(chip["value"])) for chip in page.context["chips"]}
    assert chips["under"] == ("folder", "atlas") and chips["owner"] == ("owner", "Ann")
    assert chips["age"] == ("age", "91 to 365 days")


def test_a_value_in_force_that_no_row_has_counts_nothing_and_stays() -> None:
    memory(ann(), "note", bucket="work")
    found = links(signed_in(ann()), "/memories?bucket=nowhere")
    assert found["Remove filter nowhere"][0] == "0" and found["work"][0] == "1"


def test_ten_values_are_seen_at_once_fifty_are_told_and_the_others_counted() -> None:
    for number in range(53):
        memory(ann(), "note", bucket=f"b{number:02}")
    page = facets_of(signed_in(ann()), "/memories?bucket=b52")
    bucket = next(one for one in page.context["facets"] if one.name == "bucket")
    assert len(bucket.first) == 11 and bucket.first[-1].current and len(bucket.rest) == 40 and bucket.beyond == "3"
    assert "and 3 others: type one above" in text_of(page)


def test_what_others_keep_is_neither_counted_nor_named() -> None:
    memory(bob(), "his", bucket="bobs", path="bobs/x", scope="bobs")
    memory(ann(), "hers", bucket="anns")
    client, address = signed_in(ann()), f"/memories?owner={bob().pk}"
    page = text_of(client.get(address)) + text_of(facets_of(client, address))
    assert "bobs" not in page and "Bob" not in page


def test_owners_and_spaces_are_facets_only_where_there_are_several() -> None:
    memory(ann(), "hers")
    names = {one.name for one in facets_of(signed_in(ann()), "/memories").context["facets"]}
    assert not names & {"owner", "space"}
    memory(bea(), "shared", team=team("Atlas", ann="admin", bea="member"))
    found = links(signed_in(ann()), "/memories")
    assert found["Atlas"][0] == "1" and found["Bea"][0] == "1" and found["Private"][0] == "1"


def test_counting_that_takes_too_long_leaves_the_list_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    memory(ann(), "note about the kettle")
    slow = facets._COUNT.replace(
        "SELECT facet, value, n, known", "SELECT facet, value, n + length(pg_sleep(20)::text), known"
    )
    monkeypatch.setattr(facets, "_COUNT", slow)
    started, client = timezone.now(), signed_in(ann())
    assert {one[0] for one in links(client, "/memories?bucket=work").values()} == {"–"}
    alone = client.get("/memories/facets?bucket=work")
    assert (timezone.now() - started).total_seconds() < 5
    for page in (alone, facets_of(client, "/memories?bucket=work")):
        assert page.status_code == 200 and "Counting took too long" in text_of(page)
    assert "1–1 of 1" in text_of(client.get("/memories?bucket=work"))


def test_the_list_is_there_before_anything_is_counted() -> None:
    team("Atlas", ann="admin", bea="member")
    memory(ann(), "note", bucket="work", path="atlas/plan")
    client = signed_in(ann())
    with CaptureQueriesContext(connection) as queries:
        page = client.get("/memories?bucket=work&order=updated&after=")
    assert not [one for one in queries if "GROUPING" in one["sql"]]
    panel_text = text_of(page).partition("Narrow down")[2]
    assert all(name in panel_text for name in ("Active", "Episodic", "Last 24 hours", "Atlas", "Remove filter work"))
    assert "/memories?bucket=work&amp;order=updated&amp;type=episodic" in said(page)


def test_without_scripts_the_counts_are_a_page_of_their_own() -> None:
    memory(ann(), "note", bucket="work", path="atlas/plan")
    client = signed_in(ann())
    address = re.search(r'<a href="(/memories/facets[^"]*)">All values', said(client.get("/memories?bucket=work")))
    assert address
    page = client.get(address[1])
    assert "<html" in said(page) and "facet-status-active" in said(page) and "atlas 1" in text_of(page)
    assert "/memories?bucket=work&amp;under=atlas" in said(page) and 'href="/memories?bucket=work"' in said(page)
    assert "hx-trigger" not in said(page).partition("<main")[2]


def test_the_limit_of_counting_ends_with_it() -> None:
    memory(ann(), "note")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('statement_timeout'), current_setting('jit')")
        before = cursor.fetchone()
        assert facets.count(given=given_by({}, actor(ann())), at=timezone.now(), actor=actor(ann()))
        cursor.execute("SELECT current_setting('statement_timeout'), current_setting('jit')")
        assert cursor.fetchone() == before


def test_a_way_back_that_takes_too_long_harms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    memory(ann(), "note about the kettle")
    late: list[str] = []

    def slowly(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith("ROLLBACK TO SAVEPOINT") and not late:
            late.append(sql)
            sql = "SELECT pg_sleep(20)"
        return execute(sql, params, many, context)

    client = signed_in(ann())
    with connection.execute_wrapper(slowly):
        page = client.get("/memories/facets?bucket=work")
    assert late and page.status_code == 200 and page.context["counted"]


def test_another_fault_of_the_database_is_no_slowness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facets, "_COUNT", "SELECT 1 / length('')")
    with pytest.raises(Exception, match="division by zero|placeholders"), transaction.atomic():
        facets.count(given=given_by({}, actor(ann())), at=timezone.now(), actor=actor(ann()))


def test_the_number_of_queries_does_not_grow_with_the_list_and_no_content_is_read() -> None:
    team("Atlas", ann="admin", bea="member")
    client, counts = signed_in(ann()), []
    for size in (3, 30):
        for number in range(size):
            memory(ann(), "note", bucket=f"b{number}", scope=f"s{number}", path=f"p{number}")
        with CaptureQueriesContext(connection) as queries:
            client.get("/memories/facets?type=semantic")
        counts.append(len(queries))
        counting = [one["sql"] for one in queries if "GROUPING" in one["sql"]]
        assert len(counting) == 1 and "content" not in counting[0]
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    "query", ["age=old", "owner=x", "owner=01a22ca2", "under=%20", f"under={'x' * 501}", "under=%00"]
)
def test_a_filter_that_is_none_is_refused_with_words(query: str) -> None:
    for address in ("/memories", "/memories/facets"):
        page = signed_in(ann()).get(f"{address}?{query}")
        assert page.status_code == 422 and "needs another look" in text_of(page)


def test_a_download_has_the_rows_of_the_facets_too() -> None:
    memory(ann(), "in it", path="atlas/plan")
    memory(ann(), "beside it", path="kitchen")
    body = b"".join(signed_in(ann()).get("/memories.csv?under=atlas&bom=0").streaming_content).decode()
    assert "in it" in body and "beside it" not in body


def test_a_folder_is_more_than_a_beginning() -> None:
    memory(ann(), "one", path="notes/a")
    memory(ann(), "two", path="notes_2/a")
    given = given_by({"under": "/notes/"}, actor(ann()))
    assert [row.line for row in rows(actor(ann()), given)] == ["one"]
