"""The console's own export: lines of JSON."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from console.formats.archive import File
from console.formats.lines import BadLine, lines
from console.formats.rows import Row


def read(files: Sequence[File]) -> Iterator[Row]:
    """Each line as it stands."""
    for file in files:
        before = f"{file.name}, " if len(files) > 1 else ""
        for number, row, _ in lines(io.BytesIO(file.data)):
            if isinstance(row, BadLine):
                yield Row(f"{before}line {number}", None, f"The line cannot be read: {row.why}.")
            else:
                yield Row(f"{before}line {number}", row)
