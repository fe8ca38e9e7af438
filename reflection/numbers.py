"""The numbers of a policy: what each means, its unit, and from where to where it may go. Pure."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from django.utils.translation import gettext_noop as _

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


def _half_life(kind: str, label: str) -> Rule:
    text = _("Importance halves in this time without use. Empty: this type does not fade.")
    name = f"{HALF_LIFE}{kind}"
    return Rule(name, Action.DECAY, label, "days", 0.1, 36_500, text, optional=True)


RULES = (
    Rule(
        "episode_gap_hours",
        Action.SUMMARIZE,
        _("Longest pause within an episode"),
        _("hours"),
        0.1,
        168,
        _("Events under one path that follow each other within this time form an episode."),
    ),
    Rule(
        "episode_split_rows",
        Action.SUMMARIZE,
        _("Split an episode by topic above"),
        _("events"),
        3,
        200,
        _("A longer episode is told as several summaries."),
        whole=True,
    ),
    Rule(
        "episode_split_cosine",
        Action.SUMMARIZE,
        _("Likeness within a topic"),
        _("cosine"),
        0,
        1,
        _("All events of a topic are at least this alike; 1 means the same."),
    ),
    Rule(
        "summary_min_rows",
        Action.SUMMARIZE,
        _("Fewest events for a summary"),
        _("events"),
        2,
        100,
        _("A shorter episode is left as it is."),
        whole=True,
    ),
    Rule(
        "summary_max_rows",
        Action.SUMMARIZE,
        _("Most events in a summary"),
        _("events"),
        2,
        200,
        _("More are told in further summaries."),
        whole=True,
    ),
    Rule(
        "summary_share",
        Action.SUMMARIZE,
        _("Length of a summary"),
        _("share of its source"),
        0.01,
        1,
        _("0.2 keeps a fifth of the characters, within the two limits that follow."),
    ),
    Rule(
        "summary_min_chars",
        Action.SUMMARIZE,
        _("A summary may always have"),
        _("characters"),
        50,
        8_000,
        _("So much even where the share would give less."),
        whole=True,
    ),
    Rule(
        "summary_max_chars",
        Action.SUMMARIZE,
        _("A summary never has more than"),
        _("characters"),
        280,
        32_000,
        _("However long its source is."),
        whole=True,
    ),
    Rule(
        "promote_min_rows",
        Action.PROMOTE,
        _("Fewest repetitions"),
        _("events"),
        2,
        100,
        _("So many events must say the same before it becomes a fact."),
        whole=True,
    ),
    Rule(
        "promote_cosine",
        Action.PROMOTE,
        _("Likeness of repetitions"),
        _("cosine"),
        0,
        1,
        _("Every two of them are at least this alike, or have equal words."),
    ),
    Rule(
        "promote_min_sessions",
        Action.PROMOTE,
        _("Different sessions"),
        _("sessions"),
        1,
        100,
        _("The repetitions come from at least so many."),
        whole=True,
    ),
    Rule(
        "promote_min_hours",
        Action.PROMOTE,
        _("Different hours"),
        _("hours of the clock"),
        1,
        100,
        _("The repetitions fall into at least so many."),
        whole=True,
    ),
    Rule(
        "promote_known_cosine",
        Action.PROMOTE,
        _("Known already from a likeness of"),
        _("cosine"),
        0,
        1,
        _("What is this like an existing fact is not written again."),
    ),
    Rule(
        "promote_min_trust",
        Action.PROMOTE,
        _("Lowest trust of a source"),
        _("trust"),
        0,
        2,
        _("0 is untrusted, 1 normal, 2 trusted. One source below it, and nothing is promoted."),
        whole=True,
    ),
    Rule(
        "promote_min_words",
        Action.PROMOTE,
        _("Fewest words of a fact"),
        _("words"),
        1,
        50,
        _("Anything shorter is a fragment."),
        whole=True,
    ),
    _half_life("working", _("Half-life of working memories")),
    _half_life("episodic", _("Half-life of episodic memories")),
    _half_life("procedural", _("Half-life of procedural memories")),
    _half_life("semantic", _("Half-life of semantic memories")),
    Rule(
        "decay_floor",
        Action.DECAY,
        _("Importance never falls below"),
        _("importance"),
        0,
        1,
        _("What starts at or under it does not fade."),
    ),
    Rule(
        "decay_step",
        Action.DECAY,
        _("Smallest change worth writing"),
        _("importance"),
        0.001,
        1,
        _("A smaller difference is no candidate yet."),
    ),
    Rule(
        "archive_below",
        Action.ARCHIVE,
        _("Faded below an importance of"),
        _("importance"),
        0,
        1,
        _("Less than this, and unused for the time that follows. 0 archives nothing for being faded."),
    ),
    Rule(
        "archive_unused_days",
        Action.ARCHIVE,
        _("Faded, and unused for"),
        _("days"),
        1,
        3_650,
        _("Nobody has used or edited it for this long; both have to hold."),
    ),
    Rule(
        "archive_cited_age_days",
        Action.ARCHIVE,
        _("Told in a summary and older than"),
        _("days"),
        1,
        3_650,
        _("An event that an active summary cites is put away at this age, if it is unused as well."),
    ),
    Rule(
        "archive_cited_unused_days",
        Action.ARCHIVE,
        _("Told in a summary, and unused for"),
        _("days"),
        1,
        3_650,
        _("Nobody has used or edited it for this long."),
    ),
    Rule(
        "archive_working_days",
        Action.ARCHIVE,
        _("Working memories unused for"),
        _("days"),
        1,
        3_650,
        _("State of work that nobody has touched for this long."),
    ),
    Rule(
        "near_misses",
        REPORT,
        _("Near misses listed"),
        _("lines of the report"),
        0,
        500,
        _("What one rule alone has stopped, so that you can see how close it was."),
        whole=True,
    ),
)
LIFETIME = Rule(
    "plan_hours",
    "plan",
    _("A plan may be approved for"),
    _("hours"),
    1,
    720,
    _("Then it expires, and somebody plans again."),
    whole=True,
)
