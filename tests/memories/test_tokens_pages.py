"""The pages of tokens: the list, making one, the only sight of its key, its first call and its end."""

from __future__ import annotations

import json
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from django.contrib.messages import get_messages
from django.contrib.sessions.models import Session
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from memories.models import ApiToken, AuditRecord
from tests.memories.factories import PASSWORD, ann, bea, bob, team, token
from tests.memories.page_client import HTMX, everything, signed_in, text_of

pytestmark = pytest.mark.django_db

UNKNOWN = UUID("01a22ca2-8482-7386-8256-67939b2aa67b")


def sent(client: Client, **given: Any) -> dict[str, Any]:
    """What a person would send: the form as it comes, with `given` typed."""
    form = client.get("/tokens/new").context["form"]
    typed = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in {**typed, "name": "helper", **given}.items() if value is not None}


def post(client: Client, **given: Any) -> HttpResponse:
    return client.post("/tokens/new", sent(client, **given))


def key_in(answer: HttpResponse) -> str:
    """The key that the page shows."""
    assert answer.status_code == 200, text_of(answer)
    key = str(answer.context["key"])
    assert key in text_of(answer)
    return key


def faults(answer: HttpResponse) -> set[str]:
    assert answer.status_code == 422, text_of(answer)
    return set(answer.context["form"].errors)


def test_a_token_is_made_with_everything_that_was_chosen_and_works() -> None:
    atlas, client = team("Atlas", ann="member"), signed_in(ann())
    bounds = {
        "team": str(atlas.pk),
        "buckets": " work \r\n\r\nhome",
        "scope": "s",
        "path_prefix": "/a/b/",
        "agent_id": "x",
    }
    key = key_in(post(client, scopes=["memory:read", "audit"], lives="7", **bounds))
    one = ApiToken.objects.get()
    assert (one.user, one.team, one.scopes, one.name) == (ann(), atlas, ["audit", "memory:read"], "helper")
    assert (one.buckets, one.scope, one.path_prefix, one.agent_id) == (["home", "work"], "s", "a/b", "x")
    assert timedelta(days=7, minutes=-1) < one.expires_at - timezone.now() <= timedelta(days=7)
    asked = Client().get("/v1/auth/token/validate", headers={"Authorization": f"Bearer {key}"})
    assert asked.json()["scopes"] == ["audit", "memory:read"]


def test_a_day_ends_at_its_end_where_the_person_lives() -> None:
    who = ann()
    who.time_zone = "Asia/Tokyo"
    who.save()
    day = timezone.now() + timedelta(days=10)
    key_in(post(signed_in(who), until=f"{day:%Y-%m-%d}"))
    ends = ApiToken.objects.get().expires_at
    assert (ends.hour, ends.minute) == (15, 0) and ends.date() == day.date()


def test_the_key_is_shown_once_and_stands_nowhere_else() -> None:
    client = signed_in(ann())
    answer = post(client)
    key = key_in(answer)
    assert answer["Cache-Control"] == "no-store" and "Location" not in answer
    assert not list(get_messages(answer.wsgi_request)) and key not in str(answer.cookies)
    for path in ("/tokens", f"/tokens/{ApiToken.objects.get().pk}", "/access", "/connect", "/audit", "/"):
        assert key not in client.get(path).content.decode(), path
    assert key not in repr([everything(), *AuditRecord.objects.values_list(), *Session.objects.values_list()])
    assert all(key not in str(session.get_decoded()) for session in Session.objects.all())


def test_the_row_in_the_database_holds_no_key() -> None:
    key = key_in(post(signed_in(ann())))
    with connection.cursor() as cursor:
        cursor.execute("SELECT t::text, encode(digest, 'escape') FROM memories_apitoken t")
        row = repr(cursor.fetchall())
    assert "helper" in row and key[:9] in row
    assert all(key[at : at + 12] not in row for at in range(3, len(key) - 12))


def test_a_form_that_is_sent_twice_makes_one_token() -> None:
    client = signed_in(ann())
    form = sent(client)
    key = key_in(client.post("/tokens/new", form))
    again = client.post("/tokens/new", form)
    assert again.status_code == 409 and "already" in text_of(again) and key not in again.content.decode()
    assert ApiToken.objects.count() == 1


