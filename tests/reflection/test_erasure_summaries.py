"""What becomes of summaries and facts when a source is deleted for good: told anew from what remains, or erased."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from memories.models import AuditRecord, Erasure, Memory, MemoryLink
from memories.services import erase
from memories.services.forget import forget
from reflection.models import Candidate, OnErasure
from reflection.pages.policy_form import entered
from reflection.services import policies
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.memories.page_client import signed_in, text_of
from tests.reflection import life
from tests.reflection.erasure_scene import OTHERS, policy, turn

pytestmark = pytest.mark.django_db
SECRET = "The vault of the aviary opens with 83-quokka-57 and with nothing else."


@pytest.fixture
def ann() -> Any:
    return factories.actor(factories.ann())


def gone(record: Memory, ann: Any) -> erase.Erased:
    moved = forget(record_id=record.pk, actor=ann).record
    version = moved.state.version if isinstance(moved, Memory) else 0
    typed = str(record.pk)[-6:]
    return erase.erase(record_id=record.pk, typed=typed, reason="asked", seen_version=version, actor=ann)


def summed_up(ann: Any, *texts: str) -> tuple[Memory, list[Memory]]:
    """A summary of these remarks, which is applied."""
    turns = [turn(text, n) for n, text in enumerate(texts)]
    life.applied(life.plan_all(ann, actions_csv="summarize"), ann)
    return Memory.objects.get(derivation="summary"), turns


def known(ann: Any, count: int) -> tuple[Memory, list[Memory]]:
    """A fact that `count` remarks of different days bear out."""
    said = [
        turn("Deploys happen on Thursdays.", 60 * n, path=f"standup/{n}", session=f"standup {n}") for n in range(count)
    ]
    life.applied(life.plan_all(ann, actions_csv="promote"), ann)
    return Memory.objects.get(derivation="fact"), said


def test_a_summary_goes_with_its_source_unless_the_policy_says_otherwise(ann: Any) -> None:
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    assert gone(turns[4], ann).ids == (turns[4].pk, summary.pk)
    assert not Memory.objects.filter(pk=summary.pk).exists()


def test_a_summary_is_told_anew_from_what_remains(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    assert SECRET in summary.content
    done = gone(turns[4], ann)
    assert (done.ids, done.rewritten) == ((turns[4].pk,), (summary.pk,))
    now = Memory.objects.get(pk=summary.pk)
    assert "quokka" not in now.content
    assert now.state.version == 2 and not now.versions.exists()
    links = MemoryLink.objects.filter(origin=now)
    assert links.count() == 4 and all(link.quote in link.target.content for link in links)
    assert now.content == " ".join(link.quote for link in links.order_by("position") if link.quote) != ""
    assert now.provenance["sources_gone"] == 1


@pytest.mark.parametrize("chosen", OnErasure.values)
def test_what_is_chosen_on_the_page_of_the_policy_holds_from_then_on(ann: Any, chosen: str) -> None:
    policy(ann.own, OnErasure.ERASE if chosen == OnErasure.RESUMMARIZE else OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    now = policies.current(ann.space(ann.own))
    sent = entered(now) | {"on_erasure": chosen, "seen": now.number}
    assert signed_in(factories.ann()).post(f"/policies/{ann.own}", sent).status_code == 302
    gone(turns[4], ann)
    assert Memory.objects.filter(pk=summary.pk).exists() == (chosen == OnErasure.RESUMMARIZE)


def test_both_audit_lines_name_each_other(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    gone(turns[4], ann)
    line = AuditRecord.objects.get(action="memory.erase")
    assert line.detail["rewritten"] == [str(summary.pk)]
    anew = AuditRecord.objects.get(action="memory.rewrite")
    assert anew.object_id == summary.pk and anew.detail["because_of"] == str(turns[4].pk)
    assert (anew.detail["sources"], anew.detail["sources_gone"]) == (4, 1)


def test_the_page_asks_with_what_is_written_anew_and_the_receipt_names_it(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    forget(record_id=turns[4].pk, actor=ann)
    client = signed_in(factories.ann())
    body = text_of(client.get(f"/records/{turns[4].pk}/erase"))
    assert "What is written anew" in body and str(summary.pk)[-6:] in body and "Delete it for good" in body
    data = {"typed": str(turns[4].pk)[-6:], "reason": "asked", "version": 2}
    response = client.post(f"/records/{turns[4].pk}/erase", data, follow=True)
    assert f"Written anew {summary.pk}" in text_of(response)
    assert "Sources gone: 1 of the records" in text_of(client.get(f"/memories/{summary.pk}"))


def test_too_few_sources_left_erase_the_summary(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS[:2], SECRET)
    gone(turns[2], ann)
    assert Erasure.objects.get(pk=summary.pk).because_of == turns[2].pk


def test_sources_in_the_trash_or_under_hold_are_not_quoted_anew(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    Memory.objects.filter(pk=turns[0].pk).update(hold="Case 12")
    gone(turns[4], ann)
    now = Memory.objects.get(pk=summary.pk)
    assert OTHERS[0] not in now.content and MemoryLink.objects.get(origin=now, target=turns[0]).quote == ""
    forget(record_id=turns[1].pk, actor=ann)
    gone(turns[2], ann)
    assert not Memory.objects.filter(pk=summary.pk).exists()


def test_nothing_worth_telling_erases_the_summary(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, "Hello!", "How are you?", "And you?", SECRET)
    gone(turns[3], ann)
    assert not Memory.objects.filter(pk=summary.pk).exists()


def test_one_loss_after_another_is_counted(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    gone(turns[4], ann)
    gone(turns[3], ann)
    now = Memory.objects.get(pk=summary.pk)
    assert now.provenance["sources_gone"] == 2 and now.links.count() == 3


def test_a_redacted_summary_is_not_told_anew(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    Memory.objects.filter(pk=summary.pk).update(redacted_at=factories.PAST, content="[REDACTED]")
    gone(turns[4], ann)
    assert not Memory.objects.filter(pk=summary.pk).exists()


@pytest.mark.parametrize(("count", "stays"), [(4, True), (3, False)])
def test_a_fact_stays_while_enough_bear_it_out(ann: Any, count: int, stays: bool) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    fact, said = known(ann, count)
    gone(said[0], ann)
    assert Memory.objects.filter(pk=fact.pk).exists() == stays
    if stays:
        assert Memory.objects.get(pk=fact.pk).content == "Deploys happen on Thursdays."


def test_trust_and_span_follow_the_sources_that_remain(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, SECRET, *OTHERS)
    Memory.objects.filter(pk__in=[one.pk for one in turns[1:]]).update(trust=2)
    gone(turns[0], ann)
    now = Memory.objects.get(pk=summary.pk)
    assert now.trust == 2
    assert now.provenance["span"] == [turns[1].created_at.isoformat(), turns[4].created_at.isoformat()]


def test_the_pass_that_wrote_it_cannot_bring_the_old_words_back(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    gone(turns[4], ann)
    wrote = Candidate.objects.get(result_id=summary.pk)
    assert wrote.erased_at is not None and "content" not in wrote.after and wrote.undo == {}
    roll_back(pass_id=wrote.reflect_pass_id, actor=ann)
    wrote.refresh_from_db()
    assert wrote.outcome == "kept" and "quokka" not in Memory.objects.get(pk=summary.pk).content


def test_a_pass_after_it_goes_on_from_the_text_told_anew(ann: Any) -> None:
    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    gone(turns[4], ann)
    turn("The carrier confirmed that no parcel was lost on the way.", 40)
    life.applied(life.plan_all(ann, actions_csv="summarize"), ann)
    now = Memory.objects.get(derivation="summary")
    assert now.pk == summary.pk and "carrier confirmed" in now.content and "quokka" not in now.content


def test_a_held_summary_keeps_its_source(ann: Any) -> None:
    from console.errors import NotAllowed

    policy(ann.own, OnErasure.RESUMMARIZE)
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    Memory.objects.filter(pk=summary.pk).update(hold="Case 12")
    with pytest.raises(NotAllowed, match="Case 12"):
        gone(turns[4], ann)


def test_what_was_derived_from_what_falls_falls_too(ann: Any) -> None:
    summary, turns = summed_up(ann, *OTHERS, SECRET)
    above = factories.memory(factories.ann(), f"In short: {SECRET}", derivation="fact", pass_id=UUID(int=1))
    MemoryLink.objects.create(origin=above, target=summary, kind="derived_from", created_at=factories.PAST)
    done = gone(turns[4], ann)
    assert set(done.ids) == {turns[4].pk, summary.pk, above.pk}
    assert Erasure.objects.get(pk=above.pk).because_of == turns[4].pk
