"""Which record a descriptive target means: exactly one, or none at all. Nothing here guesses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import BooleanField
from django.db.models.expressions import RawSQL
from django.db.models.functions import Left

from console.errors import Conflict, Invalid, NotFound
from console.saying import phrase
from console.text import unstorable
from memories.access import Actor, live, may_use, visible_to
from memories.models import Decision, LedgerEntry, LifecycleStatus, Memory, Todo
from memories.search.terms import CJK
from memories.services import fields, records

TARGET_LIMIT = 1_000  # characters
SHOWN_MOST = 20  # matches named in a refusal
COUNT_MOST = 100  # matches counted of one kind and field
EXCERPT = 80  # characters of each
_ID = re.compile(r"(?<![0-9a-z-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z-])", re.IGNORECASE)
_SHORT = re.compile(r"(?:(?:mem|todo|led)_)?(?:…|\.\.\.)?[0-9a-f]{6,12}", re.IGNORECASE)

# Fields that name a record as a whole, and the one whose words a phrase may be part of.
NAMES: dict[str, tuple[str, ...]] = {
    "memory": ("content", "semantic_key", "path"),
    "todo": ("content",),
    "ledger": ("item",),
    "decision": ("context",),
}
MODELS: dict[str, Any] = {"memory": Memory, "todo": Todo, "ledger": LedgerEntry, "decision": Decision}


@dataclass(frozen=True, slots=True)
class Match:
    """A record that a target fits, and how its text begins."""

    id: UUID
    kind: str
    text: str


def resolve(target: str, *, actor: Actor) -> UUID:
    """The one live, visible record that `target` means.

    A whole id in the text decides alone. Else a record whose text, semantic key or path equals the target (case,
    accents and spacing aside), else one whose text holds the target as a whole phrase between word boundaries.
    Raises Invalid for an empty target, NotFound, and Conflict that lists the matches where there are several.
    """
    if not isinstance(target, str) or unstorable(target) or not fields.said(target):
        raise Invalid.field(
            "target", phrase("The target is empty or no plain text. Name the record, or send its memory_id.")
        )
    if len(target) > TARGET_LIMIT:
        raise Invalid.field(
            "target",
            phrase("The target is longer than %(most)s characters. Send the memory_id.", most=f"{TARGET_LIMIT:,}"),
        )
    ids = sorted({UUID(text) for text in _ID.findall(target)})
    matches = _by_id(ids, actor) if ids else _equal(target, actor) or _phrase(target, actor)
    if not matches:
        raise NotFound(_absent(target))
    if len(matches) > 1 or len(ids) > 1:
        raise Conflict(
            _several(len(matches)),
            count=len(matches),
            matches=[_named(match, actor) for match in matches[:SHOWN_MOST]],
        )
    return matches[0].id


def _several(number: int) -> str:
    if number > COUNT_MOST:
        return phrase(
            "More than %(most)s records match this target, so nothing was done. "
            "Send the memory_id of the one you mean.",
            most=COUNT_MOST,
        )
    return phrase(
        "%(number)s records match this target, so nothing was done. Send the memory_id of the one you mean.",
        number=number,
    )


def _absent(target: str) -> str:
    if _SHORT.fullmatch(target.strip()):
        return phrase(
            "No record is called that. A shortened id names nothing; send the whole id, as its copy button gives it."
        )
    return phrase("No record matches this target exactly. Search for it, and send the memory_id of the one you mean.")


def _named(match: Match, actor: Actor) -> dict[str, str]:
    """A reference; with the beginning of its text for those who may read."""
    found = {"id": str(match.id), "kind": match.kind}
    readable = match.kind == "ledger" or may_use(actor, "memory:read")
    return found | ({"text": match.text} if readable else {})


def _by_id(ids: list[UUID], actor: Actor) -> list[Match]:
    found = []
    for key in ids:
        try:
            record = records.find(key, actor=actor)
        except NotFound:
            continue
        if records.standing(record).status != LifecycleStatus.DELETED:
            kind = records.kind_of(record)
            text = getattr(record, NAMES[kind][0]) if kind in NAMES else ""
            found.append(Match(record.pk, kind, text[:EXCERPT]))
    return found


def _living(kind: str, actor: Actor) -> Any:
    rows = visible_to(actor, MODELS[kind].objects.all())
    return live(rows) if kind == "memory" else rows.filter(status=LifecycleStatus.ACTIVE)


# All words of the target occur: the index narrows the rows before anything is compared.
_INDEXED = "{table}.search @@ (plainto_tsquery('pg_catalog.simple', %s) && %s::tsquery)"
# Words parted by one space each; a Chinese character or a kana is a word, as nothing parts them. None from a target
# without letters or digits.
_WORDS = r"""NULLIF(btrim(regexp_replace(regexp_replace({folded}, '[^[:alnum:]]+', ' ', 'g'),
    '\s*([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])\s*|\s+', ' \1 ', 'g')), '')"""
_TIGHT = r"regexp_replace({words}, '\s+', ' ', 'g')"


def _tight(folded: str) -> str:
    return _TIGHT.format(words=_WORDS.format(folded=folded))


def _folded(kind: str, name: str) -> str:
    """The expression of a field, normalised."""
    table = MODELS[kind]._meta.db_table
    return f"{table}.folded" if (kind, name) == ("memory", "content") else f"mc_fold({table}.{name})"


def _terms(target: str) -> list[str]:
    """The values of `_INDEXED`: words that are parted by spaces, and pairs of characters of scripts without any."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT mc_spaced(mc_fold(%s))", [target])
        tokens = cursor.fetchone()[0].split()
    runs = [token for token in tokens if CJK.match(token)]
    pairs = [token for token in runs if len(token) > 1] or runs  # the last character of a run stands beside its pairs
    return [" ".join(token for token in tokens if token not in runs), " & ".join(f"'{token}':*" for token in pairs)]


