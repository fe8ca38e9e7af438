"""“Connect an agent”: the ways in, and a try that answers as the bridge would."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from console.errors import NotAllowed
from console.mcp.trial import attempt
from console.saying import Said
from memories.models import ApiToken, AuditRecord, Membership
from memories.pages import ways
from tests.memories.api_client import rows
from tests.memories.factories import actor, ann, bob, memory, team, token
from tests.memories.page_client import signed_in, text_of
from tests.memories.test_tokens_pages import key_in

pytestmark = pytest.mark.django_db


def tried(key: str, who: Any = None) -> HttpResponse:
    return signed_in(who or ann()).post("/connect", {"key": key})


def result(answer: HttpResponse) -> str:
    """What stands where the try answers."""
    return text_of(answer).partition("What the agent would be told")[2]


def test_the_page_names_this_server_and_a_place_for_the_token(settings: Any) -> None:
    settings.CONSOLE_URL = "https://memory.example"
    body = text_of(signed_in(ann()).get("/connect"))
    assert "https://memory.example/mcp" in body and "https://memory.example/v1/remember" in body
    assert body.count(ways.PLACEHOLDER) >= 3


def test_a_served_console_says_nothing_of_its_disk(settings: Any) -> None:
    here = str(settings.BASE_DIR)
    assert here in ways.of()[1].text
    settings.PRODUCTION = True
    assert all(here not in way.text for way in ways.of()) and "/path/to/manage.py" in ways.of()[1].text


def test_the_program_that_the_page_names_is_there() -> None:
    entry = json.loads(ways.of()[1].text)["mcpServers"]["memory"]
    command = [entry["command"], *entry["args"], "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, cwd="/")
    assert "MCP_TOKEN" in said.stdout and all(Path(one).is_file() for one in command[:2])


def test_the_calls_that_the_page_shows_work() -> None:
    _, key = token(ann())
    lines = [line for line in ways.of(key)[2].text.splitlines() if line.startswith("curl ")]
    for line in lines:
        words = shlex.split(line)
        assert words[:3] == ["curl", "-H", "Authorization: Bearer $TOKEN"]
        address = re.sub(r"^https?://[^/]+", "", next(one for one in words if one.startswith("http")))
        body = words[words.index("-d") + 1] if "-d" in words else None
        send = Client().post if body else Client().get
        more = {"data": body, "content_type": "application/json"} if body else {}
        assert send(address, headers={"Authorization": f"Bearer {key}"}, **more).status_code == 200, line
    assert len(lines) == 3


def test_a_name_alone_makes_a_token_from_this_page() -> None:
    client = signed_in(ann())
    body = client.get("/connect").content.decode()
    fields = re.findall(r'<input type="hidden" name="(lives|scopes|once)" value="([^"]+)"', body)
    form: dict[str, Any] = {"name": "helper", "scopes": [value for name, value in fields if name == "scopes"]}
    form |= {name: value for name, value in fields if name != "scopes"}
    key = key_in(client.post("/tokens/new", form))
    one = ApiToken.objects.get()
    assert one.scopes == ["memory:read", "memory:write"] and one.prefix == key[:9]


def test_a_good_token_is_told_who_it_is_and_what_it_may_see() -> None:
    memory(ann(), "Tea.", bucket="work")
    memory(ann(), "Coffee.", bucket="home")
    _, key = token(ann(), buckets=["work"], scopes=["memory:read"])
    said = result(tried(key))
    assert (
        "It works." in said and "acts for ann" in said and "1 live memory in Private" in said and "bucket work" in said
    )
    assert f"Owner ID: {ann().pk}" in said and "search_memory" in said and "remember," not in said
    assert "Tea." not in said


def test_a_token_that_may_not_read_says_so() -> None:
    assert "may not read memories" in result(tried(token(ann(), scopes=["memory:write"])[1]))


def test_a_try_is_no_use_of_the_token_and_writes_nothing() -> None:
    one, key = token(ann())
    before, lines = rows(), AuditRecord.objects.count()
    tried(key)
    one.refresh_from_db()
    assert one.last_used_at is None and rows() == before and AuditRecord.objects.count() == lines


def ended(why: str) -> str:
    one, key = token(ann())
    past = timezone.now() - timedelta(days=9)
    changes = {
        "revoked": {"revoked_at": timezone.now()},
        "expired": {"created_at": past, "expires_at": past + timedelta(1)},
    }
    ApiToken.objects.filter(pk=one.pk).update(**changes[why])
    return key


BAD = {
    "": "No token was sent",
    "   ": "No token was sent",
    "Bearer ": "No token was sent",
    "Bearer  \t": "No token was sent",
    "mc_abcdef": "only the beginning",
    "mc_abcdef…": "only the beginning",
    "mc_" + "x" * 43: "not known here",
    "mc_" + "x" * 20 + " " + "x" * 20: "white space",
    "'; DROP TABLE memories_apitoken; --": "white space",
    "<b>x</b>": "not known here",
    "x" * 5_000: "not known here",
    "é日本\u202e": "not known here",
}


@pytest.mark.parametrize("key", BAD, ids=lambda key: repr(key[:20]))
def test_a_bad_token_is_turned_away_with_advice_and_noted(key: str) -> None:
    answer = tried(key)
    assert answer.status_code == 200 and "It works." not in result(answer)
    assert "The agent would be turned away." in result(answer) and BAD[key] in result(answer)
    assert "<b>x" not in answer.content.decode()
    line = AuditRecord.objects.get()
    assert (line.action, line.result, line.actor_id) == ("connect", "refused", ann().pk)
    assert not key.strip() or key not in repr(AuditRecord.objects.values_list())


@pytest.mark.parametrize("key", ["", "mc_abcdef", "mc_" + "x" * 20 + " " + "x" * 20, "bob"])
def test_why_a_key_is_turned_away_can_be_told_in_every_language(key: str) -> None:
    with pytest.raises(NotAllowed) as refused:
        attempt(token(bob())[1] if key == "bob" else key, actor=actor(ann()))
    assert isinstance(refused.value.message, Said)


@pytest.mark.parametrize("why", ["revoked", "expired"])
def test_a_token_that_is_over_says_why(why: str) -> None:
    assert why in result(tried(ended(why)))


def test_a_key_copied_with_its_header_is_understood() -> None:
    assert "It works." in result(tried(f" Bearer {token(ann())[1]} "))


def test_a_token_of_another_person_is_not_tried() -> None:
    memory(bob(), "Secret.")
    answer = tried(token(bob())[1])
    assert "another person" in result(answer) and "bob" not in result(answer) and "Owner ID" not in result(answer)


def test_a_token_whose_team_was_left_reaches_nothing() -> None:
    _, key = token(ann(), team=team("Atlas", ann="member"))
    Membership.objects.all().delete()
    said = result(tried(key))
    assert "it reaches nothing" in said and "It works." not in said


def test_the_configuration_holds_the_token_after_a_good_try_only() -> None:
    _, key = token(ann())
    assert json.loads(tried(key).context["ways"][0].text)["mcpServers"]["memory"]["headers"]["Authorization"].endswith(
        key
    )
    assert ways.PLACEHOLDER in tried("mc_" + "x" * 43).context["ways"][0].text


def test_no_key_is_taken_from_the_address() -> None:
    _, key = token(ann())
    body = signed_in(ann()).get(f"/connect?key={key}").content.decode()
    assert "It works." not in body and f'value="{key}"' not in body


def test_every_list_of_what_a_token_may_names_the_same_rights_and_what_comes_along() -> None:
    rights = ["memory:read", "memory:restore", "memory:write"]
    client, (one, key) = signed_in(ann()), token(ann(), scopes=["memory:read", "memory:write"])
    for body in (
        client.get(f"/tokens/{one.pk}").content.decode(),
        tried(key).content.decode().partition('id="tried"')[2],
    ):
        listed = body.partition("<dt>May</dt>")[2].partition("</ul>")[0]
        assert sorted(re.findall(r"<code class=\"muted\">(\S+)</code>", listed)) == rights
        assert "Restore memories from the trash; this comes along with writing" in listed
    assert ", ".join(rights) in text_of(client.get("/tokens"))
    asked = Client().get("/v1/auth/token/validate", headers={"Authorization": f"Bearer {key}"})
    assert asked.json()["scopes"] == rights


@pytest.mark.parametrize("page", ["/tokens/new", "/connect"])
def test_who_makes_a_token_reads_that_it_may_apply_a_pass_by_itself_and_how_to_forbid_it(page: str) -> None:
    body = signed_in(ann()).get(page)
    assert "such a pass is applied at once" in text_of(body) and "“Applied, not reviewed”" in text_of(body)
    assert 'href="/policies"' in body.content.decode() and "can be undone whole" in text_of(body)


def test_the_answer_of_a_new_token_lists_what_comes_along_too() -> None:
    client = signed_in(ann())
    body = client.get("/connect").content.decode()
    once = re.search(r'name="once" value="([^"]+)"', body)[1]  # type: ignore[index]
    made = client.post("/tokens/new", {"name": "h", "scopes": ["memory:write"], "lives": "7", "once": once})
    assert "memory:restore" in text_of(made) and "memory:read" not in text_of(made).partition("What it may")[2]


def test_the_page_says_where_agents_keep_it_and_links_the_guide() -> None:
    body = signed_in(ann()).get("/connect").content.decode()
    assert ".mcp.json" in body and "claude_desktop_config.json" in body and 'href="/connect/mcp.md"' in body
    guide = signed_in(ann()).get("/connect/mcp.md")
    assert guide["Content-Type"].startswith("text/plain") and "# The bridge for agents" in guide.content.decode()
