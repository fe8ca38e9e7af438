"""The audit trail: one line per act, written in the act's own transaction, chained per space.

A line holds who, what, when, why and through which door, and metadata before and after; never content.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connections
from django.db.models import QuerySet
from uuid6 import uuid7

from memories.access import NOBODY, Actor, in_spaces
from memories.models import AuditHead, AuditRecord
from memories.models.audit import CONSOLE_ACTS

CONSOLE = UUID(int=1)  # no space: named to PostgreSQL for who may read what was done with the rights of the console
DONE, REFUSED = "done", "refused"
LINES_MOST = 5_000  # in one statement
Lines = list[dict[str, Any]]
_held: ContextVar[dict[UUID, Lines] | None] = ContextVar("lines that wait for the end of their act", default=None)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line to be written. `id` is known beforehand, so that results can refer to it."""

    action: str
    object_type: str
    object_id: UUID | None
    reason: str = ""
    detail: dict[str, Any] = field(default_factory=dict)
    pass_id: UUID | None = None
    result: str = DONE
    id: UUID = field(default_factory=uuid7)


def record(
    actor: Actor, action: str, object_type: str, object_id: UUID | None, *, space_id: UUID | None = None, **more: Any
) -> UUID:
    """Write one line into the chain of `space_id` (default: the actor's own) and return its id."""
    entry = Entry(action, object_type, object_id, **more)
    record_all(actor, [entry], space_id=space_id)
    return entry.id


def record_all(actor: Actor, entries: Sequence[Entry], *, space_id: UUID | None = None) -> None:
    """Write many lines of one act into one chain, in order, in one statement."""
    if not entries:
        return
    chain = space_id or actor.user_id or NOBODY
    who = {
        "actor_id": actor.user_id,
        "actor_name": actor.name,
        "auth_method": actor.auth_method,
        "token_id": actor.token_id,
        "channel": actor.channel,
        "agent_id": actor.agent_id,
        "ip": actor.ip,
        "request_id": actor.request_id,
        "audit_id": actor.audit_id,
    }
    lines = [who | _line(entry) for entry in entries]
    held = _held.get()
    if held is None:
        _append(chain, _packed(lines))
    else:
        held.setdefault(chain, []).extend(lines)


def record_across(actor: Actor, entries: Iterable[tuple[UUID, Entry]]) -> None:
    """Write lines of one act into the chains of their spaces, which everybody locks in the order of their ids."""
    by_space: dict[UUID, list[Entry]] = {}
    for space_id, entry in entries:
        by_space.setdefault(space_id, []).append(entry)
    for space_id in sorted(by_space):
        record_all(actor, by_space[space_id], space_id=space_id)


def _packed(lines: Lines) -> str:
    return json.dumps(lines, cls=DjangoJSONEncoder)


def _append(chain: UUID, packed: str) -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT audit_append(%s, %s::jsonb)", [chain, packed])


@contextmanager
def at_the_end() -> Iterator[None]:
    """Write the lines of a long act when it ends, in the caller's transaction.

    A chain has one writer at a time, until their transaction ends: so everybody else in a space waits only for the
    lines, not for the act. What a commit would check of the records is checked before, for the same reason.
    """
    held: dict[UUID, Lines] = {}
    outer = _held.set(held)
    try:
        yield
    finally:
        _held.reset(outer)
    if held:
        with connections["default"].cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    parts = [
        (chain, _packed(held[chain][at : at + LINES_MOST]))
        for chain in sorted(held)
        for at in range(0, len(held[chain]), LINES_MOST)
    ]
    for chain, packed in parts:
        _append(chain, packed)


def _line(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "action": entry.action,
        "result": entry.result,
        "object_type": entry.object_type,
        "object_id": entry.object_id,
        "pass_id": entry.pass_id,
        "reason": entry.reason,
        "detail": entry.detail,
    }


def named_spaces(actor: Actor) -> list[UUID]:
    """The spaces that PostgreSQL is told of. NOBODY's is everybody's: its chain counts refused sign-ins."""
    return [*actor.spaces, NOBODY, *([CONSOLE] if actor.administers else [])]


def shown_to(actor: Actor, rows: QuerySet[AuditRecord]) -> QuerySet[AuditRecord]:
    """The lines of the actor's spaces; for an administrator of the console also what was done with its rights."""
    return (
        in_spaces(actor, rows) | rows.filter(action__in=CONSOLE_ACTS) if actor.administers else in_spaces(actor, rows)
    )


def by_space(rows: QuerySet[AuditRecord], actor: Actor) -> list[QuerySet[AuditRecord]]:
    """The same, each of the actor's spaces by itself: an index has the lines of one space in order, not of several."""
    parts = [in_spaces(actor, rows).filter(space_id=key) for key in actor.spaces]
    if actor.administers:
        parts.append(rows.filter(action__in=CONSOLE_ACTS).exclude(space_id__in=list(actor.spaces)))
    return parts


