"""The command that reads the audit, and proves it."""

from __future__ import annotations

from typing import Any

import click

from console.cli import speech
from console.cli.failures import Exit
from console.cli.main import cli
from console.cli.session import Session, command


@command(cli, "audit")
@click.option("--action", metavar="PATTERN", help="Only acts like this: memory.forget, token.%.")
@click.option("--target", "target_id", metavar="ID", help="Only what was done to this record.")
@click.option("--since", metavar="TIME", help="Only from this moment on, like 2026-11-30T10:00:00Z.")
@click.option("--until", metavar="TIME", help="Only before this moment.")
@click.option("--limit", type=click.IntRange(1, 500), default=50, show_default=True, help="How many at most.")
@click.option("--offset", type=click.IntRange(0), help="How many of the newest to pass over.")
@click.option("--verify", is_flag=True, help="Prove instead that no line was changed or taken out.")
def audit(session: Session, verify: bool, **query: Any) -> int:
    """List who did what and when, newest first. Needs the scope audit."""
    if verify:
        return _verified(session)
    body = session.api.get("audit/events", query)
    session.answer(body, map(_line, body["events"]))
    if not body["events"]:
        session.tell("There is no such line.")
    return Exit.DONE if body["events"] else Exit.NOTHING


def _line(one: dict[str, Any]) -> str:
    who = f"{speech.line(one.get('actor') or '–')} ({speech.line(one.get('channel') or '–')})"
    target = [one.get("target_type"), one.get("target_id")]
    said = [one["created_at"], one["action"], one["result"]]
    parts = [*map(speech.line, said), who, *(speech.line(part) for part in target if part)]
    return "  ".join([*parts, *([f"“{speech.line(one['reason'])}”"] if one.get("reason") else [])])


def _verified(session: Session) -> int:
    body = session.api.get("audit/verify")
    session.answer(body, map(_chain, body["chains"]))
    return Exit.DONE if body["whole"] else Exit.REFUSED


def _chain(one: dict[str, Any]) -> str:
    name, broken = speech.line(one["name"]), one.get("broken")
    if broken is None:
        return f"{name}: all {one['lines']:,} lines follow from one another."
    return f"{name}: line {broken['seq']} is wrong: {speech.line(broken['fault'])}."
