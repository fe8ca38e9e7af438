"""Where somebody waits for a page no model is asked, and the page says what the model may still do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from memories.models import Memory
from reflection.pages.policy_form import entered
from reflection.pages.retold import retold
from reflection.services import policies, preview
from reflection.services.why import explain
from tests.memories import factories
from tests.memories.api_client import Api
from tests.reflection import pages
from tests.reflection.chat_server import ChatServer, serving
from tests.reflection.test_critic import QUOTES, worded

pytestmark = pytest.mark.django_db


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving() as made:
        yield made


def test_why_says_that_the_model_may_still_leave_a_fact_out(server: ChatServer, settings: Any) -> None:
    worded(*QUOTES)
    ann, one = factories.actor(factories.ann()), Memory.objects.get(content=QUOTES[1])

    def gates() -> list[Any]:
        (found,) = [
            answer for answer in explain(one.pk, hours=24 * 30, actor=ann).answers if answer.action == "promote"
        ]
        return [gate for reason in found.reasons for gate in reason.gates if gate.name == "read by the model"]

    assert gates() == []
    settings.SUMMARIZER_URL, settings.SUMMARIZER_MODEL = server.url, "m"
    (gate,) = gates()
    assert (gate.holds, gate.measured) == (None, "not asked here; it may still leave the fact out")
    page = pages.browser(factories.ann()).get(f"/memories/{one.pk}/why", {"hours": "720"})
    assert "it may still leave the fact out" in pages.text(page)
    assert server.asked == [] and all(retold(text) for text in (gate.name, gate.measured, gate.asked))


def test_the_effect_of_a_policy_says_that_the_model_was_not_asked(server: ChatServer, settings: Any) -> None:
    worded(*QUOTES)
    ann, web = factories.actor(factories.ann()), pages.browser(factories.ann())
    now_is = policies.current(ann.space(ann.own))
    changed = policies.draft({"archive_working_days": 10}, now_is)
    assert not preview.effect(proposed=changed, actor=ann).without_model
    settings.SUMMARIZER_URL, settings.SUMMARIZER_MODEL = server.url, "m"
    assert preview.effect(proposed=changed, actor=ann).without_model
    given = entered(now_is) | {"archive_working_days": "10"}
    assert "may leave facts out" in pages.text(web.get(f"/policies/{ann.own}/preview", given))
    assert server.asked == []


@pytest.mark.parametrize("url", ["", "http://127.0.0.1:9/v1"])
def test_the_api_says_so_too(settings: Any, url: str) -> None:
    settings.SUMMARIZER_URL, settings.SUMMARIZER_MODEL = url, "m"
    api = Api(factories.ann(), scopes=["memory:read", "admin"])
    body = api.post("reflect/policy/preview", {"values": {"archive_working_days": 30}}).json()
    assert body["without_model"] is bool(url)
