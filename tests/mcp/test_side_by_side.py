"""The API and the bridge do the same: random lives led on both at once, compared after every step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.mcp.twins import Twins

LIVES = [25, pytest.param(400, marks=pytest.mark.soak)]
AT_ONCE = [Phase.generate]  # a difference is told as it was met; the soak looks for a shorter life that shows it


def test_each_thing_done_once_ends_alike_on_both_sides(server: str, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        type("TwinsHere", (Twins,), {"server": server})().tour()


@pytest.mark.parametrize("lives", LIVES)
def test_whatever_is_done_ends_alike_on_both_sides(server: str, lives: int, django_db_blocker: Any) -> None:
    here = type("TwinsHere", (Twins,), {"server": server})
    with django_db_blocker.unblock():
        run_state_machine_as_test(
            here,
            settings=settings(
                max_examples=lives,
                stateful_step_count=30,
                deadline=None,
                derandomize=lives < 100,
                report_multiple_bugs=lives >= 100,
                phases=AT_ONCE if lives < 100 else list(Phase),
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
