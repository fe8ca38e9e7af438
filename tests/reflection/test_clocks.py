"""A frozen moment gives the same report wherever the server's clock and the reader stand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.utils import timezone

from reflection import report
from reflection.services.plan import plan
from reflection.states import Action
from tests.memories import factories
from tests.reflection import life, pages

ROOT = Path(__file__).resolve().parent.parent.parent
ZONES = ("Asia/Tokyo", "America/Sao_Paulo", "America/Los_Angeles")
AS_OF = datetime(2026, 3, 8, 10, 30, tzinfo=UTC)  # 2:30 in Los Angeles, in the hour that summer time leaves out
CHANGING = ("id", "pass_id", "url", "digest", "planned_at", "expires_at", "memory_id", "audit_record_id")


def steady(value):
    """A report without what differs between any two passes."""
    if isinstance(value, dict):
        return {name: steady(one) for name, one in value.items() if name not in CHANGING}
    if isinstance(value, list):
        return [steady(one) for one in value]
    return value


def told(made) -> str:
    return json.dumps(steady(report.as_json(made)), default=str, sort_keys=True)


@pytest.mark.django_db
def test_the_reader_s_zone_changes_nothing_in_the_report():
    life.fill(factories.ann(), now=AS_OF)
    found = set()
    for zone in ZONES:
        who = factories.ann()
        who.time_zone = zone
        who.save()
        with timezone.override(zone):
            made = plan(given={}, as_of=AS_OF, actor=factories.actor(who))
        found.add(told(made))
    assert len(found) == 1


@pytest.mark.django_db
def test_each_reader_sees_the_moment_in_their_own_zone():
    life.fill(factories.ann(), now=AS_OF)
    who, seen = factories.ann(), {}
    made = plan(given={}, as_of=AS_OF, actor=factories.actor(who))
    for zone in ZONES:
        who.time_zone = zone
        who.save()
        seen[zone] = pages.text(pages.browser(who).get(pages.address(made)))
    assert "8 Mar 2026, 19:30 JST" in seen["Asia/Tokyo"]
    assert "8 Mar 2026, 07:30 -03" in seen["America/Sao_Paulo"]
    assert "8 Mar 2026, 03:30 PDT" in seen["America/Los_Angeles"]


PROGRAM = """
import json, sys, time
from tests.reflection.clock_rows import report
time.tzset()
sys.stdout.write(json.dumps([time.strftime("%H", time.localtime(0)), report()]))
"""


def test_the_clock_of_the_process_changes_nothing_in_a_plan():
    answers = []
    for zone in ZONES:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            cwd=ROOT,
            env={**os.environ, "TZ": zone, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(json.loads(done.stdout))
    hours, plans = zip(*answers, strict=True)
    assert len(set(hours)) == 3, "the processes did not run in three zones"
    assert len(set(plans)) == 1
    assert all(f"Action.{action.name}" in plans[0] for action in Action)
