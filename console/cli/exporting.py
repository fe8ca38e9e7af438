"""The command that writes records to a file: whole or not at all, to be resumed where it was interrupted."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from console.cli import logins, progress, speech
from console.cli.choices import filters
from console.cli.failures import Exit, Failure
from console.cli.main import cli
from console.cli.session import Session, command
from console.text import escaped

PRIVATE = 0o600
MEMORIES, EVERYTHING = "memories/export", "export"  # addresses


@command(cli, "export")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@filters
@click.option("--all", "everything", is_flag=True, help="TODOs, ledger, decisions, snapshots and the trash too.")
@click.option("--include-deleted", is_flag=True, help="Also what is in the trash.")
@click.option("--include-embeddings", is_flag=True, help="Also the vectors.")
@click.option("--page", "limit", type=click.IntRange(1, 5000), help="How many memories to ask for at a time.")
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@click.option("--resume", is_flag=True, help="Go on where the same export to FILE was interrupted.")
def export(session: Session, file: str, everything: bool, force: bool, resume: bool, **asked: Any) -> None:
    """Write memories, or with --all every record, to a file as JSON Lines.

    They are complete, with versions and links; - is standard output. FILE is there only once everything is in it;
    until then it is called FILE.part.
    """
    where, what = (EVERYTHING, "records") if everything else (MEMORIES, "memories")
    if everything:
        del asked["include_deleted"]  # they belong to everything
    if file == "-":
        if session.as_json or resume:
            raise click.UsageError("With - the answer is the lines themselves: without --json and --resume.")
        for page in _pages(session, where, asked, None):
            _to_output(page["jsonl"])
        return
    path = Path(file)
    if path.exists() and not force:
        raise Failure(f"{file} is there already. Name another file, or replace it with --force.", Exit.USAGE)
    part = _Part(path, {"url": session.url, "whose": _whose(session), "address": where, "asked": asked})
    left_out = _fill(session, part, where, asked, resume)
    told = {"file": str(path), "count": part.count, "bytes": part.size, "left_out": left_out}
    lines = [f"{speech.line(path)}: {part.count:,} {what}, {part.size:,} bytes."]
    if left_out:
        lines.append(f"Left out, because the token may not read them: {', '.join(map(speech.line, left_out))}.")
    session.answer(told, lines)


def _to_output(lines: str) -> None:
    shown = escaped(lines) if sys.stdout.isatty() else lines
    sys.stdout.buffer.write(shown.encode())
    sys.stdout.buffer.flush()


def _whose(session: Session) -> Any:
    """Who exports, and within which bounds: another's memories must not be added to a file."""
    return session.api.get("auth/token/validate").get("agent_boundary")


def _pages(session: Session, where: str, asked: dict[str, Any], cursor: str | int | None) -> Iterator[dict[str, Any]]:
    """The pages from this cursor on, with a bar beside them."""
    with progress.bar("export", _total(session, asked) if where == MEMORIES else None) as shown:
        while True:
            page = session.api.post(where, {**asked, "cursor": cursor}).body
            shown.update(page["count"])
            yield page
            cursor = page["next_cursor"]
            if cursor is None:
                return


def _total(session: Session, asked: dict[str, Any]) -> int | None:
    """About how many there will be; only for the bar."""
    if progress.shown():
        with suppress(Failure):
            query = {name: asked.get(name) for name in ("bucket", "scope", "team_id")}
            return int(session.api.get("memories/stats", query)["filtered_count"])
    return None


def _fill(session: Session, part: _Part, where: str, asked: dict[str, Any], resume: bool) -> list[str]:
    """Write all pages; the kinds that the token may not read."""
    cursor = part.resumed() if resume else part.begun()
    left_out: list[str] = []
    try:
        for page in _pages(session, where, asked, cursor):
            part.add(page["jsonl"], page["count"], page["next_cursor"])
            left_out = page.get("left_out", [])
        part.finish()
    except (KeyboardInterrupt, Failure):
        session.tell(f"{part.count:,} records are in {speech.line(part.path)}. The same command with --resume goes on.")
        raise
    except OSError as error:
        raise Failure(
            f"{part.path} cannot be written ({error.strerror}). Make room, and go on with --resume."
        ) from None
    return left_out


@dataclass
class _Part:
    """What is there of a file, and beside it where to go on; both for their owner alone."""

    target: Path
    made_from: dict[str, Any]
    count: int = 0
    size: int = 0

    @property
    def path(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part")

    @property
    def _note(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part.json")

    def begun(self) -> str | int | None:
        """An empty part, whatever was there; and no cursor."""
        try:
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE))
            self.path.chmod(PRIVATE)
            self._keep(None)
        except OSError as error:
            raise Failure(f"{self.path} cannot be written ({error.strerror}). Name another file.", Exit.USAGE) from None
        return None

    def resumed(self) -> str | int | None:
        """The cursor of an interrupted export of the same. Raises Failure."""
        try:
            note = json.loads(self._note.read_text("utf-8"))
            if note["made_from"] != json.loads(json.dumps(self.made_from)):
                text = f"{self.path} is of another console, another person or other filters. Begin without --resume."
                raise Failure(text, Exit.USAGE)
            os.truncate(self.path, note["bytes"])  # what came after the note was cut off in its middle
            self.count, self.size = note["count"], note["bytes"]
            cursor: str | int | None = note["cursor"]
        except (OSError, ValueError, LookupError, TypeError):
            raise Failure(
                f"There is no interrupted export to {self.target}. Begin without --resume.", Exit.USAGE
            ) from None
        return cursor

    def add(self, lines: str, count: int, cursor: str | int | None) -> None:
        """Keep one page, and then where the next one begins."""
        data = lines.encode()
        with self.path.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self.count, self.size = self.count + count, self.size + len(data)
        if cursor is not None:
            self._keep(cursor)

    def finish(self) -> None:
        """All is there: the file gets its name."""
        os.replace(self.path, self.target)
        self._note.unlink(missing_ok=True)

    def _keep(self, cursor: str | int | None) -> None:
        note = {"made_from": self.made_from, "cursor": cursor, "count": self.count, "bytes": self.size}
        logins.write_private(self._note, json.dumps(note))
