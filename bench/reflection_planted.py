"""Facts planted among distractors, as rows for the planner, and what promote makes of them.

`planted/<language>.txt` holds blocks, `= kind name`, one telling a line. A `fact` is told in three or more sessions on
different days and should be promoted. Nothing else should: `known` opens with the fact that stands already, `twice` is
told in two sessions, `session` several times in one. The lines of `once`, `pleasantry` and `question` stand each in a
session of their own; among them are the facts again with another number, name or value. A line that begins with `@Name`
is told by that speaker, whom the metadata of the memory names.

Every second block (of a list, every second line) is the half on which thresholds were chosen, the rest the test half.
`planted/unseen`, `last` and those named by a number were written one after the other when the rules stood;
docs/adr/0008 says what they came to at first, and what was changed then. From the fourth on half of the lines are
near misses, but not in the ninth, eleventh and twelfth: there it is one in seven or eight (`once near`), and most lines
have nothing to do with any fact, as in the notes of ordinary days. These three share most of the unrelated lines.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from memories.embedding import Vectors
from reflection.planner import plan
from reflection.planner.rows import Proposal, Row, Window
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer.words import fold

FOLDER = Path(__file__).parent / "planted"
LISTS = ("once", "pleasantry", "question")  # kinds whose lines have nothing to do with one another
START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
AS_OF = datetime(2027, 1, 1, tzinfo=UTC)
OWNER = UUID(int=0xA)


@dataclass(frozen=True, slots=True)
class Telling:
    """One line: to which block it belongs, how often that was told before, and the half it counts to."""

    language: str
    kind: str
    block: str
    place: int
    half: str  # fit, test
    text: str
    speaker: str | None = None

    @property
    def read(self) -> str:
        """What the model reads of it: as of a memory whose metadata names a speaker."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True, slots=True)
class Promoted:
    """What one run came to. `wrong` are statements, each with what its evidence belongs to."""

    facts: int
    right: int
    wrong: list[str]
    missed: list[str]

    @property
    def precision(self) -> float:
        """The share of promoted statements that are a planted fact, borne out by its tellings alone; 1 without any."""
        return self.right / (self.right + len(self.wrong)) if self.right or self.wrong else 1.0

    @property
    def recall(self) -> float:
        """The share of planted facts that were promoted."""
        return self.right / self.facts if self.facts else 0.0

    def as_json(self) -> dict[str, float]:
        """The numbers alone."""
        wrong = len(self.wrong)
        shares = {"precision": self.precision, "recall": self.recall}
        return {"facts": self.facts, "right": self.right, "wrong": wrong, **shares}


def tellings(folder: Path = FOLDER) -> list[Telling]:
    """All lines of all languages."""
    return [one for path in sorted(folder.glob("*.txt")) for one in _parsed(path)]


def _parsed(path: Path) -> list[Telling]:
    found: list[Telling] = []
    kind = name = ""
    blocks: Counter[str] = Counter()
    places: Counter[str] = Counter()
    for line in filter(None, map(str.strip, path.read_text(encoding="utf-8").splitlines())):
        if line.startswith("= "):
            kind, _, name = line[2:].partition(" ")
            blocks[kind] += kind not in LISTS
            continue
        block = f"{path.stem}:{kind}:{name}"
        turn = places[block] if kind in LISTS else blocks[kind] - 1
        speaker, text = line[1:].split(" ", 1) if line.startswith("@") else (None, line)
        found.append(Telling(path.stem, kind, block, places[block], ("fit", "test")[turn % 2], text, speaker))
        places[block] += 1
    return found


def rows(told: Sequence[Telling], vectors: Vectors, seed: int = 7) -> list[Row]:
    """The tellings as memories of one owner, their sessions in random order."""
    sessions = sorted({_session(one) for one in told})
    random.Random(seed).shuffle(sessions)  # noqa: S311
    days = {session: day for day, session in enumerate(sessions)}
    return [_row(n, one, days[_session(one)], vectors[n]) for n, one in enumerate(told)]


def _session(one: Telling) -> str:
    return one.block if one.kind == "session" else f"{one.block}:{one.place}"


def _row(number: int, one: Telling, day: int, vector: Vectors) -> Row:
    at = START + timedelta(hours=7 * day, minutes=70 * one.place if one.kind == "session" else 0)
    kind = "semantic" if one.kind == "known" and not one.place else "episodic"
    values = {"memory_type": kind, "session": _session(one), "speaker": one.speaker, "vector": vector}
    return blank(UUID(int=number + 1), one.text, at, **values)


def blank(key: UUID, text: str, at: datetime, **values: Any) -> Row:
    """An episodic memory of one owner as it was written."""
    kept: dict[str, Any] = {
        "id": key,
        "version": 1,
        "owner_id": OWNER,
        "team_id": None,
        "bucket": "personal",
        "scope": None,
        "path": "chat",
        "memory_type": "episodic",
        "content": text,
        "folded": fold(text),
        "created_at": at,
        "updated_at": at,
        "expires_at": None,
        "last_used_at": None,
        "importance": 0.5,
        "base": 0.5,
        "anchor": at,
        "trust": 1,
    }
    return Row(**(kept | values))


def promote(found: Sequence[Row], policy: Policy) -> list[Proposal]:
    """What the production planner promotes among these rows."""
    window = Window(min(row.created_at for row in found), AS_OF)
    return plan(found, actions=[Action.PROMOTE], window=window, as_of=AS_OF, policy=policy, limit=len(found)).proposals


def judged(told: Sequence[Telling], proposals: Sequence[Proposal]) -> Promoted:
    """A statement is right where all its evidence tells one planted fact that no earlier statement told."""
    facts = {one.block for one in told if one.kind == "fact"}
    right: set[str] = set()
    wrong: list[str] = []
    for proposal in proposals:
        blocks = {told[cited.memory_id.int - 1].block for cited in proposal.basis}
        (block, *others) = sorted(blocks)
        if others or block not in facts or block in right:
            wrong.append(f"{proposal.after['content']} ({', '.join(sorted(blocks))})")
        else:
            right.add(block)
    return Promoted(len(facts), len(right), wrong, sorted(facts - right))


def pooled(results: Sequence[Promoted]) -> Promoted:
    """Several sets as one."""
    wrong = [one for result in results for one in result.wrong]
    missed = [one for result in results for one in result.missed]
    return Promoted(sum(one.facts for one in results), sum(one.right for one in results), wrong, missed)
