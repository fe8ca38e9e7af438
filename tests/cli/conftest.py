"""A running console for as long as tests of this folder run, and somebody who uses its command line."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from memories.models import User
from tests.cli.shell import Shell
from tests.memories import factories
from tests.served import server

EVERYTHING = ["memory:read", "memory:write", "memory:delete", "ledger:read", "ledger:write", "audit"]
__all__ = ["server"]

_numbers = count(1)


@pytest.fixture
def who(server: str) -> User:
    """Somebody new, so that tests do not meet."""
    return factories.user(f"typist{next(_numbers)}")


@pytest.fixture
def shell(server: str, who: User, tmp_path: Path) -> Shell:
    """Their shell, in a folder of its own, with a token of theirs."""
    return Shell(tmp_path, url=server, token=factories.token(who, scopes=EVERYTHING)[1])
