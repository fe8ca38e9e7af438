"""Django's PostgreSQL backend, which starts the embedded server on the first connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db.backends.postgresql import base
from django.db.utils import OperationalError

from console.postgres import PostgresUnavailable, context, launcher, patience


class DatabaseWrapper(base.DatabaseWrapper):
    """With `"EMBEDDED": {"home": …}` in its settings, connecting starts and shares the server of that home."""

    def get_connection_params(self) -> dict[str, Any]:
        """Raises OperationalError with advice when the embedded server cannot run."""
        params: dict[str, Any] = super().get_connection_params()
        embedded = self.settings_dict.get("EMBEDDED")
        if embedded:
            home = Path(embedded["home"])
            try:
                launcher.keep(home)
                server = launcher.ensure_running(home)
            except PostgresUnavailable as error:
                raise OperationalError(str(error)) from error
            params |= {"host": str(server.socket_dir), "port": str(server.port)}
        return params

    def init_connection_state(self) -> None:
        """Settings of a new connection, the context and the limits of whoever opens it among them."""
        super().init_connection_state()
        context.connected(self)
        patience.connected(self)
