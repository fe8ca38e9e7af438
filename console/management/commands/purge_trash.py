"""Deletes for good what has waited in the trash for as long as its space chose."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from console.management.operator import OperatorCommand
from memories.services.purge import purge_due


class Command(OperatorCommand):
    """The worker does the same every few seconds; this is for those who want to see it."""

    help = "Delete what is due in the trash of every space that chose a time. Without such a choice nothing is deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would go")

    def handle(self, *, dry_run: bool, **options: Any) -> None:
        found = purge_due(dry_run=dry_run)
        for space_id, purged in found.items():
            said = f"{len(purged.ids)} {'would go' if dry_run else 'deleted for good'}"
            if purged.left:
                said += f", {len(purged.left)} left, because a summary that quotes them may not be deleted"
            if purged.why_not:
                said += f"; nothing more, because {purged.why_not}"
            self.stdout.write(f"space {space_id}: {said}")
        if not found:
            self.stdout.write("No space lets its trash empty itself. Nothing was deleted.")
