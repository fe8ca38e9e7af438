"""What is ticked in a list: nothing at first, or with `selected=all` all rows that its filters let through."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import HttpRequest

from console.errors import Invalid
from console.saying import phrase
from memories.models import Memory
from memories.pages.keyset import Page, grouped
from memories.services.bulk import SOFT_MOST


@dataclass(frozen=True, slots=True)
class Selection:
    """`others` are the ticked records that stand on other pages of the list, as the form sends them.

    `all_url` ticks all, where that is not too many at once; `none_url` ticks nothing.
    """

    whole: bool
    others: list[str]
    count: int
    all_url: str
    none_url: str


def of(request: HttpRequest, page: Page, rows: QuerySet[Memory]) -> Selection:
    """What the address asks to be ticked. Raises Invalid for more than can be acted upon at once."""
    rest = request.GET.copy()
    whole = rest.pop("selected", [""])[-1] == "all"
    none_url = f"{request.path}?{rest.urlencode()}"
    rest["selected"] = "all"
    if whole and page.counted > SOFT_MOST:
        raise Invalid.field("selected", _too_many(page.total_text), where="query")
    others = _others(page, rows) if whole else []
    count = len(page.rows) + len(others) if whole else 0
    all_url = f"{request.path}?{rest.urlencode()}" if 1 < page.counted <= SOFT_MOST and not whole else ""
    return Selection(whole, others, count, all_url, none_url)


def _others(page: Page, rows: QuerySet[Memory]) -> list[str]:
    here = [row.pk for row in page.rows]
    found = rows.exclude(pk__in=here).order_by().values_list("pk", "state__version")[:SOFT_MOST]
    return [f"{key}:{version}" for key, version in found]


def _too_many(total: str) -> str:
    return phrase(
        "%(count)s memories match; at most %(most)s can be ticked at once. Narrow the filters.",
        count=total,
        most=grouped(SOFT_MOST),
    )
