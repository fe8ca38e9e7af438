"""What came from another program keeps its dates, but the first pass after the import leaves it alone."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from console.uploads import take
from memories.models import Memory
from memories.services.import_lines import Place
from reflection.services.plan import plan
from tests.console.foreign import DATED, FILES, as_json, as_lines
from tests.memories.factories import PAST, actor, ann, memory
from tests.memories.test_round_trip import everything

pytestmark = pytest.mark.django_db
OLD = {"content": "Ann keeps the key.", "path": "imp/a", "created_at": "2023-05-01T08:00:00Z"}
TYPES = ["episodic", "semantic", "working", "procedural"]
NATIVE = [OLD | {"content": f"{kind} key", "memory_type": kind, "importance": 0.1} for kind in TYPES]
FOREIGN: dict[str, tuple[str, bytes]] = {
    **FILES,
    "chatgpt": ("memories.txt", DATED.encode()),
    "memory-console": ("lines.jsonl", as_lines(NATIVE)),
}


def brought(format_name: str, name: str, data: bytes) -> None:
    about: dict[str, Any] = {"format_name": format_name, "name": name, "data": data, "dry_run": False}
    assert take(**about, place=Place(), actor=actor(ann())).count("new")


def planned(days: float = 0, **given: Any) -> dict[str, int]:
    at = timezone.now() + timedelta(days=days)
    return plan(given={"dry_run": True, **given}, as_of=at, actor=actor(ann())).counts


@pytest.mark.parametrize("format_name", FOREIGN)
def test_the_next_pass_takes_nothing_away_that_another_program_kept(format_name: str) -> None:
    brought(format_name, *FOREIGN[format_name])
    counts = planned(since="2000-01-01", until="2030-01-01")
    assert not counts["decay"] and not counts["archive"] and not counts["expire"]
    if format_name not in ("mcp-memory", "claude"):  # which know no dates
        assert Memory.objects.filter(created_at__year__lt=2025).exists()


def test_from_the_import_on_it_fades_as_all_else_does() -> None:
    brought("memory-console", *FOREIGN["memory-console"])
    assert planned(days=15)["archive"] == 1 and planned(days=15)["decay"] == 1
    assert planned(days=91)["archive"] == 4


def test_ones_own_export_comes_back_as_old_as_it_was() -> None:
    memory(ann(), "faded", importance=0.1, base=0.1)
    lines = everything(actor(ann()))
    Memory.objects.all().delete()
    brought("memory-console", "all.jsonl", "\n".join(lines).encode())
    assert Memory.objects.get().state.anchor == PAST and planned()["archive"] == 1


def test_rows_without_a_date_are_no_episode_because_they_came_together() -> None:
    for text in ("The boiler was mended.", "Bea sold the boat.", "Rex ate the cake."):
        brought("memory-console", "lines.jsonl", as_json({"content": text, "path": "imp/a"}))
    assert planned(0.01)["summarize"] == 0
    Memory.objects.update(provenance={})
    assert planned(0.01)["summarize"] == 1


def test_json_lines_begin_to_fade_at_the_import_unless_the_mapping_says_otherwise(tmp_path: Path) -> None:
    path, quiet, who = tmp_path / "old.jsonl", io.StringIO(), ann().username
    path.write_text("".join(json.dumps(OLD | {"id": str(n), "content": f"key {n}"}) + "\n" for n in range(2)))
    call_command("import_jsonl", path, owner=who, stdout=quiet, stderr=quiet)
    assert planned()["archive"] == planned()["decay"] == 0
    Memory.objects.all().delete()
    call_command("import_jsonl", path, owner=who, map=["here_since={created_at}"], stdout=quiet, stderr=quiet)
    assert planned()["archive"] == 2
