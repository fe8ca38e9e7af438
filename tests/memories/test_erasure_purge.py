"""The trash empties itself only where somebody chose so, and only of what is due."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from console.errors import Invalid, NotAllowed, NotFound, SignInAgain
from memories.models import AuditRecord, Erasure, Memory, MemoryLink, SpaceSettings, Todo, User
from memories.services import purge
from memories.tasks import purge_trash_task
from tests.memories.factories import PAST, actor, ann, bea, bob, memory, team, token_actor
from tests.memories.page_client import everything, signed_in, text_of

pytestmark = pytest.mark.django_db


def trashed(owner: User, days_ago: float, content: str = "a note", **fields: Any) -> Memory:
    made = memory(owner, content, status="deleted", **fields)
    made.state.deleted_at = timezone.now() - timedelta(days=days_ago)
    made.state.save(update_fields=["deleted_at"])
    return made


def choose(owner: User, days: int | None, space_id: Any = None) -> SpaceSettings:
    return SpaceSettings.objects.create(
        space_id=space_id or owner.pk, trash_days=days, changed_at=timezone.now(), changed_by=owner
    )


def test_a_fresh_space_keeps_everything_however_old() -> None:
    for n in range(3):
        trashed(ann(), 4_000 + n)
    before = everything()
    purge_trash_task()
    call_command("purge_trash")
    assert everything() == before


def test_a_dry_run_says_how_many_and_deletes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(10):
        trashed(ann(), 31)
    trashed(ann(), 29)
    choose(ann(), 30)
    before = everything(), AuditRecord.objects.count()
    call_command("purge_trash", "--dry-run")
    assert "10 would go" in capsys.readouterr().out
    assert (everything(), AuditRecord.objects.count()) == before


def test_what_is_due_goes_with_one_batch_line_and_a_line_for_each() -> None:
    due = [trashed(ann(), 31).pk for _ in range(10)]
    young, live = trashed(ann(), 29), memory(ann(), "live")
    choose(ann(), 30)
    purge_trash_task()
    assert set(Memory.objects.values_list("pk", flat=True)) == {young.pk, live.pk}
    batch = AuditRecord.objects.get(action="trash.purge")
    assert sorted(batch.detail["ids"]) == sorted(map(str, due)) and batch.detail["count"] == 10
    assert (batch.actor_name, batch.channel, batch.detail["on_behalf_of"]) == ("ann", "job", "ann")
    assert AuditRecord.objects.filter(action="memory.erase").count() == Erasure.objects.count() == 10


def test_a_second_run_finds_nothing_and_writes_no_line() -> None:
    trashed(ann(), 31)
    choose(ann(), 30)
    purge_trash_task()
    lines = AuditRecord.objects.count()
    purge_trash_task()
    assert AuditRecord.objects.count() == lines


def test_batches_stay_small_and_all_of_them_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purge, "BATCH", 4)
    for _ in range(10):
        trashed(ann(), 31)
    choose(ann(), 30)
    assert len(purge.purge(ann().pk).ids) == 10
    sizes = [line.detail["count"] for line in AuditRecord.objects.filter(action="trash.purge")]
    assert sorted(sizes) == [2, 4, 4] and purge.BATCH == 4


def test_a_batch_holds_at_most_a_thousand() -> None:
    assert purge.BATCH == 1_000


def test_held_records_stay() -> None:
    held = trashed(ann(), 400, hold="Case 12")
    trashed(ann(), 400)
    choose(ann(), 30)
    purge_trash_task()
    assert list(Memory.objects.values_list("pk", flat=True)) == [held.pk]


def test_a_record_that_a_held_summary_quotes_stays_and_the_others_go() -> None:
    quoted, other = trashed(ann(), 31), trashed(ann(), 31)
    held = memory(ann(), "It says so.", derivation="summary", pass_id=quoted.pk, hold="Case 12")
    MemoryLink.objects.create(origin=held, target=quoted, kind="derived_from", created_at=PAST)
    choose(ann(), 30)
    done = purge.purge(ann().pk)
    assert done.ids == (other.pk,) and done.left == (quoted.pk,)
    lines = AuditRecord.objects.count()
    assert purge.purge(ann().pk).ids == () and AuditRecord.objects.count() == lines


def test_every_kind_of_record_goes() -> None:
    at = timezone.now() - timedelta(days=31)
    fields = {"status": "deleted", "deleted_at": at, "deleted_by": ann(), "status_before_delete": "active"}
    Todo.objects.create(owner=ann(), content="call", created_at=PAST, updated_at=PAST, **fields)
    choose(ann(), 30)
    purge_trash_task()
    assert not Todo.objects.exists() and Erasure.objects.get().kind == "todo"


def test_one_space_does_not_empty_another() -> None:
    trashed(bob(), 400)
    choose(ann(), 30)
    purge_trash_task()
    assert Memory.objects.count() == 1


def test_it_stops_when_whoever_chose_may_not_delete_any_more() -> None:
    atlas = team("Atlas", ann="admin", bea="admin")
    trashed(bea(), 31, team=atlas)
    choose(ann(), 30, atlas.pk)
    ann().memberships.update(role="member")
    assert "may not delete here any more" in purge.purge(atlas.pk).why_not
    ann().memberships.update(role="admin")
    User.objects.filter(username="ann").update(is_active=False)
    assert purge.purge(atlas.pk).ids == () and Memory.objects.count() == 1
    User.objects.filter(username="ann").update(is_active=True)
    assert len(purge.purge(atlas.pk).ids) == 1


def test_turning_it_on_asks_for_the_number_that_goes_at_once() -> None:
    trashed(ann(), 31)
    for typed in ("", "0", "2", "one"):
        with pytest.raises(Invalid):
            purge.set_retention(space_id=ann().pk, days=30, typed=typed, actor=actor(ann()))
    assert not SpaceSettings.objects.exists()
    purge.set_retention(space_id=ann().pk, days=30, typed="1", actor=actor(ann()))
    assert AuditRecord.objects.get(action="space.trash_retention").detail == {"trash_days": [None, 30]}
    purge.set_retention(space_id=ann().pk, days=None, actor=actor(ann()))
    assert SpaceSettings.objects.get().trash_days is None


@pytest.mark.parametrize("days", [0, -1, 3_651])
def test_days_out_of_range_are_refused(days: int) -> None:
    with pytest.raises(Invalid):
        purge.set_retention(space_id=ann().pk, days=days, actor=actor(ann()))


def test_only_a_person_with_a_fresh_password_who_is_an_admin_may_choose() -> None:
    atlas = team("Atlas", ann="admin", bea="reviewer")
    with pytest.raises(NotAllowed):
        purge.set_retention(space_id=atlas.pk, days=30, actor=actor(bea()))
    with pytest.raises(NotAllowed):
        purge.set_retention(space_id=ann().pk, days=30, actor=token_actor(ann()))
    with pytest.raises(NotFound):
        purge.set_retention(space_id=bob().pk, days=30, actor=actor(ann()))
    with pytest.raises(SignInAgain):
        stale = actor(ann())
        stale = type(stale)(**{**{f: getattr(stale, f) for f in stale.__slots__}, "signed_in_at": PAST})
        purge.set_retention(space_id=ann().pk, days=30, actor=stale)


@pytest.mark.parametrize("days", ["²", "9" * 5_000, "1e3", "NaN", "-1", "3651", "x"])
def test_what_is_no_number_of_days_is_refused_at_its_field(days: str) -> None:
    response = signed_in(ann()).post("/trash/retention", {"days": days, "typed": "0"})
    assert response.status_code == 422 and response.context["form"].errors.keys() == {"days"}
    assert not SpaceSettings.objects.exists()


def test_the_page_shows_what_would_go_and_when() -> None:
    note = trashed(ann(), 40, "The old gate code.")
    held = trashed(ann(), 40, hold="Case 12")
    body = text_of(signed_in(ann()).get("/trash/retention?days=30"))
    assert "1 at once, 1 under a legal hold stay" in body
    assert str(note.pk)[-6:] in body and str(held.pk)[-6:] not in body
    assert "30 days would delete 1 record at once" in body and "kept until somebody deletes it" in body


def test_the_page_saves_and_the_trash_tells_the_time_left() -> None:
    trashed(ann(), 10)
    client = signed_in(ann())
    response = client.post("/trash/retention", {"days": "30", "typed": ""}, follow=True)
    assert "deleted for good after 30 days" in text_of(response)
    assert "For good" in text_of(client.get("/trash")) and "in 3 weeks" in text_of(client.get("/trash"))


def test_the_page_keeps_what_was_typed_when_the_number_is_missing() -> None:
    trashed(ann(), 40)
    response = signed_in(ann()).post("/trash/retention", {"days": "30", "typed": "7"})
    assert response.status_code == 422 and "Type 1 to say that you mean it." in text_of(response)
    assert 'value="7"' in response.content.decode() and not SpaceSettings.objects.exists()


def test_the_page_asks_for_the_password_again() -> None:
    client = signed_in(ann(), seconds_ago=301)
    response = client.post("/trash/retention", {"days": "30"})
    assert response.status_code == 403 and not SpaceSettings.objects.exists()


@pytest.mark.parametrize("query", ["?space=7", "?days=0", "?days=x"])
def test_a_wrong_question_is_answered_with_advice(query: str) -> None:
    assert signed_in(ann()).get(f"/trash/retention{query}").status_code == 422


def test_a_member_reads_the_page_and_may_not_choose() -> None:
    atlas = team("Atlas", ann="member")
    client = signed_in(ann())
    assert "Only an admin of Atlas" in text_of(client.get(f"/trash/retention?space={atlas.pk}"))
    assert client.post(f"/trash/retention?space={atlas.pk}", {"days": "30"}).status_code == 403
    assert client.get(f"/trash/retention?space={bob().pk}").status_code == 403


def test_a_trash_that_cannot_be_emptied_holds_up_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    owners = [ann(), bob()]
    for owner in owners:
        trashed(owner, 31)
        choose(owner, 30)
    broken, whole = sorted(owner.pk for owner in owners)
    batch = purge._purge_batch

    def failing(space_id: Any, **more: Any) -> Any:
        if space_id == broken:
            raise ValueError("a fault")
        return batch(space_id, **more)

    monkeypatch.setattr(purge, "_purge_batch", failing)
    call_command("purge_trash")
    assert [one.owner_id for one in Memory.objects.all()] == [broken]
    assert f"space {broken}: 0 deleted for good; nothing more, because it failed" in capsys.readouterr().out
    assert whole != broken and Erasure.objects.count() == 1
