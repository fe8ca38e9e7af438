"""`manage.py api_reference`: writes docs/openapi.json and docs/api.md from the code."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from console.openapi.reference import files


class Command(BaseCommand):
    """Both files, anew."""

    help = "Write docs/openapi.json and docs/api.md from the code."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Write them."""
        for name, content in files().items():
            (settings.BASE_DIR / name).write_text(content)
            self.stdout.write(f"{name} is written.")
