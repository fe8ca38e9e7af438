"""How long a write waits beside an import: 20,000 memories come in by command while their person writes one at a time.

    .venv/bin/python bench/import_beside.py [rows]

It makes a database of its own in a folder that is deleted at the end, and prints how long the import took, how many
writes there were beside it, and the slowest of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parent.parent
MANAGE = [sys.executable, str(ROOT / "manage.py")]


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    with tempfile.TemporaryDirectory(prefix="import-beside-") as home:
        os.environ |= {"MEMORY_CONSOLE_HOME": home, "DJANGO_SETTINGS_MODULE": "console.settings"}
        try:
            subprocess.run([*MANAGE, "migrate", "-v", "0"], check=True)
            subprocess.run([*MANAGE, "person", "add", "ann"], input=b"a sentence that nobody guesses\n", check=True)
            _measure(Path(home), rows)
        finally:
            subprocess.run([*MANAGE, "postgres", "stop"], check=False, capture_output=True)


def _measure(home: Path, rows: int) -> None:
    sys.path.insert(0, str(ROOT))
    import django

    django.setup()
    file = home / "rows.jsonl"
    made = ({"content": f"Zebra {n} drinks tea in garden {n % 97}.", "path": f"p/{n % 50}"} for n in range(rows))
    file.write_text("".join(json.dumps(one) + "\n" for one in made))
    begun = monotonic()
    importing = subprocess.Popen([*MANAGE, "import", str(file), "--owner", "ann", "--format", "memory-console"])
    waits = []
    while importing.poll() is None:
        waits.append(_write(len(waits)))
    waits.sort()
    print(f"import of {rows:,} rows: {monotonic() - begun:.1f} s, exit code {importing.returncode}")
    print(
        f"{len(waits):,} writes beside it: half under {waits[len(waits) // 2] * 1000:.0f} ms, slowest {waits[-1]:.2f} s"
    )
    _prove()


def _write(number: int) -> float:
    from django.db import transaction

    from console.postgres.context import within
    from memories.access import person
    from memories.models import User
    from memories.services.remember import NewMemory, remember

    actor = person(User.objects.get(username="ann"), channel="cli")
    begun = monotonic()
    with transaction.atomic(), within(actor.spaces, actor.user_id):
        remember(new=NewMemory(content=f"Beside it, number {number}.", path="beside"), actor=actor)
    return monotonic() - begun


def _prove() -> None:
    from console.postgres.context import everywhere
    from memories import audit
    from memories.models import AuditRecord

    with everywhere():
        print(f"{AuditRecord.objects.count():,} lines, broken chains: {len(audit.verify())}")


if __name__ == "__main__":
    main()
