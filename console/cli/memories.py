"""Commands about memories: search, recall, show, remember."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import click

from console.cli import speech
from console.cli.choices import TYPES, Offered, filters
from console.cli.failures import Exit, Failure
from console.cli.main import cli
from console.cli.session import Session, command

CONTENT_MOST = 64_000  # characters
SHOWN = (
    *("status", "memory_type", "bucket", "scope", "team_id", "importance", "confidence", "semantic_key", "source"),
    *("trust", "pinned", "hold", "created_at", "updated_at", "expires_at", "version"),
)


def asks(function: Any) -> Any:
    """The options of a search, strict or tolerant."""
    for option in reversed(ASKED):
        function = option(function)
    return function


ASKED = (
    click.option("--limit", type=click.IntRange(1, 50), default=5, show_default=True, help="How many at most."),
    filters,
    click.option("--path", metavar="PATTERN", help="Only paths like this; % stands for any text."),
    click.option("--type", "memory_type", type=Offered(TYPES), help="Only this type."),
    click.option("--since", metavar="TIME", help="Only from this moment on, like 2026-11-30T10:00:00Z."),
    click.option("--until", metavar="TIME", help="Only before this moment."),
    click.option("--order", "time_order", type=click.Choice(["asc", "desc"]), help="By time, not the best first."),
    click.option("--threshold", type=click.FloatRange(0, 1), help="A higher cut than that of the search itself."),
    click.option("--prefer-working", is_flag=True, help="Working state first."),
    click.option("--explain", is_flag=True, help="Say of each hit why it was found."),
)


@command(cli, "search")
@click.argument("query")
@asks
def search(session: Session, **query: Any) -> int:
    """Look for memories that answer QUERY; * lists the newest.

    What matches only weakly is not shown: the answer is then "no strong match", with exit code 3.
    """
    body = session.api.get("memories/search", query)
    session.answer(body, _hits(body["results"]))
    if body["results"]:
        return Exit.DONE
    session.tell(_no_match(body.get("no_match") or {}))
    return Exit.NOTHING


@command(cli, "recall")
@click.argument("query")
@asks
def recall(session: Session, **query: Any) -> int:
    """The memories nearest to QUERY, weak ones too.

    What search would not show is marked as weak. Where not even that is found, exit code 3.
    """
    body = session.api.get("recall", query)
    session.answer(body, _hits(body["results"]))
    if body["results"]:
        return Exit.DONE
    session.tell("Nothing was found.")
    return Exit.NOTHING


def _hits(results: list[dict[str, Any]]) -> Iterator[str]:
    for hit in results:
        score = speech.strong(f"{hit['similarity']:.2f}") if isinstance(hit.get("similarity"), int | float) else "   –"
        about = [speech.line(hit.get(name) or "–") for name in ("path", "memory_type", "created_at")]
        weak = ["weak"] if hit.get("strong") is False else []
        yield "  ".join([score, *weak, *about, speech.faint(speech.line(hit["id"]))])
        yield speech.block(hit["content"])
        if why := hit.get("explanation"):
            yield speech.faint(speech.block(f"why: {json.dumps(why, ensure_ascii=False)}"))


def _no_match(told: dict[str, Any]) -> str:
    filters = [f"{name}={value}" for name, value in dict(told.get("filters") or {}).items()]
    said = [speech.line(told.get("reason") or "No strong match.")]
    return " ".join([*said, "Filters in force: " + speech.line(", ".join(filters)) + "." if filters else ""]).strip()


@command(cli, "show")
@click.argument("memory_id", metavar="ID")
def show(session: Session, memory_id: str) -> None:
    """Show one memory, whole."""
    body = session.api.get(f"memories/{segment(memory_id)}")
    session.answer(body, _memory(body))


def _memory(body: dict[str, Any]) -> Iterator[str]:
    yield speech.strong(speech.line(body["id"])) + "  " + speech.line(body.get("path") or "–")
    yield speech.block(body["content"])
    for name in SHOWN:
        if body.get(name) not in (None, "", False):
            yield f"{name}: {speech.line(body[name])}"
    if body.get("metadata"):
        yield f"metadata: {speech.line(json.dumps(body['metadata'], ensure_ascii=False))}"


@command(cli, "remember")
@click.argument("content", required=False)
@click.option("--path", required=True, metavar="PATH", help="Where it belongs, like projects/console.")
@click.option("--bucket", metavar="NAME", help="Its drawer; work without it.")
@click.option("--scope", metavar="TEXT", help="A narrower place within the bucket.")
@click.option("--team", "team_id", metavar="ID", help="In the space of this team instead of the private one.")
@click.option("--type", "memory_type", type=Offered((*TYPES, "auto")), help="Its type; auto lets the server choose.")
@click.option("--key", "semantic_key", metavar="TEXT", help="What it is about: the same key again takes its place.")
@click.option("--importance", type=click.FloatRange(0, 1))
@click.option("--confidence", type=click.FloatRange(0, 1))
@click.option("--expires-at", metavar="TIME", help="When it is over, like 2026-12-31T00:00:00Z.")
@click.option("--source", metavar="TEXT", help="Where it comes from.")
@click.option("--dedupe", is_flag=True, default=None, help="Store nothing where the same is known already.")
@click.option("--metadata", metavar="JSON", help="An object of your own.")
def remember(session: Session, content: str | None, metadata: str | None, **sent: Any) -> None:
    """Store CONTENT as one memory.

    Without it, or with -, what stands on standard input is stored.
    """
    text = sys.stdin.read() if content in (None, "-") and not sys.stdin.isatty() else content
    if text is None or not text.strip() or text == "-":
        raise click.UsageError("There is nothing to remember. Give the text, or send it to standard input.")
    if len(text) > CONTENT_MOST:
        raise Failure(f"A memory holds at most {CONTENT_MOST:,} characters; this text has {len(text):,}.", Exit.USAGE)
    answer = session.api.post("remember", {"content": text, "metadata": _object(metadata), **sent}).body
    word = {"created": "Remembered", "unchanged": "Known already", "updated": "Brought up to date"}
    status = str(answer.get("status"))
    session.answer(answer, [f"{word.get(status, f'Stored ({speech.line(status)})')}: {speech.line(answer['id'])}"])


def _object(text: str | None) -> dict[str, Any] | None:
    try:
        found = json.loads(text) if text else None
    except ValueError:
        found = text
    if found is not None and not isinstance(found, dict):
        raise click.BadParameter('It is no JSON object. Write one like {"a": 1}.', param_hint="--metadata")
    return found


def segment(text: str) -> str:
    """An id as a part of an address. Raises Failure for what can be none."""
    plain = text.strip()
    if (
        not plain
        or len(plain) > 100
        or not all(letter.isascii() and (letter.isalnum() or letter == "-") for letter in plain)
    ):
        raise Failure(f"{speech.line(text)[:100]} is no id. Copy the whole id, like 01a22ca2-8482-….", Exit.USAGE)
    return plain
