"""What the models that come inside a wheel cost: import, first text, one query, a batch, memory, and their scale.

Run by `PYTHONPATH=FOLDER python bench/models_cost.py path/to/locomo`; bench/models.py says what FOLDER holds. Every
figure is of a process of its own with one thread; the models take turns and the medians of the rounds are printed.
Seconds are those that the process computed, not those that it waited on a busy machine. The scale: the mean cosine of
eight unlike texts (the floor), of questions and turns of other conversations, and of questions and their evidence.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_threads] = "1"
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from bench import models  # noqa: E402
from memories.embedding import EmbeddingUnavailable  # noqa: E402
from memories.embedding.http import UNLIKE  # noqa: E402

ROUNDS = 5
TURNS, QUESTIONS = 192, 40  # three batches of the worker; questions one by one
MEGABYTE = 1_024  # of the kilobytes in which the system counts


def lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def every(rows: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """`count` rows at even distances."""
    return rows[:: max(len(rows) // count, 1)][:count]


def said(row: dict[str, Any]) -> str:
    """What the model reads of a turn."""
    return f"{row['speaker']}: {row['content']}"


def measured(name: str, data: Path) -> dict[str, float]:
    """One model in this process."""
    before = _peak()
    start = time.process_time()
    model = models.chosen(name)
    first = time.process_time() - start
    asked = every(lines(data / "questions.jsonl"), QUESTIONS)
    turns = every(lines(data / "memories.jsonl"), TURNS)
    seconds = []
    for row in asked:
        start = time.process_time()
        model.embed_query(row["question"])
        seconds.append(time.process_time() - start)
    start = time.process_time()
    for at in range(0, TURNS, 64):
        model.embed_documents([said(row) for row in turns[at : at + 64]])
    batch = time.process_time() - start
    p50, p95 = (float(value) * 1000 for value in np.percentile(seconds, [50, 95]))
    return {
        "first text s": first,
        "query p50 ms": p50,
        "query p95 ms": p95,
        "texts/s": TURNS / batch,
        "memory MB": _peak(),
        "without model MB": before,
    }


def scale(name: str, data: Path) -> dict[str, float]:
    """The cosines of unlike and of like texts."""
    model = models.chosen(name)
    left, right = np.stack([model.embed_query(text) for text in UNLIKE]), model.embed_documents(UNLIKE)
    turns = {row["id"]: row for row in lines(data / "memories.jsonl")}
    asked = [row for row in lines(data / "questions.jsonl") if row["evidence"] and row["evidence"][0] in turns]
    asked = every(asked, 120)
    questions = np.stack([model.embed_query(row["question"]) for row in asked])
    shown = [turns[row["evidence"][0]] for row in asked]
    cosines = questions @ model.embed_documents([said(row) for row in shown]).T
    foreign = np.array([[row["conversation"] != one["conversation"] for one in shown] for row in asked])
    return {
        "unlike texts": float((left @ right.T)[~np.eye(len(UNLIKE), dtype=bool)].mean()),
        "questions and turns of others": float(cosines[foreign].mean()),
        "questions and evidence": float(cosines.diagonal().mean()),
    }


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE


def in_turns(names: list[str], data: Path, rounds: int) -> dict[str, dict[str, float]]:
    """The medians of all rounds, by model."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            command = [sys.executable, str(Path(__file__).resolve()), str(data), "--only", name]
            answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            found[name].append(json.loads(answer.stdout))
    return {
        name: {what: statistics.median(one[what] for one in each) for what in each[0]} for name, each in found.items()
    }


def main() -> None:
    """All models, or one round of one."""
    given = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    given.add_argument("data", type=Path, help="the folder with memories.jsonl and questions.jsonl")
    given.add_argument("--rounds", type=int, default=ROUNDS, help="how often each model takes its turn")
    given.add_argument("--only", choices=list(models.MODELS), help="one round of this model, as JSON")
    options = given.parse_args()
    if options.only:
        print(json.dumps(measured(options.only, options.data)))
        return
    try:
        scales = {name: scale(name, options.data) for name in models.MODELS}
    except EmbeddingUnavailable as problem:
        sys.exit(str(problem))
    costs = in_turns(list(models.MODELS), options.data, options.rounds)
    for name in models.MODELS:
        print(f"{name}: {', '.join(f'{what} {value:.3g}' for what, value in (costs[name] | scales[name]).items())}")


if __name__ == "__main__":
    main()
