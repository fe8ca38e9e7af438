"""Thresholds and half-lives of one boundary: a plain value, versioned by the model that stores it. Pure.

Units stand in the names: `_days`, `_hours`, `_chars`; cosines are in [-1, 1], importances in [0, 1].
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any


def _half_lives() -> dict[str, float]:
    return {"working": 7.0, "episodic": 30.0, "procedural": 180.0, "semantic": 365.0}


@dataclass(frozen=True, slots=True)
class Policy:
    """Every number the planner uses. The defaults are the design's; change one only with a measurement."""

    half_life_days: dict[str, float] = field(default_factory=_half_lives)  # a type without one does not decay
    decay_floor: float = 0.0
    decay_step: float = 0.01  # a smaller difference is no candidate

    archive_below: float = 0.15
    archive_unused_days: float = 90.0
    archive_cited_age_days: float = 30.0
    archive_cited_unused_days: float = 30.0
    archive_working_days: float = 14.0

    episode_gap_hours: float = 6.0
    episode_split_rows: int = 40  # a longer episode is split by topic
    episode_split_cosine: float = 0.45
    summary_min_rows: int = 3
    summary_max_rows: int = 60
    summary_min_chars: int = 280
    summary_max_chars: int = 8_000
    summary_share: float = 0.20

    promote_min_rows: int = 3
    promote_cosine: float = 0.64
    promote_min_sessions: int = 2
    promote_min_hours: int = 2
    promote_known_cosine: float = 0.76
    promote_min_trust: int = 1  # see memories.models: 0 untrusted, 1 normal, 2 trusted
    promote_min_words: int = 3

    cosine_floor: float = 0.0  # what unlike texts score in the embedding model; every cosine above is counted from here

    near_misses: int = 50

    def as_json(self) -> dict[str, Any]:
        """All fields as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Policy:
        """The policy stored as `values`; fields that are missing take their default, unknown ones are dropped."""
        known = {f.name for f in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})
