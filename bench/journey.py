"""The main job on real data: import LoCoMo, preview a pass over conversation 26, approve, apply, undo, compare.

Run by `make bench-journey DATA=path/to/locomo`; it uses a console of its own in a temporary folder.
The last line is JSON. Exit code 1 when the database after undo differs from before in any field
but version counters, audit and passes.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import apart

HOME = apart.begin("journey")

from django.core.management import call_command  # noqa: E402

from console.postgres.context import everywhere  # noqa: E402
from memories import audit  # noqa: E402
from memories.access import person  # noqa: E402
from memories.embedding import store  # noqa: E402
from memories.models import Memory, MemoryLink, User  # noqa: E402
from reflection import queries  # noqa: E402
from reflection.services import decide  # noqa: E402
from reflection.services.plan import plan  # noqa: E402
from reflection.services.undo import roll_back  # noqa: E402
from reflection.tasks import apply_pass  # noqa: E402
from tests.reflection.life import snapshot  # noqa: E402

OWNER = "locomo-26"
WINDOW = {"since": "2023-05-01", "until": "2023-11-01", "limit": 5000}


def timed(name: str, verb: Any, *args: Any, **given: Any) -> Any:
    """Run `verb` and print how long it took."""
    start = time.perf_counter()
    result = verb(*args, **given)
    print(f"{name}: {time.perf_counter() - start:.2f} s")
    return result


@everywhere()
def main(data: Path) -> int:
    """The journey; returns the exit code."""
    owner = {"owner": "locomo-{conversation}", "create_owners": True}
    timed("import", call_command, "import_jsonl", str(data / "memories.jsonl"), **owner)
    imported = Memory.objects.count()
    vectors = timed("vectors", store.drain)
    ann = person(User.objects.get(username=OWNER))
    before = snapshot()
    planned = timed("dry run", plan, given={**WINDOW, "dry_run": True}, actor=ann)
    untouched = snapshot() == before
    print(f"planned: {planned.counts}, {len(planned.skipped)} skipped, {len(planned.near_misses)} near misses")
    show(planned)
    decide.approve(pass_id=planned.pk, digest=planned.digest, actor=ann)
    timed("apply", apply_pass, str(planned.pk))
    planned.refresh_from_db()
    print(f"applied: {planned.applied_counts}")
    cited = MemoryLink.objects.filter(origin__pass_id=planned.pk, origin__derivation="summary").count()
    again = plan(given=WINDOW, as_of=planned.as_of, actor=ann)
    timed("undo", roll_back, pass_id=planned.pk, actor=ann)
    after = snapshot()
    different = [table for table in before if before[table] != after[table]]
    result = {
        "imported": imported,
        "vectors": vectors,
        "dry_run_wrote_nothing": untouched,
        "planned": planned.counts,
        "applied": planned.applied_counts,
        "turns_cited_by_summaries": cited,
        "second_run_finds": sum(again.counts.values()),
        "tables_compared": len(before),
        "rows_different_after_undo": different,
        "audit_chains_broken": len(audit.verify()),
    }
    print(json.dumps(result))
    fine = untouched and not different and planned.counts == planned.applied_counts and not result["second_run_finds"]
    return 0 if fine else 1


def show(planned: Any, most: int = 3) -> None:
    """The first summaries with the turns they cite."""
    candidates = [one for one in queries.candidates_of(planned) if one.action == "summarize"][:most]
    basis = queries.basis_of(candidates)
    for one in candidates:
        print(f"- {one.after['path']}: {one.why['text']}\n  {one.after['content'][:300]}")
        turns = {row.pk: row.source_id for row in Memory.objects.filter(pk__in=[b.memory_id for b in basis[one.pk]])}
        print(f"  cites {len(turns)} turns: {', '.join(str(turns[b.memory_id]) for b in basis[one.pk][:8])} …")


if __name__ == "__main__":
    with apart.database(HOME):
        code = main(Path(sys.argv[1]))
    sys.exit(code)
