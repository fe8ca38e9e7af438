"""What was deleted, archived or has expired stays away from lists, counts, neighbours and addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.urls import URLResolver, get_resolver
from django.utils import timezone

from memories.models import Memory, MemoryLink
from memories.services import decisions, ledger, snapshots, todos
from memories.services.forget import forget
from memories.services.state import update
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, bob, memory
from tests.memories.page_client import signed_in, standing, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_model")]

WORDS = "zebra kiosk"


def deleted_on_a_page(one: Memory) -> None:
    version = one.state.version
    assert signed_in(ann()).post(f"/memories/{one.pk}/forget", {"version": version}).status_code == 302


def deleted_over_the_api(one: Memory) -> None:
    assert Api(ann()).post(f"memories/{one.pk}/forget").status_code == 200


DOORS = pytest.mark.parametrize("delete", [deleted_on_a_page, deleted_over_the_api])


def found(words: str) -> tuple[int, bool]:
    """How many hits the API has, and whether the page says that there is no strong match."""
    hits = Api(ann()).get("memories/search", query=words).json()["results"]
    return len(hits), "No strong match" in text_of(signed_in(ann()).get("/search", {"query": words}))


@DOORS
def test_every_count_drops_with_a_deletion(delete: Callable[[Memory], None]) -> None:
    notes = [memory(ann(), f"{WORDS} {number}") for number in range(3)]
    delete(notes[0])
    api, browser = Api(ann()), signed_in(ann())
    listed, page = api.get("memories").json(), browser.get("/memories").context["page"]
    assert (listed["total"], len(listed["memories"])) == (2, 2)
    assert len(api.get("memories/search", query="*").json()["results"]) == 2
    assert (len(page.rows), page.range_text) == (2, "1–2 of 2")
    overview = browser.get("/").context
    assert (overview["total"]["active"], overview["total"]["deleted"], len(overview["latest"])) == (2, 1, 2)
    assert {kind: counts["active"] for kind, _, counts in overview["by_type"]}["semantic"] == 2


@DOORS
def test_a_bucket_is_empty_once_its_last_memory_is_deleted(delete: Callable[[Memory], None]) -> None:
    last, _ = memory(ann(), WORDS, bucket="cellar"), memory(ann(), "another", bucket="work")
    delete(last)
    api, browser = Api(ann()), signed_in(ann())
    assert api.get("memories", bucket="cellar").json() == {"memories": [], "total": 0}
    assert api.get("memories/search", query=WORDS, bucket="cellar").json()["results"] == []
    assert "No memory matches these filters" in text_of(browser.get("/memories", {"bucket": "cellar"}))
    assert "cellar" not in text_of(browser.get("/memories")) + text_of(browser.get("/"))


def test_deleting_all_of_one_person_leaves_all_of_another() -> None:
    hers = [memory(ann(), f"{WORDS} {number}") for number in range(3)]
    his = [memory(bob(), f"{WORDS} {number}") for number in range(3)]
    ticked = {"include": [f"{one.pk}:1" for one in [*hers, *his]], "count": "6", "reason": "all of mine"}
    assert signed_in(ann()).post("/records/selected/forget", ticked).status_code == 200
    assert [standing(one)[0] for one in hers] == ["deleted"] * 3
    assert [standing(one)[0] for one in his] == ["active"] * 3
    assert len(Api(bob()).get("memories/search", query=WORDS).json()["results"]) == 3


@pytest.mark.parametrize("status", ["archived", "expired", "deleted"])
def test_a_neighbour_that_is_put_away_leaves_the_page_of_the_other(status: str) -> None:
    here, gone = memory(ann(), "Here."), memory(ann(), WORDS, status=status)
    for origin, target in ((here, gone), (gone, here)):
        MemoryLink.objects.create(origin=origin, target=target, kind="relates_to", created_at=timezone.now())
    browser = signed_in(ann())
    page = browser.get(f"/memories/{here.pk}").content.decode()
    assert WORDS not in page and str(gone.pk) not in page
    whole = browser.get(f"/memories/{here.pk}?links=all").content.decode()
    assert (WORDS in whole) == (status != "deleted") == ("?links=all" in page)


def test_a_neighbour_in_a_space_of_others_is_on_no_page() -> None:
    here, foreign = memory(ann(), "Here."), memory(bob(), WORDS)
    MemoryLink.objects.create(origin=here, target=foreign, kind="relates_to", created_at=timezone.now())
    for address in (f"/memories/{here.pk}", f"/memories/{here.pk}?links=all"):
        page = signed_in(ann()).get(address).content.decode()
        assert WORDS not in page and str(foreign.pk) not in page


BOTH = "The gate opens at nine. The code is 4417."


def cut_on_a_page(one: Memory) -> None:
    page = signed_in(ann()).get(f"/memories/{one.pk}/edit").context["form"]
    sent = {name: value for name, value in page.initial.items() if value is not None}
    answer = signed_in(ann()).post(f"/memories/{one.pk}/edit", sent | {"content": "The gate opens at nine."})
    assert answer.status_code == 302


def cut_over_the_api(one: Memory) -> None:
    assert Api(ann()).patch(f"memories/{one.pk}", {"content": "The gate opens at nine."}).status_code == 200


@pytest.mark.parametrize("cut", [cut_on_a_page, cut_over_the_api])
def test_a_sentence_taken_out_is_not_found_any_more(cut: Callable[[Memory], None]) -> None:
    note = memory(ann(), BOTH)
    assert found("code 4417") == (1, False)
    cut(note)
    assert found("code 4417") == (0, True)
    assert found("gate opens") == (1, False)


def ids_in_the_trash() -> dict[str, UUID]:
    """A deleted record of every kind."""
    me = actor(ann())
    update(content="now", actor=me)
    money = {"transaction_type": "expense", "amount": Decimal(3), "currency": "EUR", "occurred_on": date(2026, 5, 1)}
    made = {
        "memories": memory(ann(), WORDS).pk,
        "reminders": todos.add(content=WORDS, actor=me).pk,
        "transactions": ledger.add(item=WORDS, actor=me, **money).pk,
        "decisions": decisions.ask(context=WORDS, actor=me).pk,
        "restart": snapshots.take(label=WORDS, actor=me).pk,
    }
    for key in made.values():
        forget(record_id=key, actor=me)
    return made


def addresses_of_records(resolver: Any = None, prefix: str = "/") -> Iterator[str]:
    """Every address of the API that holds the id of a record."""
    for entry in (resolver or get_resolver()).url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from addresses_of_records(entry, path)
        elif path.startswith("/v1/") and "<str:record_id>" in path:
            yield path.replace("<int:number>", "1")


def test_no_address_of_the_api_reads_what_is_in_the_trash() -> None:
    keys, api = ids_in_the_trash(), Api(ann())
    paths = list(addresses_of_records())
    assert len(paths) > 15
    for path in paths:
        for kind, key in keys.items():
            answer = api.get(path.replace("<str:record_id>", str(key)))
            assert answer.status_code in (404, 405), (path, kind, answer.content)
            assert WORDS not in answer.content.decode(), (path, kind)


LISTS = ["/", "/memories", "/todos", "/ledger", "/timeline", "/decisions", "/snapshots"]
LISTS += ["/search?query=zebra", "/search?query=*"]
ROWS = ["memories", "reminders", "me/ledger/transactions", "decisions", "restart/snapshot", "timeline", "recall"]


def test_what_is_in_the_trash_is_in_no_list_of_its_kind() -> None:
    keys, api, browser = ids_in_the_trash(), Api(ann()), signed_in(ann())
    bodies = [browser.get(path).content.decode() for path in LISTS]
    bodies += [api.get(path, query="zebra", item_status="%").content.decode() for path in ROWS]
    bodies.append(api.post("recall/context", {"query": "zebra kiosk"}).content.decode())
    for number, body in enumerate(bodies):
        assert WORDS not in body
        assert number == 0 or not any(str(key) in body for key in keys.values())  # the overview shows the last acts
    assert browser.get("/").context["total"]["deleted"] == len(keys)
    trash = browser.get("/trash").content.decode()
    assert all(str(key) in trash for key in keys.values())


@pytest.fixture
def faded() -> list[Memory]:
    """A hundred memories that nobody has used for 400 days."""
    long_ago = timezone.now() - timedelta(days=400)
    old = {"created_at": long_ago, "anchor": long_ago, "importance": 0.1, "base": 0.1, "memory_type": "episodic"}
    return [memory(ann(), f"{WORDS} number {number}", path=f"p{number}", **old) for number in range(100)]


def test_what_a_pass_archived_leaves_search_and_is_listed_as_archived(faded: list[Memory]) -> None:
    api, browser = Api(ann()), signed_in(ann())
    report = api.post("reflect", {"actions_csv": "archive"}).json()
    assert report["counts"]["archived"] == 100
    assert api.get("memories").json()["total"] == 0 and found(WORDS) == (0, True)
    assert "No memory matches these filters" in text_of(browser.get("/memories"))
    assert api.get("memories", status="archived").json()["total"] == 100
    assert api.get("memories", status="%").json()["total"] == 100
    assert browser.get("/memories", {"status": "archived"}).context["page"].range_text == "1–50 of 100"


def test_an_unknown_status_of_a_list_is_refused() -> None:
    answer = Api(ann()).get("memories", status="deleted")
    assert answer.status_code == 422 and answer.json()["detail"][0]["loc"] == ["query", "status"]
    assert signed_in(ann()).get("/memories", {"status": "gone"}).status_code == 422
