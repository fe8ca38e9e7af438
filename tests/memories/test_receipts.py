"""Receipts of deletions are found from the trash and the audit; the page that asks says what stays and leads back."""

from __future__ import annotations

import pytest

from memories.models import Memory
from tests.memories.factories import ann, bea, bob, memory, team
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db


def erased(note: Memory) -> str:
    """What the page says once the record is gone."""
    sent = {"typed": str(note.pk)[-6:], "reason": "asked by the guest", "version": note.state.version}
    return text_of(signed_in(ann()).post(f"/records/{note.pk}/erase", sent, follow=True))


def test_a_receipt_is_called_one_and_speaks_of_backups_beside_what_it_proves() -> None:
    said = erased(memory(ann(), "The code is 4417.", status="deleted"))
    assert "Receipt of a deletion" in said and "thrown away at once" in said
    proof = said.partition("Nothing is left in this console.")[2]
    assert "Backups are not looked into" in proof.split("Places searched")[0]


def test_trash_and_audit_lead_to_the_receipts_of_ones_own_spaces() -> None:
    note = memory(ann(), "The code is 4417.", status="deleted")
    erased(note)
    browser, link = signed_in(ann()), f'href="/erased/{note.pk}"'
    assert 'href="/erased"' in browser.get("/trash").content.decode()
    assert link in browser.get("/erased").content.decode() and "asked by the guest" in text_of(browser.get("/erased"))
    assert "Receipt" in text_of(browser.get("/audit?action=memory.erase")).partition("Audit lines")[2]
    assert link not in signed_in(bob()).get("/erased").content.decode()


def test_a_newcomer_reads_that_there_are_no_receipts() -> None:
    assert "No receipts yet" in text_of(signed_in(bob()).get("/erased"))


def test_others_that_say_the_same_are_counted_before_and_after_if_they_are_seen() -> None:
    team("Loft", ann="member", bea="member")
    note = memory(ann(), "The code is 4417.", status="deleted")
    memory(ann(), "the code is 4417.")
    memory(ann(), "The code is 4417.", status="deleted")
    memory(bea(), "The code is 4417.")
    asked = signed_in(ann()).get(f"/records/{note.pk}/erase")
    assert "1 other memory that you see says the same" in text_of(asked)
    assert "1 other memory says the same, and stays." in erased(note)


def test_cancel_leads_back_to_the_record() -> None:
    note = memory(ann(), "The code is 4417.", status="deleted")
    body = signed_in(ann()).get(f"/records/{note.pk}/erase").content.decode()
    assert f'href="/memories/{note.pk}"' in body.split(">Cancel<")[0].rsplit("<a", 1)[1]


def test_who_may_not_delete_for_good_reads_why_instead_of_a_missing_button() -> None:
    attic = team("Attic", ann="member", bea="reviewer")
    note = memory(ann(), "The code is 4417.", team=attic, status="deleted")
    why = "Only its owner or an admin of Attic may delete this record for good."
    assert why in text_of(signed_in(bea()).get(f"/memories/{note.pk}"))
    own = text_of(signed_in(ann()).get(f"/memories/{note.pk}"))
    assert why not in own and "Delete for good…" in own


def test_a_reason_stands_where_redacting_is_not_theirs_and_where_a_hold_keeps_it() -> None:
    attic = team("Cellar", ann="member", bea="reviewer")
    note = memory(ann(), "The code is 4417.", team=attic)
    assert "Only its owner or an admin of Cellar" in text_of(signed_in(bea()).get(f"/memories/{note.pk}"))
    held = memory(ann(), "Held.", status="deleted", hold="case 7")
    assert "Lift the hold first." in text_of(signed_in(ann()).get(f"/memories/{held.pk}"))
