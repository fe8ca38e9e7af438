"""What the pages of all kinds of records share: a legal hold, the way there from the trash and the audit; decisions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from memories.models import AuditRecord
from memories.pages.addresses import address_of
from memories.services import bulk, decisions, ledger, purge, records, snapshots, state, timeline, todos
from memories.services.forget import forget
from tests.memories.factories import actor, ann, bea, bob, team
from tests.memories.page_client import everything, signed_in, text_of

pytestmark = pytest.mark.django_db

TRAIN = {"transaction_type": "expense", "amount": Decimal(3), "currency": "EUR", "occurred_on": date(2026, 5, 1)}
MAKE: dict[str, Callable[..., Any]] = {
    "todo": lambda **more: todos.add(content="Zebra kiosk", **more),
    "ledger": lambda **more: ledger.add(item="Zebra kiosk", **TRAIN, **more),
    "decision": lambda **more: decisions.ask(context="Zebra kiosk", options=["yes", "no"], **more),
    "snapshot": lambda **more: snapshots.take(label="Zebra kiosk", **more),
    "state": lambda **more: state.update(current_task="Zebra kiosk", **more),
    "event": lambda **more: timeline.record(event=timeline.NewEvent(content="Zebra kiosk"), **more),
}
every_kind = pytest.mark.parametrize("kind", MAKE)


def make(kind: str) -> Any:
    return MAKE[kind](actor=actor(ann()))


def page_of(record: Any) -> str:
    return address_of(record.pk, records.kind_of(record))


def now(record: Any) -> Any:
    return records.standing(records.find(record.pk, actor=actor(ann())))


def hold(record: Any, **sent: str) -> Any:
    sent = {"version": str(now(record).version), **sent}
    return signed_in(ann()).post(f"/records/{record.pk}/hold", sent, follow=True)


@every_kind
def test_a_hold_is_set_and_lifted_on_the_page_of_its_record(kind: str) -> None:
    record = make(kind)
    assert "Legal hold" in text_of(signed_in(ann()).get(page_of(record)))
    answer = hold(record, hold="Case 7")
    assert answer.redirect_chain == [(page_of(record), 302)] and "Under the legal hold “Case 7”" in text_of(answer)
    assert "hold is lifted" in text_of(hold(record, lift="1"))
    assert records.find(record.pk, actor=actor(ann())).hold == ""


@every_kind
def test_a_held_record_is_not_deleted_for_good_by_anybody_and_the_refusal_names_the_hold(kind: str) -> None:
    record, web = make(kind), signed_in(ann())
    hold(record, hold="Case 7")
    forget(record_id=record.pk, actor=actor(ann()))
    assert "Delete for good" not in text_of(web.get(page_of(record)))
    form = {"version": now(record).version, "typed": str(record.pk)[-6:], "reason": "x"}
    for answer in (web.get(f"/records/{record.pk}/erase"), web.post(f"/records/{record.pk}/erase", form)):
        assert answer.status_code == 403 and "“Case 7”" in text_of(answer)
    ticked = {"include": f"{record.pk}:{now(record).version}", "count": "1", "word": bulk.WORD, "reason": "x"}
    assert "“Case 7”" in text_of(web.post("/records/selected/erase", ticked))
    assert purge.due(record.space_id, 1, actor=actor(ann())).count == 0
    assert now(record).status == "deleted"


@pytest.mark.parametrize("kind", ["todo", "ledger"])
def test_a_page_says_that_a_hold_does_not_keep_earlier_words_of_what_has_no_versions(kind: str) -> None:
    record = make(kind)
    assert "earlier words are not kept" not in text_of(signed_in(ann()).get(page_of(record)))
    assert "earlier words are not kept" in text_of(hold(record, hold="Case 7"))


def test_a_hold_without_a_name_and_over_another_is_refused_on_the_page() -> None:
    record = make("todo")
    assert hold(record, hold=" ").status_code == 422
    hold(record, hold="Case 7")
    assert hold(record, hold="Case 8").status_code == 409
    assert records.find(record.pk, actor=actor(ann())).hold == "Case 7"


@pytest.mark.parametrize("kind", ["todo", "decision", "snapshot"])
def test_only_an_admin_is_offered_a_hold(kind: str) -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    record = MAKE[kind](team_id=atlas.pk, actor=actor(bea()))
    assert "Legal hold" in text_of(signed_in(ann()).get(page_of(record)))
    assert "Legal hold" not in text_of(signed_in(bea()).get(page_of(record)))


@every_kind
def test_the_trash_leads_to_the_page_of_each_kind_and_says_what_is_held(kind: str) -> None:
    record = make(kind)
    hold(record, hold="Case 7")
    forget(record_id=record.pk, actor=actor(ann()))
    body = signed_in(ann()).get("/trash")
    assert f'href="{page_of(record)}"' in body.content.decode() and "held under “Case 7”" in text_of(body)
    assert "In the trash" in text_of(signed_in(ann()).get(page_of(record)))


@every_kind
def test_the_audit_and_the_overview_lead_to_the_page_of_each_kind(kind: str) -> None:
    record = make(kind)
    for path in ("/audit", "/"):
        assert f'href="{page_of(record)}"' in signed_in(ann()).get(path).content.decode()


@every_kind
def test_the_line_of_a_record_that_was_deleted_for_good_leads_to_its_receipt(kind: str) -> None:
    record, web = make(kind), signed_in(ann())
    forget(record_id=record.pk, actor=actor(ann()))
    form = {"version": now(record).version, "typed": str(record.pk)[-6:], "reason": "x"}
    assert web.post(f"/records/{record.pk}/erase", form)["Location"] == f"/erased/{record.pk}"
    line = AuditRecord.objects.get(action__endswith=".erase")
    assert address_of(record.pk, line.object_type, line.action) == f"/erased/{record.pk}"
    assert f'href="/erased/{record.pk}"' in web.get("/audit").content.decode()


def test_what_has_no_page_gets_no_address() -> None:
    assert address_of(ann().pk, "user", "user.create") == ""


def test_a_decision_is_shown_and_decided_once() -> None:
    record, web = make("decision"), signed_in(ann())
    seen = text_of(web.get(f"/decisions/{record.pk}"))
    assert "Zebra kiosk" in seen and "yes" in seen and "open" in seen
    sent = {"version": "1", "resolution": "We say yes."}
    assert "We say yes." in text_of(web.post(f"/decisions/{record.pk}/resolve", sent, follow=True))
    before = everything()
    assert web.post(f"/decisions/{record.pk}/resolve", {**sent, "version": "2"}).status_code == 409
    assert everything() == before


@pytest.mark.parametrize(
    "sent", [{"resolution": ""}, {"resolution": "x" * 16_001}, {"resolution": "x", "version": "0"}]
)
def test_a_decision_that_cannot_be_stored_is_refused_at_its_field(sent: dict[str, str]) -> None:
    record, web = make("decision"), signed_in(ann())
    before = everything()
    assert web.post(f"/decisions/{record.pk}/resolve", {"version": "1", **sent}).status_code == 422
    assert everything() == before


def test_a_decision_that_was_changed_in_between_keeps_what_was_typed() -> None:
    record = make("decision")
    hold(record, hold="Case 7")
    answer = signed_in(ann()).post(f"/decisions/{record.pk}/resolve", {"version": "1", "resolution": "We say yes."})
    assert answer.status_code == 409 and "We say yes." in text_of(answer) and 'value="2"' in answer.content.decode()


def test_a_snapshot_shows_its_slots() -> None:
    make("state")
    record = make("snapshot")
    seen = text_of(signed_in(ann()).get(f"/snapshots/{record.pk}"))
    assert "active_task" in seen and "Current task Zebra kiosk" in seen


@pytest.mark.parametrize("kind", ["decision", "snapshot"])
def test_strangers_cannot_tell_anothers_from_none(kind: str) -> None:
    record, web = make(kind), signed_in(bob())
    before = everything()
    for key in (record.pk, "01a22ca2-8482-7386-8256-67939b2aa67b"):
        assert web.get(f"/{kind}s/{key}").status_code == 404
        assert web.post(f"/decisions/{key}/resolve", {"version": 1, "resolution": "x"}).status_code == 404
    assert everything() == before
