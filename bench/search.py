"""How well strict search finds, and how seldom it answers what it cannot know: LoCoMo through the product's search.

Run by `make bench-search DATA=path/to/locomo`. Each conversation is one owner; each question of categories 1 to 4 with
evidence is asked of its own conversation, of the next one, and of the next one with the speakers' names replaced. The
plain systems answer the same in the same run. BENCH_HOME keeps the database and the questions' vectors for another
run; without it a temporary folder is used. The curve is written to docs/images/search-strictness.svg. `--fit` also
prints the weights for memories/search/strength.py. `--model` measures another model than the default (bench/models.py),
`--weights` other weights of the score; the curve is then left as it is. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import apart  # noqa: E402

HOME = apart.begin("search", kept=True)

import numpy as np  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from bench import models, search_fit, search_languages_run, search_rivals  # noqa: E402
from bench.search_curve import svg  # noqa: E402
from bench.search_figures import Outcome, curve, figures  # noqa: E402
from bench.search_run import PRODUCT, Conversation, Remembering, Run  # noqa: E402
from console.postgres.context import everywhere  # noqa: E402
from memories.access import person  # noqa: E402
from memories.embedding import EmbeddingUnavailable, store  # noqa: E402
from memories.models import Memory, User  # noqa: E402
from memories.search import rank, strength  # noqa: E402
from memories.search.strength import STRONG, Weights  # noqa: E402

CURVE = ROOT / "docs" / "images" / "search-strictness.svg"
CATEGORIES = (1, 2, 3, 4)
OWNER = "locomo-{conversation}"


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


def filled(data: Path) -> None:
    """The database with the conversations, the forty memories in five languages, and all vectors."""
    if store.check_model():
        sys.exit("BENCH_HOME holds vectors of another model. Give each model a folder of its own.")
    with timed("import"):
        call_command("import_jsonl", str(data / "memories.jsonl"), owner=OWNER, create_owners=True)
        search_languages_run.fill()
    with timed("vectors"):
        print(f"{store.drain()} vectors made")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def conversations(data: Path) -> dict[str, Conversation]:
    """The owners by the name of their conversation, in order of appearance."""
    speakers: dict[str, dict[str, None]] = {}
    for row in lines(data / "memories.jsonl"):
        speakers.setdefault(row["conversation"], {})[row["speaker"]] = None
    actors = {name: person(User.objects.get(username=OWNER.format(conversation=name))) for name in speakers}
    return {name: Conversation(name, actors[name], tuple(names)) for name, names in speakers.items()}


def questions(data: Path, run: Run) -> None:
    """Put every question that has evidence to all systems."""
    owners = conversations(data)
    names = list(owners)
    if len(names) < 2:
        sys.exit(f"{data} holds one conversation. Give at least two: foreign questions are those of another.")
    stored = set(run.keys.values())
    for row in lines(data / "questions.jsonl"):
        evidence = frozenset(row["evidence"]) & stored
        if row["category"] in CATEGORIES and evidence:
            after = names[(names.index(row["conversation"]) + 1) % len(names)]
            run.put(row["question"], evidence, owners[row["conversation"]], owners[after])


def as_shipped(outcomes: list[Outcome]) -> dict[str, float]:
    """What strict search does with its own cut: shares of questions."""
    count = len(outcomes)
    answered = [one for one in outcomes if one.best >= STRONG]
    return {
        "cut": STRONG,
        "answered": len(answered) / count,
        "right": sum(one.recall(5) > 0 for one in answered) / count,
        "foreign_answered": sum(one.foreign >= STRONG for one in outcomes) / count,
        "foreign_answered_names_swapped": sum(one.swapped >= STRONG for one in outcomes) / count,
    }


def report(run: Run) -> dict[str, Any]:
    """Print the table; the figures as plain numbers."""
    systems = {name: asdict(figures(found)) for name, found in run.outcomes.items()}
    systems[f"{PRODUCT}, weights of other conversations"] = asdict(search_fit.left_out(run.asked))
    print(f"\n{'':44}{'recall@5':>10}{'recall@10':>10}{'MRR':>8}{'right':>8}{'swapped':>9}")
    for name, found in systems.items():
        first = f"{found['recall_at_5']:>10.3f}{found['recall_at_10']:>10.3f}{found['mrr']:>8.3f}"
        print(f"{name:44}{first}{found['right']:>8.3f}{found['right_names_swapped']:>9.3f}")
    shipped = as_shipped(run.outcomes[PRODUCT])
    print("\nwith its own cut: " + ", ".join(f"{name} {value:.3f}" for name, value in shipped.items()))
    p50, p95 = (float(value) for value in np.percentile(np.array(run.seconds) * 1000, [50, 95]))
    print(f"one search without the model: p50 {p50:.1f} ms, p95 {p95:.1f} ms, over {len(run.seconds)} searches")
    print(f"strict search differed from the cut {run.disagreements} times")
    return {
        **systems[PRODUCT],
        "questions": len(run.asked),
        "systems": systems,
        "shipped": shipped,
        "latency_ms": {"p50": round(p50, 1), "p95": round(p95, 1)},
        "strict_differs": run.disagreements,
    }


def draw(run: Run) -> None:
    """Write the curve."""
    CURVE.parent.mkdir(parents=True, exist_ok=True)
    plain = "convex combination"
    shown = {
        "search": curve(run.outcomes[PRODUCT], swapped=False),
        "search, names swapped": curve(run.outcomes[PRODUCT], swapped=True),
        plain: curve(run.outcomes[plain], swapped=False),
        f"{plain}, names swapped": curve(run.outcomes[plain], swapped=True),
    }
    CURVE.write_text(svg(shown), encoding="utf-8")


def apply(model: str | None, weights: list[float] | None) -> None:
    """Measure with this model and these weights instead of those that the product has."""
    if model:
        try:
            print(f"model: {models.chosen(model).name}")
        except EmbeddingUnavailable as problem:
            sys.exit(str(problem))
    if weights:
        strength.BY_BOTH = Weights(*weights)


def asked() -> argparse.Namespace:
    """The options."""
    given = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    given.add_argument("data", type=Path, help="the folder with memories.jsonl and questions.jsonl")
    given.add_argument("--fit", action="store_true", help="print the weights for memories/search/strength.py")
    given.add_argument("--model", choices=list(models.MODELS), help="another model than the default")
    given.add_argument("--weights", type=float, nargs=3, metavar=("BIAS", "TOLD", "MEANING"), help="of the score")
    return given.parse_args()


@everywhere()
def measure(options: argparse.Namespace) -> None:
    """The whole run in a migrated database."""
    filled(options.data)
    embedder = Remembering(HOME / "questions.npz")
    rank.get_embedder = lambda: embedder
    keys = dict(Memory.objects.filter(source="locomo").values_list("pk", "source_id"))
    run = Run(embedder, keys)
    search_rivals.prepare()
    with timed("questions"):
        questions(options.data, run)
    languages = search_languages_run.figures()
    embedder.save()
    result = report(run)
    print("five languages: " + ", ".join(f"{name} {value}" for name, value in languages.items()))
    if not (options.model or options.weights):
        draw(run)
    if options.fit:
        for name, by_words in (("BY_BOTH", False), ("BY_WORDS", True)):
            print(f"{name}: bias, told, meaning = {np.round(search_fit.fitted(run.asked, by_words=by_words), 2)}")
    print(json.dumps({key: _rounded(value) for key, value in (result | {"languages": languages}).items()}))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return round(value, 4) if isinstance(value, float) else value


if __name__ == "__main__":
    chosen = asked()
    apply(chosen.model, chosen.weights)
    with apart.database(HOME):
        measure(chosen)
