"""Passes through the bridge: the report, approval by a person, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from console.mcp import server
from memories.models import Memory, User
from reflection.models import ReflectPass
from reflection.services import decide
from reflection.services.apply import apply
from tests.mcp.bridge import Bridge
from tests.memories import factories
from tests.reflection import life

HEAD = [
    "### Memory Reflect Report",
    "- Dry Run: true",
    "- Actions: expire, archive",
    "- Summarized: 0",
    "- Promoted: 0",
    "- Expired: 1",
    "- Decayed: 0",
]


def standing(who: User) -> list[tuple[Any, ...]]:
    return list(Memory.objects.filter(owner=who).order_by("pk").values_list("pk", "state__status", "state__version"))


def test_a_preview_reports_and_writes_nothing_but_the_saved_plan(bridge: Bridge, who: User) -> None:
    life.fill(who)
    before = life.world()
    said = bridge.call("reflect_preview", actions_csv="archival, expiry, expire")
    assert said.text.splitlines()[:7] == HEAD
    assert said.data["dry_run"] is True and said.data["counts"]["expired"] == 1
    assert said.data["lifecycle"]["expired"][0]["evidence"]
    assert life.beside_a_plan(before) == {"memories_apitoken"}, "when it was last used"


def test_a_preview_stays_one_whatever_is_sent(bridge: Bridge, who: User) -> None:
    life.fill(who)
    before = standing(who)
    assert bridge.call("reflect_preview", dry_run=False).data["dry_run"] is True
    assert standing(who) == before


def test_a_limit_over_the_most_is_clamped_and_no_schema_forbids_it(bridge: Bridge, who: User) -> None:
    life.fill(who)
    for tool in ("reflect", "reflect_preview"):
        assert "maximum" not in bridge.tools()[tool]["inputSchema"]["properties"]["limit"]
    said = bridge.call("reflect_preview", limit=6_000).data
    assert said["limit"] == {"requested": 6_000, "applied": 5_000, "cut": 0}
    assert "limit 6000 was clamped to 5000." in said["notes"]


def test_a_run_waits_for_a_person_who_approves_it_in_the_console(bridge: Bridge, who: User) -> None:
    life.fill(who)
    person = factories.actor(who)
    life.policy(person.own, actor=person, approval="required")
    before = standing(who)
    said = bridge.call("reflect", actions_csv="expire")
    assert said.data["status"] == "awaiting_approval" and said.data["url"] in said.text
    assert standing(who) == before
    made = ReflectPass.objects.get(pk=said.data["pass_id"])
    decide.approve(pass_id=made.pk, digest=made.digest, exclude=(), comment="", actor=person)
    apply(pass_id=made.pk, actor=person.through("job"))
    told = bridge.call("query_consolidation_audit", action_type="expire").data["records"]
    assert [line["action"] for line in told] == ["reflect.expire"]


def test_where_no_approval_is_asked_for_a_run_writes_and_names_its_audit(bridge: Bridge, who: User) -> None:
    life.fill(who)
    said = bridge.call("reflect", actions_csv="expire")
    assert said.data["status"] == "applied" and "- Dry Run: false" in said.text
    assert said.data["audit_record_ids"] and f"  - {said.data['audit_record_ids'][0]}" in said.text


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"actions_csv": "summarize,purge"}, "validation_error"),
        ({"time_window_hours": 0}, "validation_error"),
        ({"since": "yesterday"}, "validation_error"),
        ({"since": "2026-01-02", "until": "2026-01-01"}, "validation_error"),
        ({"limit": 0}, "validation_error"),
        ({"dry_run": "maybe"}, "validation_error"),
        ({"force": True}, "validation_error"),
        ({"owner_filter": "bob"}, "permission_denied"),
        ({"team_id": "01990000-0000-7000-8000-000000000000"}, "permission_denied"),
    ],
)
def test_a_bad_pass_is_refused_and_nothing_is_planned(
    bridge: Bridge, who: User, wrong: dict[str, Any], code: str
) -> None:
    assert bridge.call("reflect", **wrong).code == code
    assert not ReflectPass.objects.filter(planned_by=who).exists()


def test_a_token_that_only_reads_may_preview_and_not_run(server: str, who: User) -> None:
    reader = Bridge(server, who, scopes=["memory:read"])
    assert "reflect" not in reader.tools() and "reflect_preview" in reader.tools()
    assert not reader.call("reflect", dry_run=True, actions_csv="expire").failed
    assert reader.call("reflect").code == "permission_denied"


def test_long_reports_are_cut_and_say_how_much(bridge: Bridge, who: User) -> None:
    for number in range(52):
        factories.memory(who, f"Coupon {number}.", expires_at=factories.PAST)
    said = bridge.call("reflect_preview", actions_csv="expire")
    assert len(said.data["lifecycle"]["expired"]) == 50 and said.data["left_out"] == {"expired": 2}
    assert said.data["counts"]["expired"] == 52


def test_the_server_says_when_a_pass_is_applied_without_a_person(bridge: Bridge) -> None:
    for said in (server.ABOUT, bridge.tools()["reflect"]["description"]):
        assert "applie" in said and "at once" in said and "undo it" in said
