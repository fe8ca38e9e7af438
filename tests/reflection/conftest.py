"""Ann, her browser, her records, and a plan over them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memories.access import Actor
from memories.models import Memory
from reflection.models import ReflectPass
from tests.memories import factories
from tests.reflection import life, pages


@pytest.fixture
def ann() -> Actor:
    return factories.actor(factories.ann())


@pytest.fixture
def web() -> Client:
    """A browser in which Ann is signed in."""
    return pages.browser(factories.ann())


@pytest.fixture
def records() -> dict[str, Memory]:
    """Something to do for each of the five actions."""
    return life.fill(factories.ann())


@pytest.fixture
def plan(ann: Actor, records: dict[str, Memory]) -> ReflectPass:
    """A plan over these records, with all five actions."""
    return life.plan_all(ann)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], datetime]:
    """Lets the clock stand so many days after now."""
    now = timezone.now()

    def stand(days: float) -> datetime:
        at = now + timedelta(days=days)
        monkeypatch.setattr(timezone, "now", lambda: at)
        return at

    return stand
