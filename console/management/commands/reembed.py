"""`manage.py reembed`: make every vector anew with the model that the settings name."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from tqdm import tqdm

from console.management.operator import OperatorCommand
from memories.embedding import EmbeddingUnavailable, get_embedder, store


class Command(OperatorCommand):
    help = (
        "Replace vectors that another model made and add those that are missing. It may be stopped and started "
        "again at any time; until it is done, memories without a new vector are found by words."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--batch", type=int, default=store.BATCH, help="memories in one step, 1 to 1000")

    def handle(self, *args: Any, **options: Any) -> None:
        batch = options["batch"]
        if not 1 <= batch <= 1000:
            raise CommandError(f"--batch is {batch}. Give a number from 1 to 1000.")
        try:
            name = get_embedder().name
            with store.alone() as mine:
                if not mine:
                    raise CommandError("Another process is writing vectors. Wait until it is done, or stop the worker.")
                written, left = self._replace(batch)
        except EmbeddingUnavailable as problem:
            raise CommandError(f"{problem} What was written so far stays; run the command again.") from problem
        self.stdout.write(f"{written} vectors written by {name}.")
        if left:
            self.stdout.write(
                f"{left} memories changed meanwhile, or the model refuses their text; run the command again for them."
            )

    def _replace(self, batch: int) -> tuple[int, int]:
        """How many vectors were written, and how many memories were left: being changed, or refused."""
        written, left = 0, list[UUID]()
        with tqdm(total=store.pending(replace=True).count(), unit="memory", disable=None) as bar:
            while True:
                tried, done = store.fill(batch, replace=True, passing_over=left)
                if not tried:
                    return written, len(left)
                written += len(done)
                left += set(tried) - set(done)
                bar.update(len(tried))
