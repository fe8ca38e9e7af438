"""Commands that take records away and bring them back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from console.cli import speech
from console.cli.failures import Exit, Failure
from console.cli.main import cli
from console.cli.memories import segment
from console.cli.session import Session, command

if TYPE_CHECKING:
    from console.cli.client import Answer

KINDS = ("memories", "reminders", "me/ledger/transactions")  # where a record of each kind is looked at
LAST = 6  # characters of an id to type: they are random


@command(cli, "forget")
@click.argument("record_id", metavar="ID", required=False)
@click.option("--target", metavar="TEXT", help="Instead of an id: words that exactly one record fits.")
@click.option("--hard", is_flag=True, help="For good, not into the trash. A person confirms it in the console.")
@click.option("--confirm", metavar="LAST6", help="With --hard and no terminal: the last six characters of the id.")
@click.option("--reason", metavar="TEXT", help="Why; it stays in the audit.")
def forget(
    session: Session, record_id: str | None, target: str | None, hard: bool, confirm: str | None, reason: str | None
) -> int:
    """Put a memory, TODO or ledger entry into the trash.

    `restore` brings it back from there.

    With --hard it is deleted for good: you type the end of its id, and where the server wants that (exit code 5), a
    person confirms in the console. Nothing is deleted before.
    """
    if (record_id is None) == (target is None):
        raise click.UsageError("Name one record: its ID, or --target with words that only one record fits.")
    if confirm and not hard:
        raise click.UsageError("--confirm belongs to --hard.")
    if hard:
        if record_id is None:
            raise click.UsageError("--hard takes an ID: search for the record, look at it, and name its id.")
        return _for_good(session, segment(record_id), confirm, reason)
    if record_id is not None:
        return _told(session, session.api.post(f"memories/{segment(record_id)}/forget", _soft(reason)))
    return _told(session, session.api.post("forget", {"target": target, **_soft(reason)}))


def _soft(reason: str | None) -> dict[str, Any]:
    return {"mode": "soft", "reason": reason}


def _for_good(session: Session, key: str, confirm: str | None, reason: str | None) -> int:
    found = _looked_at(session, key)
    end = str(found.body.get("id", key))[-LAST:]
    if confirm is None:
        if not speech.at_a_terminal():
            text = f"To delete for good without a terminal, add --confirm with the last {LAST} characters of the id."
            raise Failure(text, Exit.USAGE)
        speech.tell(_shown(found.body))
        confirm = speech.typed(f"Type the last {LAST} characters of its id to delete it for good")
    if confirm.strip() != end:
        raise Failure(f"That is not how the id ends. Nothing was deleted; the last {LAST} characters are wanted.")
    sent = {"mode": "hard", "reason": reason}
    return _told(session, session.api.post(f"memories/{key}/forget", sent, seen=found.etag))


def _looked_at(session: Session, key: str) -> Answer:
    """The record at its version, whatever its kind. Raises Failure."""
    missing: Failure | None = None
    for kind in KINDS:
        try:
            return session.api.look(f"{kind}/{key}")
        except Failure as why:
            if why.detail.get("status") not in (403, 404):
                raise
            missing = missing or why
    assert missing is not None
    raise missing


def _shown(body: dict[str, Any]) -> str:
    text = body.get("content") or body.get("item") or ""
    return f"{speech.line(body.get('id', ''))}  {speech.line(body.get('path') or '')}\n{speech.block(text)}"


def _told(session: Session, answer: Answer) -> int:
    """Say what became of the record."""
    body = answer.body
    session.answer(body, _lines(body))
    return Exit.DONE if body.get("forgotten") else Exit.WAITS


def _lines(body: dict[str, Any]) -> Iterator[str]:
    key = speech.line(body["id"])
    if not body.get("forgotten"):
        yield f"Nothing is deleted yet: {key} waits for a person to confirm it, until"
        yield f"{speech.line(body.get('expires_at'))}, at {speech.line(body.get('url'))}"
    elif body.get("mode") == "soft_delete":
        yield f"Moved to the trash: {key}. `memory-console restore {key}` brings it back."
    else:
        yield f"Deleted for good: {key}."


@command(cli, "restore")
@click.argument("record_id", metavar="ID")
@click.option("--reason", metavar="TEXT", help="Why; it stays in the audit.")
def restore(session: Session, record_id: str, reason: str | None) -> None:
    """Bring a record back from the trash."""
    body = session.api.post(f"memories/{segment(record_id)}/restore", {"reason": reason}).body
    session.answer(body, [f"Back from the trash: {speech.line(body['id'])} is {speech.line(body['status'])}."])
