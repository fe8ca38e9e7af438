"""memory-console reflect, passes and approve."""

from __future__ import annotations

from typing import Any

import pytest

from memories.models import Memory, User
from reflection import report
from reflection.models import Approval, ReflectPass
from reflection.services import policies
from reflection.services.plan import plan
from tests.cli.shell import Shell
from tests.cli.stub import Canned, answering
from tests.memories import factories

DIGEST = "d" * 64
REPORT = {
    "pass_id": "01a22ca2-8482-7386-8256-67939b2aa67b",
    "status": "awaiting_approval",
    "dry_run": False,
    "url": "http://console.example/passes/1",
    "actions": ["decay"],
    "counts": {"decayed": 2},
    "filters": {"team_id": None, "since": "a", "until": "b"},
    "boundary": {"space_id": "s"},
    "as_of": "2026-11-30T10:00:00Z",
    "policy": {"number": 1},
    "limit": {"applied": 500, "cut": 0},
    "notes": [],
    "digest": DIGEST,
    "audit_record_ids": [],
    "skipped": [],
    "near_misses": [],
}
KEY = REPORT["pass_id"]


@pytest.fixture(autouse=True)
def same_address(server: str, settings: Any) -> None:
    """Reports made here name the pages of the running console, as its own do."""
    settings.CONSOLE_URL = server


def fading(who: User) -> Memory:
    """A memory that every pass lets fade."""
    return factories.memory(who, "Tea.", importance=0.9)


def importance(memory: Memory) -> float:
    return Memory.objects.select_related("state").get(pk=memory.pk).state.importance


def test_a_preview_prints_the_report_and_writes_nothing(shell: Shell, who: User) -> None:
    memory = fading(who)
    told = shell("reflect", "--actions", "decay", "--limit", "6000")
    made = ReflectPass.objects.get(planned_by=who)
    assert (told.code, told.out) == (0, report.as_text(made)) and "- Dry Run: true" in told.out
    assert "Note: " in told.err and "5,000" in told.err.replace("5000", "5,000")  # that the limit was lowered
    assert importance(memory) == 0.9


def test_applying_without_a_terminal_wants_yes(shell: Shell, who: User) -> None:
    memory = fading(who)
    assert shell("reflect", "--apply").code == 2
    assert importance(memory) == 0.9 and not ReflectPass.objects.filter(planned_by=who).exists()
    told = shell("reflect", "--apply", "--yes", "--actions", "decay", "--json")
    assert (told.code, told.json["status"], told.json["counts"]["decayed"]) == (0, "applied", 1)
    assert importance(memory) < 0.9


def test_at_a_terminal_the_preview_is_shown_first(shell: Shell, who: User) -> None:
    memory = fading(who)
    no = shell.at_a_terminal("reflect", "--apply", "--actions", "decay", typed="n\n")
    assert no.code == 1 and "- Decayed: 1" in no.err and "about 1 changes" in no.err and no.out == ""
    assert importance(memory) == 0.9
    yes = shell.at_a_terminal("reflect", "--apply", "--actions", "decay", typed="y\n")
    assert yes.code == 0 and "- Status: applied" in yes.out and importance(memory) < 0.9


def test_where_a_person_approves_nothing_is_written_and_the_page_is_named(shell: Shell, who: User) -> None:
    memory = fading(who)
    me = factories.actor(who)
    policies.adopt(space_id=who.pk, given={"approval": Approval.REQUIRED}, seen_version=1, actor=me)
    told = shell("reflect", "--apply", "--yes", "--actions", "decay")
    waits = ReflectPass.objects.get(planned_by=who, dry_run=False)
    assert told.code == 5 and "- Status: awaiting_approval" in told.out and f"/passes/{waits.pk}" in told.err
    assert importance(memory) == 0.9
    digest = shell("passes", "show", str(waits.pk)).err.split()[1]
    asked = shell("approve", str(waits.pk), "--digest", digest, "--yes", "--json")
    assert asked.code == 5 and asked.json["error"]["url"].endswith(f"/passes/{waits.pk}")
    assert shell("approve", str(waits.pk), "--digest", "0" * 64, "--yes").code == 1


