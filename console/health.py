"""Whether the console is up, whether it can do its work, and where its doors are. Open to everybody; no secrets."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door
from console.http import public


@cache
def version() -> str:
    """The version of this code, as pyproject.toml has it."""
    found = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())
    return str(found["project"]["version"])


def migrations_due() -> int:
    """How many steps the database is behind this code."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


class Health(Door):
    """GET health."""

    def get(self, request: Request) -> Response:
        """The process answers."""
        return Response({"status": "ok"})


class Ready(Door):
    """GET ready."""

    def get(self, request: Request) -> Response:
        """The database answers and its schema is this code's."""
        if due := migrations_due():
            reason = f"{due} migrations are due: run manage.py migrate"
            return Response({"ready": False, "reason": reason}, status=503)
        return Response({"ready": True, "database": connection.pg_version})


class Onboarding(Door):
    """GET onboarding/status."""

    def get(self, request: Request) -> Response:
        """Whether an agent can be connected now."""
        return Response({"ready": migrations_due() == 0})


class AgentDiscovery(Door):
    """GET .well-known/agent-discovery.json."""

    def get(self, request: Request) -> Response:
        """Where agents find the API and the MCP endpoint."""
        return Response(
            {
                "service": "memory-console",
                "protocol": "memory-os",
                "schema_version": "1",
                "urls": {**_urls(), "root_discovery": f"{settings.CONSOLE_URL}/.well-known/memory-os.json"},
                "auth": {"token_in_discovery": False},
                "security": {"no_remote_code_execution": True, "token_in_discovery": False},
            }
        )


class MemoryOs(Door):
    """GET .well-known/memory-os.json."""

    def get(self, request: Request) -> Response:
        """Service, version and addresses."""
        urls = {**_urls(), "onboarding_status": f"{settings.CONSOLE_URL}/v1/onboarding/status"}
        return Response({"service": "memory-console", "version": version(), "urls": urls})


def _urls() -> dict[str, Any]:
    return {"api_base": settings.CONSOLE_URL, "mcp": f"{settings.CONSOLE_URL}/mcp"}


health = public(Health.as_view())
ready = public(Ready.as_view())
onboarding = public(Onboarding.as_view())
agent_discovery = public(AgentDiscovery.as_view())
memory_os = public(MemoryOs.as_view())
