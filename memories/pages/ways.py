"""The ways in for an agent, each as text that is ready to be pasted."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

PLACEHOLDER = "mc_YOUR_TOKEN"
BOTH = (("Claude Code", ".mcp.json"), ("Cursor", ".cursor/mcp.json"))
PROGRAMS = (*BOTH, ("Claude Desktop", "claude_desktop_config.json"))


@dataclass(frozen=True, slots=True)
class Way:
    """One way: for whom it is, and what to paste."""

    id: str
    title: str
    about: str
    text: str
    places: tuple[tuple[str, str], ...] = ()  # agents, each with the file in which it keeps this


def of(key: str = PLACEHOLDER) -> list[Way]:
    """Every way to this console, with `key` where the token belongs."""
    return [
        Way(
            "http",
            _("MCP over HTTP"),
            _("For agents that connect to an address. Add this to their configuration."),
            _http(key),
            BOTH,
        ),
        Way("stdio", _("MCP over standard input and output"), _about_stdio(), _stdio(key), PROGRAMS),
        Way(
            "api", _("Plain API"), _("For scripts, and to see by hand that it works. Paste it into a shell."), _api(key)
        ),
        Way(
            "by-hand",
            _("MCP by hand"),
            _("One call as an agent makes it, to see whether the bridge answers. Paste it into a shell."),
            _by_hand(key),
        ),
    ]


def _server(entry: dict[str, Any]) -> str:
    return json.dumps({"mcpServers": {"memory": entry}}, indent=2)


def _http(key: str) -> str:
    return _server(
        {"type": "http", "url": f"{settings.CONSOLE_URL}/mcp", "headers": {"Authorization": f"Bearer {key}"}}
    )


def _about_stdio() -> str:
    said = _("For agents that start a program and talk to it. The program calls this console; it opens no database.")
    if settings.PRODUCTION:
        said = f"{said} {_('It needs a copy of the console on the agent’s machine.')}"
    return said


def _stdio(key: str) -> str:
    """With the folder of this very console while it runs for its own machine; a served one says nothing of its disk."""
    python, manage = sys.executable, str(settings.BASE_DIR / "manage.py")
    if settings.PRODUCTION:
        python, manage = "/path/to/.venv/bin/python", "/path/to/manage.py"
    given = {"MCP_TOKEN": key, "MCP_URL": f"{settings.CONSOLE_URL}/mcp"}
    return _server({"command": python, "args": [manage, "mcp"], "env": given})


def _by_hand(key: str) -> str:
    call = {"name": "search_memory", "arguments": {"query": "tea"}}
    sent = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    begin = 'curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json"'
    return f"TOKEN='{key}'\n\n{begin} {settings.CONSOLE_URL}/mcp -d '{sent}'"


def _api(key: str) -> str:
    url, token = settings.CONSOLE_URL, '-H "Authorization: Bearer $TOKEN"'
    note = json.dumps({"content": "The tea is in the upper drawer.", "path": "kitchen"})
    return "\n".join(
        [
            f"TOKEN='{key}'",
            "",
            "# whose token it is, and what it may",
            f"curl {token} {url}/v1/auth/token/validate",
            "",
            "# write a memory",
            f"curl {token} -H 'Content-Type: application/json' {url}/v1/remember -d '{note}'",
            "",
            "# search",
            f"curl {token} '{url}/v1/memories/search?query=tea'",
        ]
    )
