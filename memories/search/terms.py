"""A query as terms that the index knows. The database cuts the query with the functions that cut the stored texts.

A word matches as a prefix and by its stem (English, Portuguese, Spanish). A run of up to four Chinese, Japanese or
Korean characters matches as a whole, by all of its pairs; of a longer run each pair is a term of its own, because
sentences and particles seldom recur. No character of a query is an operator, but "…" asks for the exact phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection

from memories.search.wanted import visible_text

TERMS_MOST = 48
RUN_PAIRS = 3  # a run of up to four characters
STOP_WEIGHT = 0.1  # of a word that carries no meaning of its own in one of the three languages
CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
PHRASE = re.compile(r'["“”]([^"“”]*)["“”]')

CUT = "SELECT mc_fold(%s), mc_spaced(mc_fold(%s)), ARRAY(SELECT mc_fold(p) FROM unnest(%s::text[]) AS p)"
LEXEMES = """
SELECT word, tsvector_to_array(to_tsvector('pg_catalog.simple', word)),
       ts_lexize('pg_catalog.english_stem', word), ts_lexize('pg_catalog.portuguese_stem', word),
       ts_lexize('pg_catalog.spanish_stem', word)
FROM unnest(%s::text[]) WITH ORDINALITY AS words (word, place) ORDER BY place
"""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: what it is called, its tsquery, and how much it says beside the others (0..1)."""

    text: str
    query: str
    weight: float


@dataclass(frozen=True, slots=True)
class Terms:
    """A query, cut: folded as a whole, its terms, its quoted phrases (folded; each must occur)."""

    folded: str
    terms: tuple[Term, ...]
    phrases: tuple[str, ...]


def cut(query: str) -> Terms:
    """`query` as terms."""
    quoted = [phrase for phrase in PHRASE.findall(query) if visible_text(phrase)]
    with connection.cursor() as cursor:
        cursor.execute(CUT, [query, query, quoted])
        folded, spaced, phrases = cursor.fetchone()
        groups = list(dict.fromkeys(_groups(spaced.split())))[:TERMS_MOST]
        cursor.execute(LEXEMES, [[group[0] for group in groups if not _is_cjk(group[0])]])
        words = {row[0]: _word(*row) for row in cursor.fetchall()}
    terms = (words[group[0]] if group[0] in words else _run(group) for group in groups)
    return Terms(folded, tuple(term for term in terms if term is not None), tuple(p for p in phrases if p))


def _is_cjk(token: str) -> bool:
    return bool(CJK.match(token))


def _groups(tokens: list[str]) -> Iterator[tuple[str, ...]]:
    """Words and single characters alone, the pairs of a short run together, those of a long run one by one."""
    run: list[str] = []
    for token in tokens:
        if not _is_cjk(token):
            yield (token,)
        elif len(token) == 2:
            run.append(token)
        elif run:  # the last character of a run: its pairs say as much
            yield from [tuple(run)] if len(run) <= RUN_PAIRS else [(pair,) for pair in run]
            run = []
        else:
            yield (token,)


def _quoted(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def _run(pairs: tuple[str, ...]) -> Term:
    query = " & ".join(f"{_quoted(pair)}:*AC" for pair in pairs)
    return Term(pairs[0] + "".join(pair[1:] for pair in pairs[1:]), query, 1.0)


def _word(word: str, lexemes: list[str], *stems: list[str] | None) -> Term | None:
    """The term of one word; None where the index has no such word because it is too long."""
    if not lexemes:
        return None
    plain = " & ".join(f"{_quoted(lexeme)}:*AC" for lexeme in lexemes)
    cut_down = sorted({stem for found in stems if found for stem in found})
    query = " | ".join([f"({plain})", *(f"{_quoted(stem)}:B" for stem in cut_down)])
    return Term(word, query, STOP_WEIGHT if any(found == [] for found in stems) else 1.0)
