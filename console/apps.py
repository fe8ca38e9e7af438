"""The shell: wiring and the web frame."""

from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    """No models; commands, checks and the web frame."""

    name = "console"

    def ready(self) -> None:
        """Register the system checks."""
        import_checks()


def import_checks() -> None:
    """Checks register themselves when imported; they need the app registry, hence late."""
    from console import checks  # noqa: F401
