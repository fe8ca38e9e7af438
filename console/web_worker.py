"""The process that gunicorn starts: uvicorn, with gunicorn's sockets, signals and sign of life."""

from __future__ import annotations

import asyncio
import signal
import sys

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker as Base
from uvicorn.config import Config
from uvicorn.server import Server


class Worker(Base):
    """One event loop; requests are answered by the threads of `console.asgi`.

    No header of a request says who or where the client is: `proxy_headers` stays off.
    """

    def init_signals(self) -> None:
        """Uvicorn takes the signals; what a handler of gunicorn would swallow ends the process."""
        for number in self.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGUSR1, self.handle_usr1)
        signal.siginterrupt(signal.SIGUSR1, False)

    def run(self) -> None:
        """Serve until a signal ends it."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        server = Server(
            Config(
                self.wsgi,
                loop="asyncio",
                http="h11",
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                backlog=self.cfg.backlog,
                timeout_keep_alive=self.cfg.keepalive,
                timeout_graceful_shutdown=self.cfg.graceful_timeout,
                timeout_notify=self.timeout,
                callback_notify=self._alive,
            )
        )
        asyncio.get_running_loop().add_signal_handler(signal.SIGQUIT, server.handle_exit, signal.SIGQUIT, None)
        await server.serve(sockets=self.sockets)
        if not server.started:
            sys.exit(Arbiter.WORKER_BOOT_ERROR)

    async def _alive(self) -> None:
        self.notify()
