"""`manage.py migrate` and `manage.py postgres`."""

from __future__ import annotations

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from tests.conftest import HOME

ROOT = Path(__file__).resolve().parents[2]


def test_migrating_as_the_runtime_role_is_refused_with_advice() -> None:
    with pytest.raises(CommandError, match="Leave --database away"):
        call_command("migrate", database="default")


@pytest.mark.django_db
def test_status_tells_where_the_server_lies() -> None:
    out = StringIO()
    call_command("postgres", "status", stdout=out)
    assert "running, process" in out.getvalue()
    assert str(HOME / "postgres" / "server.log") in out.getvalue()


def test_a_server_of_ones_own_is_not_ours_to_manage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings.DATABASES["owner"], "EMBEDDED", None)
    with pytest.raises(CommandError, match="DATABASE_URL is set"):
        call_command("postgres", "stop")


def test_help_starts_no_server(tmp_path: Path) -> None:
    environ = {**os.environ, "MEMORY_CONSOLE_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "console.settings"}
    subprocess.run([sys.executable, "manage.py", "help"], cwd=ROOT, env=environ, check=True, stdout=subprocess.DEVNULL)
    assert not (tmp_path / "postgres").exists()


def test_an_unusable_data_folder_ends_migrate_with_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "postgres").write_text("in the way")
    environ = {**os.environ, "MEMORY_CONSOLE_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "console.settings"}
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate"], cwd=ROOT, env=environ, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "Set MEMORY_CONSOLE_HOME" in done.stderr and "Traceback" not in done.stderr
