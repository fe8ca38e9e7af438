"""Hermes as its plug-in for memory meets it: the three modules that the plug-in imports from its host."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HOME = "HERMES_HOME"
PATIENCE = 60.0  # seconds; the machine may be busy


def _host() -> dict[str, ModuleType]:
    """The modules of the host, by name."""
    made = {name: ModuleType(name) for name in ("agent", "agent.memory_provider", "tools", "tools.registry")}
    made["hermes_constants"] = ModuleType("hermes_constants")
    vars(made["agent.memory_provider"])["MemoryProvider"] = type("MemoryProvider", (), {})
    vars(made["tools.registry"])["tool_error"] = lambda message: json.dumps({"error": message})
    vars(made["hermes_constants"])["get_hermes_home"] = lambda: Path(os.environ[HOME])
    return made


for _name, _module in _host().items():
    sys.modules.setdefault(_name, _module)

from hermes_xmemo.xmemo import XMemoMemoryProvider as Provider  # noqa: E402
from hermes_xmemo.xmemo import register  # noqa: E402
from hermes_xmemo.xmemo.cache import identity_fingerprint  # noqa: E402
from hermes_xmemo.xmemo.client import XMemoClient as Client  # noqa: E402
from hermes_xmemo.xmemo.client import XMemoClientError as Failed  # noqa: E402

__all__ = [
    "Client",
    "Failed",
    "Provider",
    "call",
    "home_is",
    "identity_fingerprint",
    "opened",
    "provider_of",
    "register",
    "settled",
]


def home_is(folder: Path, server: str, key: str, monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    """The environment of a Hermes at home in `folder`; `more` are further XMEMO_ variables."""
    for name in [name for name in os.environ if name.startswith(("XMEMO_", "MEMORY_OS_"))]:
        monkeypatch.delenv(name)
    given = {"URL": server, "KEY": key, "CONFIG_HOME": str(folder), "TIMEOUT_SECONDS": str(PATIENCE), **more}
    monkeypatch.setenv(HOME, str(folder))
    for name, value in given.items():
        monkeypatch.setenv(f"XMEMO_{name}", value)


@contextmanager
def opened(server: str, key: str, **more: Any) -> Iterator[Any]:
    """A client, closed in the end."""
    made = Client(server, key, timeout=PATIENCE, **more)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def provider_of(session: str) -> Iterator[Any]:
    """A provider whose session has begun, and ends with its threads."""
    made = Provider()
    made.initialize(session)
    try:
        yield made
    finally:
        settled()
        made.shutdown()


def settled() -> None:
    """Wait for what the plug-in does beside the conversation."""
    for thread in threading.enumerate():
        if thread.name.startswith("xmemo-"):
            thread.join(PATIENCE)


def call(provider: Any, tool: str, **arguments: Any) -> Any:
    """What a tool of the plug-in answered."""
    return json.loads(provider.handle_tool_call(f"xmemo_{tool}", arguments))
