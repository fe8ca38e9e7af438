"""What is remembered, who may touch it, and the only code that writes it."""

from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    """Records, access, audit and search."""

    name = "memories"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let an erasure reach the answers kept for a retry, whatever process it happens in."""
        from memories.services import answers  # noqa: F401
