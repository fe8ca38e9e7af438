"""The one application of the console: pages, API and the bridge for agents, `gunicorn console.asgi`."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402 - only once Django is set up

from console.mcp.endpoint import Endpoint  # noqa: E402
from console.postgres import patience  # noqa: E402
from console.threaded import Receive, Scope, Send, Threaded  # noqa: E402

patience.become(patience.WEB)
pool = ThreadPoolExecutor(settings.WEB_THREADS, thread_name_prefix="request")
pages = Threaded(pool)
bridge = Endpoint(pool)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Leads each request to its door. The bridge lives from the server's start to its end."""
    if scope["type"] == "lifespan":
        await bridge.live(receive, send)
    elif scope["type"] == "http":
        await (bridge if scope["path"] in ("/mcp", "/mcp/") else pages)(scope, receive, send)
