"""Dates that a question names, and how well the moment of a record fits them.

Read are days, months and years, also without their year, parts of a month, and yesterday, last week and their like
counted from now; in English, Portuguese, Spanish, Japanese, Korean and Chinese. People tell afterwards: what was
recorded shortly after a date fits as well, though less.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice

MONTHS = (
    "january jan janeiro enero",
    "february feb fevereiro febrero",
    "march mar marco marzo",
    "april apr abril",
    "may maio mayo",
    "june jun junho junio",
    "july jul julho julio",
    "august aug agosto",
    "september sept sep setembro septiembre setiembre",
    "october oct outubro octubre",
    "november nov novembro noviembre",
    "december dec dezembro diciembre",
)
NUMBER = {name: number for number, names in enumerate(MONTHS, 1) for name in names.split()}
S = r"[\s,./]*"  # what may stand between the parts of a date
NAME = rf"(?P<name>{'|'.join(sorted(NUMBER, key=len, reverse=True))})"
YEAR = r"(?P<year>(?:19|20)\d\d)"
DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])"
MONTH = r"(?P<month>1[0-2]|0?[1-9])"
OF = rf"{S}(?:of|de|do|del)?{S}"
PART = r"(?P<part>first week|second week|third week|last week|first half|second half|beginning|start|middle|end)"
ALONE = r"(?P<lead>(?:in|during|of|since|by|until|before|after|last|next|early|late|this|em|de|en|desde)\s+)"
FORMS = tuple(
    re.compile(form)
    for form in (
        rf"\b{YEAR}[-/.]{MONTH}[-/.]{DAY}\b",
        rf"{YEAR}\s?[年년]\s?{MONTH}\s?[月월](?:\s?{DAY}\s?[日일])?",
        rf"(?<!\d){MONTH}\s?[月월](?:\s?{DAY}\s?[日일])?",
        rf"{YEAR}\s?[年년]",
        rf"\b{PART}{OF}{NAME}(?:{OF}{YEAR})?\b",
        rf"\b{DAY}(?:st|nd|rd|th)?{OF}{NAME}(?:{OF}{YEAR})?\b",
        rf"\b{NAME}\s{DAY}(?:st|nd|rd|th)?(?:{S}{YEAR})?\b",
        rf"\b{NAME}{OF}{YEAR}\b",
        rf"\b{ALONE}{NAME}\b",
        rf"\b{ALONE}{YEAR}\b",
    )
)
AGO = (  # names, and how many days ago the span began and ended
    (("today", "hoje", "hoy", "今日", "今天", "오늘"), 0, 0),
    (("yesterday", "ontem", "ayer", "昨日", "昨天", "어제"), 1, 1),
    (("last week", "semana passada", "semana pasada", "先週", "上周", "지난주"), 13, 1),
    (("last month", "mes passado", "mes pasado", "先月", "上个月", "지난달"), 61, 1),
)
PARTS = {
    "first week": (1, 7),
    "second week": (8, 14),
    "third week": (15, 21),
    "last week": (22, 31),
    "first half": (1, 15),
    "second half": (16, 31),
    "beginning": (1, 10),
    "start": (1, 10),
    "middle": (10, 20),
    "end": (21, 31),
}
AFTER_DAYS = 14  # a day is told of, less and less, for so many days; a month for twice as many
BEFORE_DAYS = 7  # and planned before, half as likely
DATES_MOST = 4


@dataclass(frozen=True, slots=True)
class Span:
    """Days that are meant: `start` to `end`, both included; of every year where `yearly`."""

    text: str
    start: date
    end: date
    yearly: bool
    relative: bool = False

    @property
    def weight(self) -> float:
        """What the date says: the logarithm of how many such spans a year has, at least 1 (nats)."""
        return 1.0 if self.relative else max(math.log(365 / self._length), 1.0)

    @property
    def _length(self) -> int:
        return (self.end - self.start).days + 1

    def fit(self, told: date) -> float:
        """How well a record of the day `told` fits, 0..1."""
        if not self.yearly:
            return self._fit(told, self.start, self.end)
        years = (told.year - 1, told.year, told.year + 1)
        return max(self._fit(told, _in_year(self.start, year), _in_year(self.end, year)) for year in years)

    def _fit(self, told: date, start: date, end: date) -> float:
        if start <= told <= end:
            return 1.0
        if self._length > 31:
            return 0.0
        if told > end:
            fade = AFTER_DAYS if self._length < 10 else 2 * AFTER_DAYS
            return max(1 - ((told - end).days - 1) / fade, 0.0)
        return max(0.5 - 0.5 * (start - told).days / BEFORE_DAYS, 0.0)


def spans(folded: str, today: date) -> tuple[list[Span], str]:
    """The dates in a folded question, at most four, and the question without them."""
    found: list[Span] = []
    for form in FORMS:
        for match in form.finditer(folded):
            span = _span(match)
            if span is not None and len(found) < DATES_MOST:
                found.append(span)
                folded = folded[: match.start()] + " " * len(match[0]) + folded[match.end() :]
    found.extend(islice(_relative(folded, today), DATES_MOST - len(found)))
    return found, folded


def _span(match: re.Match[str]) -> Span | None:
    parts = {name: value for name, value in match.groupdict().items() if value}
    year = int(parts["year"]) if "year" in parts else None
    month = int(parts["month"]) if "month" in parts else NUMBER.get(parts.get("name", ""))
    text = match[0].removeprefix(parts.get("lead", ""))
    if month is None:
        return Span(text, date(year, 1, 1), date(year, 12, 31), yearly=False) if year else None
    last = calendar.monthrange(year or 2000, month)[1]  # 2000 had a 29th of February
    first_day, last_day = PARTS.get(parts.get("part", ""), (1, 31))
    if "day" in parts:
        first_day = last_day = int(parts["day"])
    if first_day > last:
        return None
    on = year or 2000
    return Span(text, date(on, month, first_day), date(on, month, min(last_day, last)), yearly=year is None)


def _relative(folded: str, today: date) -> Iterator[Span]:
    for names, began, ended in AGO:
        for name in names:
            if re.search(rf"\b{name}\b" if name.isascii() else name, folded):
                yield Span(name, today - timedelta(began), today - timedelta(ended), yearly=False, relative=True)


def _in_year(day: date, year: int) -> date:
    return day.replace(year=year, day=min(day.day, calendar.monthrange(year, day.month)[1]))
