"""A child that ends is started again, after pauses that grow and then stay."""

from __future__ import annotations

import subprocess
import sys

import pytest

from console.supervisor import LONGEST_PAUSE, Child, Supervisor


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.mark.parametrize(("failures", "pause"), [(0, "1"), (1, "2"), (9, "30"), (5_000, "30")])
def test_who_fails_for_days_is_still_started_again(said: list[str], failures: int, pause: str) -> None:
    child = Child("worker", [sys.executable, "-c", "raise SystemExit(3)"], failures=failures)
    supervisor = Supervisor([child], said.append)
    supervisor.tend()
    assert isinstance(child.process, subprocess.Popen)
    child.process.wait()
    supervisor.tend()
    assert said == [f"The worker ended (exit code 3). Starting it again in {pause} s."]
    assert child.process is None and child.due - child.started <= LONGEST_PAUSE + 60
