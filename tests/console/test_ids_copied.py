"""Every id that a page shows has the button that copies it."""

from __future__ import annotations

import pytest

from tests.console.ids import without_button
from tests.memories.page_client import signed_in
from tests.rights import inert
from tests.rights.inert_world import World

pytestmark = pytest.mark.django_db

EACH = 3  # of the first and of the last records of each kind
MORE = ["/audit?limit=200&verify=1", "/memories?status=archived", "/trash?kind=todo", "/go?q=plan"]


def pages(world: World) -> list[str]:
    """Lists, and the pages about some records of each kind."""
    about = [
        inert.filled(world, path, key)
        for path in inert.ABOUT
        for keys in [world.ids[inert.kind_of(path)]]
        for key in {*keys[:EACH], *keys[-EACH:]}
    ]
    return [*inert.LISTS, *MORE, *about]


def test_every_id_on_every_page_can_be_copied() -> None:
    world = World("iris", [f"plain words {number}" for number in range(52)], whole=True)
    browser, found, seen = signed_in(world.who), {}, 0
    for address in pages(world):
        answer = browser.get(address)
        if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
            continue
        seen += 1
        if bare := sorted(set(without_button(answer.content.decode()))):
            found[address] = bare
    assert seen > 60 and found == {}
