"""Times that would be no date in another time zone are refused, because no page could show them there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from console.errors import Invalid
from memories.services.remember import NewMemory, remember
from tests.memories.api_client import Api, problems, rows
from tests.memories.factories import actor, ann
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-02T00:00:00-05:00"])
def test_an_expiry_at_an_end_of_the_calendar_is_refused(time: str) -> None:
    api = Api(ann())
    before = rows()
    body = {"content": "Tea at four.", "path": "notes", "expires_at": time}
    assert problems(api.post("remember", body)) == ["expires_at"]
    assert rows() == before


@pytest.mark.parametrize("name", ["created_at", "last_used_at"])
def test_an_import_cannot_bring_such_a_time_either(name: str) -> None:
    new = NewMemory(content="Tea at four.", **{name: datetime(1, 1, 1, tzinfo=UTC)})
    with pytest.raises(Invalid):
        remember(new=new, actor=actor(ann()))


@pytest.mark.parametrize("time", ["0001-01-03T00:00:00Z", "9999-12-29T00:00:00Z"])
@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "Pacific/Kiritimati"])
def test_the_outermost_times_are_shown_in_every_zone(time: str, zone: str) -> None:
    who = ann()
    who.time_zone = zone
    who.save(update_fields=["time_zone"])
    made = Api(who).post("remember", {"content": "Tea at four.", "path": "notes", "expires_at": time}).json()
    client = signed_in(who)
    assert client.get(f"/memories/{made['id']}").status_code == 200
    assert client.get(f"/memories/{made['id']}/edit").status_code == 200
