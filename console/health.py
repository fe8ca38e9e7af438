"""Whether the console is up, and whether it can do its work."""

from __future__ import annotations

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

from console.http import public


@public
def health(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


@public
def ready(request: HttpRequest) -> JsonResponse:
    """The database answers and its schema is this code's."""
    executor = MigrationExecutor(connection)
    due = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if due:
        return JsonResponse(
            {"ready": False, "reason": f"{len(due)} migrations are due: run manage.py migrate"}, status=503
        )
    return JsonResponse({"ready": True, "database": connection.pg_version})
