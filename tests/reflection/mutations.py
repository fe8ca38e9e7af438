"""One good request for each address about passes, policies and schedules that changes something."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch
from uuid import UUID

from django.test import override_settings

from memories.models import Memory
from reflection.models import ReflectPass
from reflection.services import notices, schedules
from reflection.services import plan as planner
from reflection.services.run import reflect
from tests.memories.asking import WHY, Given, of
from tests.memories.factories import actor, ann
from tests.reflection import life, token_writes


def planned() -> ReflectPass:
    life.fill(ann())
    return life.plan_all(actor(ann()), actions_csv="expire,archive")


def applied() -> ReflectPass:
    return life.applied(planned(), actor(ann()))


def being_planned() -> UUID:
    life.fill(ann())
    with patch.object(planner, "AT_ONCE", 1):
        made = life.plan_all(actor(ann()), limit=400)
    assert made.status == "planning"
    return made.pk


def unsigned() -> UUID:
    life.fill(ann())
    made: UUID = reflect(given={"actions_csv": "expire"}, actor=actor(ann())).pk
    return made


def _approved() -> Given:
    made = planned()
    return made.pk, {**_form(made), "comment": WHY}


def _item() -> Given:
    made = planned()
    expires = next(one for one in life.candidates(made) if one.action == "expire")
    return of(made.pk, item_id=str(expires.pk), expected_run_version=1)


def _form(made: ReflectPass) -> dict[str, Any]:
    ids = [str(one.pk) for one in life.candidates(made)]
    return {"digest": made.digest, "shown": ids, "include": ids}


def _some() -> Given:
    made = applied()
    first = life.candidates(made)[0]
    return made.pk, {"include": [str(first.pk)], "comment": WHY}


def scheduled() -> UUID:
    given = {"rhythm": "daily", "at": "03:00", "zone": "Asia/Tokyo", "actions": ["decay"]}
    made: UUID = schedules.add(space_id=ann().pk, given=given, actor=actor(ann())).pk
    return made


def paused() -> UUID:
    key = scheduled()
    schedules.pause(schedule_id=key, seen_version=1, actor=actor(ann()))
    return key


def written() -> dict[str, Any]:
    """A token that wrote something, and what is asked to take it back."""
    at = token_writes.scene()
    made: Memory = at.made()
    assert made.pk
    return {"token": str(at.token.pk)}


def _revert() -> Given:
    sent = {**written(), "space": str(ann().pk), "since": "2001-01-01T00:00", "limit": "500"}
    return None, sent


def subscribed() -> UUID:
    with override_settings(EMAIL_HOST="mail.example"):
        made = notices.subscribe(space_id=ann().pk, channel="email", address="ann@example.org", actor=actor(ann()))
    return made.pk


def _hook() -> Given:
    return None, {"space": str(ann().pk), "channel": "webhook", "address": "https://93.184.216.34/"}


PARAMETERS = {"actions": ["expire"], "time_window_hours": "24", "path_filter": "%", "bucket": "%", "limit": "500"}
RHYTHM = {"rhythm": "daily", "at": "04:00", "weekday": "0", "every_hours": "6", "zone": "Asia/Tokyo", **PARAMETERS}
UNDONE = ("reflect.undo_expire", "reflect.undo_archive")
Made = tuple[Callable[[], Given], tuple[str, ...]]

PAGES: dict[str, Made] = {
    "passes/new": (lambda: (None, {"actions": ["expire"], "time_window_hours": "24"}), ("pass.plan",)),
    "passes/<uuid:pass_id>/approve": (_approved, ("pass.approve",)),
    "passes/<uuid:pass_id>/cancel": (lambda: of(being_planned()), ("pass.cancel",)),
    "passes/<uuid:pass_id>/reject": (lambda: of(planned().pk, comment=WHY), ("pass.reject",)),
    "passes/<uuid:pass_id>/undo": (lambda: of(applied().pk, comment=WHY), ("pass.roll_back", *UNDONE)),
    "passes/<uuid:pass_id>/sign-off": (lambda: of(unsigned(), comment=WHY), ("pass.sign_off",)),
    "passes/revert": (_revert, ("pass.plan",)),
    "passes/<uuid:pass_id>/undo-some": (_some, ("pass.undo_some", "reflect.undo_expire")),
    "notices": (_hook, ("notices.on",)),
    "notices/<uuid:subscription_id>/end": (lambda: of(subscribed()), ("notices.off",)),
    "policies/<uuid:space_id>": (lambda: of(ann().pk, seen="1", decay_step="0.5"), ("policy.save",)),
    "schedules/new": (lambda: (None, RHYTHM), ("schedule.create",)),
    "schedules/<uuid:schedule_id>": (lambda: of(scheduled(), **RHYTHM, version="1"), ("schedule.update",)),
    "schedules/<uuid:schedule_id>/pause": (lambda: of(scheduled(), version="1"), ("schedule.pause",)),
    "schedules/<uuid:schedule_id>/resume": (lambda: of(paused(), version="2"), ("schedule.resume",)),
    "schedules/<uuid:schedule_id>/delete": (lambda: of(scheduled(), version="1"), ("schedule.delete",)),
}
CHANGED: dict[str, Made] = {
    "POST reflect": (
        lambda: (life.fill(ann())["due"].pk, {"actions_csv": "expire"}),
        ("pass.plan", "pass.approve", "pass.apply", "reflect.expire"),
    ),
    "POST passes/revert": (lambda: (None, {**written(), "since": "2001-01-01T00:00:00Z"}), ("pass.plan",)),
    "POST me/dream/settings": (lambda: (None, {"settings": {"decay_step": 0.5}}), ("policy.save",)),
    "POST me/dream/runs": (lambda: (None, {"actions_csv": "expire"}), ("pass.plan",)),
    "POST me/dream/runs/<str:pass_id>/confirm": (_item, ("pass.approve", "pass.apply", "reflect.expire")),
    "PUT reflect/policy": (lambda: (None, {"version": 1, "values": {"decay_step": 0.5}}), ("policy.save",)),
}
NEUTRAL: dict[str, Callable[[], Given]] = {
    "POST passes/<uuid:pass_id>/select": lambda: of(planned().pk),
    "POST v1/passes/<str:pass_id>/apply": lambda: of(applied().pk),
    "POST v1/reflect/policy/preview": lambda: (None, {"values": {"decay_step": 0.5}}),
}
# What a token asks for in vain: the refusal is what is audited.
REFUSED: dict[str, Callable[[], Given]] = {
    f"POST v1/passes/<str:pass_id>/{verb}": lambda: of(planned().pk) for verb in ("approve", "reject", "rollback")
}
