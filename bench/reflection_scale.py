"""What planning costs at 100,000 memories, and what applying 500 candidates costs beside bare SQL.

Run by `make bench-reflection-scale`: about five minutes on two cores, in a console of its own in a temporary home.
Two layouts, one owner with all memories and one team of five; ten per cent of the records have something to do for
each lifecycle action, and a day holds 144 events. The texts are drawn from a made-up vocabulary and the vectors are
random, so that it measures time and memory and says nothing of quality.

A dry run of all five actions, as a request makes it, is measured in a process of its own: seconds, the peak of its
resident memory above what it holds idle, the processor time of both sides, and the questions to the database, at
100,000 and at 10,000 memories. Then
five passes of 500 candidates are applied, and five equal ones written by statements by hand, in turns. At the end one
fact is said 5,000 times. The last line is JSON.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import reflection_scale_copies  # noqa: E402

PROBE = Path(__file__).with_name("reflection_scale_probe.py")
TARGETS = {"seconds": 2.0, "megabytes": 300.0, "apply_ratio": 2.5, "copies": 2.0}


def figures() -> dict[str, Any]:
    """All figures, measured now: see `main`. Raises CalledProcessError where the measuring itself fails."""
    home = Path(tempfile.mkdtemp(prefix="memory-console-planning-"))
    home.chmod(0o755)  # the server runs under an account of its own when this runs as root
    environment = {**os.environ, "MEMORY_CONSOLE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    for variable in ("DATABASE_URL", "DATABASE_RUNTIME_URL", "EMBEDDING_URL", "SUMMARIZER_URL"):
        environment.pop(variable, None)

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, str(PROBE), *words], cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE
        )
        return done.stdout.decode()

    try:
        run("fill")
        spaces = ("owner", "team", "small")
        found: dict[str, Any] = {space: json.loads(run("plan", space).splitlines()[-1]) for space in spaces}
        return found | {"apply": json.loads(run("apply").splitlines()[-1]), "copies": reflection_scale_copies.figures()}
    finally:
        subprocess.run([sys.executable, "manage.py", "postgres", "stop"], cwd=ROOT, env=environment, check=False)
        shutil.rmtree(home, ignore_errors=True)


def reached(found: dict[str, Any]) -> dict[str, bool]:
    """Which targets are met."""
    large = [found["owner"], found["team"]]
    return {
        "seconds": all(one["seconds"] <= TARGETS["seconds"] for one in large),
        "megabytes": all(one["megabytes"] <= TARGETS["megabytes"] for one in large),
        "questions": len({one["questions"] for one in found.values() if "questions" in one}) == 1,
        "apply_ratio": found["apply"]["ratio"] <= TARGETS["apply_ratio"],
        "copies": found["copies"]["seconds"] <= TARGETS["copies"],
    }


def main() -> None:
    """Measure, print what was found in words and then as JSON."""
    found = figures()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for space in ("owner", "team", "small"):
        one = found[space]
        print(
            f"{space:6} {one['memories']:8,} memories: dry run {one['seconds']:.2f} s ({one['fastest']:.2f} to "
            f"{one['slowest']:.2f}; {one['processor']:.2f} s of processor time), "
            f"{one['megabytes']:.0f} MB above idle, {one['questions']} questions; "
            f"{sum(one['counts'].values())} candidates {one['counts']}, {one['cut']:,} cut"
        )
    applied = found["apply"]
    print(
        f"apply  {applied['candidates']} candidates with audit: {applied['seconds']:.3f} s, "
        f"by hand {applied['by_hand']:.3f} s, {applied['ratio']:.2f} times"
    )
    copies = found["copies"]
    print(
        f"copies {copies['memories']:,} of one fact: promote {copies['seconds']:.2f} s, "
        f"{copies['ratio']:.2f} times what as many unlike texts take"
    )
    print(json.dumps(found | {"reached": reached(found), "targets": TARGETS}))


if __name__ == "__main__":
    main()
