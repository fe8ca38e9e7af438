"""The web server's settings: `gunicorn -c python:console.gunicorn_conf console.asgi`.

One process is enough for a team and keeps one embedding model in memory. Its event loop holds the connections; requests
are answered by WEB_THREADS threads, for they wait for the database, not for Python.
"""

from typing import Any

from console import environment
from console.supervisor import follow_parent

bind = environment.text("WEB_BIND") or f"127.0.0.1:{environment.number('PORT', 8321, least=1, most=65535)}"
worker_class = "console.web_worker.Worker"
workers = environment.number("WEB_WORKERS", 1, least=1, most=64)
timeout = 60
graceful_timeout = 15
keepalive = 5
loglevel = "warning"
control_socket_disable = True  # its socket lies in a place that two consoles would share
limit_request_line = 8190
forwarder_headers = ""  # no header of a request may say below which path the console lies


def on_starting(server: Any) -> None:
    """Called in the master process before it forks."""
    follow_parent()
