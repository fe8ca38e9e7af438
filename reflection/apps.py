"""Proposals about memories, and their life."""

from django.apps import AppConfig


class ReflectionConfig(AppConfig):
    """Policies, passes and candidates."""

    name = "reflection"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let an erasure reach saved plans, a use know how far importance has faded, a team what is under way."""
        from reflection import erasure  # noqa: F401
        from reflection.services import fading, leaving  # noqa: F401
