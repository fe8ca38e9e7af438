"""Memories as JSON Lines: out of this console, and into it."""

from __future__ import annotations

import io
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, read
from console.errors import Invalid
from console.importing import BadLine, lines
from memories.api import shapes
from memories.api.searching import in_the_body
from memories.search.wanted import Search
from memories.services import fields
from memories.services.export import LINES_MOST, export
from memories.services.import_all import Imported, import_all
from memories.services.import_lines import Place

ERRORS_MOST = 200  # named in one answer


class Out(serializers.Serializer):
    """POST memories/export."""

    limit = shapes.Whole(least=1, most=LINES_MOST, default=LINES_MOST)
    bucket = shapes.Filter(default="%")
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)
    cursor = shapes.Text(required=False)
    include_deleted = shapes.Flag(default=False)
    include_embeddings = shapes.Flag(default=False)


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
        after = fields.record_id(sent["cursor"]) if sent.get("cursor") else None
        wanted = Search("*", bucket=sent["bucket"], scope=sent.get("scope"), team_id=sent.get("team_id"))
        with in_the_body():
            page = export(
                wanted=wanted,
                after=after,
                limit=sent["limit"],
                deleted=sent["include_deleted"],
                embeddings=sent["include_embeddings"],
                actor=actor_of(request),
            )
        text = "".join(f"{line}\n" for line in page.lines)
        following = str(page.following) if page.following else None
        return Response({"jsonl": text, "count": len(page.lines), "next_cursor": following})


class Import(Door):
    """POST memories/import."""

    def post(self, request: Request) -> Response:
        """Store the memories of these lines, each once however often it comes; wrong lines are named and left out.

        `cursor` passes over lines that were read, `limit` reads so many; `next_cursor` says where to go on.
        """
        sent = read(In, body_of(request), strict=True)
        place = Place(team_id=sent.get("team_id"), bucket=sent.get("bucket"), scope=sent.get("scope"))
        rows, bad, following = _lines(sent["jsonl"], sent["cursor"], sent["limit"])
        found = import_all(rows=rows, place=place, dry_run=sent["dry_run"], actor=actor_of(request))
        return Response(_imported_json(found, bad, following) | {"dry_run": sent["dry_run"]})


def _lines(
    text: str, start: int, limit: int
) -> tuple[list[tuple[int, dict[str, Any]]], list[tuple[int, str]], int | None]:
    """The rows of a part of the lines, those that are none, and where the next part begins."""
    if not text.strip():
        raise Invalid.field("jsonl", "There is no line in it. Send lines of JSON.")
    rows: list[tuple[int, dict[str, Any]]] = []
    bad: list[tuple[int, str]] = []
    for number, row, _ in lines(io.BytesIO(text.encode())):
        if number <= start:
            continue
        if len(rows) + len(bad) == limit:
            return rows, bad, number - 1
        if isinstance(row, BadLine):
            bad.append((number, f"The line cannot be read: {row.why}."))
        else:
            rows.append((number, row))
    return rows, bad, None


def _imported_json(found: Imported, bad: list[tuple[int, str]], following: int | None) -> dict[str, Any]:
    errors = sorted([*found.errors, *bad])
    return {
        "imported": found.imported,
        "known": found.known,
        "links_left": found.links_left,
        "errors": [{"line": number, "message": text} for number, text in errors[:ERRORS_MOST]],
        "error_count": len(errors),
        "next_cursor": following,
    }
