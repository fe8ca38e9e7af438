"""A token by a code: asked for by an agent, approved by a person, handed out once."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from console.errors import SignInAgain
from memories.access import person
from memories.models import ApiToken, DeviceLogin
from memories.services import devices, tokens
from tests.memories.api_client import Api, problems
from tests.memories.factories import PASSWORD, ann, bob
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


def test_giving_a_token_asks_for_a_password_of_lately_and_goes_on_with_the_same_form() -> None:
    codes, late = started(), signed_in(ann(), seconds_ago=100_000)
    form = {"code": codes["user_code"], "verdict": "approve", "scopes": ["memory:read", "memory:write"]}
    asked = late.post("/device-login", form)
    assert asked.status_code == 403 and DeviceLogin.objects.get().decided_at is None
    for name, value in (("code", codes["user_code"]), ("verdict", "approve"), ("scopes", "memory:write")):
        assert f'name="{name}" value="{value}"' in asked.content.decode()
    again = late.post("/sign-in-again", {**form, "next": "/device-login", "password": PASSWORD}, follow=True)
    assert again.status_code == 200 and looked(codes).json()["scopes"] == ["memory:read", "memory:write"]


def test_refusing_an_agent_asks_for_no_password() -> None:
    codes, late = started(), signed_in(ann(), seconds_ago=100_000)
    assert late.post("/device-login", {"code": codes["user_code"], "verdict": "refuse"}).status_code == 200
    assert looked(codes).json() == {"error": "access_denied"}


def test_no_service_makes_a_credential_for_a_person_whose_password_is_old() -> None:
    codes, late = started(), person(ann(), signed_in_at=timezone.now() - timedelta(hours=1))
    wish = {"name": "n", "scopes": ["memory:read"], "expires_at": timezone.now() + timedelta(days=1)}
    for act in (
        lambda: devices.decide(user_code=codes["user_code"], granted=["memory:read"], actor=late),
        lambda: tokens.create(user=ann(), actor=late, **wish),
    ):
        with pytest.raises(SignInAgain):
            act()
    assert not ApiToken.objects.exists() and DeviceLogin.objects.get().decided_at is None


def test_scopes_of_other_services_are_left_out_and_the_rest_is_asked_for() -> None:
    codes = started(scopes=["memory:read", "knowledge:read", "ledger:read", "*"])
    assert codes["scopes"] == ["ledger:read", "memory:read"]
    assert DeviceLogin.objects.get().scopes == ["ledger:read", "memory:read"]
    assert decided(codes, scopes=("knowledge:read",)).status_code == 422
    assert started(scopes="memory:read knowledge:read")["scopes"] == ["memory:read"]
    for nothing in (["knowledge:read"], ["", "root"], "knowledge:read"):
        assert problems(sent("start", {"scopes": nothing})) == ["scopes"]


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
