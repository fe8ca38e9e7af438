"""A bar that shows how far something is, on standard error and only at a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from console.cli import speech

if TYPE_CHECKING:
    from tqdm import tqdm


def shown() -> bool:
    """Whether anybody would see a bar."""
    return sys.stderr.isatty()


def bar(what: str, total: int | None = None, unit: str = " memories") -> tqdm[Any]:
    """A bar about `what`; it is gone when it is done."""
    from tqdm import tqdm

    return tqdm(
        desc=what, total=total, unit=unit, file=sys.stderr, disable=not shown(), leave=False, dynamic_ncols=True
    )


def move(shown_bar: tqdm[Any], phase: str, done: int, of: int) -> None:
    """Show `done` of `of` in this phase."""
    shown_bar.set_description(speech.line(phase), refresh=False)
    shown_bar.total, shown_bar.n = of or None, done
    shown_bar.refresh()
