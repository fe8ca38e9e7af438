"""The bridge for agents that start a program and talk to it: `manage.py mcp`."""

from __future__ import annotations

import sys
import threading
from typing import Any
from urllib.parse import urlencode

import httpx
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from console import environment, running
from console.mcp.stdio import Bridge


class Command(BaseCommand):
    """Reads messages from standard input and writes answers to standard output; it uses no database itself."""

    help = "Connect an agent over standard input and output to a running console, with the token in MCP_TOKEN."
    requires_system_checks: list[str] = []

    def handle(self, **options: Any) -> None:
        token = environment.text("MCP_TOKEN")
        if not token:
            raise CommandError("MCP_TOKEN is not set. Make a token with `manage.py token create` and put it there.")
        url = environment.text("MCP_URL") or f"{running.address() or settings.CONSOLE_URL}/mcp"
        if environment.text("MCP_PROFILE") and "?" not in url:
            url += f"?{urlencode({'profile': settings.MCP_PROFILE})}"
        lock = threading.Lock()

        def write(line: bytes) -> None:
            with lock:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()

        try:
            bridge = Bridge(url, token, write)
        except (ValueError, httpx.InvalidURL):
            raise CommandError(
                "MCP_URL is no address, or MCP_TOKEN is no token. Copy both anew from the page Connect an agent."
            ) from None
        bridge.serve(sys.stdin.buffer)
