"""A record from either end of the calendar is shown and planned over in every zone, and so is a pass to there."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from memories.models import Memory, MemoryLink, MemoryState
from memories.services.fields import TIMES
from reflection import tasks
from reflection.models import ReflectPass
from reflection.services import schedules
from tests.console.test_every_address import addresses, with_id
from tests.memories import factories
from tests.memories.api_client import Api
from tests.reflection import life, pages
from tests.reflection.test_scheduling import is_due

pytestmark = pytest.mark.django_db
ZONES = ("Pacific/Kiritimati", "Etc/GMT+12", "America/Sao_Paulo")
ENDS = [(TIMES[0], "Etc/GMT+12"), (TIMES[0], "America/Sao_Paulo"), (TIMES[1], "Pacific/Kiritimati")]
EARLIEST, LATEST = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"
ABOUT = [path for path in addresses() if "<str:record_id>" in path or "<uuid:record_id>" in path]
WHOLE = [path for path in addresses() if "<" not in path and path not in ("/logout", "/ready", "/v1/openapi.json")]


def from_then(at: datetime) -> list[Memory]:
    """Records of every kind that pages compare, all of whose times are `at`."""
    owner = factories.ann()
    said = [
        factories.memory(owner, "The pump was tested.", memory_type="episodic", path=f"pumps/{n}", session=f"s{n}")
        for n in range(3)
    ]
    lasting = factories.memory(owner, "A working note.", memory_type="working", expires_at=at)
    summary = factories.memory(owner, "Pumps were tested.", derivation="summary", pass_id=owner.pk)
    for n, one in enumerate(said):
        MemoryLink.objects.create(origin=summary, target=one, kind="derived_from", position=n, created_at=at)
    Memory.objects.update(created_at=at, updated_at=at)
    MemoryState.objects.update(anchor=at, last_used_at=at)
    return [said[0], lasting, summary]


def web_in(zone: str) -> Any:
    who = factories.ann()
    who.time_zone = zone
    who.save(update_fields=["time_zone"])
    return pages.browser(who)


@pytest.mark.parametrize(("at", "zone"), ENDS, ids=str)
def test_every_address_shows_it(at: datetime, zone: str) -> None:
    made = from_then(at)
    web, api = web_in(zone), Api(factories.ann())
    for path in [*(with_id(path, one.pk) for path in ABOUT for one in made), *WHOLE]:
        answer = api.call("GET", path) if path.startswith("/v1/") else web.get(path)
        assert answer.status_code < 500, path


@pytest.mark.parametrize(("at", "zone"), ENDS, ids=str)
@pytest.mark.parametrize(
    "given",
    [
        {"since": EARLIEST, "until": LATEST},
        {"time_window_hours": 1e300, "until": LATEST},
        {"time_window_hours": 1e300},
        {"time_window_hours": 8_000_000 * 2.2},
    ],
    ids=str,
)
def test_a_pass_over_all_of_time_is_planned_shown_and_applied(at: datetime, zone: str, given: dict[str, Any]) -> None:
    from_then(at)
    ann = factories.actor(factories.ann())
    made = life.plan_all(ann, **given)
    web = web_in(zone)
    api = Api(factories.ann())
    for _ in range(2):
        assert web.get(pages.address(made)).status_code == 200
        assert web.get("/passes").status_code == web.get(pages.address(made, "report")).status_code == 200
        assert api.get(f"passes/{made.pk}").status_code == 200
        if made.status == "planned" and any(made.counts.values()):
            life.applied(made, ann)


@pytest.mark.parametrize("zone", ZONES)
def test_a_stored_pass_that_looked_further_is_shown(zone: str) -> None:
    made = life.plan_all(factories.actor(factories.ann()))
    ReflectPass.objects.update(filters=made.filters | {"since": EARLIEST, "until": LATEST})
    assert web_in(zone).get(pages.address(made)).status_code == 200


@pytest.mark.parametrize(("at", "zone"), ENDS, ids=str)
def test_the_form_of_a_revert_takes_a_moment_that_is_none_in_the_zone(at: datetime, zone: str) -> None:
    token, _ = factories.token(factories.ann())
    text = EARLIEST if at == TIMES[0] else LATEST
    assert web_in(zone).get("/passes/revert", {"token": token.pk, "since": text}).status_code < 500


@pytest.mark.parametrize("zone", ZONES)
def test_taking_back_all_of_time_is_planned_and_shown(zone: str) -> None:
    ann = factories.ann()
    web = web_in(zone)
    token = factories.token_actor(ann).token_id
    answer = Api(ann).post("passes/revert", {"token": str(token), "since": EARLIEST, "until": LATEST})
    assert answer.status_code == 200
    assert web.get(pages.address(ReflectPass.objects.get())).status_code == 200


def test_a_schedule_that_looks_back_for_ever_runs_again_and_again() -> None:
    from_then(TIMES[0])
    ann = factories.actor(factories.ann())
    given = {"rhythm": "daily", "at": "03:00", "zone": "Asia/Tokyo", "actions": ["decay"]}
    schedule = schedules.add(space_id=ann.own, given=given | {"time_window_hours": 1e300}, actor=ann)
    for _ in range(2):
        is_due(schedule)
        tasks.run_schedule(str(schedule.pk))
    assert ReflectPass.objects.count() == 2
    assert {one.filters["since"] for one in ReflectPass.objects.all()} == {TIMES[0].isoformat()}
