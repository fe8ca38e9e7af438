"""What reflection keeps and what it makes up: summaries and promoted facts, measured.

Run by `make bench-reflection DATA=path/to/locomo`. First the summaries of LoCoMo's sessions beside plain systems, then
facts planted in five languages among distractors, then what is promoted on LoCoMo itself; this needs no database. What
a large space costs comes last (bench/reflection_scale.py). Vectors of some ten thousand sentences take ten minutes on a
machine at rest; BENCH_HOME keeps them for another run. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
sys.path.insert(0, str(ROOT))

from bench import reflection_planted as planted  # noqa: E402
from bench import reflection_rivals as rivals  # noqa: E402
from bench import reflection_scale  # noqa: E402
from bench import reflection_summaries as summaries  # noqa: E402
from bench.reflection_locomo import promoted  # noqa: E402
from bench.reflection_summaries import Kept, Session, Turn  # noqa: E402
from bench.reflection_vectors import FLOOR, Vectoring  # noqa: E402
from reflection.policy import Policy  # noqa: E402

LATER = {
    "written second": planted.FOLDER / "unseen",
    "written third": planted.FOLDER / "last",
    "written fourth": planted.FOLDER / "fourth",
    "written fifth": planted.FOLDER / "fifth",
    "written sixth": planted.FOLDER / "sixth",
    "written seventh": planted.FOLDER / "seventh",
    "written eighth": planted.FOLDER / "eighth",
    "written ninth": planted.FOLDER / "ninth",
    "written tenth": planted.FOLDER / "tenth",
    "written eleventh": planted.FOLDER / "eleventh",
    "written twelfth": planted.FOLDER / "twelfth",
}
POOLED = {
    "everyday notes": ("written ninth", "written eleventh", "written twelfth"),
    "mostly near misses": tuple(
        f"written {name}" for name in ("fourth", "fifth", "sixth", "seventh", "eighth", "tenth")
    ),
}


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Print how long the body took."""
    start = time.perf_counter()
    yield
    print(f"{name}: {time.perf_counter() - start:.1f} s", flush=True)


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def sessions(data: Path) -> list[Session]:
    """The sessions that facts were noted for."""
    turns: dict[tuple[str, int], list[Turn]] = {}
    facts: dict[tuple[str, int], list[str]] = {}
    for row in lines(data / "memories.jsonl"):
        turn = Turn(row["speaker"], datetime.fromisoformat(row["created_at"]), row["content"])
        turns.setdefault((row["conversation"], row["session"]), []).append(turn)
    for row in lines(data / "observations.jsonl"):
        facts.setdefault((row["conversation"], row["session"]), []).append(row["fact"])
    return [Session(key[0], tuple(turns[key]), tuple(facts[key])) for key in turns if key in facts]


def summaries_of(found: list[Session], vectors: Vectoring) -> dict[str, Kept]:
    """All systems, the random one as the mean of its seeds."""
    plain = {summaries.OURS: summaries.ours(vectors), "lead": summaries.lead, "longest sentences": summaries.longest}
    systems = {
        name: summaries.kept(system, found, vectors, rivals.STOP_WORDS)
        for name, system in (plain | rivals.systems()).items()
    }
    drawn = [summaries.at_random(seed) for seed in summaries.SEEDS]
    systems["random"] = summaries.mean([summaries.kept(system, found, vectors, rivals.STOP_WORDS) for system in drawn])
    print(f"\n{'':20}{'fact words':>12}{'stop words in':>15}{'fact meaning':>14}")
    for name, kept in systems.items():
        print(f"{name:20}{kept.words:>12.3f}{kept.words_with_stop_words:>15.3f}{kept.meaning:>14.4f}")
    best = summaries.ratios(systems)
    print(f"{'ours / best other':20}" + "".join(f"{best[name]:>{12 + n}.3f}" for n, name in enumerate(best)))
    return systems


def facts_of(vectors: Vectoring, policy: Policy) -> dict[str, planted.Promoted]:
    """What becomes of the planted facts: of both halves apart, of both in one, and of those written later."""
    told = planted.tellings()
    sets = {half: [one for one in told if one.half == half] for half in ("fit", "test")}
    sets |= {"both in one": told} | {name: planted.tellings(folder) for name, folder in LATER.items()}
    print(f"\n{'planted facts':20}{'memories':>10}{'facts':>8}{'promoted':>10}{'precision':>11}{'recall':>8}")
    found = {}
    for name, part in sets.items():
        rows = planted.rows(part, vectors.of([one.read for one in part]))
        found[name] = planted.judged(part, planted.promote(rows, policy))
        print(_line(name, len(part), found[name]))
    for name, result in found.items():
        print(f"{name}: wrong {result.wrong or 'none'}; missed {', '.join(result.missed) or 'none'}")
    pooled = {name: planted.pooled([found[one] for one in of]) for name, of in POOLED.items()}
    for name, result in pooled.items():
        print(_line(name, sum(len(sets[one]) for one in POOLED[name]), result))
    return found | pooled


def _line(name: str, memories: int, result: planted.Promoted) -> str:
    numbers = f"{memories:>10}{result.facts:>8}{result.right + len(result.wrong):>10}"
    return f"{name:20}{numbers}{result.precision:>11.3f}{result.recall:>8.3f}"


def main() -> None:
    """The whole run."""
    given = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    given.add_argument("data", type=Path, help="the folder with memories.jsonl and observations.jsonl")
    given.add_argument("--quality", action="store_true", help="leave out the large space, which takes longest")
    options = given.parse_args()
    data = options.data
    home = os.environ.get("BENCH_HOME")
    vectors = Vectoring(Path(home) / "reflection.npz" if home else None)
    policy = Policy(cosine_floor=FLOOR)
    with timed("summaries"):
        systems = summaries_of(sessions(data), vectors)
    with timed("planted facts"):
        facts = facts_of(vectors, policy)
    with timed("LoCoMo"):
        locomo = promoted(lines(data / "memories.jsonl"), vectors, policy)
    result = {
        "summaries": {name: asdict(kept) for name, kept in systems.items()},
        "ratio": summaries.ratios(systems),
        "promotion": {name: one.as_json() for name, one in facts.items()},
        "locomo": locomo,
        "scale": {} if options.quality else reflection_scale.figures(),
    }
    print(json.dumps(_rounded(result)))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return round(value, 4) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
