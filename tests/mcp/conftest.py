"""A running web server, for as long as tests of this folder run, and somebody who has a token."""

from __future__ import annotations

import os
from itertools import count

import pytest

from memories.models import User
from tests.mcp.bridge import Bridge
from tests.memories import factories
from tests.served import server

__all__ = ["server"]

_numbers = count(1)
collect_ignore = [] if os.environ.get("MCP_CONFORMANCE") else ["test_conformance.py"]


@pytest.fixture
def who(server: str) -> User:
    """Somebody new, so that tests do not meet."""
    return factories.user(f"caller{next(_numbers)}")


@pytest.fixture
def bridge(server: str, who: User) -> Bridge:
    """An agent of theirs with every scope."""
    return Bridge(server, who)