def newest(rows: QuerySet[AuditRecord], actor: Actor, *, limit: int, offset: int = 0) -> list[AuditRecord]:
    """The lines among `rows` that are shown to the actor, newest first; no more of a space is read than is needed."""
    ordered = [part.order_by("-at", "-pk").values("pk", "at")[: offset + limit] for part in by_space(rows, actor)]
    if not ordered:
        return []
    first, *rest = ordered
    merged = first.union(*rest, all=True).order_by("-at", "-pk") if rest else first
    keys = [row["pk"] for row in merged[offset : offset + limit]]
    return list(AuditRecord.objects.filter(pk__in=keys).order_by("-at", "-pk"))


@dataclass(frozen=True, slots=True)
class Broken:
    """The first line of a chain that does not follow from the one before."""

    space_id: UUID
    seq: int
    record_id: UUID | None
    fault: str


# Written here a second time on purpose: the check must not trust the function inside the database that it checks.
_CANONICAL = """jsonb_build_object(
    'id', id, 'space_id', space_id, 'seq', seq,
    'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'action', action, 'result', result, 'actor_id', actor_id, 'actor_name', actor_name,
    'auth_method', auth_method, 'token_id', token_id, 'channel', channel, 'agent_id', agent_id,
    'ip', ip, 'request_id', request_id, 'audit_id', audit_id, 'object_type', object_type,
    'object_id', object_id, 'pass_id', pass_id, 'reason', reason, 'detail', detail)::text"""

_CHECK = f"""
WITH chained AS (
    SELECT id, space_id, seq, prev_hash, hash,
           lag(seq, 1, 0::bigint) OVER chain AS seq_before,
           lag(hash, 1, ''::bytea) OVER chain AS hash_before,
           sha256(prev_hash || convert_to({_CANONICAL}, 'UTF8')) AS hash_due
    FROM memories_auditrecord
    WHERE %(space)s::uuid IS NULL OR space_id = %(space)s::uuid
    WINDOW chain AS (PARTITION BY space_id ORDER BY seq)
), faults AS (
    SELECT space_id, seq, id, CASE
        WHEN seq <> seq_before + 1 THEN 'a line before it is missing'
        WHEN prev_hash <> hash_before THEN 'it does not follow the line before it'
        WHEN hash <> hash_due THEN 'its content was changed'
    END AS fault FROM chained
), tails AS (
    SELECT coalesce(h.space_id, l.space_id) AS space_id, coalesce(l.seq, 0) + 1 AS seq, NULL::uuid AS id,
           'the end of the chain is missing' AS fault
    FROM memories_audithead h
    FULL JOIN (SELECT DISTINCT ON (space_id) space_id, seq, hash FROM memories_auditrecord
               ORDER BY space_id, seq DESC) l USING (space_id)
    WHERE (%(space)s::uuid IS NULL OR coalesce(h.space_id, l.space_id) = %(space)s::uuid)
      AND (h.seq IS DISTINCT FROM coalesce(l.seq, 0) OR h.hash IS DISTINCT FROM coalesce(l.hash, ''::bytea))
)
SELECT DISTINCT ON (space_id) space_id, seq, id, fault
FROM (SELECT * FROM faults WHERE fault IS NOT NULL UNION ALL SELECT * FROM tails) AS broken
ORDER BY space_id, seq
"""  # noqa: S608 - put together from constants of this file only


def verify(space_id: UUID | None = None) -> list[Broken]:
    """Check one chain, or all. Returns the first broken line of each; an empty list proves them whole."""
    with connections["default"].cursor() as cursor:
        cursor.execute(_CHECK, {"space": space_id})
        return [Broken(*row) for row in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class Chain:
    """One chain: whose space it is of, how many lines it has, and its first broken line, if any."""

    space_id: UUID
    name: str
    length: int
    broken: Broken | None


def chains(actor: Actor) -> list[Chain]:
    """Each of the actor's chains, checked."""
    lengths = dict(AuditHead.objects.filter(space_id__in=list(actor.spaces)).values_list("space_id", "seq"))
    return [
        Chain(space.id, space.name, lengths.get(space.id, 0), next(iter(verify(space.id)), None))
        for space in actor.spaces.values()
    ]


def changed(before: dict[str, Any], after: dict[str, Any], only: Iterable[str]) -> dict[str, Any]:
    """The fields of `only` that differ, as {name: [before, after]}."""
    return {name: [before.get(name), after.get(name)] for name in only if before.get(name) != after.get(name)}
