"""The list of memories narrowed by its facets, and its saved views; the rest is in `places`."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from memories.services import views
from tests.browser.people import Person
from tests.browser.places import Place, open_everything
from tests.memories import factories

LIGHT = ("light",)


def rename_to_nothing(page: Page) -> None:
    page.locator("summary", has_text="Rename or share…").first.click()
    form = page.locator("form.form").first
    form.evaluate("(one) => { one.noValidate = true; }")
    form.locator("[name=name]").fill("")
    form.get_by_role("button", name="Store").click()
    expect(page.locator(".error-summary")).to_be_visible()


ALL = [
    Place("memories narrowed", "/memories?bucket=work&under=meetings&age=day", act=open_everything),
    Place("narrow down", "/memories/facets?bucket=crowded&under=notes", act=open_everything),
    Place("narrow down with a wrong filter", "/memories/facets?limit=0", 422, themes=LIGHT),
    Place("memories of one's view", "/memories?bucket=crowded", act=open_everything),
    Place("views", "/memories/views", act=open_everything),
    Place("views with a mistake", "/memories/views", act=rename_to_nothing, later=422, themes=LIGHT),
    Place("views of a newcomer", "/memories/views", who="fresh", themes=LIGHT),
]


def addresses(person: Person) -> dict[str, str]:
    """Make what these pages show: more scopes than are seen at once, and views with short and long names."""
    actor = factories.actor(person.user)
    for number in range(14):
        scope, path = f"tenant:project:{number}", f"{'long' * 20}{number}/notes"
        factories.memory(person.user, f"Note {number}", bucket="crowded", scope=scope, path=path)
    for name, query in (
        ("Crowded", "bucket=crowded"),
        ("Old " + "views" * 15, "age=older"),
        ("仕事の一覧", "bucket=work"),
    ):
        views.add(name=name, query=query, space_id=actor.own, actor=actor)
    return {}
