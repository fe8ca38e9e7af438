"""Pictures of ten pages in five languages, for docs/pictures.md.

Run by `make pictures`: some two minutes, in a console of its own with the demo data in a temporary home. Each picture
is written to docs/images/pages/ as NAME.LANGUAGE.webp. `--whole DIR` writes the whole pages, wide and narrow, as PNG to
a folder instead, to be looked at.
"""

from __future__ import annotations

import argparse
import base64
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import apart  # noqa: E402

HOME = apart.begin("pictures")

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from bench.pages_browser import session_of  # noqa: E402
from bench.scale_web import web  # noqa: E402
from console.postgres.context import everywhere  # noqa: E402
from memories.access import Actor, person  # noqa: E402
from memories.models import Memory, Team, User  # noqa: E402
from memories.services.forget import forget  # noqa: E402
from reflection.models import ReflectPass  # noqa: E402
from tests.browser.sameness import settled  # noqa: E402
from tests.browser.watch import launch  # noqa: E402
from tests.memories.page_client import signed_in  # noqa: E402

PICTURES = ROOT / "docs" / "images" / "pages"
ASKED = {
    "en": "boiler pressure",
    "pt-BR": "transportadora CEP",
    "es": "reembolso tienda",
    "ja": "追跡ページの日付",
    "ko": "서울 출장 숙소",
}
WIDE, NARROW = {"width": 1240, "height": 820}, {"width": 360, "height": 780}
QUALITY, SCALE = 45, 0.75  # of WebP in percent, of the size; a picture has about 25 kB


def addresses(me: Actor) -> dict[str, str]:
    """The ten pages; the question of the search is filled in for each language."""
    atlas = Team.objects.get(name="Atlas").pk
    waiting = ReflectPass.objects.get(space_id=atlas, status="planned").pk
    private = Memory.objects.filter(space_id=me.user_id, state__status="active").order_by("created_at")
    for memory in private[:3]:
        forget(record_id=memory.pk, reason="Told twice.", actor=me)
    shown = private.filter(metadata__has_key="speaker").first() or private.last()
    return {
        "overview": "/",
        "memories": "/memories?status=active",
        "memory": f"/memories/{shown.pk if shown else ''}",
        "search": "/search?query={asked}",
        "pass": f"/passes/{waiting}",
        "inbox": "/inbox",
        "todos": "/todos",
        "trash": "/trash",
        "audit": "/audit",
        "policy": f"/policies/{atlas}",
    }


def opened(page: Page, address: str) -> None:
    """The page with what is fetched after it. Exits where it is refused."""
    answer = page.goto(address)
    if answer is None or answer.status != 200:
        sys.exit(f"{address} was answered with {answer.status if answer else 'nothing'}")
    settled(page)


def pictured(page: Page, *, whole: bool) -> bytes:
    """What is seen of the page as WebP, or all of it as PNG."""
    if whole:
        return page.screenshot(full_page=True)
    session = page.context.new_cdp_session(page)
    clip = {"x": 0, "y": 0, "scale": SCALE, **WIDE}
    found = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY, "clip": clip})
    session.detach()
    return base64.b64decode(found["data"])


def visits(browser: Browser, place: str, cookie: str, viewport: Any) -> Iterator[tuple[str, Page]]:
    """A signed-in page in each language."""
    for language in ASKED:
        context = browser.new_context(base_url=place, viewport=viewport, locale=language, timezone_id="UTC")
        context.add_cookies([{"name": session_of(place.rpartition(":")[2]), "value": cookie, "url": place}])
        yield language, context.new_page()
        context.close()


def taken(visited: Iterator[tuple[str, Page]], pages: dict[str, str], folder: Path, end: str) -> None:
    """A picture of each page in each language."""
    for language, page in visited:
        for name, address in pages.items():
            opened(page, address.format(asked=ASKED[language]))
            picture = folder / f"{name}.{language}{end}"
            picture.write_bytes(pictured(page, whole=end.endswith("png")))
            print(f"{picture.name}  {picture.stat().st_size / 1000:.0f} kB", flush=True)


@everywhere()
def main() -> None:
    """Fill, open, take."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--whole", type=Path, metavar="DIR")
    folder = parser.parse_args().whole
    call_command("demo", verbosity=0)
    User.objects.filter(username="ann").update(language="")  # that of the browser
    ann = User.objects.get(username="ann")
    pages = addresses(person(ann))
    sizes = {".png": WIDE, ".narrow.png": NARROW} if folder else {".webp": WIDE}
    folder = folder or PICTURES
    folder.mkdir(parents=True, exist_ok=True)
    cookie = signed_in(ann).cookies[settings.SESSION_COOKIE_NAME].value
    with web() as client, sync_playwright() as playwright:
        browser, place = launch(playwright), f"http://{client.host}:{client.port}"
        for end, viewport in sizes.items():
            taken(visits(browser, place, cookie, viewport), pages, folder, end)
        browser.close()


if __name__ == "__main__":
    with apart.database(HOME):
        main()
