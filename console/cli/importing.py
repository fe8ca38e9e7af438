"""The command that reads memories from a file, a part at a time, and names every line that is none."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import click

from console.cli import progress, speech
from console.cli.choices import FORMATS, Offered
from console.cli.failures import Exit, Failure
from console.cli.main import cli
from console.cli.session import Session, command

PART_BYTES = 800_000  # of a request, which may have a million
PART_LINES = 5_000
WHOLE_BYTES = 650_000  # of a file that is sent at once; as base64 it still fits
NAMED_MOST = 200  # wrong lines told to a person


@dataclass
class _Part:
    """Lines of the file that fit into one request; `begins` is how many come before them."""

    begins: int
    lines: list[str] = field(default_factory=list)
    bytes: int = 0


@dataclass
class _Total:
    """What has become of the file so far."""

    lines: int = 0
    sums: dict[str, int] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    error_count: int = 0

    def add(self, answer: dict[str, Any], part: _Part) -> None:
        """Take in the answer to one part; its lines are counted from the part's beginning."""
        self.lines = part.begins + len(part.lines)
        for name, value in answer.items():
            if isinstance(value, int) and not isinstance(value, bool) and name not in ("error_count", "next_cursor"):
                self.sums[name] = self.sums.get(name, 0) + value
        for one in answer.get("errors") or []:
            line = one.get("line")
            self.errors.append({**one, **({"line": part.begins + line} if isinstance(line, int) else {})})
        self.error_count += answer.get("error_count", len(answer.get("errors") or []))


@command(cli, "import")
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@click.option("--dry-run", is_flag=True, help="Only check the lines; nothing is stored.")
@click.option("--format", "format_", type=Offered(FORMATS), help="What another program keeps, instead of JSON Lines.")
@click.option("--bucket", metavar="NAME", help="Put all into this bucket.")
@click.option("--scope", metavar="TEXT", help="Put all into this scope.")
@click.option("--team", "team_id", metavar="ID", help="Put all into the space of this team.")
@click.option(
    "--skip", type=click.IntRange(0), default=0, metavar="N", help="Pass over the first N lines of JSON Lines."
)
def import_(session: Session, file: str, dry_run: bool, format_: str | None, skip: int, **place: Any) -> int:
    """Store the memories of a file.

    FILE holds JSON Lines as `export` writes them, of any length; - is standard input. With --format it is what another
    program keeps, or a zip of that, as far as it fits into one request.

    A memory that is known stays as it is, so a file may be imported again. Wrong lines are named and left out; the exit
    code is then 1.
    """
    if format_ is not None:
        return _whole(session, file, {**place, "dry_run": dry_run, "format": format_})
    sent, total = {**place, "dry_run": dry_run}, _Total(lines=skip)
    with _opened(file) as (lines, size), progress.bar("import", size, unit="B") as shown:
        try:
            for part in _parts(lines, skip, total):
                total.add(_stored(session, part, sent), part)
                shown.update(part.bytes)
        except (KeyboardInterrupt, Failure):
            if total.lines > skip and not dry_run:
                session.tell(f"Stored up to line {total.lines}. The same command with --skip {total.lines} goes on.")
            raise
    return _told(session, total, dry_run)


@contextmanager
def _opened(file: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The bytes of the file, and how many there are."""
    if file == "-":
        yield sys.stdin.buffer, None
        return
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(Path(file).open("rb"))
        except OSError as error:
            raise Failure(f"{file} cannot be read ({error.strerror}). Name another file.", Exit.USAGE) from None
        yield opened, Path(file).stat().st_size


def _parts(lines: Iterable[bytes], skip: int, total: _Total) -> Iterator[_Part]:
    """The lines in parts. One that cannot be sent is noted as an error, and an empty one sent in its place."""
    part = _Part(skip)
    for number, raw in enumerate(lines, 1):
        if number <= skip:
            continue
        text, cost = _line(number, raw, total)
        if part.lines and (part.bytes + cost > PART_BYTES or len(part.lines) >= PART_LINES):
            yield part
            part = _Part(number - 1)
        part.lines.append(text)
        part.bytes += cost
    if part.lines:
        yield part


def _line(number: int, raw: bytes, total: _Total) -> tuple[str, int]:
    """One line as text, and its bytes in a request."""
    why = ""
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        cost = len(json.dumps(text, ensure_ascii=False).encode())
        why = "it holds a NUL" if "\0" in text else "it is too long for one request" if cost > PART_BYTES else ""
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    if not why:
        return text, cost
    total.errors.append({"line": number, "message": f"The line cannot be sent: {why}."})
    total.error_count += 1
    return "", 2


def _stored(session: Session, part: _Part, sent: dict[str, Any]) -> dict[str, Any]:
    """The answer to one part; a part of empty lines is not sent."""
    if not any(line.strip() for line in part.lines):
        return {}
    return session.api.post("memories/import", {"jsonl": "\n".join(part.lines) + "\n", **sent}).body


def _whole(session: Session, file: str, sent: dict[str, Any]) -> int:
    """Store what another program keeps, in one request; the server says what became of each row."""
    with _opened(file) as (stream, _):
        data = stream.read(WHOLE_BYTES + 1)
    if len(data) > WHOLE_BYTES:
        text = f"A file of another program may have {WHOLE_BYTES:,} bytes here. The page Import and export takes more."
        raise Failure(text, Exit.USAGE)
    body = session.api.post("import", {**sent, "name": Path(file).name, **_carried(data)}).body
    made = ", ".join(f"{number:,} {speech.line(kind)}" for kind, number in (body.get("made") or {}).items() if number)
    word = "Would be stored" if sent["dry_run"] else "Stored"
    session.answer(body, [f"{word}: {made or 'nothing'}. Known already: {body['known']:,}."])
    for row in body["rows"]:
        if row["outcome"] == "wrong":
            session.tell(f"{speech.line(row['row'])}: {speech.line(row['message'])}")
    return Exit.REFUSED if body["error_count"] else Exit.DONE


def _carried(data: bytes) -> dict[str, str]:
    """The file as the API takes it. Raises Failure."""
    if data.startswith(b"PK"):
        return {"archive": base64.b64encode(data).decode()}
    try:
        return {"text": data.decode("utf-8-sig")}
    except UnicodeDecodeError:
        raise Failure("The file is neither UTF-8 nor a zip. Convert it first.", Exit.USAGE) from None


def _told(session: Session, total: _Total, dry_run: bool) -> int:
    errors = sorted(total.errors, key=lambda one: one.get("line") or 0)
    body = {**total.sums, "errors": errors, "error_count": total.error_count, "dry_run": dry_run, "lines": total.lines}
    counts = ", ".join(f"{number:,} {speech.line(name).replace('_', ' ')}" for name, number in total.sums.items())
    session.answer(body, [f"{'Would be stored' if dry_run else 'Stored'}: {counts or 'nothing'}."])
    for one in errors[:NAMED_MOST]:
        session.tell(f"Line {speech.line(one.get('line', '?'))}: {speech.line(one.get('message', one))}")
    if total.error_count > NAMED_MOST:
        session.tell(f"{total.error_count:,} lines are wrong; the first {min(len(errors), NAMED_MOST)} are named.")
    return Exit.REFUSED if total.error_count else Exit.DONE
