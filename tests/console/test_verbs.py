"""A page that is only sent to, or only looked at, says so: nobody stands before an empty page."""

from __future__ import annotations

import pytest
from django.urls import get_resolver

from console.refusal import API_PREFIXES
from tests.memories.factories import ann, memory
from tests.memories.page_client import HTMX, everything, signed_in, text_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("verb", "path"), [("get", "/memories/{id}/forget"), ("post", "/memories/{id}"), ("put", "/")])
def test_the_other_verb_is_refused_in_words_with_the_verbs_that_work(verb: str, path: str) -> None:
    client, record = signed_in(ann()), memory(ann(), "Tea.")
    before = everything()
    answer = getattr(client, verb)(path.format(id=record.pk))
    assert answer.status_code == 405 and answer["Allow"]
    assert f"{verb.upper()} is not possible here." in text_of(answer) and "Go to the overview" in text_of(answer)
    assert everything() == before


def test_a_part_of_a_page_says_it_too() -> None:
    answer = signed_in(ann()).get("/theme", headers=HTMX)
    assert answer.status_code == 405 and b"<html" not in answer.content
    assert "GET is not possible here." in text_of(answer)


def test_who_is_not_signed_in_is_told_in_their_language(client) -> None:
    answer = client.get("/logout", headers={"Accept-Language": "es"})
    assert answer.status_code == 405 and answer["Content-Language"] == "es"
    assert 'lang="es"' in answer.content.decode() and "GET is not possible here." not in text_of(answer)


def plain_pages() -> list[str]:
    """The addresses of pages that take no id."""
    parts = [one for part in get_resolver().url_patterns for one in getattr(part, "url_patterns", [part])]
    found = [f"/{one.pattern}" for one in parts if not hasattr(one, "url_patterns") and "<" not in str(one.pattern)]
    return sorted(path for path in found if not path.startswith(API_PREFIXES))


def test_every_page_that_is_shown_can_be_asked_for_its_head() -> None:
    client = signed_in(ann())
    shown = [path for path in plain_pages() if client.get(path).status_code == 200]
    assert {"/", "/memories", "/sign-in-again", "/passes/new"} <= set(shown)
    assert [path for path in shown if client.head(path).status_code != 200] == []
