"""memory-console audit."""

from __future__ import annotations

from memories.models import User
from tests.cli.shell import Shell
from tests.cli.stub import Canned, answering
from tests.memories import factories


def test_the_audit_is_read_and_narrowed_down(shell: Shell, who: User) -> None:
    memory = factories.memory(who, "Tea.")
    assert shell("forget", str(memory.pk), "--reason", "no longer").code == 0
    assert shell("restore", str(memory.pk)).code == 0
    told = shell("audit", "--target", str(memory.pk))
    assert [line.split("  ")[1] for line in told.out.splitlines()] == ["memory.restore", "memory.forget"]
    assert "“no longer”" in told.out
    events = shell("audit", "--action", "memory.forget", "--json").json["events"]
    assert [(one["target_id"], one["actor"]) for one in events] == [(str(memory.pk), who.username)]
    assert shell("audit", "--action", "nothing.%").code == 3
    assert shell("audit", "--since", "2099-01-01T00:00:00Z").code == 3


def test_the_audit_is_proven(shell: Shell, who: User) -> None:
    assert shell("remember", "Tea.", "--path", "a").code == 0
    told = shell("audit", "--verify")
    assert told.code == 0 and "all 1 lines follow from one another" in told.out
    assert shell("audit", "--verify", "--json").json["whole"] is True


def test_a_broken_chain_is_no_success(shell: Shell) -> None:
    fault = {"seq": 4, "id": None, "fault": "its content was changed"}
    chain = {"space_id": "1", "name": "Atlas", "lines": 9, "broken": fault}
    with answering(Canned(body={"whole": False, "chains": [chain]})) as stub:
        told = shell("audit", "--verify", "--url", stub.url)
    assert (told.code, told.out) == (1, "Atlas: line 4 is wrong: its content was changed.\n")
