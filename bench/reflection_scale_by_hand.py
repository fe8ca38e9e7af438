"""What an application writes, by the fewest statements by hand: what the product's own is held against."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import psycopg
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.utils import timezone
from uuid6 import uuid7

from reflection.models import Basis, Candidate, ReflectPass

MEMORIES = """INSERT INTO memories_memory (id, owner_id, bucket, path, created_at, updated_at, memory_type, content,
    metadata, provenance, source, agent_id, language, trust, derivation, pass_id, event_type, pinned, hold, confidence)
  SELECT id, %s, 'work', path, %s, %s, 'semantic', content, '{}', '{}', 'reflect', '', 'en', 1, derivation, %s, '',
    false, '', confidence
  FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::text[], %s::float8[])
    AS made (id, path, content, derivation, confidence)"""
STATES = """INSERT INTO memories_memorystate
    (memory_id, status, version, status_before_delete, importance, base, anchor, use_count)
  SELECT id, 'active', 1, '', importance, importance, %s, 0
  FROM unnest(%s::uuid[], %s::float8[]) AS made (id, importance)"""
LINKS = """INSERT INTO memories_memorylink (id, origin_id, target_id, kind, position, quote, created_at)
  SELECT id, origin, target, 'derived_from', position, quote, %s
  FROM unnest(%s::uuid[], %s::uuid[], %s::uuid[], %s::int[], %s::text[])
    AS made (id, origin, target, position, quote)"""
STATUS = "UPDATE memories_memorystate SET status = %s, {} = %s, version = version + 1 WHERE memory_id = ANY(%s)"
HIDDEN = "UPDATE memories_memoryembedding SET active = false WHERE memory_id = ANY(%s)"
IMPORTANCE = """UPDATE memories_memorystate AS s SET importance = due.importance, version = s.version + 1
  FROM unnest(%s::uuid[], %s::float8[]) AS due (id, importance) WHERE s.memory_id = due.id"""
OUTCOMES = """UPDATE reflection_candidate AS c
  SET outcome = 'applied', outcome_text = '', undo = '{}', result_id = done.result, result_version = done.version,
    audit_id = done.audit
  FROM unnest(%s::uuid[], %s::uuid[], %s::int[], %s::uuid[]) AS done (id, result, version, audit)
  WHERE c.id = done.id"""
APPLIED = "UPDATE reflection_reflectpass SET status = 'applied', applied_at = now(), applied_counts = %s WHERE id = %s"
Statement = tuple[str, Sequence[Any]]


def write_by_hand(approved: ReflectPass) -> Callable[[], None]:
    """Everything prepared; call the result to write it in one transaction of a connection of its own."""
    candidates = list(approved.candidates.order_by("position"))
    results = {one.pk: one.target_id or uuid7() for one in candidates}
    statements = [*_written(approved, candidates, results), *_noted(approved, candidates, results)]
    raw = psycopg.connect(**connection.get_connection_params(), autocommit=True)
    raw.execute("SELECT set_config('memory_console.spaces', %s, false)", [str(approved.space_id)])

    def write() -> None:
        with raw.transaction(), raw.cursor() as cursor:
            for sql, params in statements:
                cursor.execute(sql, params)

    return write


def _written(approved: ReflectPass, candidates: Sequence[Candidate], results: dict[UUID, UUID]) -> list[Statement]:
    now = timezone.now()
    of = {name: [one for one in candidates if one.action == name] for name in ("expire", "archive", "decay")}
    expired, archived = ([one.target_id for one in of[name]] for name in ("expire", "archive"))
    new = [one for one in candidates if one.target_id is None]
    ids = [results[one.pk] for one in new]
    basis = list(Basis.objects.filter(candidate__in=new).order_by("candidate_id", "position"))
    kinds = {"summarize": "summary", "promote": "fact"}
    return [
        ("UPDATE reflection_reflectpass SET status = 'applying' WHERE id = %s", [approved.pk]),
        (
            MEMORIES,
            [
                *(approved.owner_id, now, now, approved.pk, ids),
                [one.after["path"] for one in new],
                [one.after["content"] for one in new],
                [kinds[one.action] for one in new],
                [one.after["confidence"] for one in new],
            ],
        ),
        (STATES, [now, ids, [one.after["importance"] for one in new]]),
        (
            LINKS,
            [
                *(now, [uuid7() for _ in basis], [results[line.candidate_id] for line in basis]),
                [line.memory_id for line in basis],
                [line.position for line in basis],
                [line.quote for line in basis],
            ],
        ),
        (STATUS.format("expired_at"), ["expired", now, expired]),
        (STATUS.format("archived_at"), ["archived", now, archived]),
        (HIDDEN, [[*expired, *archived]]),
        (IMPORTANCE, [[one.target_id for one in of["decay"]], [one.after["importance"] for one in of["decay"]]]),
    ]


def _noted(approved: ReflectPass, candidates: Sequence[Candidate], results: dict[UUID, UUID]) -> list[Statement]:
    audit = [uuid7() for _ in candidates]
    versions = [2 if one.target_id else 1 for one in candidates]
    lines = [
        _line(key, f"reflect.{one.action}", "memory", results[one.pk], approved)
        for key, one in zip(audit, candidates, strict=True)
    ]
    done = [_line(uuid7(), "pass.apply", "pass", approved.pk, approved)]
    return [
        (OUTCOMES, [[one.pk for one in candidates], [results[one.pk] for one in candidates], versions, audit]),
        ("SELECT audit_append(%s, %s::jsonb)", [approved.space_id, json.dumps(lines, cls=DjangoJSONEncoder)]),
        (APPLIED, [json.dumps(approved.counts), approved.pk]),
        ("SELECT audit_append(%s, %s::jsonb)", [approved.space_id, json.dumps(done, cls=DjangoJSONEncoder)]),
    ]


def _line(key: UUID, action: str, kind: str, about: UUID, approved: ReflectPass) -> dict[str, Any]:
    return {
        "id": key,
        "action": action,
        "result": "done",
        "object_type": kind,
        "object_id": about,
        "pass_id": approved.pk,
        "reason": "rule",
        "detail": {"candidate": key, "version": 2, "status": ["active", "archived"]},
        "actor_id": approved.owner_id,
        "actor_name": "bench",
        "auth_method": "command",
        "channel": "job",
        "agent_id": "",
        "ip": "",
        "request_id": "",
    }
