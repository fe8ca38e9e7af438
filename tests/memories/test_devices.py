"""A token by a code: asked for by an agent, approved by a person, handed out once."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.http import HttpResponse
from django.test import Client

from memories.models import ApiToken, DeviceLogin
from tests.memories.api_client import Api, problems
from tests.memories.factories import ann, bob
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db


def sent(path: str, body: dict[str, Any]) -> HttpResponse:
    return Client().post(f"/v1/auth/device/{path}", json.dumps(body), content_type="application/json")


def started(**body: Any) -> dict[str, Any]:
    answer = sent("start", {"client_id": "hermes", "scopes": ["memory:read", "memory:write"], **body})
    assert answer.status_code == 200, answer.content
    return answer.json()


def looked(codes: dict[str, Any]) -> HttpResponse:
    DeviceLogin.objects.update(asked_at=F("asked_at") - timedelta(seconds=6))
    return sent("token", {"device_code": codes["device_code"], "grant_type": "device_code"})


def decided(
    codes: dict[str, Any], verdict: str = "approve", scopes: tuple[str, ...] = ("memory:read",)
) -> HttpResponse:
    form = {"code": codes["user_code"], "verdict": verdict, "scopes": list(scopes)}
    return signed_in(ann()).post("/device-login", form)


def test_an_agent_gets_the_token_that_a_person_approved_once() -> None:
    codes = started()
    assert (codes["expires_in"], codes["interval"]) == (600, 5)
    assert codes["verification_uri_complete"].endswith(f"/device-login?code={codes['user_code']}")
    assert looked(codes).json() == {"error": "authorization_pending"}
    page = signed_in(ann()).get("/device-login", {"code": codes["user_code"].lower()})
    assert "hermes" in page.content.decode()
    assert decided(codes).status_code == 200
    got = looked(codes).json()
    assert got["user"]["username"] == "ann" and got["scopes"] == ["memory:read"]
    asked = Client().get("/v1/memories", headers={"Authorization": f"Bearer {got['access_token']}"})
    assert asked.status_code == 200
    assert looked(codes).json() == {"error": "expired_token"}
    assert ApiToken.objects.get(name="hermes").user_id == ann().pk


def test_looking_too_often_is_told_to_slow_down_and_costs_nothing() -> None:
    codes = started()
    looked(codes)
    assert sent("token", {"device_code": codes["device_code"]}).json() == {"error": "slow_down"}
    decided(codes)
    assert sent("token", {"device_code": codes["device_code"]}).status_code == 200


def test_a_refused_an_old_and_an_unknown_code_say_so_with_400() -> None:
    refused, old = started(), started()
    decided(refused, "refuse")
    assert looked(refused).json() == {"error": "access_denied"}
    DeviceLogin.objects.update(created_at=F("created_at") - timedelta(hours=1))
    DeviceLogin.objects.update(expires_at=F("expires_at") - timedelta(minutes=11))
    for codes in (old, {"device_code": "unknown"}):
        answer = looked(codes)
        assert (answer.status_code, answer.json()) == (400, {"error": "expired_token"})
    assert signed_in(ann()).get("/device-login", {"code": old["user_code"]}).status_code == 404
    assert not ApiToken.objects.exists()


def test_a_person_gives_no_more_than_was_asked_for_and_decides_once() -> None:
    codes = started()
    assert decided(codes, scopes=("admin",)).status_code == 422
    assert decided(codes, scopes=()).status_code == 422
    assert decided(codes).status_code == 200
    assert decided(codes).status_code == 409
    assert signed_in(bob()).get("/device-login", {"code": codes["user_code"]}).status_code == 409


def test_the_page_asks_for_a_code_and_for_a_person() -> None:
    codes = started()
    assert "Enter the code" in signed_in(ann()).get("/device-login").content.decode()
    assert Client().get("/device-login", {"code": codes["user_code"]}).status_code == 302
    assert Client().post("/device-login", {"code": codes["user_code"], "verdict": "approve"}).status_code == 401
    assert DeviceLogin.objects.get().decided_at is None


def test_codes_are_kept_as_hashes_and_wrong_input_is_named() -> None:
    codes = started(client_id="<b>x</b>")
    kept = str(list(DeviceLogin.objects.values()))
    assert codes["device_code"] not in kept and codes["user_code"] not in kept
    assert "<b>x" not in signed_in(ann()).get("/device-login", {"code": codes["user_code"]}).content.decode()
    assert problems(sent("start", {"scopes": ["root"]})) == ["scopes"]
    assert problems(sent("start", {"scopes": []})) == ["scopes"]
    assert problems(sent("start", {"client_id": "a" * 101})) == ["client_id"]
    assert problems(sent("token", {"device_code": "x", "grant_type": "password"})) == ["grant_type"]
    assert problems(sent("token", {})) == ["device_code"]


def test_the_token_of_a_device_can_be_used_at_the_same_door() -> None:
    api = Api(ann())
    assert api.post("auth/device/start").status_code == 200
