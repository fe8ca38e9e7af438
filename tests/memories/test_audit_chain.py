"""The audit only grows, and whoever gets past that is found: what was changed, taken out or cut off is named."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from memories import audit
from memories.models import AuditRecord
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, bob


def write(lines: int) -> None:
    for number in range(lines):
        audit.record(actor(ann()), "memory.update", "memory", None, space_id=ann().pk, reason=f"line {number + 1}")
    audit.record(actor(bob()), "memory.update", "memory", None, space_id=bob().pk)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE memories_auditrecord SET reason = 'x'",
        "DELETE FROM memories_auditrecord",
        "TRUNCATE memories_auditrecord",
        "INSERT INTO memories_auditrecord SELECT * FROM memories_auditrecord",
        "UPDATE memories_audithead SET seq = 0",
        "DELETE FROM memories_audithead",
    ],
)
def test_what_web_and_worker_may_do_to_the_audit_is_to_append(statement: str) -> None:
    write(1)
    with pytest.raises(DatabaseError, match="permission denied|append-only"), transaction.atomic():
        connection.cursor().execute(statement)
    assert audit.verify() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "statement", ["UPDATE memories_auditrecord SET reason = 'x'", "DELETE FROM memories_auditrecord"]
)
def test_its_owner_is_refused_too(statement: str, owner_connection: BaseDatabaseWrapper) -> None:
    write(1)
    with pytest.raises(DatabaseError, match="append-only"):
        owner_connection.cursor().execute(statement)


TAMPERED = {
    "UPDATE memories_auditrecord SET reason = 'another' WHERE seq = 2": (2, "its content was changed"),
    "UPDATE memories_auditrecord SET at = at - interval '1 day' WHERE seq = 2": (2, "its content was changed"),
    "DELETE FROM memories_auditrecord WHERE seq = 2": (3, "a line before it is missing"),
    "DELETE FROM memories_auditrecord WHERE seq = 4": (4, "the end of the chain is missing"),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("statement", TAMPERED)
def test_the_first_bad_line_of_a_chain_is_named(statement: str, owner_connection: BaseDatabaseWrapper) -> None:
    write(4)
    tamper(owner_connection, statement)
    (broken,) = audit.verify()
    assert (broken.space_id, broken.seq, broken.fault) == (ann().pk, *TAMPERED[statement])
    errors = StringIO()
    with pytest.raises(CommandError, match="1 of the audit chains"):
        call_command("verify_audit", stderr=errors)
    assert f"line {broken.seq} of chain {ann().pk}: {broken.fault}" in errors.getvalue()


@pytest.mark.django_db(transaction=True)
def test_the_api_names_the_first_bad_line_too(owner_connection: BaseDatabaseWrapper) -> None:
    write(4)
    statement = "UPDATE memories_auditrecord SET reason = 'another' WHERE seq = 2"
    tamper(owner_connection, statement)
    told = Api(ann()).get("audit/verify").json()
    (chain,) = told["chains"]
    assert (told["whole"], chain["space_id"], chain["lines"]) == (False, str(ann().pk), 4)
    assert (chain["broken"]["seq"], chain["broken"]["fault"]) == TAMPERED[statement]


@pytest.mark.django_db(transaction=True)
def test_a_chain_that_is_gone_altogether_is_missed(owner_connection: BaseDatabaseWrapper) -> None:
    write(2)
    tamper(owner_connection, f"DELETE FROM memories_auditrecord WHERE space_id = '{ann().pk}'")
    assert [(one.space_id, one.fault) for one in audit.verify()] == [(ann().pk, "the end of the chain is missing")]
    assert AuditRecord.objects.count() == 1


def tamper(owner: BaseDatabaseWrapper, statement: str) -> None:
    """What the guard's own author could do: take it off, write, put it on again."""
    with owner.cursor() as cursor:
        cursor.execute("ALTER TABLE memories_auditrecord DISABLE TRIGGER USER")
        cursor.execute(statement if "space_id" in statement else f"{statement} AND space_id = %s", *_of_ann(statement))
        cursor.execute("ALTER TABLE memories_auditrecord ENABLE TRIGGER USER")


def _of_ann(statement: str) -> list[list[object]]:
    return [] if "space_id" in statement else [[ann().pk]]


@pytest.mark.django_db
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/Lima"])
def test_lines_of_one_call_are_linked_in_their_order_whatever_the_time_zone(zone: str) -> None:
    entries = [
        audit.Entry(
            "memory.update", "memory", None, reason=f"“{n}” \u202e\U0001f600", detail={"n": n, "at": [None, {"é": 1.5}]}
        )
        for n in range(300)
    ]
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('TimeZone', %s, true)", [zone])
        audit.record_all(actor(ann()), entries, space_id=ann().pk)
        write(2)
        assert audit.verify() == []
        cursor.execute("SET LOCAL timezone = 'UTC'")
    rows = AuditRecord.objects.filter(space_id=ann().pk).order_by("seq")
    assert [row.pk for row in rows][:300] == [entry.id for entry in entries]
    assert [row.seq for row in rows] == list(range(1, 303)) and [row.at for row in rows] == sorted(
        row.at for row in rows
    )
    assert [row.detail["n"] for row in rows[:300]] == list(range(300)) and audit.verify() == []
