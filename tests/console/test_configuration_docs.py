"""docs/configuration.md lists what the code reads."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
READ = re.compile(r'(?:environment\.\w+|environ(?:ment)?\.get|\btext|\bflag)\(\s*"([A-Z][A-Z_]+)"')
SETTINGS = [path for path in (ROOT / "console").rglob("*.py") if "management" not in path.parts]


def test_every_variable_that_the_code_reads_is_documented() -> None:
    read = {name for path in SETTINGS for name in READ.findall(path.read_text(encoding="utf-8"))}
    listed = set(re.findall(r"`([A-Z][A-Z_]+)`", (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")))
    assert {"PORT", "DATABASE_URL", "SECRET_KEY", "SWEEP_SECONDS"} <= read
    assert read - listed - {"PATH"} == set()
