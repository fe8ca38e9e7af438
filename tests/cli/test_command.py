"""The command as such: where it is put, what it loads, its help, and what shells complete."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from console.cli import choices
from console.cli.main import MODULES, cli
from console.formats import FORMATS
from memories.models.memory import MemoryType
from memories.models.people import SCOPES
from reflection.states import Action, Status
from tests.cli.shell import ROOT, Shell

MODULES_OF_IT = sorted((ROOT / "console" / "cli").glob("*.py"))
OURS = ("console", "memories", "reflection")
PURE = {"reflection", "console.text"}  # the text of a report; what of a text nobody would see


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Nobody's shell: nothing here asks a server."""
    return Shell(tmp_path)


def imported(path: Path) -> set[str]:
    nodes = list(ast.walk(ast.parse(path.read_text())))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


@pytest.mark.parametrize("path", MODULES_OF_IT, ids=lambda path: path.stem)
def test_it_rests_on_nothing_of_the_server(path: Path) -> None:
    ours = {name for name in imported(path) if name.split(".")[0] in OURS}
    assert {name for name in ours if not name.startswith("console.cli")} <= PURE
    assert not any(name.split(".")[0] in ("django", "celery", "psycopg", "numpy") for name in imported(path))


def loaded(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


def test_it_loads_nothing_of_the_server() -> None:
    everything = "; ".join(f"import console.cli.{path.stem}" for path in MODULES_OF_IT if path.stem[0] != "_")
    found = loaded(everything)
    assert "httpx" in found and not {"django", "celery", "psycopg", "numpy", "console.settings", "memories"} & found


def test_help_and_completion_do_not_wait_for_the_http_client() -> None:
    names = {f"console.cli.{module}" for module in MODULES.values()}
    assert not {"httpx", "tqdm"} & loaded("; ".join(f"import {name}" for name in sorted(names)))


def test_every_command_explains_itself(shell: Shell) -> None:
    assert set(MODULES) == {name for name in MODULES if cli.get_command(None, name)}  # type: ignore[arg-type]
    told = shell("--help")
    assert told.code == 0 and all(f"\n  {name} " in told.out for name in MODULES) and "Exit codes" in told.out
    assert shell("forget", "-h").out.startswith("Usage: memory-console forget")
    assert shell("--version").out.startswith("memory-console ")


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["search"], ["search", "x", "--limit", "0"], ["passes", "x"]])
def test_wrong_usage_is_a_code_of_its_own(shell: Shell, arguments: list[str]) -> None:
    assert shell(*arguments).code == 2


def test_the_project_names_the_same_command() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, function = project["scripts"]["memory-console"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))
    assert (
        project["version"]
        in subprocess.run(
            [sys.executable, "-m", "console.cli", "--version"], cwd=ROOT, capture_output=True, text=True
        ).stdout
    )


def test_make_puts_it_into_the_environment(tmp_path: Path) -> None:
    for target in ("run", "test"):
        told = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True)
        assert ".ci/command .venv" in told.stdout
    venv = tmp_path / "an 'odd' $folder"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").symlink_to(sys.executable)
    for _ in range(2):
        subprocess.run([ROOT / ".ci" / "command", venv], check=True)
    (tmp_path / "console").mkdir()
    (tmp_path / "console" / "__init__.py").write_text("raise SystemExit('the folder it is called in')")
    packages = str(Path(importlib.import_module("click").__file__ or "").parent.parent)
    ran = subprocess.run(
        [venv / "bin" / "memory-console", "--version"],
        cwd=tmp_path,
        env={"PYTHONPATH": packages, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stdout[:15], ran.stderr) == (0, "memory-console ", "")


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script_and_its_answers(shell: Shell, kind: str) -> None:
    script = shell("completion", kind)
    assert script.code == 0 and f"_MEMORY_CONSOLE_COMPLETE={kind}_complete" in script.out
    words = {"bash": ("memory-console re", "1"), "zsh": ("memory-console re", "1"), "fish": ("memory-console", "re")}
    line, word = words[kind]
    asked = {"_MEMORY_CONSOLE_COMPLETE": f"{kind}_complete", "COMP_WORDS": line, "COMP_CWORD": word}
    told = shell(**asked)
    assert told.code == 0 and all(name in told.out for name in ("remember", "restore", "reflect"))
    assert "search" not in told.out


def test_bash_completes_with_it(shell: Shell) -> None:
    script = shell("completion", "bash").out
    (shell.home / "memory-console").write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m console.cli "$@"\n')
    (shell.home / "memory-console").chmod(0o755)
    lines = [script, 'COMP_WORDS=("./memory-console" reflect --actions summarize,de) COMP_CWORD=3']
    lines += ["_memory_console_completion ./memory-console", 'echo "${COMPREPLY[@]}"']
    ran = subprocess.run(
        ["bash", "-c", "\n".join(lines)], cwd=shell.home, env=shell.environment(), capture_output=True, text=True
    )
    assert ran.stdout.strip() == "summarize,decay", ran.stderr


def test_the_words_that_completion_offers_are_those_of_the_server() -> None:
    assert choices.TYPES == tuple(MemoryType.values)
    assert choices.SCOPES == SCOPES
    assert choices.FORMATS == tuple(FORMATS)
    assert choices.ACTIONS == tuple(Action)
    assert set(choices.STATUSES) == {"awaiting_approval", *Status}
