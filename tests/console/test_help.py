"""The help: the same link on every page, every job leads to a page, and it tells of nobody."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from console.help import JOBS, WORDS
from tests.memories.factories import ann
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db

PLACE = re.compile(r'href="/help"')


def test_each_job_has_two_to_four_steps_and_a_page_that_opens() -> None:
    client = signed_in(ann())
    assert len(JOBS) == 10
    for job in JOBS:
        assert 2 <= len(job.steps) <= 4, job.name
        assert client.get(reverse(job.page)).status_code == 200, job.name


def test_the_page_holds_all_jobs_and_words_and_leads_to_the_docs_of_the_api() -> None:
    page = signed_in(ann()).get("/help")
    text = text_of(page)
    assert all(str(job.title) in text and all(str(step) in text for step in job.steps) for job in JOBS)
    assert all(str(one.word) in text and str(one.meaning) in text for one in WORDS)
    body = page.content.decode()
    assert 'href="/api-docs"' in body and "<kbd>" in body
    names = re.findall(r'href="#([\w-]+)"', body)
    assert all(f'id="{name}"' in body for name in names)


def test_it_is_open_to_who_is_not_signed_in() -> None:
    page = Client().get("/help")
    assert page.status_code == 200 and "Find a memory" in text_of(page)


@pytest.mark.parametrize("address", ["/", "/memories", "/trash", "/people", "/settings", "/help", "/nothing/here"])
def test_every_page_links_it_from_the_same_place(address: str) -> None:
    body = signed_in(ann()).get(address).content.decode()
    assert len(PLACE.findall(body)) == 1
    assert body.index('action="/search"') < body.index('href="/help"') < body.index('<details class="account"')


@pytest.mark.parametrize("address", ["/login", "/first-password"])
def test_who_is_signed_out_finds_it_too(address: str) -> None:
    assert PLACE.search(Client().get(address).content.decode())
