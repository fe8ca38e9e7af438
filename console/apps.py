"""The shell: wiring and the web frame."""

from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    """No models; commands, checks and the web frame."""

    name = "console"

    def ready(self) -> None:
        """Register the system checks and make our Celery app the one that tasks are sent with."""
        from console import celery, checks  # noqa: F401
