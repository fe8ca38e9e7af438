"""What a plan has to pass before it is written: the stricter of the policy it was asked for under and the one in force.

A plan may wait for days, and its policy may be tightened meanwhile. So whoever decides or applies asks here, while
`policies.hold` keeps the policy as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import JSONObject

from reflection.models import Approval, OnDrift, OnSchedule, ReflectionPolicy, ReflectPass, ScheduledRun
from reflection.states import PassKind

_CHOICES = ("approval", "four_eyes", "on_drift", "on_schedule")
_FOUND = JSONObject(**{name: name for name in _CHOICES})
_NEWEST = ReflectionPolicy.objects.order_by("-number")
# Of each pass in a list; `on` reads it from there.
POLICY_NOW = Subquery(_NEWEST.filter(space_id=OuterRef("space_id")).values(found=_FOUND)[:1])
FOUR_EYES = Q(policy__four_eyes=True) | Q(policy_now__four_eyes=True)
PERSON = (
    Q(policy__approval=Approval.REQUIRED)
    | Q(policy_now__approval=Approval.REQUIRED)
    | FOUR_EYES
    | Q(kind=PassKind.REVERT)
)


@dataclass(frozen=True, slots=True)
class Demands:
    """What is asked of one pass."""

    person: bool  # one approves it before anything is written
    four_eyes: bool  # and it is another than who planned it
    refuses: bool  # as a whole, where a record changed since the plan


def on(reflect_pass: ReflectPass) -> Demands:
    """What is asked of this pass now. What its caller chose about changed records stands, whatever the policy says."""
    then, now = reflect_pass.policy, _now(reflect_pass)
    four_eyes = then.four_eyes or now["four_eyes"]
    asked = reflect_pass.kind == PassKind.REVERT or Approval.REQUIRED in (then.approval, now["approval"])
    chosen = bool(reflect_pass.requested.get("on_drift"))
    refuses = OnDrift.REFUSE in (reflect_pass.on_drift, "" if chosen else now["on_drift"])
    return Demands(asked or four_eyes, four_eyes, refuses)


def only_proposes(reflect_pass: ReflectPass) -> bool:
    """Whether a schedule asked for this plan, and the policy lets none apply any more."""
    scheduled = ScheduledRun.objects.filter(reflect_pass=reflect_pass).exists()
    return scheduled and _now(reflect_pass)["on_schedule"] != OnSchedule.APPLY


def _now(reflect_pass: ReflectPass) -> Mapping[str, Any]:
    """The choices of the policy in force: as they were read with the pass, else as they are stored."""
    found: Mapping[str, Any] | None = getattr(reflect_pass, "policy_now", None)
    if found is None:
        found = _NEWEST.filter(space_id=reflect_pass.space_id).values(*_CHOICES).first()
    return found or {name: getattr(reflect_pass.policy, name) for name in _CHOICES}
