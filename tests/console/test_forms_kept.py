"""A form that cannot be carried out for now is kept: after signing in, or after a fault of ours, it is sent again."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from console import carried
from memories.models import Memory
from tests.memories.factories import PASSWORD, ann, bob, memory, token
from tests.memories.page_client import HTMX, everything, signed_in, text_of
from tests.rights.shape import Form, Forms

pytestmark = pytest.mark.django_db

TEXT = "Tea\n<b>& biscuits</b>, “four” o'clock = 茶 100%"
LOGIN = {"username": "ann", "password": PASSWORD}


def new_memory() -> dict[str, Any]:
    return {"content": TEXT, "type": "semantic", "bucket": "work", "importance": "0.5", "space": str(ann().pk)}


def signed_out() -> Client:
    """A browser whose session is over, with the CSRF cookie that it had."""
    ann()
    client = Client(enforce_csrf_checks=True)
    client.get("/login")
    return client


def sent(client: Client, path: str, body: dict[str, Any], **more: Any) -> HttpResponse:
    """A form of ours, sent with its token."""
    return client.post(path, {**body, "csrfmiddlewaretoken": client.cookies[settings.CSRF_COOKIE_NAME].value}, **more)


def form_in(answer: HttpResponse, action: str) -> Form:
    [found] = [one for one in Forms(answer.content.decode()).found if one.action == action]
    return found


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_after_signing_in_the_form_is_sent_again_as_it_was(headers: dict[str, str]) -> None:
    client = signed_out()
    refused = sent(client, "/memories/new", new_memory(), headers=headers)
    assert refused.status_code == 401 and not Memory.objects.exists()
    way_in = form_in(refused, "/login")
    asked = client.post("/login", way_in.values | LOGIN)
    assert asked.status_code == 200 and not Memory.objects.exists(), "a person sends it, not the sign-in"
    again = form_in(asked, "/memories/new")
    assert client.post(again.action, again.values).status_code == 302
    assert Memory.objects.get().content == TEXT and Memory.objects.get().owner == ann()


def test_a_mistyped_password_keeps_it_and_so_does_a_sign_in_in_another_window() -> None:
    client = signed_out()
    way_in = form_in(sent(client, "/memories/new", new_memory()), "/login")
    wrong = client.post("/login", way_in.values | {"username": "ann", "password": "no"})
    way_in = form_in(wrong, "/login")
    client.post("/login", {**LOGIN, "csrfmiddlewaretoken": client.cookies[settings.CSRF_COOKIE_NAME].value})
    asked = sent(client, "/login", way_in.values | LOGIN)
    assert form_in(asked, "/memories/new").values["content"] == TEXT


def test_several_fields_of_one_name_come_along_in_their_order() -> None:
    client = signed_out()
    body = {"include": ["b", "a", "b"], "empty": "", "count": "3"}
    fields = carried.read(form_in(sent(client, "/records/selected/forget", body), "/login").values["carried"])
    assert fields == [("include", "b"), ("include", "a"), ("include", "b"), ("empty", ""), ("count", "3")]


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/login"])
def test_it_is_sent_to_no_other_console(target: str) -> None:
    client = signed_out()
    answer = sent(client, "/login", {**LOGIN, "next": target, "carried": "content=x"})
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_a_form_of_another_site_is_not_kept() -> None:
    client = signed_out()
    foreign = client.post("/memories/new", new_memory())
    assert foreign.status_code == 403 and TEXT[:3] not in foreign.content.decode()


def over_the_limit(client: Client, **headers: str) -> HttpResponse:
    """One plan more than one may ask for, as a page."""
    for _ in range(8):
        answer = client.post("/passes/new", {"actions": ["expire"], "path_filter": "notes/%"}, headers=headers)
        if answer.status_code == 429:
            return answer
    raise AssertionError("nothing is limited")


def test_what_came_too_often_is_sent_again_later_and_never_what_another_site_sent(settings: Any) -> None:
    settings.RATE_LIMITS, settings.RATES = True, {"plan": (2, 3_600)}
    answer = over_the_limit(signed_in(ann()), **{"Sec-Fetch-Site": "same-origin"})
    assert form_in(answer, "/passes/new").values["path_filter"] == "notes/%"
    for site in ("cross-site", "same-site", "none", ""):
        foreign = over_the_limit(signed_in(bob()), **{"Sec-Fetch-Site": site})
        assert "notes/%" not in foreign.content.decode()


def test_after_a_fault_of_ours_it_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(**_: Any) -> None:
        raise RuntimeError("a fault of ours")

    client = signed_in(ann())
    with monkeypatch.context() as patch:
        patch.setattr("memories.pages.memory.remember", breaks)
        answer = client.post("/memories/new", new_memory())
    assert answer.status_code == 500 and "Send again" in text_of(answer)
    again = form_in(answer, "/memories/new")
    assert client.post(again.action, again.values).status_code == 302
    assert Memory.objects.get().content == TEXT


def test_files_passwords_and_keys_are_not_kept() -> None:
    client, key = signed_out(), token(ann())[1]
    before = everything()
    file = SimpleUploadedFile("a.jsonl", json.dumps({"content": TEXT}).encode())
    for path, body in (
        ("/import", {"file": file, "space": "x"}),
        ("/sign-in-again", {"password": PASSWORD}),
        ("/connect", {"key": key}),
        ("/memories/new", {"content": "x" * (carried.CARRIED_MOST + 1)}),
    ):
        answer = sent(client, path, body)
        page = answer.content.decode()
        assert answer.status_code == 401 and 'name="carried"' not in page, path
        assert PASSWORD not in page and key not in page and re.search(r'href="/login\?next=', page), path
    assert everything() == before


def test_a_fragment_that_is_read_leads_back_to_what_was_read() -> None:
    memory(ann(), "tea")
    page = signed_out().get("/memories?bucket=work&limit=5", headers=HTMX).content.decode()
    assert 'href="/login?next=/memories%3Fbucket%3Dwork%26limit%3D5"' in page
