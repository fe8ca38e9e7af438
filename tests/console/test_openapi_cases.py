"""Requests made from the OpenAPI document, well formed and not, by three callers: nothing breaks, all is as it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, CheckContext, GenerationMode, Response
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    ignored_auth,
    missing_required_header,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from memories.models import Membership, Memory, Team, User
from memories.services import decisions, snapshots, todos
from tests.memories.api_client import Api
from tests.memories.asking import EVERYTHING
from tests.memories.factories import actor, ann, bob, memory, token
from tests.memories.mutations import entry
from tests.reflection.mutations import planned

pytestmark = pytest.mark.django_db
REFUSED_TOO = (411, 412, 413, 414)  # refusals that the check below does not know of


def ill_formed_is_refused(context: CheckContext, response: Response, case: Case) -> bool | None:
    """What the schema does not take is not taken."""
    return None if response.status_code in REFUSED_TOO else negative_data_rejection(context, response, case)


# All but three. That what fits the schema is taken (positive_data_acceptance) is not so: rules that tie fields, such
# as until after since, stand in no schema. The other two need requests that go on with answers: test_openapi_chains.
CHECKS = [
    not_a_server_error,
    ill_formed_is_refused,
    unsupported_method,
    allow_header_conformance,
    missing_required_header,
    ignored_auth,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
READS = ["memory:read", "ledger:read", "audit"]
CALLERS: dict[str, list[str] | None] = {"nobody": None, "a reader": READS, "somebody with every scope": EVERYTHING}
# The end of the token that asks, after which nothing else would be tried.
LEFT_OUT = ["/v1/auth/token/revoke-self"]


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Requests run inside the test's transaction, as with Django's own client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def filled() -> list[str]:
    """Records of Ann and of Bob; the ids of all, so that some requests meet them."""
    me = actor(ann())
    made = [memory(who, f"The zebra of {who.username}", memory_type="episodic").pk for who in (ann(), bob())]
    made += [todos.add(content="zebra", actor=me).pk, entry(), decisions.ask(context="Which?", actor=me).pk]
    made += [snapshots.take(label="noon", actor=me).pk, planned().pk]
    return [str(key) for key in made]


def tried(scopes: list[str] | None, cases: int, **how: Any) -> int:
    """Make so many requests and check each answer. Returns how many succeeded."""
    keys = filled()
    schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", get_wsgi_application())
    operations = [found.ok() for found in schema.exclude(path=LEFT_OUT).get_all_operations()]
    headers = {} if scopes is None else {"Authorization": f"Bearer {token(ann(), scopes=scopes)[1]}"}
    good = 0

    @settings(
        max_examples=cases,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        **how,
    )
    @given(st.data())
    def ask(data: st.DataObject) -> None:
        nonlocal good
        operation = data.draw(st.sampled_from(operations), label="operation")
        ill = bool(operation.query or operation.body) and data.draw(st.booleans(), label="ill formed")
        mode = GenerationMode.NEGATIVE if ill else GenerationMode.POSITIVE
        case = data.draw(operation.as_strategy(generation_mode=mode), label="case")
        for name in list(case.path_parameters or {}):
            if not ill and name.endswith("_id") and data.draw(st.booleans()):
                case.path_parameters[name] = data.draw(st.sampled_from(keys))
        response = case.call(headers=headers)
        case.validate_response(response, checks=CHECKS, headers=headers)
        good += response.status_code < 300

    ask()
    return good


def standing() -> list[Any]:
    """What no request may change: who people are, and what Bob has."""
    teams = [list(model.objects.order_by("pk").values()) for model in (Team, Membership)]
    people = list(User.objects.order_by("pk").values("pk", "username", "is_superuser", "is_staff", "is_active"))
    return [teams, people, list(Memory.objects.filter(owner=bob()).values())]


@pytest.mark.parametrize("caller", CALLERS)
def test_whatever_is_sent_the_answer_is_one_of_those_told(caller: str) -> None:
    good = tried(CALLERS[caller], 167, derandomize=True)
    assert good > 0
    assert not Memory.objects.exclude(owner__in=[ann(), bob()]).exists()


@pytest.mark.soak
@pytest.mark.parametrize("caller", CALLERS)
def test_thousands_of_requests(caller: str) -> None:
    assert tried(CALLERS[caller], 1_667) > 0


FOREIGN: dict[str, Callable[[], Any]] = {
    "owner": lambda: "bob",
    "owner_id": lambda: str(bob().pk),
    "user_id": lambda: str(bob().pk),
    "space_id": lambda: str(bob().pk),
    "id": lambda: "01890000-0000-7000-8000-000000000001",
    "version": lambda: 99,
    "status": lambda: "deleted",
    "trust": lambda: 2,
    "pinned": lambda: True,
    "hold": lambda: "Case",
    "derivation": lambda: "fact",
    "pass_id": lambda: "01890000-0000-7000-8000-000000000002",
    "token_id": lambda: "01890000-0000-7000-8000-000000000003",
    "created_at": lambda: "2001-01-01T00:00:00Z",
    "deleted_at": lambda: "2001-01-01T00:00:00Z",
    "use_count": lambda: 99,
}
CREATES: dict[str, dict[str, Any]] = {
    "remember": {"content": "zebra", "path": "p"},
    "reminders": {"content": "zebra"},
    "me/ledger/transactions": {"item": "zebra", "amount": "3", "currency": "EUR"},
    "decisions": {"context": "zebra?"},
    "timeline/events": {"content": "zebra"},
    "update_state": {"content": "zebra"},
    "restart/snapshot": {"label": "zebra"},
}


@pytest.mark.parametrize("path", CREATES)
def test_fields_that_are_not_the_callers_to_set_change_nothing(path: str) -> None:
    api = Api(ann(), scopes=EVERYTHING)
    bob()
    before = standing()
    plain = api.post(path, CREATES[path]).json()
    stuffed = api.post(path, CREATES[path] | {name: value() for name, value in FOREIGN.items()})
    assert stuffed.status_code == 200, stuffed.content
    got = stuffed.json()
    kept = ("owner_id", "version", "status", "item_status", "trust", "hold", "pinned", "derivation", "pass_id")
    assert {name: got[name] for name in kept if name in got} == {name: plain[name] for name in kept if name in plain}
    assert got["id"] != FOREIGN["id"]() and standing() == before
    read = api.get(f"memories/{got['id']}")
    if read.status_code == 200:
        shown = read.json()
        assert (shown["owner_id"], shown["trust"], shown["pinned"], shown["hold"]) == (str(ann().pk), 1, False, None)
        assert shown["version"] == got.get("version", 1) and not shown["created_at"].startswith("2001")


@pytest.mark.parametrize("name", [name for name in FOREIGN if name not in ("status", "id")])
def test_a_change_takes_no_field_that_is_not_the_callers_to_set(name: str) -> None:
    made, api = memory(ann(), "zebra"), Api(ann(), scopes=EVERYTHING)
    before = api.get(f"memories/{made.pk}").json()
    answer = api.patch(f"memories/{made.pk}", {name: FOREIGN[name]()})
    assert answer.status_code in (200, 422) and api.get(f"memories/{made.pk}").json() == before
