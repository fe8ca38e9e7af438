"""What the provenance of a summary or fact says of its sources. A file may have brought it, so none of it is sure."""

from __future__ import annotations

from datetime import datetime

from memories.models import Memory
from memories.services.fields import TIMES


def span_of(memory: Memory) -> list[datetime] | None:
    """First and last moment of what a pass wrote this from; None where that is not told."""
    span = memory.provenance.get("span") if memory.derivation else None
    try:
        first, last = (datetime.fromisoformat(moment) for moment in span or ())
        return [first, last] if TIMES[0] <= first <= TIMES[1] and TIMES[0] <= last <= TIMES[1] else None
    except (TypeError, ValueError):  # no two moments, or some without an offset
        return None


def sources_gone(memory: Memory) -> int:
    """How many of the sources that a pass wrote this from were deleted for good since."""
    told = memory.provenance.get("sources_gone") if memory.derivation else None
    return told if isinstance(told, int) and not isinstance(told, bool) and told > 0 else 0
