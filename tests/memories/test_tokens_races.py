"""The form for a token sent many times at the same moment, and a token revoked by two."""

from __future__ import annotations

import pytest
from django.http import HttpResponse

from memories.models import ApiToken, AuditRecord
from memories.services import tokens
from tests.memories.at_once import at_once
from tests.memories.factories import actor, ann, token
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


def test_two_who_revoke_one_token_leave_one_line() -> None:
    for _ in range(8):
        one = token(ann())[0]
        at_once(*[lambda key=one.pk: tokens.revoke(token_id=key, actor=actor(ann()))] * 4)
        assert AuditRecord.objects.filter(action="token.revoke", object_id=one.pk).count() == 1
