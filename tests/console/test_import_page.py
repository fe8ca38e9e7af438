"""The page that imports: a look at each row, then the same file stored, with nothing kept in between."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from memories.models import Memory
from memories.pages import importing
from tests.console.foreign import FILES, NOTES, as_json
from tests.memories.factories import ann, bob, team
from tests.memories.page_client import records_now, signed_in, text_of

pytestmark = pytest.mark.django_db


def looked(data: bytes, name: str = "file", **more: Any) -> HttpResponse:
    return signed_in(ann()).post("/import", {"file": SimpleUploadedFile(name, data), "space": ann().pk, **more})


def confirmed(page: HttpResponse, **more: Any) -> HttpResponse:
    given = {name: value for name, value in page.context["confirm"].initial.items() if value is not None}
    return signed_in(ann()).post("/import", {**given, "step": "import", **more})


def test_the_page_offers_to_bring_and_to_take() -> None:
    page = signed_in(ann()).get("/import")
    said = text_of(page)
    assert (
        "Import" in said and "Download everything" in said and 'enctype="multipart/form-data"' in page.content.decode()
    )
    assert Client().get("/import").status_code == 302 and Client().post("/import").status_code == 401


@pytest.mark.parametrize("format_name", FILES)
def test_a_look_stores_nothing_and_the_second_step_what_was_looked_at(format_name: str) -> None:
    name, data = FILES[format_name]
    ann()
    before = records_now()
    page = looked(data, name, format="" if format_name != "chatgpt" else "chatgpt")
    counts = page.context["counts"]
    assert page.status_code == 200 and "Nothing is stored yet" in text_of(page) and records_now() == before
    assert f"Import {counts['new']} row" in text_of(page)
    done = confirmed(page)
    assert done.status_code == 200 and done.context["counts"] == counts
    assert Memory.objects.count() == counts["new"] and "What was imported" in text_of(done)
    again = looked(data, name, format=format_name)
    assert again.context["counts"]["new"] == 0 and "nothing in it that is not here already" in text_of(again)


def test_a_pasted_list_is_taken_for_memories() -> None:
    page = signed_in(ann()).post("/import", {"text": "Drinks tea.\r\nHas cats.", "space": ann().pk, "bucket": "home"})
    assert page.context["counts"]["new"] == 2
    confirmed(page)
    assert set(Memory.objects.values_list("content", "bucket")) == {("Drinks tea.", "home"), ("Has cats.", "home")}


def test_rows_that_cannot_be_taken_are_named_with_why() -> None:
    page = looked(*reversed(FILES["mem0"]))
    assert "1 cannot be taken and would be left out" in text_of(page)
    assert "memory 3" in text_of(page) and "It has no text" in text_of(page)


def test_one_row_was_left_out_and_several_were() -> None:
    text = text_of(confirmed(looked(*reversed(FILES["mem0"]))))
    assert "1 cannot be taken and was left out" in text
    two = as_json({"results": [{"memory": " "}, {"memory": ""}, {"memory": "Tea."}]})
    assert "2 cannot be taken and were left out" in text_of(confirmed(looked(two, "memories.json")))


def test_a_row_that_the_file_says_twice_is_called_repeated_and_not_known() -> None:
    page = looked(b"Drinks tea.\nHas cats.\nDrinks tea.\n", "list.txt", format="chatgpt")
    text = text_of(page)
    assert page.context["counts"] == {"wrong": 0, "new": 2, "repeated": 1, "known": 0}
    assert "0 known already. 1 row is repeated in this file." in text and "line 1 says the same" in text
    assert "Known already" not in text


def test_a_look_at_what_another_program_kept_says_from_when_it_fades() -> None:
    said = "fading, and counting the days without use, begin with the import"
    assert said in text_of(looked(*reversed(FILES["mem0"])))
    assert said not in text_of(looked(b'{"format": "memory-console/1", "content": "x"}', "all.jsonl"))


def test_a_file_that_is_too_large_for_the_page_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "CARRIED_MOST", 10)
    page = looked(NOTES, "notes.zip")
    assert page.context["confirm"].initial["carried"] == "" and "The same file again" in text_of(page)
    other = confirmed(page, file=SimpleUploadedFile("notes.zip", FILES["mem0"][1]))
    assert other.status_code == 422 and "not the file that was looked at" in text_of(other)
    assert confirmed(page).status_code == 422 and not Memory.objects.exists()
    assert confirmed(page, file=SimpleUploadedFile("notes.zip", NOTES)).status_code == 200
    assert Memory.objects.count() == 2


@pytest.mark.parametrize("carried", ["x", "====", "eJwrzy_KSSkGABBYBAg=" * 3, "é"])
def test_what_a_page_carries_cannot_be_exchanged(carried: str) -> None:
    page = looked(b"Drinks tea.", format="chatgpt")
    answer = confirmed(page, carried=carried)
    assert answer.status_code == 422 and not Memory.objects.exists()
    assert confirmed(page, digest="0" * 64).status_code == 422
    assert confirmed(page, format="magic").status_code == 422


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "one of the two"),
        ({"text": "x", "file": SimpleUploadedFile("a", b"x")}, "one of the two"),
        ({"file": SimpleUploadedFile("a.bin", b"\x01\x02")}, "Choose the format"),
        ({"text": "x", "format": "magic"}, "magic"),
        ({"text": "x", "space": "x"}, "no space"),
        ({"text": "x", "bucket": "b" * 200}, "100"),
    ],
)
def test_what_is_missing_or_wrong_is_said_at_its_field(sent: dict[str, Any], said: str) -> None:
    answer = signed_in(ann()).post("/import", {"space": ann().pk, **sent})
    assert answer.status_code == 422 and said in text_of(answer) and not Memory.objects.exists()


def test_a_foreign_team_is_no_place() -> None:
    atlas = team("Atlas", bob="admin")
    answer = signed_in(ann()).post("/import", {"text": "x", "space": atlas.pk})
    assert answer.status_code in (403, 422) and not Memory.objects.exists()
    assert bob().pk != ann().pk


def test_this_page_takes_larger_bodies_than_others_and_says_how_large() -> None:
    browser = signed_in(ann())
    large = SimpleUploadedFile("a.txt", b"x" * 1_500_000)
    assert browser.post("/import", {"file": large, "format": "chatgpt", "space": ann().pk}).status_code == 200
    assert browser.post("/todos", {"content": "x" * 1_000_001}).status_code == 413
    answer = browser.post("/import", {"file": SimpleUploadedFile("a.txt", b"x" * 5_000_001), "space": ann().pk})
    assert answer.status_code == 413 and "5,000,000" in text_of(answer)


def test_markup_in_a_file_is_text_on_the_page() -> None:
    page = looked(b"<img src=x onerror=alert(1)>\n{{7*7}}", "<b>.txt", format="chatgpt")
    body = page.content.decode()
    assert "<img src=x" not in body and "&lt;img src=x" in body and "<b>.txt" not in body and "{{7*7}}" in body
