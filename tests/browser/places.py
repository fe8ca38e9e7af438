"""All pages of the console in the states that look different, and how to get there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from django.db import transaction
from django.test import override_settings
from django.utils import timezone
from playwright.sync_api import Page, expect

from console.errors import NotAllowed
from memories.services.erase import erase
from memories.services.forget import forget
from memories.services.revise import revise
from reflection.models import Schedule
from reflection.services import notices, policies, schedules, scheduling
from reflection.services.decide import reject
from reflection.services.undo import roll_back
from tests.browser import review_places
from tests.browser.people import Person
from tests.console.foreign import FILES
from tests.memories import factories
from tests.reflection import life


def nothing_more(page: Page) -> None:
    """The page is looked at as it comes."""


def open_everything(page: Page) -> None:
    """Unfold what is folded; not what floats over the page."""
    page.locator("main details:not([data-closes])").evaluate_all("(all) => all.forEach((one) => { one.open = true; })")


def begin_to_reject(page: Page) -> None:
    page.locator("summary", has_text="Discard…").click()


def begin_to_delete(page: Page) -> None:
    page.locator("summary", has_text="Delete…").click()


def verify(page: Page) -> None:
    page.get_by_role("button", name="Verify deletion").click()
    expect(page.get_by_text("Nothing is left in this console.")).to_be_visible()


def move_to_trash(page: Page) -> None:
    page.get_by_role("button", name="Move to trash").first.click()
    expect(page.get_by_role("button", name="Undo")).to_be_focused()


def look_at_a_file(page: Page) -> None:
    """Hand over a file of mem0, of which one row cannot be taken."""
    name, data = FILES["mem0"]
    page.set_input_files("#import_file", {"name": name, "mimeType": "application/json", "buffer": data})
    page.get_by_role("button", name="Look at it").click()
    expect(page.get_by_role("button", name="Import 3 rows")).to_be_visible()


def open_account(page: Page) -> None:
    page.locator("details.account summary").click()


def show_code(page: Page) -> None:
    """An agent asks for a token; the person enters the code that it shows."""
    asked = {"client_id": "hermes on a small machine", "scopes": ["memory:read", "memory:write", "audit"]}
    page.get_by_label("Code").fill(page.request.post("/v1/auth/device/start", data=asked).json()["user_code"])
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("button", name="Give it a token")).to_be_visible()


@dataclass(frozen=True, slots=True)
class Place:
    """One page in one state. `who` is full (with memories), fresh (without any) or nobody.

    `status` is what the address answers, `later` a refusal that the act then meets; `lately` signs in just before,
    for pages that want a recent password.
    """

    name: str
    address: str = ""  # empty: from `addresses`
    status: int = 200
    act: Callable[[Page], None] = nothing_more
    who: str = "full"
    later: int = 0
    lately: bool = False
    themes: tuple[str, ...] = ("light", "dark")


ALL = [
    Place("sign in", "/login", who="nobody"),
    Place("overview", "/", act=open_account),
    Place("overview with its tables", "/", act=open_everything),
    Place("overview of a newcomer", "/", who="fresh"),
    Place("memories", "/memories"),
    Place("memories of a newcomer", "/memories", who="fresh"),
    Place("memories without a match", "/memories?bucket=nowhere"),
    Place("memories with a wrong filter", "/memories?limit=0", 422),
    Place("memories with one just moved", "/memories?type=procedural", act=move_to_trash),
    Place("memory", act=open_everything),
    Place("memory in the trash"),
    Place("edit"),
    Place("new memory", "/memories/new"),
    Place("search before a question", "/search"),
    Place("search with hits", "/search?query=print+worker", act=open_everything),
    Place("search without a match", "/search?query=xylophone+zeppelin&bucket=work"),
    Place("search with near misses", "/search?query=print+worker+zeppelin&near=1"),
    Place("passes", "/passes"),
    Place("passes of a newcomer", "/passes", who="fresh"),
    Place("new pass", "/passes/new"),
    Place("pass to decide", act=open_everything),
    Place("pass to reject", act=begin_to_reject),
    Place("pass that drifted", act=open_everything),
    Place("pass applied", act=open_everything),
    Place("pass undone"),
    Place("pass rejected"),
    Place("inbox", "/inbox"),
    Place("inbox of a newcomer", "/inbox", who="fresh"),
    Place("trash", "/trash"),
    Place("trash of a newcomer", "/trash", who="fresh"),
    Place("erase", lately=True),
    Place("receipts", "/erased"),
    Place("receipts of a newcomer", "/erased", who="fresh"),
    Place("erased", act=verify),
    Place("audit", "/audit?verify=1"),
    Place("audit without a match", "/audit?action=nothing"),
    Place("policies", "/policies"),
    Place("policy"),
    Place("policy with a mistake", status=422),
    Place("policy preview", act=open_everything),
    Place("policy preview without a change"),
    Place("policy version"),
    Place("notices", "/notices"),
    Place("notices of a newcomer", "/notices", who="fresh"),
    Place("schedules", "/schedules"),
    Place("schedules of a newcomer", "/schedules", who="fresh"),
    Place("new schedule", "/schedules/new"),
    Place("schedule"),
    Place("schedule to delete", act=begin_to_delete),
    Place("schedule that paused by itself"),
    Place("revert", "/passes/revert"),
    Place("revert with a mistake", "/passes/revert?token=x&limit=0", 422),
    Place("revert of a token"),
    Place("revert to decide", act=open_everything),
    Place("revert applied", act=open_everything),
    Place("pass undone in part", act=open_everything),
    Place("pass narrowed"),
    Place("pass narrowed to nothing"),
    Place("lineage"),
    Place("lineage of a source"),
    Place("lineage of many steps"),
    Place("importance that fades", act=open_everything),
    Place("importance that stays"),
    Place("related"),
    Place("what the rules say"),
    Place("one line of the audit"),
    Place("import", "/import"),
    Place("file looked at", "/import", act=look_at_a_file),
    Place("access", "/access"),
    Place("settings", "/settings"),
    Place("go", "/go"),
    Place("go to an unknown id", f"/go?q={uuid4()}", themes=("light",)),
    Place("go to no such page", "/go?q=zebra", themes=("light",)),
    Place("keys", "/keys"),
    Place("code of an agent", "/device-login"),
    Place("agent to approve", "/device-login", act=show_code),
    Place("password again", "/sign-in-again?next=/trash"),
    Place("no such page", f"/memories/{uuid4()}", 404),
]


def addresses(person: Person) -> dict[str, str]:
    """Make what the pages show, and say where each is."""
    actor, kept = factories.actor(person.user), person.memories
    factories.token(person.user)
    for count in ("twice", "three times"):  # one to be moved in light, one in dark
        content = f"To restart the worker, press the green button {count}."
        factories.memory(person.user, content, memory_type="procedural")
    factories.memory(person.user, "Prefers long wordswithoutanyspaces" + "x" * 120, memory_type="identity")
    passes = _passes(person)
    with transaction.atomic():
        changes = {"content": "Bea found that the new print worker reads the queue's former name."}
        revise(memory_id=kept["turn1"].pk, seen_version=None, changes=changes, reason="clearer", actor=actor)
        forget(record_id=kept["portuguese"].pk, actor=actor)
        gone = forget(record_id=kept["pinned"].pk, actor=actor).record
        last = str(gone.pk)[-6:]
        erase(record_id=gone.pk, typed=last, reason="Asked for.", seen_version=gone.state.version, actor=actor)
    return (
        passes
        | _setup(person)
        | review_places.addresses(person, passes["pass to decide"])
        | {
            "memory": f"/memories/{kept['turn1'].pk}",
            "memory in the trash": f"/memories/{kept['portuguese'].pk}",
            "edit": f"/memories/{kept['turn1'].pk}/edit",
            "erase": f"/records/{kept['portuguese'].pk}/erase",
            "erased": f"/erased/{gone.pk}",
        }
    )


def _passes(person: Person) -> dict[str, str]:
    actor = factories.actor(person.user)
    undone = life.applied(life.plan_all(actor, actions_csv="expire"), actor)
    roll_back(pass_id=undone.pk, comment="Too early.", actor=actor)
    rejected = life.plan_all(actor, actions_csv="decay")
    reject(pass_id=rejected.pk, comment="Not this week.", actor=actor)
    drifted = life.plan_all(actor)
    open_ = life.plan_all(actor, actions_csv="archive,decay")
    chosen = life.plan_all(actor, actions_csv="summarize,promote,expire")
    left = life.candidates(chosen)[-1].pk
    applied = life.applied(chosen, actor, exclude=(left,))
    named = {"undone": undone, "rejected": rejected, "to decide": open_, "applied": applied, "to reject": open_}
    return {f"pass {name}": f"/passes/{one.pk}" for name, one in named.items()} | {
        "pass that drifted": f"/passes/{drifted.pk}"
    }


def _setup(person: Person) -> dict[str, str]:
    """A policy in its second version, a schedule with a plan, and one that paused by itself."""
    actor = factories.actor(person.user)
    policies.adopt(space_id=actor.own, given={"plan_hours": 48, "decay_step": 0.02}, seen_version=1, actor=actor)
    given = {"rhythm": "weekly", "weekday": 0, "at": "03:00", "zone": "America/Sao_Paulo", "actions": ["decay"]}
    runs, stopped = (schedules.add(space_id=actor.own, given=given, actor=actor) for _ in range(2))
    Schedule.objects.filter(pk=runs.pk).update(next_at=timezone.now())
    scheduling.run(schedule_id=runs.pk)
    scheduling.stop(schedule_id=stopped.pk, why=NotAllowed("Its maker has no access to this space any more."))
    with override_settings(NOTICES_INSIDE=True):
        notices.subscribe(space_id=actor.own, channel="webhook", address="http://127.0.0.1:9/hook", actor=actor)
    policy, schedule = f"/policies/{actor.own}", f"/schedules/{runs.pk}"
    return {
        "policy": policy,
        "policy with a mistake": f"{policy}/preview?decay_step=2&plan_hours=x&four_eyes=perhaps",
        "policy preview": f"{policy}/preview?archive_working_days=30&promote_min_rows=4&decay_step=0.3&seen=1",
        "policy preview without a change": f"{policy}/preview",
        "policy version": f"{policy}/versions/1",
        "schedule": schedule,
        "schedule to delete": schedule,
        "schedule that paused by itself": f"/schedules/{stopped.pk}",
    }
