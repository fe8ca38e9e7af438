"""What TODOs, ledger entries, decisions and snapshots share: rules of their fields, their place, and their filters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField, Model, QuerySet
from django.db.models.expressions import RawSQL

from console.errors import Conflict, Invalid, NotAllowed, Problem
from console.saying import phrase
from console.text import unstorable
from memories.access import Actor, visible_to
from memories.models import LifecycleStatus
from memories.patterns import ilike
from memories.search.wanted import PATTERN_LIMIT, QUERY_LIMIT, WILDCARDS_MOST, literal, visible_text
from memories.services import fields
from memories.services.fields import Rule

ANY = "%"
OPTIONS_MOST, OPTION_LIMIT = 50, 2_000
FIRST_DAY = date(1900, 1, 1)
LAST_YEAR = 9998  # a day later, the last hours of 9999 have no name in zones east of UTC


def line(name: str, limit: int, *, blank: bool = False) -> Rule:
    """The rule of one line of text with at most `limit` characters."""

    def rule(value: Any) -> str | None:
        if not isinstance(value, str):
            return phrase("The %(name)s is not text. Send a string.", name=name)
        if unstorable(value) or any(ord(letter) < 32 for letter in value):
            return phrase("The %(name)s holds a control character or half a surrogate pair. Remove it.", name=name)
        if not blank and not fields.said(value):
            return phrase("The %(name)s is empty. Write one.", name=name)
        if len(value) > limit:
            return phrase(
                "The %(name)s is longer than %(limit)s characters. Shorten it.", name=name, limit=f"{limit:,}"
            )
        return None

    return rule


def text(name: str, limit: int, *, blank: bool = False) -> Rule:
    """The rule of a text of many lines with at most `limit` characters."""
    one_line = line(name, limit, blank=blank)

    def rule(value: Any) -> str | None:
        return one_line(value.translate({9: " ", 10: " ", 13: " "}) if isinstance(value, str) else value)

    return rule


def _time(value: Any) -> str | None:
    if isinstance(value, datetime) and value.tzinfo is None:
        return phrase("The time has no offset. Add one, e.g. 2026-03-01T00:00:00Z.")
    if isinstance(value, datetime) and not FIRST_DAY.year <= value.year <= LAST_YEAR:
        return phrase(
            "The time lies outside the years %(year)s to %(most)s. Write one in between.",
            year=FIRST_DAY.year,
            most=LAST_YEAR,
        )
    return fields.RULES["expires_at"][0](value)


def _day(value: Any) -> str | None:
    if isinstance(value, datetime) or not isinstance(value, date) or value < FIRST_DAY:
        return phrase("This is no day since %(year)s. Write it like 2026-11-30.", year=FIRST_DAY.year)
    return None


def _options(value: Any) -> str | None:
    if not isinstance(value, list) or len(value) > OPTIONS_MOST:
        return phrase(
            'The options are no list of at most %(most)s texts. Send one, such as ["yes", "no"].', most=OPTIONS_MOST
        )
    found = (text(phrase("option"), OPTION_LIMIT)(option) for option in value)
    return next((fault for fault in found if fault), None)


RULES: dict[str, tuple[Rule, bool]] = {
    # name: (rule, whether None is allowed)
    **fields.RULES,
    "due_at": (_time, True),
    "occurred_at": (_time, False),
    "occurred_on": (_day, False),
    "note": (text(phrase("note"), 4_000, blank=True), False),
    "item": (line(phrase("item"), 500), False),
    "category": (line(phrase("category"), 100, blank=True), False),
    "context": (text(phrase("context"), 16_000), False),
    "options": (_options, False),
    "resolution": (text(phrase("resolution"), 16_000), False),
    "label": (line(phrase("label"), 200, blank=True), False),
    "state_key": (line(phrase("state key"), 150), False),
    "current_task": (text(phrase("current task"), 4_000, blank=True), False),
    "next_action": (text(phrase("next action"), 4_000, blank=True), False),
    "blocked_reason": (text(phrase("blocked reason"), 4_000, blank=True), False),
    "event_type": (line(phrase("event type"), 50), False),
    "action": (line(phrase("action"), 50), False),
    "use_context": (text(phrase("context"), 4_000, blank=True), False),
    "usage_tracking_id": (line(phrase("tracking id"), 200), True),
}


def check(values: Mapping[str, Any]) -> None:
    """Check every field in `values` by its rule. Raises Invalid naming all that fail."""
    fields.check_by(RULES, values)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record is to stand."""

    team_id: UUID | None
    bucket: str
    scope: str | None
    path: str


def place(
    actor: Actor,
    *,
    team_id: UUID | None = None,
    bucket: str | None = None,
    scope: str | None = None,
    path: str = "",
    usual: str = "work",
) -> Place:
    """The place asked for; what is left out is filled from the bounds of the token. Raises Invalid, NotAllowed."""
    bounds = actor.bounds
    if bucket is None:
        bucket = usual if bounds.buckets is None or usual in bounds.buckets else next(iter(bounds.buckets), usual)
    scope = bounds.scope if scope is None else scope
    path = bounds.path_prefix if path == "" else path
    fields.check({"bucket": bucket, "scope": scope, "path": path})
    if team_id is not None and (team_id not in actor.spaces or team_id == actor.own):
        raise NotAllowed(phrase("You are not a member of this team, or this token is not bound to it."))
    if team_id is None and actor.own not in actor.spaces:
        raise NotAllowed(phrase("This token writes for its team only. Send the team's id as team_id."))
    found = Place(team_id, bucket, scope, path.strip("/"))
    check_inside(actor, found)
    return found


