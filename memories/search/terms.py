"""A query as terms that the index knows. The database cuts the query with the functions that cut the stored texts.

A word matches as a prefix and by its stem (English, Portuguese, Spanish), a single letter or digit only as it is. A
run of up to four Chinese, Japanese or Korean characters matches as a whole, by all of its pairs; of a longer run each
pair is a term of its own, because sentences and particles seldom recur. A date is one term, found by its words or by
the moment of a record. No character of a query is an operator, but "…" asks for the exact phrase.

What a query costs grows with its words, so the first TERMS_MOST different ones that say something are looked for; how
many are left out is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.db import connection
from django.utils import timezone

from memories.search.dates import Span, spans
from memories.search.wanted import visible_text

TERMS_MOST = 32
SHORTEST_BEGINNING = 4  # letters; what begins with a shorter word mostly has nothing to do with it: tea, team
RUN_PAIRS = 3  # a run of up to four characters
STOP_WEIGHT = 0.1  # of a word that carries no meaning of its own in one of the three languages, but perhaps here
ASKING_WEIGHT = 0.3  # of a word that belongs to the form of a question rather than to its matter
ASKING = frozenset(
    """
    would could might may shall likely many much kind kinds type types sort mention mentioned say says said tell told
    ask asked describe described thing things happen happened often also ever long
    quanto quantos quanta quantas tipo tipos disse falou conta contou aconteceu coisa coisas
    cuanto cuantos cuanta cuantas dijo conto paso cosa cosas
    언제 누가 무엇 어디 어떤 何時 何処 誰 何
    """.split()  # noqa: SIM905 - read as a text
)
CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
PHRASE = re.compile(r'["“”]([^"“”]*)["“”]')

FOLD = "SELECT mc_fold(%s), ARRAY(SELECT mc_fold(p) FROM unnest(%s::text[]) AS p)"
SPACED = "SELECT ARRAY(SELECT mc_spaced(t) FROM unnest(%s::text[]) WITH ORDINALITY AS u (t, place) ORDER BY place)"
LEXEMES = """
SELECT word, tsvector_to_array(to_tsvector('pg_catalog.simple', word)),
       ts_lexize('pg_catalog.english_stem', word),
       ts_lexize('pg_catalog.portuguese_stem', mc_singular(word)),
       ts_lexize('pg_catalog.spanish_stem', word)
FROM unnest(%s::text[]) WITH ORDINALITY AS words (word, place) ORDER BY place
"""


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: what it is called, its tsquery, and how much it says beside the others (0..1).

    `said` is the tsquery that finds it in the content alone, without path and metadata. `span` are the days meant.
    """

    text: str
    query: str
    said: str
    weight: float
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """A query, cut: folded as a whole, its terms, its quoted phrases (folded; each must occur), and how many words are
    left out because there are too many.
    """

    folded: str
    terms: tuple[Term, ...]
    phrases: tuple[str, ...]
    left_out: int = 0


def cut(query: str) -> Terms:
    """`query` as terms."""
    quoted = [phrase for phrase in PHRASE.findall(query) if visible_text(phrase)]
    with connection.cursor() as cursor:
        cursor.execute(FOLD, [query, quoted])
        folded, phrases = cursor.fetchone()
        dates, rest = spans(folded, timezone.localdate())
        cursor.execute(SPACED, [[rest, *(span.text for span in dates)]])
        spaced, *dated = cursor.fetchone()[0]
        groups = list(dict.fromkeys(_groups(spaced.split())))
        cursor.execute(LEXEMES, [[group[0] for group in groups if not _is_cjk(group[0])]])
        looked_up = cursor.fetchall()
    words = {row[0]: _word(*row) for row in looked_up}
    empty = _empty([(row[0], row[2:]) for row in looked_up])
    groups = [group for group in groups if group[0] not in empty] or groups
    terms = [words[group[0]] if group[0] in words else _run(group) for group in groups[:TERMS_MOST]]
    terms += [_date(span, text.split()) for span, text in zip(dates, dated, strict=True)]
    known = tuple(term for term in terms if term is not None)
    return Terms(folded, known, tuple(phrase for phrase in phrases if phrase), max(len(groups) - TERMS_MOST, 0))


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
    text = pairs[0] + "".join(pair[1:] for pair in pairs[1:])
    weight = ASKING_WEIGHT if text in ASKING else 1.0
    return Term(text, _all(pairs, "AC"), _all(pairs, "A"), weight)


def _empty(words: Sequence[tuple[str, Sequence[list[str] | None]]]) -> set[str]:
    """The words that carry no meaning in the language of the query, where one of the three shows by two such words."""
    lists = [{word for word, stems in words if stems[place] == []} for place in range(3)]
    most = max(lists, key=len)
    return most if len(most) > 1 else set()


def _all(lexemes: Iterable[str], fields: str) -> str:
    """The tsquery of a text that has each of `lexemes` in one of `fields`, as a prefix unless it is short."""
    return " & ".join(f"{_quoted(lexeme)}:{_prefix(lexeme)}{fields}" for lexeme in lexemes)


def _prefix(lexeme: str) -> str:
    return "*" if len(lexeme) >= SHORTEST_BEGINNING or _is_cjk(lexeme) else ""


def _date(span: Span, words: list[str]) -> Term | None:
    return Term(span.text, _all(words, "AC"), _all(words, "A"), 1.0, span) if words else None


def _word(word: str, lexemes: list[str], *stems: list[str] | None) -> Term | None:
    """The term of one word; None where the index has no such word because it is too long."""
    if not lexemes:
        return None
    cut_down = [_quoted(stem) for stem in sorted({stem for found in stems if found for stem in found})]
    said = " | ".join([f"({_all(lexemes, 'A')})", *(f"{stem}:B" for stem in cut_down)])
    query = " | ".join([f"({_all(lexemes, 'AC')})", *(f"{stem}:B | {stem}:D" for stem in cut_down)])
    weight = STOP_WEIGHT if any(found == [] for found in stems) else ASKING_WEIGHT if word in ASKING else 1.0
    return Term(word, query, said, weight)
