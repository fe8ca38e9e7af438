"""Two people who wrote the same, one of them texts that would like to run, and whether they are shown the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.http import HttpResponse

from tests.console.test_every_address import addresses
from tests.memories.api_client import Api
from tests.memories.page_client import signed_in
from tests.rights import injections
from tests.rights.inert_world import WORD, World
from tests.rights.principals import ALL
from tests.rights.shape import Form, Forms, unlike

ID = re.compile(r"<(?:str|uuid):(\w+)_id>")
RECORDS = {  # which kind of record is meant, where the name of the id does not say
    "/records/": "trash",
    "/erased/": "erased",
    "/todos/": "todo",
    "/ledger/": "entry",
    "/decisions/": "decision",
    "/snapshots/": "snapshot",
    "/memories/": "memory",
}
MORE = [
    "/memories?status=archived",
    "/memories?status=expired&limit=200",
    "/memories?order=updated&limit=200",
    f"/search?query={WORD}&limit=50",
    "/todos?show=completed&limit=200",
    "/decisions?show=decided&limit=200",
    "/ledger?every=on&limit=200",
    "/trash?kind=todo",
    "/audit?limit=200&verify=1",
]
FILES = (".csv", ".jsonl")
FRAME = ("/search", "/go", "/theme", "/logout")  # forms that stand around every page, and are tried on their own
PAGES = sorted(path for path in addresses() if not path.startswith("/v1/") and not path.endswith(FILES))
LISTS = [f"{path}?limit=200" for path in PAGES if "<" not in path] + MORE
ABOUT = [path for path in PAGES if ID.search(path)]
Two = tuple[HttpResponse, HttpResponse]


class Both:
    """The two worlds, each with its browser and its token."""

    def __init__(self, *, whole: bool = False) -> None:
        self.whole = whole
        texts = injections.ALL
        twins = [injections.harmless(text) for text in texts]
        self.worlds = World("mallory", texts, whole=whole), World("nelly", twins, whole=whole)
        self.mine, self.theirs = (signed_in(world.who) for world in self.worlds)
        self.api, _ = (Api(world.who, scopes=list(ALL)) for world in self.worlds)

    def opened(self, path: str, twin: str = "", **more: Any) -> Two:
        """The page at an address, or at two that mean the same."""
        return self.mine.get(path, **more), self.theirs.get(twin or path, **more)

    def sent(self, form: Form, twin: Form, page: str) -> Two:
        """What comes back, also after being led on."""
        both = []
        for browser, one in ((self.mine, form), (self.theirs, twin)):
            send = browser.post if one.method == "post" else browser.get
            answer = send(one.action or page, one.values)
            both.append(browser.get(answer.url) if answer.status_code == 302 else answer)
        return both[0], both[1]

    def about(self, path: str, most: int | None) -> Iterator[tuple[str, str]]:
        """The addresses of `most` records, others for each path, as each of the two has them."""
        kind = kind_of(path)
        known = len(self.worlds[0].ids[kind])
        assert known, f"Nothing of the kind {kind} is written for {path}: add it to tests/rights/inert_world.py."
        places = range(known) if most is None else sorted({(7 * len(path) + 13 * step) % known for step in range(most)})
        for place in places:
            mine, theirs = (filled(world, path, world.ids[kind][place]) for world in self.worlds)
            yield mine, theirs


def kind_of(path: str) -> str:
    """Of which kind the first id of this address is."""
    name = ID.findall(path)[0]
    return name if name != "record" else next(kind for start, kind in RECORDS.items() if path.startswith(start))


def filled(world: World, path: str, key: UUID) -> str:
    """The address about this record."""
    inner = path.replace("<uuid:candidate_id>", str(world.ids["candidate"][0]))
    return ID.sub(str(key), inner).replace("<int:number>", "1").replace("<str:verb>", "forget")


def alike(pages: Two, about: str) -> None:
    """Raises where two answers are not of the same shape, or one of them is a fault of ours."""
    mine, theirs = pages
    assert mine.status_code == theirs.status_code < 500, (about, mine.status_code, theirs.status_code)
    assert mine["X-Content-Type-Options"] == "nosniff" and "unsafe-" not in mine["Content-Security-Policy"], about
    if mine.streaming or not mine["Content-Type"].startswith("text/html"):
        return
    if found := unlike(mine.content.decode(), theirs.content.decode()):
        raise AssertionError(f"{about}: {found}")


def forms_of(pages: Two) -> list[tuple[Form, Form]]:
    """The forms of both pages in which somebody writes."""
    if any(page.streaming or not page["Content-Type"].startswith("text/html") for page in pages):
        return []
    mine, theirs = (Forms(page.content.decode()).found for page in pages)
    both = zip(mine, theirs, strict=True)
    return [(one, other) for one, other in both if one.texts and one.action not in FRAME]
