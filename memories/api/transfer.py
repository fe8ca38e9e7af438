"""Records as lines of JSON, out of this console and into it, and what other programs keep, into it."""

from __future__ import annotations

import base64
import io
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, read
from console.errors import Invalid
from console.formats import FORMATS
from console.formats.lines import BadLine, lines
from console.once import Page
from console.saying import phrase, told
from console.uploads import Report, take
from memories.api import shapes
from memories.api.searching import in_the_body
from memories.search.wanted import Search
from memories.services.export import LINES_MOST, export
from memories.services.export_everything import KINDS, Wanted, export_everything
from memories.services.import_all import import_all
from memories.services.import_beside import Imported
from memories.services.import_lines import Place

ERRORS_MOST = 200  # named in one answer
CURSOR_MOST = 2**53 - 1  # beyond it readers of JSON lose the last digits


class Kinds(shapes.Given):
    """Some of the kinds of records."""

    default_error_messages = {"kinds": _("This is no list of kinds. Send some of {kinds}.")}

    def to_internal_value(self, data: Any) -> tuple[str, ...]:
        """The kinds, each once."""
        if not isinstance(data, list) or not data or any(one not in KINDS for one in data if isinstance(one, str)):
            self.fail("kinds", kinds=", ".join(KINDS))
        if not all(isinstance(one, str) for one in data):
            self.fail("kinds", kinds=", ".join(KINDS))
        return tuple(dict.fromkeys(data))


class Told(serializers.Serializer):
    """What every export may be narrowed by."""

    limit = shapes.Whole(least=1, most=LINES_MOST, default=LINES_MOST)
    bucket = shapes.Filter(default="%")
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)
    include_embeddings = shapes.Flag(default=False)


class Out(Told):
    """POST memories/export."""

    cursor = shapes.Whole(least=0, most=CURSOR_MOST, default=0)
    include_deleted = shapes.Flag(default=False)


class In(serializers.Serializer):
    """POST memories/import."""

    jsonl = shapes.Text()
    dry_run = shapes.Flag(default=False)
    bucket = shapes.Filter(required=False)
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)
    limit = shapes.Whole(least=1, most=LINES_MOST, default=LINES_MOST)
    cursor = shapes.Whole(least=0, most=1_000_000, default=0)


class Export(Door):
    """POST memories/export."""

    changes = False

    def post(self, request: Request) -> Response:
        """A page of memories, complete: versions, links and where they stand. `next_cursor` asks for the rest.

        A page ends early where it would not fit into one request of an import.
        """
        sent = read(Out, body_of(request))
        wanted = Search("*", bucket=sent["bucket"], scope=sent.get("scope"), team_id=sent.get("team_id"))
        with in_the_body():
            page = export(
                wanted=wanted,
                after=sent["cursor"],
                limit=sent["limit"],
                deleted=sent["include_deleted"],
                embeddings=sent["include_embeddings"],
                actor=actor_of(request),
            )
        text = "".join(f"{line}\n" for line in page.lines)
        return Response({"jsonl": text, "count": len(page.lines), "next_cursor": page.following})


class OutAll(Told):
    """POST export."""

    cursor = shapes.Text(required=False)
    kinds = Kinds(required=False)
    include_deleted = shapes.Flag(default=True)


class InAny(serializers.Serializer):
    """POST import."""

    format = shapes.Text(default="memory-console")
    text = shapes.Text(required=False)
    archive = shapes.Text(required=False)
    name = shapes.Text(required=False)
    dry_run = shapes.Flag(default=False)
    bucket = shapes.Filter(required=False)
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)


class ExportAll(Door):
    """POST export."""

    changes = False

    def post(self, request: Request) -> Response:
        """A page of everything: memories with histories and links, uses, TODOs, ledger, decisions and snapshots.

        `next_cursor` asks for the rest; `left_out` names kinds for which the token lacks a scope.
        """
        sent = read(OutAll, body_of(request), strict=True)
        wanted = Wanted(
            kinds=sent.get("kinds", KINDS),
            space_id=sent.get("team_id"),
            bucket=sent["bucket"],
            scope=sent.get("scope"),
            deleted=sent["include_deleted"],
            embeddings=sent["include_embeddings"],
        )
        with in_the_body():
            page = export_everything(
                wanted=wanted, after=sent.get("cursor") or None, limit=sent["limit"], actor=actor_of(request)
            )
        text = "".join(f"{line}\n" for line in page.lines)
        told = {"jsonl": text, "count": len(page.lines), "next_cursor": page.following}
        return Response(told | {"left_out": list(page.left_out)})


