"""Lists as files: exactly what the list shows, in parts, for nobody else, and never cut off in silence."""

from __future__ import annotations

import csv
import io
import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.http import HttpResponse

from memories.models import AuditRecord, Memory
from memories.pages import downloading
from memories.services import ledger, todos
from tests.memories.belongings import emptied, filled, sums
from tests.memories.factories import actor, ann, bob, memory
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db


def read(answer: HttpResponse) -> bytes:
    """What is sent, which has to be streamed."""
    assert answer.status_code == 200 and answer.streaming
    return b"".join(answer.streaming_content)


def table(address: str, who: Any = None) -> list[dict[str, str]]:
    text = read(signed_in(who or ann()).get(address)).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_table_holds_what_the_list_shows_and_nothing_else() -> None:
    memory(ann(), "=1+1", path="a/b", bucket="home", metadata={"tags": ["x"]}, importance=0.7)
    memory(ann(), "elsewhere", bucket="work")
    memory(ann(), "gone", bucket="home", status="deleted")
    memory(bob(), "of Bob", bucket="home")
    [row] = table("/memories.csv?bucket=home")
    assert (row["content"], row["path"], row["importance"]) == ("'=1+1", "a/b", "0.7")
    assert json.loads(row["metadata"]) == {"tags": ["x"]} and row["status"] == "active"
    assert [one["content"] for one in table("/memories.csv?status=archived")] == []
    assert table("/memories.csv", bob())[0]["content"] == "of Bob"


def test_it_is_a_file_in_utf_8_with_a_mark_unless_it_is_not_wanted() -> None:
    memory(ann(), "Zoë 🦓")
    answer = signed_in(ann()).get("/memories.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"].startswith('attachment; filename="memories-')
    assert read(answer).startswith(b"\xef\xbb\xbf") and answer["X-Content-Type-Options"] == "nosniff"
    plain = read(signed_in(ann()).get("/memories.csv?bom=0"))
    assert plain.startswith(b'"id"') and "Zoë 🦓" in plain.decode()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_parts_make_the_whole_in_the_order_of_the_list(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloading, "PART", size)
    for number in range(6):
        memory(ann(), f"m{number}")
        todos.add(content=f"t{number}", actor=actor(ann()))
    newest = [str(key) for key in Memory.objects.order_by("-created_at", "-pk").values_list("pk", flat=True)]
    assert [row["id"] for row in table("/memories.csv")] == newest
    assert sorted(row["content"] for row in table("/todos.csv")) == [f"t{number}" for number in range(6)]
    assert len(table("/audit.csv")) == AuditRecord.objects.count() == 6


def test_money_is_a_number_and_other_months_stay_out() -> None:
    money = {"transaction_type": "expense", "currency": "EUR", "actor": actor(ann())}
    ledger.add(item="tea", amount=Decimal("12.50"), occurred_on=date(2026, 5, 1), **money)
    ledger.add(item="pot", amount=Decimal(3), occurred_on=date(2026, 6, 1), **money)
    [row] = table("/ledger.csv?month=2026-05")
    assert (row["item"], Decimal(row["amount"]), row["occurred_on"]) == ("tea", Decimal("12.5"), "2026-05-01")
    assert len(table("/ledger.csv?every=on")) == 2


@pytest.mark.parametrize(
    "address",
    [
        "/memories.csv?limit=0",
        "/todos.csv?show=x",
        "/ledger.csv?month=x",
        "/audit.csv?object=x",
        "/memories.jsonl?type=x",
    ]
    + ["/memory-console.jsonl?space=x"],
)
def test_a_wrong_filter_is_refused_and_no_file_begins(address: str) -> None:
    answer = signed_in(ann()).get(address)
    assert answer.status_code == 422 and "text/html" in answer["Content-Type"]


def test_a_table_that_would_be_cut_off_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloading, "ROWS_MOST", 2)
    for number in range(3):
        memory(ann(), f"m{number}")
    answer = signed_in(ann()).get("/memories.csv")
    assert answer.status_code == 422 and "more than 2 rows" in answer.content.decode()
    Memory.objects.filter(content="m0").update(bucket="home")
    assert len(table("/memories.csv?bucket=work")) == 2


def test_everything_leaves_through_the_page_and_comes_back_through_it() -> None:
    filled(ann())
    before = sums(ann())
    data = read(signed_in(ann()).get("/memory-console.jsonl"))
    emptied()
    page = signed_in(ann()).post("/import", {"file": io.BytesIO(data), "space": ann().pk})
    assert page.status_code == 200 and "Nothing is stored yet" in page.content.decode()
    given = {**page.context["confirm"].initial, "step": "import"}
    done = signed_in(ann()).post("/import", given)
    assert done.status_code == 200 and sums(ann()) == before


def test_the_list_as_lines_of_json_comes_back_too() -> None:
    for number in range(3):
        memory(ann(), f"m{number}", bucket="home" if number else "work")
    lines = read(signed_in(ann()).get("/memories.jsonl?bucket=home")).decode().splitlines()
    assert [json.loads(line)["content"] for line in lines] == ["m1", "m2"]
