"""The policy of a space: what is in force, its versions, and the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from console.errors import Invalid, NotAllowed, NotFound, Problem, Stale
from console.saying import phrase
from memories import audit
from memories.access import Actor, Bounds, Space, check_may_use, may_use
from memories.models.people import Role
from reflection import rules
from reflection.models import Approval, OnSchedule, ReflectionPolicy, plan_lifetime
from reflection.numbers import LIFETIME, RULES
from reflection.policy import Policy
from reflection.services.good_values import good_choice, good_number, said


@dataclass(frozen=True, slots=True)
class Setting:
    """One choice of a policy that is no number; `words` says what each value means."""

    name: str
    label: str
    words: Mapping[str, str]


SETTINGS = (
    Setting(
        "approval",
        _("Approval"),
        {
            "required": _("A person approves every pass before anything is written"),
            "not_required": _("What agents ask for is applied at once, and waits to be kept or undone"),
        },
    ),
    Setting(
        "four_eyes",
        _("Four eyes"),
        {
            "false": _("Whoever planned a pass may approve it"),
            "true": _("Somebody other than the planner approves it"),
        },
    ),
    Setting(
        "on_schedule",
        _("When a schedule is due"),
        {
            "propose": _("It puts a plan into the inbox and writes nothing"),
            "apply": _("It applies its plan by itself, and the pass waits to be kept or undone"),
        },
    ),
    Setting(
        "on_drift",
        _("When a record changes before a pass is applied"),
        {
            "skip": _("Its candidate is skipped and named, the rest is applied"),
            "refuse": _("The whole pass is refused"),
        },
    ),
    Setting(
        "on_erasure",
        _("When a source of a summary is deleted for good"),
        {
            "erase": _("The summary is deleted with it"),
            "resummarize": _("The summary is told anew from what remains, if that is enough"),
        },
    ),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}
NAMES = (*BY_NAME, LIFETIME.name, *rules.BY_NAME)


@dataclass(frozen=True, slots=True)
class Changed:
    """One value of a policy, before and after."""

    name: str
    label: str
    unit: str
    before: Any
    after: Any


def in_force(space: Space) -> ReflectionPolicy:
    """The newest version of the space's policy; the defaults are stored as version 1 when they are first used.

    Teams need an approval; one's own records do not.
    """
    found = current(space)
    if not found._state.adding:
        return found
    ReflectionPolicy.objects.bulk_create([found], ignore_conflicts=True)
    return ReflectionPolicy.objects.get(space_id=space.id, number=1)


def current(space: Space) -> ReflectionPolicy:
    """What `in_force` answers, without storing anything."""
    newest = ReflectionPolicy.objects.filter(space_id=space.id).select_related("created_by").order_by("-number").first()
    if newest is not None:
        return newest
    return ReflectionPolicy(
        space_id=space.id,
        number=1,
        values=Policy().as_json(),
        approval=Approval.REQUIRED if space.team_id else Approval.NOT_REQUIRED,
        plan_hours=plan_lifetime(),
        created_at=timezone.now(),
    )


def versions(space_id: UUID, *, actor: Actor) -> QuerySet[ReflectionPolicy]:
    """All stored versions of a visible space, newest first. Raises NotFound."""
    rows = ReflectionPolicy.objects.filter(space_id=actor.space(space_id).id)
    return rows.select_related("created_by").order_by("-number")


def version(space_id: UUID, number: int, *, actor: Actor) -> ReflectionPolicy:
    """One version. Raises NotFound."""
    found = versions(space_id, actor=actor).filter(number=number).first()
    if found is None:
        raise NotFound(phrase("This policy has no such version."))
    return found


def flat(policy: ReflectionPolicy) -> dict[str, Any]:
    """Every value by the name that people and the API use."""
    found = {name: getattr(policy, name) for name in (*BY_NAME, LIFETIME.name)}
    return found | rules.flat(policy.rules)


def changes(before: ReflectionPolicy, after: ReflectionPolicy) -> list[Changed]:
    """What differs between two policies."""
    was, now = flat(before), flat(after)
    labels = {name: (setting.label, "") for name, setting in BY_NAME.items()}
    labels |= {rule.name: (rule.label, rule.unit) for rule in (LIFETIME, *RULES)}
    return [Changed(name, *labels[name], was[name], now[name]) for name in NAMES if was[name] != now[name]]


def draft(given: Mapping[str, Any], base: ReflectionPolicy) -> ReflectionPolicy:
    """The version after `base` with what is `given`, not stored. Raises Invalid naming every problem."""
    problems = [
        Problem(
            ("body", str(name)[:50]),
            phrase("%(field)s is no value of a policy. Leave it out.", field=str(name)[:50]),
            "extra_forbidden",
        )
        for name in sorted(set(given) - set(NAMES), key=str)
    ]
    chosen, wrong = _settings(given)
    numbers, sentences = rules.read({name: given[name] for name in rules.BY_NAME if name in given}, base.rules)
    if LIFETIME.name in given:
        try:
            chosen[LIFETIME.name] = LIFETIME.read(given[LIFETIME.name])
        except ValueError:
            wrong[LIFETIME.name] = good_number(LIFETIME)
    same = {name: getattr(base, name) for name in (*BY_NAME, LIFETIME.name)}
    made = ReflectionPolicy(space_id=base.space_id, number=base.number + 1, **(same | chosen))
    if not wrong and made.on_schedule == OnSchedule.APPLY and _asks(made):
        wrong["on_schedule"] = phrase(
            "A schedule cannot apply by itself where a person has to approve. Change one of them."
        )
    wrong |= {name: said(name, text, rules.flat(base.rules) | numbers) for name, text in sentences.items()}
    problems += [Problem(("body", name), text) for name, text in wrong.items()]
    if problems:
        raise Invalid(*problems)
    made.values = rules.with_numbers(base.rules, numbers).as_json()
    return made


def _asks(policy: ReflectionPolicy) -> bool:
    return policy.approval == Approval.REQUIRED or policy.four_eyes


def _settings(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    chosen: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    for name, setting in BY_NAME.items():
        if name not in given:
            continue
        value = str(given[name]).lower() if isinstance(given[name], str | bool) else ""
        if value not in setting.words:
            wrong[name] = good_choice(setting.label, *setting.words)
        else:
            chosen[name] = value == "true" if name == "four_eyes" else value
    return chosen, wrong


def may_set(actor: Actor, space: Space) -> bool:
    """Whether the actor may change this policy: it is their own space, or they are an admin of the team."""
    return space.role == Role.ADMIN and may_use(actor, "admin") and actor.bounds == Bounds()


def check_may_set(actor: Actor, space: Space) -> None:
    """Raises NotAllowed that says who may."""
    check_may_use(actor, "admin")
    if actor.bounds != Bounds():
        raise NotAllowed(phrase("This token is bound to a part of the space, and the policy holds for all of it."))
    if space.role != Role.ADMIN:
        raise NotAllowed(phrase("Only an admin of %(space)s may change its policy. Ask one of them.", space=space.name))


@transaction.atomic
def adopt(*, space_id: UUID, given: Mapping[str, Any], seen_version: int, actor: Actor) -> ReflectionPolicy:
    """Put the values `given` into force as a new version; what is not given stays. The same values make none.

    Raises NotFound, NotAllowed, Invalid, and Stale with both where the policy is not at `seen_version` any more.
    """
    space = actor.space(space_id)
    check_may_set(actor, space)
    _one_writer(space_id)
    was = in_force(space)
    made = draft(given, was)
    changed = changes(was, made)
    if seen_version != was.number:
        raise _moved(was, seen_version, changed)
    if not changed:
        return was
    made.created_at, made.created_by_id = timezone.now(), actor.own
    made.save(force_insert=True)
    detail = {
        "version": [was.number, made.number],
        "changed": {one.name: [one.before, one.after] for one in changed},
    }
    audit.record(actor, "policy.save", "policy", made.pk, space_id=space_id, detail=detail)
    return made


def _one_writer(space_id: UUID) -> None:
    """The next version is written by one at a time, and not while somebody holds the one in force."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"policy {space_id}"])


def hold(space_id: UUID) -> None:
    """Let nobody change this policy until the transaction ends. Others may hold it at the same time.

    Asked for after `hold_off_erasures`, and before any row is locked or audited.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", [f"policy {space_id}"])


def _moved(now_is: ReflectionPolicy, seen: int, yours: list[Changed]) -> Stale:
    return Stale(
        phrase(
            "You saw version %(seen)s of this policy; %(who)s has saved version %(now)s since. Nothing of yours is "
            "saved. Compare the two, and save yours over it or leave it.",
            seen=seen,
            who=now_is.created_by.username if now_is.created_by else phrase("somebody"),
            now=now_is.number,
        ),
        seen=seen,
        now=now_is.number,
        differences=[{"name": one.name, "now": one.before, "yours": one.after} for one in yours],
    )