def check_inside(actor: Actor, wanted: Any) -> None:
    """Raises NotAllowed where bucket, scope and path of `wanted` lie outside the bounds of the token."""
    if not actor.bounds.allow(bucket=wanted.bucket, scope=wanted.scope, path=wanted.path):
        raise NotAllowed(phrase("This place lies outside the space that the token is bound to."))


IN_TRASH = {
    "todo": phrase("This TODO is in the trash. Restore it before you change it."),
    "ledger": phrase("This ledger entry is in the trash. Restore it before you change it."),
    "decision": phrase("This decision is in the trash. Restore it before you change it."),
}


def check_not_deleted(record: Any, kind: str) -> None:
    """Raises Conflict for a record in the trash; `kind` is a key of IN_TRASH."""
    if record.status == LifecycleStatus.DELETED:
        raise Conflict(IN_TRASH[kind])


@dataclass(frozen=True, slots=True)
class Filter:
    """What every list of these records can be narrowed by. `bucket` is an ILIKE pattern, `query` holds words."""

    query: str = ""
    bucket: str = ANY
    scope: str | None = None
    space_id: UUID | None = None


Record = TypeVar("Record", bound=Model)


def listed(actor: Actor, rows: QuerySet[Record], wanted: Filter) -> QuerySet[Record]:
    """Those of `rows` that the actor may see within the filters. Raises Invalid, NotAllowed."""
    problems = [Problem(("query", name), fault) for name, fault in _problems(wanted)]
    if problems:
        raise Invalid(*problems)
    if wanted.space_id is not None and wanted.space_id not in actor.spaces:
        raise NotAllowed(phrase("You are not a member of this team, or this token is not bound to it."))
    found = visible_to(actor, rows)
    if wanted.space_id is not None:
        found = found.filter(space_id=wanted.space_id)
    if wanted.bucket not in (ANY, ""):
        found = found.filter(ilike("bucket", wanted.bucket))
    return found.filter(scope=wanted.scope) if wanted.scope else found


def _problems(wanted: Filter) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, limit in (("query", QUERY_LIMIT), ("bucket", PATTERN_LIMIT), ("scope", PATTERN_LIMIT)):
        value = getattr(wanted, name) or ""
        if unstorable(value):
            found.append(
                (name, phrase("%(name)s holds a NUL or half a surrogate pair. Send plain Unicode text.", name=name))
            )
        elif len(value) > limit:
            found.append(
                (
                    name,
                    phrase(
                        "%(name)s has %(length)s characters. Use at most %(limit)s.",
                        name=name,
                        length=len(value),
                        limit=limit,
                    ),
                )
            )
    if wanted.bucket.count("%") + wanted.bucket.count("_") > WILDCARDS_MOST:
        found.append(
            ("bucket", phrase("bucket has more than %(most)s wildcards (%% and _). Use fewer.", most=WILDCARDS_MOST))
        )
    return found


WORDS_MOST = 48
PHRASE = re.compile(r'["“”]([^"“”]+)["“”]')
FOLD = "SELECT mc_fold(%s), ARRAY(SELECT mc_fold(p) FROM unnest(%s::text[]) AS p)"
CUT = """
SELECT word, ts_lexize('pg_catalog.english_stem', word), ts_lexize('pg_catalog.portuguese_stem', word),
       ts_lexize('pg_catalog.spanish_stem', word)
FROM unnest(string_to_array(mc_spaced(%s), ' ')) AS words (word)
WHERE length(to_tsvector('pg_catalog.simple', word)) = 1
"""


def holding(rows: QuerySet[Record], query: str) -> QuerySet[Record]:
    """Those of `rows` that hold each word of `query`, as a prefix or by its stem, and each “phrase” as it stands.

    The database cuts the query with the functions that cut the stored texts, so no character is an operator. Words
    like “the” count only where there are no others. An empty query and `*` let everything through.
    """
    if query.strip() in ("", "*") or not visible_text(query):
        return rows
    with connection.cursor() as cursor:
        cursor.execute(FOLD, [query, PHRASE.findall(query)])
        folded, phrases = cursor.fetchone()
        cursor.execute(CUT, [folded])
        words = cursor.fetchall()[:WORDS_MOST]
    telling = [row for row in words if [] not in row[1:]] or words
    table = rows.model._meta.db_table
    if telling:
        wanted = " & ".join(_either(word, stems) for word, *stems in telling)
        rows = rows.filter(RawSQL(f'"{table}"."search" @@ %s::tsquery', [wanted], BooleanField()))  # noqa: S611
    for part in phrases if telling else [folded]:
        rows = rows.filter(RawSQL(f'"{table}"."folded" LIKE %s', [f"%{literal(part)}%"], BooleanField()))  # noqa: S611
    return rows


def _either(word: str, stems: list[list[str] | None]) -> str:
    """The tsquery of a word as a prefix, or one of its stems. Both are letters and digits only."""
    plain = sorted({stem for found in stems for stem in found or [] if stem.isalnum()} - {word})
    return "(" + " | ".join([f"'{word}':*", *(f"'{stem}'" for stem in plain)]) + ")"
