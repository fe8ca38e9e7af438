"""Proves the audit chains, or names the first bad line of each."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from console.management.operator import OperatorCommand
from memories import audit
from memories.models import AuditHead, AuditRecord


class Command(OperatorCommand):
    """Exit code 0: every chain is whole."""

    help = "Check every audit chain from its first line to its head."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--space", type=UUID, help="only the chain of this person or team")

    def handle(self, *, space: UUID | None, **options: Any) -> None:
        broken = audit.verify(space)
        for line in broken:
            where = f"line {line.seq} of chain {line.space_id}"
            self.stderr.write(f"{where}: {line.fault}" + (f" (record {line.record_id})" if line.record_id else ""))
        if broken:
            raise CommandError(f"{len(broken)} of the audit chains are broken.")
        lines, chains = AuditRecord.objects.all(), AuditHead.objects.all()
        if space:
            lines, chains = lines.filter(space_id=space), chains.filter(space_id=space)
        self.stdout.write(f"{lines.count()} lines in {chains.count()} chains follow from one another.")
