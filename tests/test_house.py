"""Rules about the code itself: who may import whom, and that no door writes. See docs/house.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("console", "memories", "reflection")
SOURCES = sorted(
    path for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.relative_to(ROOT).parts
)

# Which room a module belongs to; the first pattern that fits counts.
ROOMS = [
    ("pure", r"reflection\.(planner|summarizer)(\.|$)|reflection\.(states|policy|numbers|rules|slots|report_text)$"),
    ("errors", r"console\.(errors|saying|text|endpoints|postgres\.patience)$"),
    ("models", r"memories\.models(\.|$)|reflection\.(models|schedule_models|notice_models)$|memories\.patterns$"),
    ("access", r"memories\.(actors|access|audit)$"),
    ("search", r"memories\.(search|embedding)(\.|$)"),
    (
        "services",
        r"(memories\.services|reflection\.(services|loading))(\.|$)|reflection\.(queries|filters|digest|report|erasure|notify)$",
    ),
    (
        "doors",
        r"(memories|reflection)\.(pages|api|api_dream|api_review|api_setup|tasks|page_urls|api_urls|templatetags)(\.|$)",
    ),
    ("apps", r"(memories|reflection)(\.apps)?$"),
    ("shell", r"console(\.|$)"),
]
# house.md, section 2. A room may always import itself.
MAY_IMPORT = {
    "pure": set(),
    "errors": set(),
    "models": {"pure", "errors"},
    "access": {"models", "errors"},
    "search": {"models", "errors", "access"},
    "services": {"pure", "errors", "models", "access", "search"},
    "doors": {"pure", "errors", "models", "access", "search", "services", "shell"},
    "apps": {"services"},
    "shell": {"pure", "errors", "models", "access", "search", "services", "doors", "apps"},
}
WEB = {"django.http", "rest_framework", "django_htmx", "django.shortcuts", "django.views"}
WRITERS = {
    "save",
    "create",
    "update",
    "delete",
    "bulk_create",
    "bulk_update",
    "get_or_create",
    "update_or_create",
    "execute",
    "executemany",
    "select_for_update",
}


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str | None:
    return next((room for room, pattern in ROOMS if re.match(pattern, module)), None)


def imports_of(path: Path) -> Iterator[str]:
    """Every module that a file imports, inside functions too; `from x import y` is x.y where that is a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                is_module = (ROOT / below.replace(".", "/")).is_dir() or (
                    ROOT / f"{below.replace('.', '/')}.py"
                ).is_file()
                yield below if is_module else node.module


def wrong_imports(path: Path) -> list[str]:
    module, wrong = name_of(path), []
    room = room_of(module)
    for target in set(imports_of(path)):
        other = room_of(target) if target.split(".")[0] in APPS else None
        if other is None or other == room:
            continue
        if room is not None and other not in MAY_IMPORT[room]:
            wrong.append(f"{module} ({room}) imports {target} ({other})")
    return wrong


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_imports_only_what_its_room_may(path: Path) -> None:
    assert wrong_imports(path) == []


def in_circles(imports: dict[str, set[str]]) -> list[str]:
    """What is left when whatever imports nothing of the rest, or is imported by none of it, is taken away."""
    left = imports
    while True:
        imported = set().union(*left.values())
        less = {name: others & left.keys() for name, others in left.items() if name in imported}
        less = {name: others for name, others in less.items() if others}
        if less == left:
            return sorted(left)
        left = less


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = {name_of(path): path for path in SOURCES if path.name != "__init__.py"}
    imports = {name: {other for other in imports_of(path) if other in known} for name, path in known.items()}
    assert in_circles(imports) == []


def test_the_rule_about_circles_sees_one() -> None:
    assert in_circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == ["b", "c"]


def test_every_module_has_a_room() -> None:
    assert [name for path in SOURCES if room_of(name := name_of(path)) is None] == []


def test_memories_never_import_reflection() -> None:
    found = [
        f"{name_of(path)} imports {target}"
        for path in SOURCES
        for target in imports_of(path)
        if name_of(path).startswith("memories") and target.split(".")[0] == "reflection"
    ]
    assert found == []


def test_rules_about_records_know_nothing_of_the_web() -> None:
    found = [
        f"{name_of(path)} imports {target}"
        for path in SOURCES
        for target in imports_of(path)
        if room_of(name_of(path)) in {"pure", "errors", "models", "access", "search", "services"}
        and any(target == web or target.startswith(f"{web}.") for web in WEB)
    ]
    assert found == []


def writes_in(source: str) -> list[str]:
    """Calls in a door that would write: a writing method of a queryset, record or cursor."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITERS):
            continue
        owner = ast.unparse(node.func.value)
        asks = [arg for arg in node.args[:1] if isinstance(arg, ast.Constant) and str(arg.value).startswith("SELECT ")]
        if owner == "super()" or asks:
            continue
        if (
            "objects" in owner
            or "(" in owner  # what a query has answered
            or node.func.attr not in {"update", "create"}  # which dictionaries and services have too
            or re.search(r"\bcursor|rows\b", owner)
        ):
            found.append(f"line {node.lineno}: {owner}.{node.func.attr}()")
    return found


def is_door(path: Path) -> bool:
    """Pages, API and tasks, and in the shell the commands, the bridge, the demo and the shell's own pages."""
    name = name_of(path)
    return room_of(name) == "doors" or name.startswith(
        ("console.management", "console.mcp", "console.demo", "console.pages", "console.overview")
    )


@pytest.mark.parametrize("path", [path for path in SOURCES if is_door(path)], ids=name_of)
def test_a_door_writes_nothing(path: Path) -> None:
    assert writes_in(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "Memory.objects.filter(pk=1).update(x=1)",
        "memory.save()",
        "memory.delete()",
        "cursor.execute('x')",
        "Memory.objects.create(x=1)",
        "queries.passes(actor).filter(pk=1).update(x=1)",
        "queries.passes(actor).delete()",
    ],
)
def test_the_rule_about_doors_sees_a_write(source: str) -> None:
    assert writes_in(source)


def test_no_file_is_longer_than_it_can_be_read() -> None:
    long = {name_of(path): n for path in SOURCES if (n := len(path.read_text().splitlines())) > 320}
    assert long == {}