WRONG = [
    ("name", ""),
    ("name", " \u200b"),
    ("name", "a" * 101),
    ("scopes", []),
    ("scopes", ["root"]),
    ("lives", ""),
    ("lives", "99999"),
    ("lives", "-1"),
    ("until", "2020-01-01"),
    ("until", "9999-12-31"),
    ("until", "tomorrow"),
    ("buckets", "a" * 101),
    ("buckets", "\n".join(map(str, range(60)))),
    ("scope", "a" * 201),
    ("path_prefix", "a/../b"),
    ("agent_id", "a" * 201),
    ("team", "x"),
    ("once", ""),
    ("once", "01a22ca2-8482-7386-8256-67939b2aa67b:forged"),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_bad_input_is_named_and_what_was_typed_stays(name: str, value: Any) -> None:
    client = signed_in(ann())
    answer = post(client, **{"path_prefix": "kept/path", name: value})
    assert faults(answer) == {name}
    assert name == "path_prefix" or 'value="kept/path"' in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_a_form_made_for_another_person_is_out_of_date() -> None:
    answer = signed_in(bob()).post("/tokens/new", sent(signed_in(ann())))
    assert faults(answer) == {"once"} and "out of date" in text_of(answer)


def test_a_team_that_is_not_ones_own_is_refused_like_none_and_the_private_space_is_no_choice() -> None:
    other, client = team("Other", bob="admin"), signed_in(ann())
    answers = [post(client, team=str(key)) for key in (other.pk, UNKNOWN)]
    assert [one.status_code for one in answers] == [403, 403] and len({text_of(one)[:120] for one in answers}) == 1
    assert faults(post(client, team=str(ann().pk))) == {"team"}
    assert not ApiToken.objects.exists()


def test_fields_that_the_form_does_not_have_change_nothing() -> None:
    more = {"user": str(bob().pk), "user_id": str(bob().pk), "digest": "x", "prefix": "mc_mine", "key": "mc_mine"}
    key = key_in(post(signed_in(ann()), **more, revoked_at="2020-01-01", created_at="2020-01-01"))
    one = ApiToken.objects.get()
    assert one.user == ann() and one.prefix == key[:9] and one.revoked_at is None and key != "mc_mine"


def test_an_old_sign_in_asks_for_the_password_and_then_goes_on() -> None:
    client = signed_in(ann(), seconds_ago=600)
    form = sent(client)
    asked = client.post("/tokens/new", form)
    assert asked.status_code == 403 and "Your password again" in text_of(asked) and not ApiToken.objects.exists()
    carried = {**form, "password": PASSWORD, "next": "/tokens/new"}
    answer = client.post("/sign-in-again", carried, follow=True)
    key_in(answer)


HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ key }}", "admin\u202ereversed"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_text_wherever_it_is_shown(name: str) -> None:
    client = signed_in(ann())
    body = post(client, name=name, agent_id="<i>x</i>").content.decode()
    one = ApiToken.objects.get()
    for path in ("/tokens", f"/tokens/{one.pk}", "/access"):
        body += client.get(path).content.decode()
    assert not any(raw in body for raw in ("<script>alert", "<img", "<i>x", "\u202e")) and name[:5] in unescape(body)


def test_the_list_shows_ones_own_and_names_of_others_only_what_an_admin_needs() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    bound, hidden = token(bea(), team=atlas)[0], token(bea())[0]
    ApiToken.objects.update(name="secret plan")
    own = token(ann(), buckets=["work"])[0]
    client = signed_in(ann())
    body = text_of(client.get("/tokens"))
    assert all(one.prefix in body for one in (bound, own)) and "bucket work" in body and "a token of Bea" in body
    assert hidden.prefix not in body and "secret plan" not in body
    page = text_of(client.get(f"/tokens/{bound.pk}"))
    assert "A token of Bea" in page and "secret plan" not in page and "Revoke it" in page
    assert client.post(f"/tokens/{hidden.pk}/revoke").status_code == 404


