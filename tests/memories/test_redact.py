"""Redaction: the words go, the record stays."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Stale
from memories.models import AuditRecord, Erasure, Memory, MemoryEmbedding, MemoryLink, MemoryUse, Todo
from memories.search.search import Search, search
from memories.services import state
from memories.services.redact import redact
from memories.services.revise import revise
from tests.memories.factories import actor, ann, bea, bob, memory, team, token_actor, version

pytestmark = pytest.mark.django_db
CANARY = "zebra kiosk 42"


def redacted(of: Memory, **more: Any) -> Any:
    return redact(memory_id=of.pk, **({"reason": "a secret", "actor": actor(ann())} | more))


def link(origin: Memory, target: Memory, quote: str = "") -> MemoryLink:
    return MemoryLink.objects.create(
        origin=origin, target=target, kind="derived_from", quote=quote, created_at=timezone.now()
    )


def columns_with(text: str) -> list[str]:
    """Every text column of the public tables in which `text` still stands."""
    found = []
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
               JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = 'public' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
                 AND has_column_privilege(c.oid, a.attnum, 'SELECT')"""
        )
        for table, column in cursor.fetchall():
            cursor.execute(f'SELECT 1 FROM "{table}" WHERE strpos("{column}"::text, %s) > 0 LIMIT 1', [text])
            found += [f"{table}.{column}"] if cursor.fetchone() else []
    return found


def test_the_content_is_replaced_and_everything_else_stays() -> None:
    one = memory(ann(), f"The code is {CANARY}.", path="a/b", importance=0.7, metadata={"k": 1}, semantic_key="code")
    done = redacted(one)
    now = Memory.objects.get(pk=one.pk)
    assert (done.memory.pk, now.content, now.state.status, now.state.version) == (one.pk, "[REDACTED]", "active", 2)
    assert (now.path, now.metadata, now.semantic_key, now.state.importance) == ("a/b", {"k": 1}, "code", 0.7)
    assert now.redacted_at is not None
    line = AuditRecord.objects.get(pk=done.audit_id)
    assert (line.action, line.reason, line.object_id) == ("memory.redact", "a secret", one.pk)


def test_the_old_words_are_in_no_column_of_any_table() -> None:
    one = memory(ann(), f"The code is {CANARY}.", language="en")
    revise(memory_id=one.pk, changes={"content": f"The new code is {CANARY}."}, actor=actor(ann()))
    other = memory(ann(), "A note.")
    link(other, one, CANARY)
    MemoryUse.objects.create(memory=one, action="read", context=f"asked for {CANARY}", at=timezone.now())
    MemoryEmbedding.objects.create(memory=one, space_id=one.space_id, model="m", dimension=2, vector=[0.6, 0.8])
    assert columns_with(CANARY)
    redacted(one)
    assert columns_with(CANARY) == []
    assert columns_with("'kiosk'") == []
    assert not MemoryEmbedding.objects.filter(memory=one).exists()
    assert [version.content for version in Memory.objects.get(pk=one.pk).versions.all()] == ["[REDACTED]"]


def test_a_redacted_memory_is_found_by_its_new_words_only() -> None:
    one = memory(ann(), "The zebra kiosk opens at nine.")
    redacted(one, replacement_content="A shop opens at nine.")
    assert not search(actor(ann()), Search(query="zebra kiosk")).hits
    assert [hit.memory_id for hit in search(actor(ann()), Search(query="shop opens")).hits] == [one.pk]


def test_a_summary_that_quotes_it_is_erased_and_noted() -> None:
    source, summary = memory(ann(), f"We met at the {CANARY}."), memory(ann(), f"Met: {CANARY}.")
    Memory.objects.filter(pk=summary.pk).update(derivation="summary", pass_id=summary.pk)
    link(summary, source, CANARY)
    done = redacted(source)
    assert done.erased == (summary.pk,) and not Memory.objects.filter(pk=summary.pk).exists()
    assert Erasure.objects.get().because_of == source.pk
    assert columns_with(CANARY) == []


