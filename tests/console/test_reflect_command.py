"""`manage.py reflect`: a pass from the command line."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from console.management.commands import reflect
from memories.models import AuditRecord, User
from reflection import report
from reflection.models import ReflectPass
from reflection.services.plan import plan
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


def said(*options: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("reflect", *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_a_dry_run_prints_the_report_and_writes_nothing_else():
    life.fill(factories.ann())
    before = life.world()
    out, err = said("--dry-run", "--as", "ann")
    made = ReflectPass.objects.get()
    assert out == report.as_text(made) and out.startswith("### Memory Reflect Report\n- Dry Run: true\n")
    assert (made.planned_channel, made.dry_run, err) == ("cli", True, "")
    assert life.beside_a_plan(before) == set()
    assert AuditRecord.objects.get().actor_name == "ann"


def test_it_needs_no_context_but_that_of_the_person():
    life.fill(factories.ann())
    factories.memory(factories.bob(), "Bob's guest code.", expires_at=factories.PAST)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('memory_console.spaces', '', true)")
    assert "- Expired: 1\n" in said("--dry-run", "--as", "ann")[0]
    assert not ReflectPass.objects.exists()


def test_without_it_what_needs_no_approval_is_applied():
    life.fill(factories.ann())
    out, _ = said("--as", "ann")
    assert "- Dry Run: false\n" in out and "- Status: applied\n" in out


def test_with_json_the_whole_report_is_printed():
    life.fill(factories.ann())
    body = json.loads(said("--dry-run", "--as", "ann", "--json")[0])
    assert body == json.loads(json.dumps(report.as_json(ReflectPass.objects.get()), default=str)) or body["pass_id"]
    assert set(body["counts"]) == {"summarized", "promoted", "expired", "decayed", "archived"}


def test_every_parameter_reaches_the_pass():
    atlas = factories.team("Atlas", ann="admin")
    place = {"team": atlas, "path": "a/b", "scope": "s"}
    factories.memory(
        factories.ann(), "The old gate.", importance=0.05, created_at=datetime(2025, 1, 1, tzinfo=UTC), **place
    )
    _, err = said(
        *("--as", "ann", "--actions", "archival,decay", "--since", "2026-01-01", "--until", "2026-02-01"),
        *("--path-filter", "a/%", "--owner-filter", "ann", "--bucket", "work", "--scope", "s"),
        *("--team-id", str(atlas.pk), "--limit", "7", "--on-drift", "refuse", "--time-window-hours", "48"),
    )
    made = ReflectPass.objects.get()
    assert (made.actions, made.limit, made.on_drift, made.space_id) == (["decay", "archive"], 7, "refuse", atlas.pk)
    assert made.filters["path_filter"] == "a/%" and made.filters["scope"] == "s"
    assert "has to approve" in err


def test_a_person_is_found_by_their_address():
    User.objects.filter(pk=factories.ann().pk).update(email="ann@example.org")
    said("--dry-run", "--as", "Ann@Example.org")
    assert ReflectPass.objects.get().planned_by == factories.ann()


def test_a_plan_that_is_left_to_the_worker_says_where_it_comes_to_be(monkeypatch):
    made = ReflectPass.objects.get(pk=plan(given={}, actor=factories.actor(factories.ann())).pk)
    made.status = "planning"
    monkeypatch.setattr(reflect, "reflect", lambda **_: made)
    out, err = said("--as", "ann")
    assert "- Status: planning\n" in out and f"the worker plans it. See {report.address(made)}" in err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--as", "nobody"), "no person named nobody"),
        (("--as", "x@example.org"), "no person named x@example.org"),
        (("--as", "ann", "--limit", "0"), "limit: limit must be a whole number"),
        (("--as", "ann", "--actions", "polish"), "actions_csv: 'polish' is no action"),
        (("--as", "ann", "--since", "x", "--limit", "x"), "since: since is not ISO 8601"),
        (("--as", "ann", "--owner-filter", "bob"), "owner_filter may name only yourself"),
        (("--as", "ann", "--team-id", "x"), "not a member of this team"),
        (("--dry-run",), "--as"),
    ],
)
def test_a_refusal_is_said_and_nothing_is_planned(options, sentence):
    factories.ann()
    factories.bob()
    with pytest.raises(CommandError, match=sentence):
        said(*options)
    assert not ReflectPass.objects.exists()


def test_who_has_no_access_any_more_is_refused():
    User.objects.filter(pk=factories.ann().pk).update(is_active=False)
    with pytest.raises(CommandError, match="no access any more"):
        said("--dry-run", "--as", "ann")
