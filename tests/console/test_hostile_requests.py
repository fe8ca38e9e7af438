"""Requests that a parser could read in two ways, or that ask for endless answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from console import gunicorn_conf
from tests.memories.api_client import Api, code, rows
from tests.memories.factories import ann
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db


def test_a_body_in_chunks_is_refused_and_not_read_as_empty() -> None:
    api = Api(ann())
    before = rows()
    response = api.client.generic(
        "POST",
        "/v1/reflect",
        headers={"Authorization": f"Bearer {api.key}", "Transfer-Encoding": "chunked"},
        content_type="application/json",
        CONTENT_LENGTH="",
    )
    assert response.status_code == 411 and code(response) == "length_required"
    assert rows() == before


@pytest.mark.parametrize("body", [b'{"mode":"soft","mode":"hard"}', b'{"metadata":{"a":1,"a":2}}'])
def test_a_field_named_twice_is_refused(body: bytes) -> None:
    response = Api(ann()).post("remember", body)
    assert response.status_code == 400 and "twice" in response.json()["detail"]["message"]


@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "nonsense"])
def test_json_in_another_encoding_is_refused(charset: str) -> None:
    response = Api(ann()).post("remember", {}, Content_Type=f"application/json; charset={charset}")
    assert response.status_code == 415


@pytest.mark.parametrize("charset", ["utf-8", "UTF-8", '"utf-8"'])
def test_json_that_says_it_is_utf_8_is_read(charset: str) -> None:
    body: dict[str, Any] = {"content": "Tea at four.", "path": "notes"}
    assert Api(ann()).post("remember", body, Content_Type=f"application/json; charset={charset}").status_code == 200


def test_an_answer_does_not_grow_with_the_problems_of_the_input() -> None:
    response = Api(ann()).post("reflect", {"actions_csv": ",".join(["x"] * 5_000)})
    assert response.status_code == 422
    told = response.json()["detail"]
    assert len(told) == 51 and "4,950 more" in told[-1]["msg"]


@pytest.mark.parametrize("target", ["/login", "/login?next=/login", "/login?next=%2Flogin%3Fnext%3D%2Flogin"])
def test_the_sign_in_page_never_leads_back_to_itself(target: str) -> None:
    response = signed_in(ann()).get("/login", {"next": target})
    assert (response.status_code, response["Location"]) == (302, "/")
    assert Client().get("/login", {"next": target}).status_code == 200


def test_no_header_moves_the_console_below_another_path() -> None:
    assert gunicorn_conf.forwarder_headers == ""