class Taking(Door):
    """A POST that stores what was sent, unless it only says what it would store."""

    def keeps_answers(self, request: Request) -> bool:
        """Not of what only says what it would do: the same key then serves for doing it."""
        return body_of(request).get("dry_run") not in (True, "true")


class ImportAny(Taking):
    """POST import."""

    def post(self, request: Request) -> Response:
        """Store what a file holds, each record once however often it comes; wrong rows are named and left out.

        `format` says what it is; `text` is what the file says, or `archive` a zip of such files in base64. The answer
        says of each row what became of it; with `dry_run` what would, and nothing is written.
        """
        sent = read(InAny, body_of(request), strict=True)
        place = Place(team_id=sent.get("team_id"), bucket=sent.get("bucket"), scope=sent.get("scope"))
        name = sent["format"]
        if name not in FORMATS:
            raise Invalid.field(
                "format", phrase("This format is unknown. Choose among %(names)s.", names=", ".join(FORMATS))
            )
        with in_the_body():
            report = take(
                format_name=name,
                name=_file_name(sent),
                data=_data(sent),
                place=place,
                dry_run=sent["dry_run"],
                actor=actor_of(request),
            )
        return Response(report_json(report))


def _file_name(sent: dict[str, Any]) -> str:
    name = str(sent.get("name") or "text").replace("\\", "/").rsplit("/", 1)[-1]
    return name[:200] if name.isprintable() and name else "text"


def _data(sent: dict[str, Any]) -> bytes:
    """The bytes of the file. Raises Invalid."""
    if ("text" in sent) == ("archive" in sent):
        raise Invalid.field("text", phrase("Send either text, what the file says, or archive, a zip in base64."))
    if "text" in sent:
        return str(sent["text"]).encode()
    try:
        return base64.b64decode(str(sent["archive"]), validate=True)
    except ValueError:
        raise Invalid.field("archive", phrase("This is not base64. Encode the bytes of the zip.")) from None


def report_json(report: Report) -> dict[str, Any]:
    """A report as the API tells it."""
    rows = [{"row": told(one.where), "outcome": one.outcome, "message": told(one.why)} for one in report.outcomes]
    return {
        "format": report.format_name,
        "dry_run": report.dry_run,
        "imported": sum(report.made.values()),
        "known": report.count("known"),
        "error_count": report.count("wrong"),
        "links_left": report.links_left,
        "made": report.made,
        "passed_over": list(report.passed_over[:ERRORS_MOST]),
        "rows": rows,
    }


class Import(Taking):
    """POST memories/import."""

    def page_of(self, request: Request) -> Page:
        """Clients send the same lines again with each cursor, all under the key of the whole import."""
        return Page("cursor", str(body_of(request).get("cursor") or 0)[:20])

    def post(self, request: Request) -> Response:
        """Store the memories of these lines, each once however often it comes; wrong lines are named and left out.

        `cursor` passes over lines that were read, `limit` reads so many; `next_cursor` says where to go on. All pages
        of the same lines may have one Idempotency-Key.
        """
        sent = read(In, body_of(request))
        place = Place(team_id=sent.get("team_id"), bucket=sent.get("bucket"), scope=sent.get("scope"))
        rows, bad, following = _lines(sent["jsonl"], sent["cursor"], sent["limit"])
        found = import_all(rows=rows, place=place, dry_run=sent["dry_run"], actor=actor_of(request))
        return Response(_imported_json(found, bad, following) | {"dry_run": sent["dry_run"]})


def _lines(
    text: str, start: int, limit: int
) -> tuple[list[tuple[int, dict[str, Any]]], list[tuple[int, str]], int | None]:
    """The rows of a part of the lines, those that are none, and where the next part begins."""
    if not text.strip():
        raise Invalid.field("jsonl", phrase("There is no line in it. Send lines of JSON."))
    rows: list[tuple[int, dict[str, Any]]] = []
    bad: list[tuple[int, str]] = []
    for number, row, _rest in lines(io.BytesIO(text.encode())):
        if number <= start:
            continue
        if len(rows) + len(bad) == limit:
            return rows, bad, number - 1
        if isinstance(row, BadLine):
            bad.append((number, phrase("The line cannot be read: %(why)s.", why=row.why)))
        else:
            rows.append((number, row))
    return rows, bad, None


def _imported_json(found: Imported, bad: list[tuple[int, str]], following: int | None) -> dict[str, Any]:
    errors = sorted([*found.errors, *bad])
    return {
        "imported": found.imported,
        "known": found.known,
        "links_left": found.links_left,
        "errors": [{"line": number, "message": told(text)} for number, text in errors[:ERRORS_MOST]],
        "error_count": len(errors),
        "next_cursor": following,
    }
