"""Chains of requests in which owner, member and stranger take turns: nobody is told what is not theirs to read.

Each writes texts with a mark of their own, and one more mark in the team; ids go from hand to hand along the links of
the OpenAPI document, so that everybody asks for what the others made.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import Case, Response

from memories import access, actors
from memories.models import User
from tests.console.test_openapi_cases import LEFT_OUT, one_connection
from tests.memories.asking import EVERYTHING
from tests.memories.factories import team, token, user

__all__ = ["one_connection"]
pytestmark = pytest.mark.django_db
OWNER, MEMBER, STRANGER = NAMES = ("owner-otter", "member-marten", "stranger-stork")
SHARED = "markofthecrew"
TEXTS = ("content", "item", "context", "label", "note", "reason", "resolution", "description", "replacement_content")
# What each create takes at least; `TEXT` is replaced by a marked text.
BODIES: dict[str, dict[str, Any]] = {
    "POST /v1/remember": {"content": "TEXT", "path": "p"},
    "POST /v1/update_state": {"state_key": "active_task", "content": "TEXT"},
    "POST /v1/timeline/events": {"content": "TEXT", "event_type": "note"},
    "POST /v1/reminders": {"content": "TEXT"},
    "POST /v1/me/ledger/transactions": {"item": "TEXT", "amount": "3", "currency": "EUR"},
    "POST /v1/decisions": {"context": "TEXT", "options": ["TEXT"]},
    "POST /v1/restart/snapshot": {"label": "TEXT"},
    "POST /v1/export": {},
    "POST /v1/recall/context": {"query": "zebra", "threshold": 0},
}


def mark_of(name: str) -> str:
    return f"markof{name.split('-')[1]}"


# Which marks nobody but their writers may be told.
HIDDEN = {
    OWNER: {mark_of(MEMBER), mark_of(STRANGER)},
    MEMBER: {mark_of(OWNER), mark_of(STRANGER)},
    STRANGER: {mark_of(OWNER), mark_of(MEMBER), SHARED},
}


@dataclass
class Told:
    """What happened: leaks, and how often whom was answered what."""

    leaks: list[tuple[str, str, str]] = field(default_factory=list)
    good: Counter[str] = field(default_factory=Counter)
    foreign: Counter[int] = field(default_factory=Counter)


def marked(body: Any, who: str, chance: random.Random, team_id: str) -> Any:
    """The body with marked texts, sometimes of the team."""
    shared = who != STRANGER and chance.random() < 0.4
    text = f"zebra {SHARED if shared else mark_of(who)} {chance.randrange(10_000)}"
    found = {name: [text] if value == ["TEXT"] else text if value == "TEXT" else value for name, value in body.items()}
    found |= {name: text for name in TEXTS if isinstance(body.get(name), str)}
    if "metadata" in found:
        found["metadata"] = {"about": text}
    if shared or (who == STRANGER and chance.random() < 0.2):
        found["team_id"] = team_id
    elif "team_id" in found:
        del found["team_id"]
    return found


def interleaved(chains: int, **how: Any) -> Told:
    """Lead so many chains, each request by one of the three."""
    people = {name: user(name) for name in NAMES}
    crew = str(team("Crew of the chains", **{OWNER: "admin", MEMBER: "member"}).pk)
    keys = {name: token(who, scopes=EVERYTHING)[1] for name, who in people.items()}
    schema = schemathesis.openapi.from_wsgi("/v1/openapi.json", get_wsgi_application()).exclude(path=LEFT_OUT)
    schema.config.phases.stateful.inference.algorithms = []
    told, made = Told(), {}

    class Chains(schema.as_state_machine()):  # type: ignore[misc]
        def setup(self) -> None:
            self.turn = 0

        def before_call(self, case: Case) -> None:
            self.turn += 1
            chance = random.Random(f"{self.turn} {case.operation.label} {case.path_parameters}")
            self.who = chance.choice((OWNER, MEMBER, STRANGER, STRANGER))
            if case.operation.label in BODIES and chance.random() < 0.8:
                case.body, case.query, case.headers = BODIES[case.operation.label], {}, {}
            if isinstance(case.body, dict):
                case.body = marked(case.body, self.who, chance, crew)

        def get_call_kwargs(self, case: Case) -> dict[str, Any]:
            return {"headers": {"Authorization": f"Bearer {keys[self.who]}"}}

        def validate_response(self, response: Response, case: Case, *args: Any, **kwargs: Any) -> None:
            text = response.content.decode(errors="replace")
            told.leaks += [(self.who, case.operation.label, mark) for mark in HIDDEN[self.who] if mark in text]
            asked = str(next(iter((case.path_parameters or {}).values()), ""))
            if response.status_code < 300:
                told.good[self.who] += 1
                key = response.json().get("id") if text.startswith("{") else None
                made.setdefault(str(key), self.who)
            if self.who == STRANGER and made.get(asked, STRANGER) != STRANGER:
                told.foreign[response.status_code] += 1

    run_state_machine_as_test(
        Chains,
        settings=settings(
            max_examples=chains,
            stateful_step_count=8,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            **how,
        ),
    )
    return told


@pytest.mark.parametrize("chains", [40, pytest.param(600, marks=pytest.mark.soak)])
def test_no_answer_tells_what_somebody_else_wrote(chains: int) -> None:
    told = interleaved(chains, derandomize=chains < 100)
    assert told.leaks == []
    assert min(told.good[name] for name in NAMES) >= 10, told.good
    assert sum(told.foreign.values()) >= 5 and set(told.foreign) <= {400, 403, 404, 409, 412, 422}, told.foreign


def test_the_chains_notice_a_stranger_who_gets_in(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = actors.spaces_of

    def open_to_all(who: User) -> dict[Any, access.Space]:
        return plain(who) | (plain(user(OWNER)) if who.username == STRANGER else {})

    monkeypatch.setattr(actors, "spaces_of", open_to_all)
    assert STRANGER in {who for who, _, _ in interleaved(40, derandomize=True).leaks}
