"""`manage.py import` and `manage.py export`: a file or a folder in, everything out, and back."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from console import uploads
from memories.models import AuditRecord, Memory
from memories.services import import_all as importing
from tests.console.foreign import COFFEE, FILES, TEA
from tests.memories.belongings import emptied, filled, sums
from tests.memories.factories import ann, team

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def owner() -> None:
    ann()


def ran(*arguments: Any, **options: Any) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err, owner="ann", **options)
    return out.getvalue(), err.getvalue()


def written(tmp_path: Path, format_name: str) -> Path:
    name, data = FILES[format_name]
    path = tmp_path / name
    path.write_bytes(data)
    return path


def test_a_folder_of_notes_is_read_with_its_folders_and_links_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "notes/drinks").mkdir(parents=True)
    (tmp_path / "notes/drinks/Tea.md").write_text(TEA)
    (tmp_path / "notes/Coffee.md").write_text(COFFEE)
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "notes/link.md").symlink_to(tmp_path / "secret.md")
    assert "2 rows new (2 of kind memory), 0 known already, 0 bad." in ran("import", tmp_path / "notes")[0]
    assert set(Memory.objects.values_list("path", flat=True)) == {"notes", "notes/drinks"}


def test_a_bad_row_stops_the_file_unless_it_is_to_be_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, "mem0")
    err = io.StringIO()
    with pytest.raises(CommandError, match="1 of the rows cannot be taken, nothing was imported"):
        call_command("import", path, owner="ann", stdout=io.StringIO(), stderr=err)
    assert err.getvalue().startswith("memory 3: ") and not Memory.objects.exists() and not AuditRecord.objects.exists()
    assert "3 rows new" in ran("import", path, skip_bad=True)[0] and Memory.objects.count() == 3


def test_a_dry_run_tells_each_row_and_writes_nothing(tmp_path: Path) -> None:
    out, err = ran("import", written(tmp_path, "mem0"), dry_run=True)
    assert "new    memory 1: Ann likes green tea" in out and "nothing was written" in out and "memory 3" in err
    assert not Memory.objects.exists()


def test_a_row_repeated_in_the_file_is_not_called_known(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("Drinks tea.\nHas cats.\nDrinks tea.\n")
    out, _ = ran("import", path, format="chatgpt", dry_run=True)
    assert "again  line 3: Drinks tea." in out
    assert "2 rows new (2 of kind memory), 0 known already, 1 repeated in this file, 0 bad" in out


def test_what_cannot_be_is_refused_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("words")
    with pytest.raises(CommandError, match="--format: memory-console, mem0, mcp-memory, markdown, chatgpt, claude"):
        ran("import", path)
    with pytest.raises(CommandError, match="no file"):
        ran("import", tmp_path / "none")
    team("Atlas", bea="admin")
    with pytest.raises(CommandError, match="no member"):
        ran("import", path, format="chatgpt", team="Atlas")
    with pytest.raises(CommandError, match="no person"):
        call_command("import", path, owner="nobody")
    with pytest.raises(CommandError, match="no person"):
        call_command("export", owner="nobody")


def test_everything_goes_out_and_comes_back(tmp_path: Path) -> None:
    filled(ann())
    before, path = sums(ann()), tmp_path / "all.jsonl"
    assert "lines are in" in ran("export", path)[0]
    with pytest.raises(CommandError, match="Name a new file"):
        ran("export", path)
    emptied()
    assert "18 rows new" in ran("import", path)[0] and sums(ann()) == before
    assert "0 rows new, 18 known already" in ran("import", path)[0]


def test_a_file_of_many_parts_keeps_its_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(ann())
    before, path = sums(ann()), tmp_path / "all.jsonl"
    ran("export", path)
    emptied()
    monkeypatch.setattr(uploads, "LINES_MOST", 1)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*reversed(lines[:8]), *lines[8:]]))
    ran("import", path)
    assert sums(ann())["MemoryLink"] == before["MemoryLink"] and importing.LINES_MOST > 1