def test_another_persons_token_answers_as_a_missing_one_everywhere() -> None:
    one, stranger = token(ann())[0], signed_in(bob())
    for path in ("/tokens/{}", "/tokens/{}/first-call"):
        answers = [stranger.get(path.format(key), headers=HTMX) for key in (one.pk, UNKNOWN)]
        assert [each.status_code for each in answers] == [404, 404] and one.prefix not in str(answers[0].content)
    assert [stranger.post(f"/tokens/{key}/revoke").status_code for key in (one.pk, UNKNOWN)] == [404, 404]
    one.refresh_from_db()
    assert one.revoked_at is None and one.prefix not in text_of(stranger.get("/tokens"))


def test_the_list_is_narrowed_by_state_and_a_wrong_state_is_refused() -> None:
    good, ended, client = token(ann())[0], token(ann())[0], signed_in(ann())
    client.post(f"/tokens/{ended.pk}/revoke")
    assert good.prefix not in text_of(client.get("/tokens?state=revoked"))
    assert ended.prefix not in text_of(client.get("/tokens?state=valid"))
    assert "No token is in this state" in text_of(client.get("/tokens?state=expired"))
    assert [client.get(f"/tokens?{bad}").status_code for bad in ("state=x", "limit=0", "after=x")] == [422] * 3


def test_the_first_call_is_waited_for_and_then_said() -> None:
    one, key = token(ann())
    client = signed_in(ann())
    waiting = client.get(f"/tokens/{one.pk}/first-call", headers=HTMX).content.decode()
    assert "Waiting for the first call" in waiting and f'hx-get="/tokens/{one.pk}/first-call?polls=1"' in waiting
    Client().get("/v1/memories", headers={"Authorization": f"Bearer {key}"})
    called = client.get(f"/tokens/{one.pk}/first-call?polls=5", headers=HTMX).content.decode()
    assert "The agent has called" in called and "hx-get" not in called and "data-announce" in called


def test_waiting_slows_down_and_stops_by_itself() -> None:
    one, client = token(ann())[0], signed_in(ann())
    path = f"/tokens/{one.pk}/first-call?polls="
    assert 'hx-trigger="every 2s"' in client.get(path + "0").content.decode()
    assert 'hx-trigger="every 10s"' in client.get(path + "59").content.decode()
    last = client.get(path + "60").content.decode()
    assert "hx-get" not in last and "has not called yet" in last and "Look again" in last
    client.post(f"/tokens/{one.pk}/revoke")
    assert "hx-get" not in client.get(path + "1").content.decode()
    assert [client.get(path + quote(bad)).status_code for bad in ("x", "-1", "99999", "١")] == [422] * 4


def test_the_audit_leads_to_the_token_and_my_access_to_all() -> None:
    client = signed_in(ann())
    post(client)
    one = ApiToken.objects.get()
    assert f'href="/tokens/{one.pk}"' in client.get("/audit").content.decode()
    body = client.get("/access").content.decode()
    assert 'href="/tokens"' in body and one.prefix in body and f"/tokens/{one.pk}/revoke" in body


def test_an_empty_console_and_the_menu_lead_to_connecting() -> None:
    body = signed_in(ann()).get("/").content.decode()
    assert body.count('href="/connect"') == 2 and 'href="/tokens"' in body


def test_json_on_the_page_is_ready_to_be_pasted() -> None:
    answer = post(signed_in(ann()))
    key = key_in(answer)
    http, stdio, api, by_hand = (way.text for way in answer.context["ways"])
    assert json.loads(http)["mcpServers"]["memory"]["headers"] == {"Authorization": f"Bearer {key}"}
    assert json.loads(stdio)["mcpServers"]["memory"]["env"]["MCP_TOKEN"] == key
    assert f"TOKEN='{key}'" in api and f"TOKEN='{key}'" in by_hand


def test_the_page_of_a_new_token_says_once_what_it_may_and_loaded_again_leads_to_the_tokens() -> None:
    browser = signed_in(ann())
    given = sent(browser)
    made = text_of(browser.post("/tokens/new", given))
    assert made.count("Acts for") == 1 and "What it may" not in made
    again = browser.post("/tokens/new", given)
    body = again.content.decode()
    assert again.status_code == 409 and "This token is made already" in body
    assert 'href="/tokens"' in body and f'href="/tokens/{ApiToken.objects.get().pk}"' in body
