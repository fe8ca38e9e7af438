"""Many verbs at the same moment, each on a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import close_old_connections, connection

from console.errors import Refused


def at_once(*verbs: Callable[[], Any]) -> list[Any]:
    """Their results, or the refusals they met, in order. For tests with real commits only."""
    gate = threading.Barrier(len(verbs))

    def run(verb: Callable[[], Any]) -> Any:
        close_old_connections()
        connection.ensure_connection()
        gate.wait()
        try:
            return verb()
        except Refused as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(verbs)) as pool:
        return list(pool.map(run, verbs))