def _matching(actor: Actor, conditions: list[tuple[str, str, list[str]]]) -> list[Match]:
    """Every live record for which a condition (kind, SQL, its values) holds, once. Money has a scope of its own."""
    found: dict[UUID, Match] = {}
    for kind, sql, values in conditions:
        if kind == "ledger" and not may_use(actor, "ledger:read"):
            continue
        begins = Left(NAMES[kind][0], EXCERPT)
        rows = _living(kind, actor).filter(RawSQL(sql, values, BooleanField())).order_by("pk")  # noqa: S611
        found |= {key: Match(key, kind, said) for key, said in rows.values_list("pk", begins)[: COUNT_MOST + 1]}
    return list(found.values())


def _equal(target: str, actor: Actor) -> list[Match]:
    """Records of which the target is the whole text, path or semantic key."""
    terms, conditions = _terms(target), []
    for kind, names in NAMES.items():
        table = MODELS[kind]._meta.db_table
        for name in names:
            keyed = name == "semantic_key"  # not in the index of words, and few have one
            narrow = f"{table}.{name} IS NOT NULL" if keyed else _INDEXED.format(table=table)
            sql = f"{narrow} AND {_folded(kind, name)} = mc_fold(%s)"
            conditions.append((kind, sql, [target] if keyed else [*terms, target]))
    return _matching(actor, conditions)


def _phrase(target: str, actor: Actor) -> list[Match]:
    """Records in whose text all words of the target stand in a row."""
    terms, conditions = _terms(target), []
    for kind, (text, *_) in NAMES.items():
        inside, asked = _tight(_folded(kind, text)), _tight("mc_fold(%s)")
        table, values = MODELS[kind]._meta.db_table, [*terms]
        sql = _INDEXED.format(table=table)
        if kind == "memory":  # its index holds the words of its path, too
            sql += " AND " + _INDEXED.replace("{table}.search", f"ts_filter({table}.search, '{{a}}')")
            values += terms
        sql += f" AND strpos(' ' || {inside} || ' ', ' ' || {asked} || ' ') > 0"
        conditions.append((kind, sql, [*values, target]))
    return _matching(actor, conditions)
