"""The form for a token sent many times at the same moment, and a token revoked by two."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest
from django.db import connection, transaction
from django.http import HttpResponse

from console.errors import NotAllowed
from memories.models import ApiToken, AuditRecord, Membership
from memories.services import tokens
from tests.memories.at_once import at_once
from tests.memories.factories import actor, ann, bea, bob, team, token
from tests.memories.page_client import signed_in
from tests.memories.test_tokens_pages import sent

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_form_sent_many_times_at_once_makes_one_token_and_shows_one_key() -> None:
    for turn in range(1, 9):
        form = sent(signed_in(ann()))
        clients = [signed_in(ann()) for _ in range(4)]
        found: list[HttpResponse] = at_once(
            *[lambda one=one, form=form: one.post("/tokens/new", form) for one in clients]
        )
        assert sorted(one.status_code for one in found) == [200, 409, 409, 409]
        assert ApiToken.objects.count() == turn
    assert AuditRecord.objects.filter(action="token.create", result="done").count() == 8


def test_who_waits_for_a_token_and_is_its_admin_no_more_ends_nothing() -> None:
    atlas = team("Atlas of races", ann="admin", bea="admin", bob="member")
    one, late = token(bob(), team=atlas)[0], actor(bea())
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            ApiToken.objects.select_for_update(no_key=True).get(pk=one.pk)
            waiting = pool.submit(at_once, lambda: tokens.revoke(token_id=one.pk, actor=late))
            somebody_waits()
            Membership.objects.filter(user=bea(), team=atlas).update(role="member")
        assert isinstance(waiting.result()[0], NotAllowed)
    one.refresh_from_db()
    assert one.revoked_at is None and not AuditRecord.objects.filter(action="token.revoke").exists()


def somebody_waits() -> None:
    """Until another connection waits for a lock of this transaction."""
    deadline = monotonic() + 30
    with connection.cursor() as cursor:
        while monotonic() < deadline:
            cursor.execute(
                "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
            )
            if cursor.fetchone():
                return
    raise AssertionError("nobody waits")


def test_two_who_revoke_one_token_leave_one_line() -> None:
    for _ in range(8):
        one = token(ann())[0]
        at_once(*[lambda key=one.pk: tokens.revoke(token_id=key, actor=actor(ann()))] * 4)
        assert AuditRecord.objects.filter(action="token.revoke", object_id=one.pk).count() == 1
