"""The numbers of a policy: what each means, its unit, and from where to where it may go. Pure."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from reflection.states import Action

Number = float | int | None
HALF_LIFE = "half_life_"
REPORT = "report"
_DECIMAL = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)


def _plain(given: object) -> float:
    """A number as it is, or written with digits alone; nan for anything else."""
    if isinstance(given, str):
        return float(given) if _DECIMAL.fullmatch(given.strip()) else math.nan
    known = isinstance(given, int | float) and not isinstance(given, bool) and abs(given) < 1e12
    return float(given) if known else math.nan  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Rule:
    """One number. `optional` ones may be left empty, which means never."""

    name: str
    group: str  # the action it belongs to, or REPORT
    label: str
    unit: str
    least: float
    most: float
    help: str
    whole: bool = False
    optional: bool = False

    def read(self, given: object) -> Number:
        """The number in `given`, a number or plain decimal text. Raises ValueError with a sentence."""
        if self.optional and (given is None or given == ""):
            return None
        value = _plain(given)
        if not self.least <= value <= self.most or (self.whole and not value.is_integer()):
            raise ValueError(self.sentence())
        return int(value) if self.whole else value

    def sentence(self) -> str:
        """What a good number is."""
        kind = "a whole number" if self.whole else "a number"
        empty = ", or leave it empty" if self.optional else ""
        return f"{self.label}: give {kind} from {self.least:,g} to {self.most:,g}{empty}."


def _half_life(kind: str) -> Rule:
    text = "Importance halves in this time without use. Empty: this type does not fade."
    name = f"{HALF_LIFE}{kind}"
    return Rule(name, Action.DECAY, f"Half-life of {kind} memories", "days", 0.1, 36_500, text, optional=True)


RULES = (
    Rule(
        "episode_gap_hours",
        Action.SUMMARIZE,
        "Longest pause within an episode",
        "hours",
        0.1,
        168,
        "Events under one path that follow each other within this time form an episode.",
    ),
    Rule(
        "episode_split_rows",
        Action.SUMMARIZE,
        "Split an episode by topic above",
        "events",
        3,
        200,
        "A longer episode is told as several summaries.",
        whole=True,
    ),
    Rule(
        "episode_split_cosine",
        Action.SUMMARIZE,
        "Likeness within a topic",
        "cosine",
        0,
        1,
        "All events of a topic are at least this alike; 1 means the same.",
    ),
    Rule(
        "summary_min_rows",
        Action.SUMMARIZE,
        "Fewest events for a summary",
        "events",
        2,
        100,
        "A shorter episode is left as it is.",
        whole=True,
    ),
    Rule(
        "summary_max_rows",
        Action.SUMMARIZE,
        "Most events in a summary",
        "events",
        2,
        200,
        "More are told in further summaries.",
        whole=True,
    ),
    Rule(
        "summary_share",
        Action.SUMMARIZE,
        "Length of a summary",
        "share of its source",
        0.01,
        1,
        "0.2 keeps a fifth of the characters, within the two limits that follow.",
    ),
    Rule(
        "summary_min_chars",
        Action.SUMMARIZE,
        "A summary may always have",
        "characters",
        50,
        8_000,
        "So much even where the share would give less.",
        whole=True,
    ),
    Rule(
        "summary_max_chars",
        Action.SUMMARIZE,
        "A summary never has more than",
        "characters",
        280,
        32_000,
        "However long its source is.",
        whole=True,
    ),
    Rule(
        "promote_min_rows",
        Action.PROMOTE,
        "Fewest repetitions",
        "events",
        2,
        100,
        "So many events must say the same before it becomes a fact.",
        whole=True,
    ),
    Rule(
        "promote_cosine",
        Action.PROMOTE,
        "Likeness of repetitions",
        "cosine",
        0,
        1,
        "Every two of them are at least this alike, or have equal words.",
    ),
    Rule(
        "promote_min_sessions",
        Action.PROMOTE,
        "Different sessions",
        "sessions",
        1,
        100,
        "The repetitions come from at least so many.",
        whole=True,
    ),
    Rule(
        "promote_min_hours",
        Action.PROMOTE,
        "Different hours",
        "hours of the clock",
        1,
        100,
        "The repetitions fall into at least so many.",
        whole=True,
    ),
    Rule(
        "promote_known_cosine",
        Action.PROMOTE,
        "Known already from a likeness of",
        "cosine",
        0,
        1,
        "What is this like an existing fact is not written again.",
    ),
    Rule(
        "promote_min_trust",
        Action.PROMOTE,
        "Lowest trust of a source",
        "trust",
        0,
        2,
        "0 is untrusted, 1 normal, 2 trusted. One source below it, and nothing is promoted.",
        whole=True,
    ),
    Rule(
        "promote_min_words",
        Action.PROMOTE,
        "Fewest words of a fact",
        "words",
        1,
        50,
        "Anything shorter is a fragment.",
        whole=True,
    ),
    *(_half_life(kind) for kind in ("working", "episodic", "procedural", "semantic")),
    Rule(
        "decay_floor",
        Action.DECAY,
        "Importance never falls below",
        "importance",
        0,
        1,
        "What starts at or under it does not fade.",
    ),
    Rule(
        "decay_step",
        Action.DECAY,
        "Smallest change worth writing",
        "importance",
        0.001,
        1,
        "A smaller difference is no candidate yet.",
    ),
    Rule(
        "archive_below",
        Action.ARCHIVE,
        "Faded below an importance of",
        "importance",
        0,
        1,
        "Less than this, and unused for the time that follows. 0 archives nothing for being faded.",
    ),
    Rule(
        "archive_unused_days",
        Action.ARCHIVE,
        "Faded, and unused for",
        "days",
        1,
        3_650,
        "Nobody has used or edited it for this long; both have to hold.",
    ),
    Rule(
        "archive_cited_age_days",
        Action.ARCHIVE,
        "Told in a summary and older than",
        "days",
        1,
        3_650,
        "An event that an active summary cites is put away at this age, if it is unused as well.",
    ),
    Rule(
        "archive_cited_unused_days",
        Action.ARCHIVE,
        "Told in a summary, and unused for",
        "days",
        1,
        3_650,
        "Nobody has used or edited it for this long.",
    ),
    Rule(
        "archive_working_days",
        Action.ARCHIVE,
        "Working memories unused for",
        "days",
        1,
        3_650,
        "State of work that nobody has touched for this long.",
    ),
    Rule(
        "near_misses",
        REPORT,
        "Near misses listed",
        "lines of the report",
        0,
        500,
        "What one rule alone has stopped, so that you can see how close it was.",
        whole=True,
    ),
)
LIFETIME = Rule(
    "plan_hours",
    "plan",
    "A plan may be approved for",
    "hours",
    1,
    720,
    "Then it expires, and somebody plans again.",
    whole=True,
)
