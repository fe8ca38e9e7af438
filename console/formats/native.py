"""The console's own export: lines of JSON."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from console.formats.archive import File
from console.formats.lines import BadLine, lines
from console.formats.rows import Row, placed
from console.saying import phrase


def read(files: Sequence[File]) -> Iterator[Row]:
    """Each line as it stands."""
    for file in files:
        before = file.name if len(files) > 1 else ""
        for number, row, _ in lines(io.BytesIO(file.data)):
            if isinstance(row, BadLine):
                yield Row(
                    placed(before, phrase("line %(number)s", number=number)),
                    None,
                    phrase("The line cannot be read: %(why)s.", why=row.why),
                )
            else:
                yield Row(placed(before, phrase("line %(number)s", number=number)), row)
