"""What every command of the operator that touches records has in common."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from console.postgres.context import everywhere


class OperatorCommand(BaseCommand):
    """A command for which row security shows the rows of every space: whoever may run it may read the database."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run within every space."""
        with everywhere():
            return super().execute(*args, **options)
