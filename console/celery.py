"""The Celery app. Tasks carry ids only, are sent on commit, and may run twice; our tables say what is due.

Publishing gives up within about a second, so that a broker that is down does not hang a request: the caller logs it,
and the sweep of `console.sweep` finds what was left. `manage.py worker` runs the worker, always with threads: they
need no event loop, share one embedding model, and a killed worker is the only way to lose one.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import urlsplit

from celery import Celery, Task

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from console import broker, environment
from console.postgres import context

VISIBILITY_SECONDS = environment.number("BROKER_VISIBILITY_SECONDS", 45, least=1, most=3_600)
PUBLISH_SECONDS = 0.5
SCHEMES = ("redis", "rediss", "amqp", "amqps")


def broker_url() -> str:
    """CELERY_BROKER_URL, or the queue in our own database. Raises ImproperlyConfigured for other kinds of brokers."""
    url: str = settings.CELERY_BROKER_URL
    if not url:
        return broker.URL
    if urlsplit(url).scheme not in SCHEMES:
        raise ImproperlyConfigured(
            "CELERY_BROKER_URL names a kind of broker that loses tasks or is not supported. Use "
            "amqp://user:password@host:5672/name (RabbitMQ) or redis://:password@host:6379/0, or unset it to use the "
            "database as the queue."
        )
    return url


def transport_options(url: str, *, consumes: bool) -> dict[str, Any]:
    """What the transport of `url` needs: one retry and short waits for those who send, patience for the worker."""
    retries = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}
    scheme = urlsplit(url).scheme
    if scheme.startswith("amqp"):
        wait = {} if consumes else {"read_timeout": PUBLISH_SECONDS, "write_timeout": PUBLISH_SECONDS}
        return retries | wait | {"confirm_publish": True}
    if scheme.startswith("redis"):
        wait = {"socket_timeout": 30 if consumes else PUBLISH_SECONDS}
        return retries | wait | {"visibility_timeout": VISIBILITY_SECONDS, "socket_connect_timeout": PUBLISH_SECONDS}
    return retries | broker.OPTIONS | {"visibility_timeout": VISIBILITY_SECONDS}


def configuration(*, consumes: bool = False) -> dict[str, Any]:
    """Celery's settings; `consumes` is true in the worker."""
    url = broker_url()
    return {
        "broker_url": url,
        "broker_transport_options": transport_options(url, consumes=consumes),
        "broker_connection_timeout": 5 if consumes else PUBLISH_SECONDS,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,  # the worker waits for its broker for ever
        "broker_pool_limit": 4,
        "result_backend": None,
        "task_ignore_result": True,
        "task_store_errors_even_if_ignored": False,
        "accept_content": ["json"],
        "task_serializer": "json",
        "result_serializer": "json",
        "task_default_queue": broker.QUEUE,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_acks_on_failure_or_timeout": True,
        "task_publish_retry": True,
        "task_publish_retry_policy": {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0},
        "worker_prefetch_multiplier": 1,
        "worker_pool": "threads",
        "worker_concurrency": settings.WORKER_THREADS,
        "worker_enable_remote_control": False,
        "worker_send_task_events": False,
        "worker_hijack_root_logger": False,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "task_send_sent_event": False,
        "timezone": "UTC",
        "enable_utc": True,
    }


class Round(Task):  # type: ignore[misc]
    """A task of ours: it looks after every space. What it does for one person it does within that person's spaces."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run it where row security shows every row."""
        with context.everywhere():
            return super().__call__(*args, **kwargs)


app = Celery("memory_console", task_cls=Round)
app.conf.update(configuration())
app.autodiscover_tasks()
