"""Requests that go on with what others answered, along the links of the OpenAPI document: what was made is there.

Two checks of schemathesis that need a chain run here beside those of `test_openapi_cases`. `use_after_free` follows a
DELETE; the only ones here lift a pin or a hold, so what is forgotten, by a POST, is followed by `stays_gone`.
`positive_data_acceptance` is left out in both: rules that tie fields, such as until after since, stand in no schema.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import FlakyStrategyDefinition
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import Case, Response
from schemathesis.specs.openapi.checks import ensure_resource_availability, use_after_free

from console.openapi.links import FOLLOWING, name_of
from tests.console.test_openapi_cases import CHECKS, LEFT_OUT, one_connection
from tests.memories.asking import EVERYTHING
from tests.memories.factories import ann, token

__all__ = ["one_connection"]
pytestmark = pytest.mark.django_db
ALONG = [*CHECKS, use_after_free, ensure_resource_availability]


def stays_gone(gone: set[str], response: Response, case: Case) -> None:
    """Note what was forgotten or brought back; raises where something is shown that was forgotten."""
    key, name = str((case.path_parameters or {}).get("record_id")), case.operation.label
    done = response.status_code < 300
    if name.endswith("/forget") and done and response.json()["status"] == "deleted":
        gone.add(key)
    elif name.endswith("/restore") and done:
        gone.discard(key)
    elif name.startswith("GET ") and key in gone:
        assert response.status_code >= 400, (name, response.status_code)  # 403 where it also names another's team


def followed(chains: int, among: Collection[str] = (), **how: Any) -> Counter[str]:
    """Lead so many chains of requests, each answer checked. Returns how often a link led to a good answer, by where.

    `among` names the only operations that are asked, as `METHOD path`; without it all are.
    """
    headers = {"Authorization": f"Bearer {token(ann(), scopes=EVERYTHING)[1]}"}
    schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", get_wsgi_application()).exclude(path=LEFT_OUT)
    if among:
        schema = schema.include(operation_id=[name_of(*one.split(" ")) for one in sorted(among)])
    schema.config.phases.stateful.inference.algorithms = []
    good: Counter[str] = Counter()

    class Chains(schema.as_state_machine()):  # type: ignore[misc]
        def setup(self) -> None:
            self.gone: set[str] = set()

        def get_call_kwargs(self, case: Case) -> dict[str, Any]:
            return {"headers": headers}

        def validate_response(self, response: Response, case: Case, *args: Any, **kwargs: Any) -> None:
            case.validate_response(response, checks=ALONG, headers=headers, recorder=self.recorder)
            stays_gone(self.gone, response, case)

        def step(self, input: Any) -> Any:
            output = super().step(input)
            if input.transition is not None and input.is_applied and output.response.status_code < 300:
                good[input.case.operation.label.replace(" /v1/", " ")] += 1
            return output

    with suppress(FlakyStrategyDefinition):  # the same draws led elsewhere: records of earlier chains are still there
        run_state_machine_as_test(
            Chains,
            settings=settings(
                max_examples=chains,
                stateful_step_count=8,
                phases=[Phase.generate],
                deadline=None,
                database=None,
                suppress_health_check=list(HealthCheck),
                **how,
            ),
        )
    return good


def gathered(among: Collection[str], enough: Callable[[Counter[str]], bool]) -> Counter[str]:
    """What chains over these operations followed, until that is enough; how far one chain gets is luck."""
    good: Counter[str] = Counter()
    for _ in range(20):
        good += followed(40, among)
        if enough(good):
            return good
    pytest.fail(f"800 chains followed only {good}")


def test_what_an_answer_names_is_there_for_the_next_request() -> None:
    good = followed(40, {*FOLLOWING, *(one for many in FOLLOWING.values() for one in many)}, derandomize=True)
    assert len(good) >= 5, good


@pytest.mark.soak
def test_chains_over_all_addresses() -> None:
    assert len(followed(600)) >= 8


@pytest.mark.soak
@pytest.mark.parametrize("first", FOLLOWING)
def test_every_link_leads_to_a_good_answer(first: str) -> None:
    links = set(FOLLOWING[first])
    before = {"POST remember", "POST memories/{record_id}/forget"} if first.startswith("POST memories/") else set()
    gathered({first} | before | links, lambda good: links <= set(good))