def test_passes_are_listed_and_shown_with_their_candidates(shell: Shell, who: User) -> None:
    memory = fading(who)
    assert shell("passes", "list").code == 3
    for _ in range(3):
        plan(given={"dry_run": True, "actions_csv": "decay"}, actor=factories.actor(who))
    last = ReflectPass.objects.filter(planned_by=who).latest("planned_at")
    told = shell("passes", "list", "--limit", "2", "--status", "planned")
    assert told.code == 0 and [line.split()[0] for line in told.out.splitlines()] == ["planned"] * 2
    assert str(last.pk) in told.out.splitlines()[0] and "1 decayed" in told.out
    assert len(shell("passes", "list", "--json").json["passes"]) == 3
    assert shell("passes", "list", "--status", "nowhere").code == 1
    shown = shell("passes", "show", str(last.pk))
    assert shown.out == report.as_text(last) and shown.err == f"Digest: {last.digest}\n"
    one = shell("passes", "show", str(last.pk), "--candidates")
    assert str(memory.pk) in one.out and "importance: 0.9 → " in one.out
    assert len(shell("passes", "show", str(last.pk), "--candidates", "--json").json["candidates"]) == 1
    assert shell("passes", "show", str(last.pk), "--candidates", "--action", "expire").code == 3


def test_what_is_approved_is_the_digest_that_was_shown(shell: Shell) -> None:
    applied = {**REPORT, "status": "applied"}
    with answering(Canned(body=REPORT), Canned(body=applied), Canned(body=applied)) as stub:
        told = shell.at_a_terminal("approve", KEY, "--url", stub.url, "--exclude", KEY, typed="y\n")
    assert told.code == 0 and DIGEST in told.err and "Approve this plan of 2 changes?" in told.err
    assert "- Status: applied" in told.out
    (_, path, sent, headers) = stub.asked[1]
    assert path == f"/v1/passes/{KEY}/approve" and sent == {"digest": DIGEST, "exclude": [KEY]}
    assert headers["Idempotency-Key"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["--digest", "other", "--yes"], 1), (["--yes"], 2), (["--digest", DIGEST], 2), ([], 2)],
    ids=["another digest", "unseen", "nobody to ask", "neither"],
)
def test_a_plan_that_nobody_reviewed_is_not_approved(shell: Shell, arguments: list[str], code: int) -> None:
    with answering(Canned(body=REPORT)) as stub:
        assert shell("approve", KEY, "--url", stub.url, *arguments).code == code
    assert [method for method, *_ in stub.asked] == ["GET"]


def test_a_pass_that_takes_longer_is_waited_for(shell: Shell) -> None:
    begun = {**REPORT, "status": "planning", "progress": {"phase": "telling", "done": 1, "of": 4}}
    planned = {**REPORT, "status": "planned"}
    with answering(Canned(202, begun), Canned(body=begun), Canned(body=planned)) as stub:
        told = shell("reflect", "--url", stub.url)
    assert told.code == 0 and "- Status: planned" in told.out and told.err == ""
    assert [path for _, path, *_ in stub.asked] == ["/v1/reflect", *[f"/v1/passes/{KEY}"] * 2]
    assert stub.asked[0][2]["dry_run"] is True
    with answering(Canned(202, begun), Canned(body=begun), Canned(body=planned)) as stub:
        seen = shell.at_a_terminal("reflect", "--url", stub.url)
        assert "telling" in seen.err and "1/4" in seen.err
    with answering(Canned(202, begun)) as stub:
        assert "- Status: planning" in shell("reflect", "--url", stub.url, "--no-wait").out


def test_a_pass_that_failed_is_no_success(shell: Shell) -> None:
    with answering(Canned(body={**REPORT, "status": "failed", "failure": "the model\x1b[2J is away"})) as stub:
        told = shell("reflect", "--url", stub.url)
    assert told.code == 1 and "the model<U+001B>[2J is away" in told.err
