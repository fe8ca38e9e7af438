"""Random schedules of requests under one key: sent again, at once, cut off at any statement and around COMMIT.

Whatever happens on the way, the client sends until it hears a success. Then there is one effect, every success said the
same, and another request under the key is refused.
"""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.http import HttpResponse

from memories import audit
from memories.models import Decision, KeptAnswer, LedgerEntry, Memory, Snapshot, Todo, User
from memories.services import answers
from tests.memories.api_client import Api
from tests.memories.asking import EVERYTHING
from tests.memories.at_once import at_once
from tests.memories.factories import user

pytestmark = pytest.mark.django_db(transaction=True)
SENDERS_CHANGE = 50  # schedules of one person, so that counting their rows stays cheap
STATEMENTS_MOST = 30
TRIES_MOST = 12

Body = dict[str, Any]
# What is sent with a text, and how many rows of a person hold it.
KINDS: dict[str, tuple[Callable[[str], Body], Callable[[User, str], int]]] = {
    "remember": (
        lambda text: {"content": text, "path": "p"},
        lambda who, text: Memory.objects.filter(owner=who, content=text).count(),
    ),
    "timeline/events": (
        lambda text: {"content": text, "event_type": "note"},
        lambda who, text: Memory.objects.filter(owner=who, content=text).count(),
    ),
    "reminders": (
        lambda text: {"content": text},
        lambda who, text: Todo.objects.filter(owner=who, content=text).count(),
    ),
    "me/ledger/transactions": (
        lambda text: {"item": text, "amount": "3", "currency": "EUR"},
        lambda who, text: LedgerEntry.objects.filter(owner=who, item=text).count(),
    ),
    "decisions": (
        lambda text: {"context": text},
        lambda who, text: Decision.objects.filter(owner=who, context=text).count(),
    ),
    "restart/snapshot": (
        lambda text: {"label": text},
        lambda who, text: Snapshot.objects.filter(owner=who, label=text).count(),
    ),
}


@pytest.fixture(autouse=True)
def without_thousands_of_lines(caplog: pytest.LogCaptureFixture) -> None:
    """Each connection that breaks is logged, on purpose here."""
    for name in ("console", "django.request"):
        caplog.set_level(logging.CRITICAL, logger=name)


@dataclass
class Seen:
    """What the client heard under one key, and what befell its requests."""

    good: list[HttpResponse] = field(default_factory=list)
    fates: Counter[str] = field(default_factory=Counter)

    def hear(self, answer: HttpResponse) -> None:
        assert answer.status_code in (200, 201, 409, 500, 503), (answer.status_code, answer.content)
        if answer.status_code < 300:
            self.good.append(answer)


@contextmanager
def cut_off(at: int) -> Iterator[None]:
    """The connection to the database breaks before this statement."""
    count = 0

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal count
        count += 1
        if count == at:
            connection.connection.close()
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield
    connection.close()


@contextmanager
def cut_off_at_commit(*, before: bool) -> Iterator[None]:
    """The connection breaks when the first transaction commits: before it does, or before the answer is heard."""
    connection.ensure_connection()
    plain, done = connection._commit, []

    def commit() -> None:
        first = not done
        done.append(1)
        if first and before:
            connection.connection.close()
        plain()
        if first:
            raise OperationalError("the connection is lost")

    connection._commit = commit
    try:
        yield
    finally:
        del connection._commit
        connection.close()


def send(api: Api, path: str, body: Body, key: str, chance: random.Random, seen: Seen) -> None:
    """One request, with its fate."""
    fate = chance.choices(["heard", "lost", "cut", "uncommitted", "committed", "race"], [4, 3, 2, 1, 1, 1])[0]
    seen.fates[fate] += 1

    def post() -> HttpResponse:
        return api.post(path, body, Idempotency_Key=key)

    if fate == "race":
        for answer in at_once(*[post] * chance.choice((2, 3))):
            seen.hear(answer)
    elif fate == "lost":
        post()
    elif fate == "heard":
        seen.hear(post())
    else:
        around = cut_off(chance.randint(1, STATEMENTS_MOST)) if fate == "cut" else None
        with around or cut_off_at_commit(before=fate == "uncommitted"):
            seen.hear(post())


def schedule(api: Api, who: User, seed: int) -> Counter[str]:
    """One schedule from its number, and what holds after it."""
    chance, seen = random.Random(seed), Seen()
    path = chance.choice(list(KINDS))
    made, count = KINDS[path]
    text, key = f"zebra {seed}", f"key-{seed}"
    for _ in range(chance.randint(1, 4)):
        send(api, path, made(text), key, chance, seen)
    while not seen.good and sum(seen.fates.values()) < TRIES_MOST:
        send(api, path, made(text), key, chance, seen)
    if not seen.good:
        seen.hear(api.post(path, made(text), Idempotency_Key=key))
    assert count(who, text) == 1, (seed, path, seen.fates)
    assert len({answer.content for answer in seen.good}) == 1, (seed, path)
    assert sum("Idempotent-Replayed" not in answer for answer in seen.good) <= 1, (seed, path)
    if chance.random() < 0.2:
        assert api.post(path, made(text + " else"), Idempotency_Key=key).status_code == 422
        assert count(who, text + " else") == 0, (seed, path)
    return seen.fates


def campaign(schedules: int) -> Counter[str]:
    """So many schedules. Returns how often each fate befell a request."""
    fates: Counter[str] = Counter()
    for seed in range(schedules):
        if seed % SENDERS_CHANGE == 0:
            who = user(f"sender-{seed}")
            api = Api(who, scopes=EVERYTHING)
        fates += schedule(api, who, seed)
    assert KeptAnswer.objects.count() == schedules and audit.verify() == []
    return fates


@pytest.mark.parametrize("schedules", [80, pytest.param(10_000, marks=pytest.mark.soak)])
def test_each_schedule_has_one_effect(schedules: int) -> None:
    fates = campaign(schedules)
    assert min(fates.values()) >= schedules // 20 and len(fates) == 6, fates


def test_the_schedules_notice_an_answer_that_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "keep", lambda *_, **__: None)
    with pytest.raises(AssertionError):
        campaign(20)


def test_the_schedules_notice_an_answer_that_is_kept_apart_from_its_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = answers.keep

    def apart(*args: Any, **more: Any) -> None:
        at_once(lambda: plain(*args, **more))  # commits whatever becomes of the effect

    monkeypatch.setattr(answers, "keep", apart)
    with pytest.raises(AssertionError):
        campaign(40)
