"""What is remembered, who may touch it, and the only code that writes it."""

from django.apps import AppConfig


class MemoriesConfig(AppConfig):
    """Records, access, audit and search."""

    name = "memories"
    default_auto_field = "django.db.models.BigAutoField"