def test_metadata_is_cleared_when_asked_to() -> None:
    told = {"note": CANARY}
    one = memory(ann(), f"The {CANARY}.", metadata=told, provenance={**told, "channel": "api"})
    revise(memory_id=one.pk, changes={"metadata": {"other": CANARY}}, actor=actor(ann()))
    redacted(one, clear_metadata=True)
    now = Memory.objects.get(pk=one.pk)
    assert (now.metadata, now.provenance, columns_with(CANARY)) == ({}, {"channel": "api"}, [])


@pytest.mark.parametrize("replacement", ["", " \u200b", "a\0b", "x" * 64_001, 7, None])
def test_a_replacement_that_says_nothing_is_invalid(replacement: Any) -> None:
    one = memory(ann(), "secret")
    with pytest.raises(Invalid) as refusal:
        redacted(one, replacement_content=replacement)
    assert [problem.loc[-1] for problem in refusal.value.problems] == ["replacement_content"]
    assert Memory.objects.get(pk=one.pk).content == "secret"


def test_a_hold_refuses_redaction_by_its_name() -> None:
    one = memory(ann(), "secret", hold="case 7")
    with pytest.raises(NotAllowed, match="case 7"):
        redacted(one)


def test_a_held_summary_that_quotes_it_refuses_redaction() -> None:
    source, summary = memory(ann(), "secret"), memory(ann(), "secret", hold="case 7")
    Memory.objects.filter(pk=summary.pk).update(derivation="summary", pass_id=summary.pk)
    link(summary, source, "secret")
    with pytest.raises(NotAllowed, match="case 7"):
        redacted(source)
    assert Memory.objects.get(pk=source.pk).content == "secret"


def test_only_its_owner_or_an_admin_redacts() -> None:
    one = memory(ann(), "secret", team=team("Atlas", ann="admin", bea="member"))
    with pytest.raises(NotAllowed):
        redacted(one, actor=actor(bea()))
    with pytest.raises(NotFound):
        redacted(one, actor=actor(bob()))


def test_a_token_needs_the_scope_for_what_cannot_be_undone() -> None:
    one = memory(ann(), "secret")
    with pytest.raises(NotAllowed, match="memory:delete"):
        redacted(one, actor=token_actor(ann(), scopes=["memory:read", "memory:write"]))
    redacted(one, actor=token_actor(ann(), scopes=["memory:write", "memory:delete"]))


def test_a_moved_version_and_a_deleted_record_are_refused() -> None:
    with pytest.raises(Stale):
        redacted(memory(ann(), "secret", version=3), seen_version=2)
    with pytest.raises(Conflict, match="trash"):
        redacted(memory(ann(), "secret", status="deleted"))


def test_another_kind_of_record_is_not_redacted() -> None:
    now = timezone.now()
    todo = Todo.objects.create(owner=ann(), content="Call.", created_at=now, updated_at=now)
    with pytest.raises(Invalid, match="Only memories"):
        redact(memory_id=todo.pk, actor=actor(ann()))


def test_working_state_keeps_none_of_its_words_in_the_fields_it_was_put_together_from() -> None:
    for words in ("zebra kiosk 42", "zebra kiosk 42 again"):
        slot = state.update(current_task=words, next_action="go on", actor=actor(ann()))
    Memory.objects.filter(pk=slot.pk).update(metadata={**slot.metadata, "k": 1})
    redacted(slot)
    assert columns_with(CANARY) == []
    assert Memory.objects.get(pk=slot.pk).metadata == {"state_key": "active_task", "k": 1}


def test_many_versions_are_emptied_in_one_statement(django_assert_max_num_queries: Any) -> None:
    one = memory(ann(), "The code.")
    for number in range(1, 40):
        version(one, number, CANARY)
    with django_assert_max_num_queries(60) as asked:
        redacted(one, clear_metadata=True)
    assert sum("memoryversion" in query["sql"] and "UPDATE" in query["sql"] for query in asked.captured_queries) == 1
    assert {(row.content, str(row.fields)) for row in one.versions.all()} == {("[REDACTED]", "{'metadata': {}}")}
