"""Deletes again what a restored backup brought back."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from console.management.operator import OperatorCommand
from memories.services import erasure_file
from memories.services.reapply import reapply


class Command(OperatorCommand):
    """Exit code 0: no record that was deleted for good is there."""

    help = (
        "Run this after every restore of a backup, before anybody signs in: records that were deleted for good after "
        "the backup was made are deleted again. It reads erasures.jsonl in the data folder and the table of erasures."
    )

    def handle(self, **options: Any) -> None:
        if not erasure_file.path().exists():
            self.stdout.write(
                f"There is no {erasure_file.path()}; only the erasures that the database knows are replayed."
            )
        done = reapply()
        for key in done.erased:
            self.stdout.write(f"erased again: {key}")
        self.stdout.write(
            f"{len(done.erased)} records erased again; {done.noted} erasures noted in the database, {done.written} "
            "added to the file."
        )
        if done.held:
            named = ", ".join(str(key) for key in done.held)
            raise CommandError(f"Under a legal hold and therefore left: {named}. Lift the holds and run this again.")
