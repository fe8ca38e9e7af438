"""How long pages take among 100,000 memories, how heavy they are, and how soon a browser shows and answers.

Run by `make bench-pages`: about three minutes on two cores, in a console of its own in a temporary home (BENCH_HOME
names one that is kept, and used again without filling it anew). The texts are made up and the vectors random, so that
it says nothing of quality.

One client opens each list 20 times, in turns, then what each list counts beside it, and 40 searches: p50 and p95 in
milliseconds, and the bytes of the page, packed by gzip. Then Chromium opens pages: LCP (when the largest part is
there), CLS (how far things jump) and, on a pass with 500 candidates, INP (how long after an action the next picture
comes), the median and the slowest of many.
The last line is JSON.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import apart  # noqa: E402

HOME = apart.begin("pages", kept=True)

import numpy as np  # noqa: E402
from django.conf import settings  # noqa: E402

from bench.pages_browser import figures, session_of  # noqa: E402
from bench.reflection_scale_rows import fill_for_apply  # noqa: E402
from bench.scale_data import MEMORIES, VARIED, VOCABULARY, fill, vocabulary  # noqa: E402
from bench.scale_web import web  # noqa: E402
from console.postgres.context import everywhere  # noqa: E402
from memories.access import person  # noqa: E402
from memories.models import Memory, User  # noqa: E402
from reflection.models import ReflectPass  # noqa: E402
from reflection.services.plan import plan  # noqa: E402
from tests.memories.page_client import signed_in  # noqa: E402

TIMES, QUERIES, WARM_UP = 20, 40, 3
LISTS = {
    "all": "/memories",
    "in a bucket": "/memories?bucket=atlas",
    "of a type": "/memories?type=procedural",
    "in a folder": "/memories?under=folder+7",
    "archived": "/memories?status=archived",
    "of a project": "/memories?scope=tenant:project:42",
    "in a bucket and a folder": "/memories?bucket=work&under=folder+3&age=older",
    "by change": "/memories?order=updated",
}
FACETS = {name: address.replace("/memories", "/memories/facets") for name, address in LISTS.items()}
OTHERS = {"overview": "/", "audit": "/audit", "trash": "/trash", "timeline": "/timeline", "passes": "/passes"}
TARGETS = {"list_p95": 200, "search_p95": 300, "page_bytes": 60_000, "script_bytes": 30_000, "style_bytes": 15_000}
SLOW = "Counting took too long"


class Visitor:
    """Somebody who is signed in, on one connection."""

    def __init__(self, client: HTTPConnection, who: User) -> None:
        self.cookie = signed_in(who).cookies[settings.SESSION_COOKIE_NAME].value
        self.client, self.name = client, session_of(str(client.port))

    def opens(self, address: str) -> tuple[float, str]:
        """How many milliseconds the page took, and the page. Exits where it is refused."""
        start = time.perf_counter()
        self.client.request("GET", address, headers={"Cookie": f"{self.name}={self.cookie}"})
        answer = self.client.getresponse()
        body = answer.read()
        took = (time.perf_counter() - start) * 1000
        if answer.status != 200:
            sys.exit(f"{address} was answered with {answer.status}: {body[:300]!r}")
        return took, body.decode()


def packed(text: str) -> int:
    """The bytes of `text` as they would travel."""
    return len(gzip.compress(text.encode(), 6))


def measured(visitor: Visitor, pages: dict[str, str], times: int) -> dict[str, Any]:
    """Time and bytes of each page, opened in turns; how often facets were not counted in time."""
    took: dict[str, list[float]] = {name: [] for name in pages}
    size, slow = dict.fromkeys(pages, 0), 0
    for turn in range(WARM_UP + times):
        for name, address in pages.items():
            milliseconds, page = visitor.opens(address)
            if turn >= WARM_UP:
                took[name].append(milliseconds)
                slow += SLOW in page
            size[name] = packed(page)
    every = [one for times_ in took.values() for one in times_]
    return {
        "p50": round(float(np.percentile(every, 50)), 1),
        "p95": round(float(np.percentile(every, 95)), 1),
        "not_counted": slow,
        "pages": {
            name: {"p50": round(float(np.median(took[name])), 1), "p95": round(float(np.percentile(took[name], 95)), 1)}
            | {"bytes": size[name]}
            for name in pages
        },
    }


def searches(words: list[str]) -> dict[str, str]:
    """Questions of one to four words."""
    chance = random.Random(7)  # noqa: S311 - the same questions each time
    asked = [
        "+".join(words[int(chance.random() ** 2 * VOCABULARY)] for _ in range(1 + place % 4))
        for place in range(QUERIES)
    ]
    return {f"question {place}": f"/search?query={query}" for place, query in enumerate(asked)}


def report(name: str, found: dict[str, Any], *, whole: bool = True) -> None:
    """Print what one group of pages took."""
    not_counted = f", facets not counted {found['not_counted']} times" if found["not_counted"] else ""
    print(f"\n{name}: p50 {found['p50']:.0f} ms, p95 {found['p95']:.0f} ms{not_counted}")
    for page, one in found["pages"].items() if whole else ():
        print(f"  {page:26} p50 {one['p50']:6.1f} ms  p95 {one['p95']:6.1f} ms  {one['bytes'] / 1000:5.1f} kB")


def weights() -> dict[str, int]:
    """The bytes of scripts and styles that every page loads."""
    static = ROOT / "static"
    scripts = [static / "vendor" / "htmx.min.js", static / "console.js", static / "keys.js"]
    return {
        "script_bytes": sum(packed(path.read_text()) for path in scripts),
        "style_bytes": sum(packed((static / f"{name}.css").read_text()) for name in STYLES),
    }


STYLES = ("ground", "parts", "records", "reader")


def filled(words: list[str]) -> tuple[User, ReflectPass]:
    """Who has 100,000 memories, and a pass of 500 candidates of somebody else."""
    owner, _ = User.objects.get_or_create(username="owner")
    reviewer, fresh = User.objects.get_or_create(username="reviewer")
    if Memory.objects.filter(owner=owner).count() != MEMORIES:
        fill([owner], words, VARIED)
        fresh = True
    if fresh:
        fill_for_apply(reviewer)
    made = plan(given={"time_window_hours": 48}, actor=person(reviewer))
    return owner, made


@everywhere()
def main() -> None:
    """Fill, measure, print."""
    words = vocabulary(random.Random(7))  # noqa: S311
    owner, planned = filled(words)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {MEMORIES:,} memories")
    with web() as client:
        visitor = Visitor(client, owner)
        found = {
            "lists": measured(visitor, LISTS, TIMES),
            "facets": measured(visitor, FACETS, 5),
            "others": measured(visitor, OTHERS, 5),
            "searches": measured(visitor, searches(words), 1),
        }
        reviewer = Visitor(client, planned.planned_by)
        found["pass"] = measured(reviewer, {f"{sum(planned.counts.values())} candidates": f"/passes/{planned.pk}"}, 10)
        for name, one in found.items():
            report(name, one, whole=name != "searches")
        found |= weights()
        print(f"\nscripts {found['script_bytes'] / 1000:.1f} kB, styles {found['style_bytes'] / 1000:.1f} kB")
        place = f"http://{client.host}:{client.port}"
        pages = {"list": "/memories", "search": "/search?query=" + words[900], "overview": "/"}
        found["browser"] = figures(place, visitor.cookie, pages, reviewer.cookie, f"/passes/{planned.pk}")
    print(json.dumps(found | {"targets": TARGETS}))


if __name__ == "__main__":
    with apart.database(HOME):
        main()
