"""The demo content is well formed: known fields, values in range, files that read well in a diff."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from console import demo

CONTENT = Path(demo.__file__).parent / "content"
Record = dict[str, Any]

LANGUAGES = {
    "en": (115, 140),
    "pt-BR": (45, 55),
    "es": (45, 55),
    "ja": (45, 55),
    "ko": (45, 55),
}
PREFIX = {"en": "en", "pt-BR": "pt", "es": "es", "ja": "ja", "ko": "ko"}
TYPES = {"episodic", "semantic", "procedural", "working", "identity"}
FIELDS = {  # name:type in the order of the file; a question mark allows null
    "memories": "key:str owner:str team:str? bucket:str scope:str? path:str memory_type:str language:str content:str "
    "age_days:float session:str? importance:float used_days_ago:float? expires_in_days:float? pinned:bool held:str? "
    "agent:str? source:str trust:int metadata:dict",
    "todos": "key:str owner:str team:str? content:str due_in_days:float? completed:bool bucket:str scope:str? path:str "
    "language:str",
    "ledger": "key:str owner:str team:str? transaction_type:str item:str amount:str currency:str category:str "
    "age_days:float bucket:str",
}


def read(name: str) -> Any:
    return json.loads((CONTENT / name).read_text(encoding="utf-8"))


def memories() -> list[Record]:
    return [row for language in LANGUAGES for row in read(f"memories.{language}.json")]


def by_kind() -> dict[str, list[Record]]:
    return {
        "memories": memories(),
        "todos": read("todos.json"),
        "ledger": read("ledger.json"),
    }


@pytest.mark.parametrize("path", sorted(CONTENT.glob("*.json")), ids=lambda path: path.name)
def test_every_file_is_composed_unicode_without_escapes_or_control_characters(
    path: Path,
) -> None:
    text = path.read_bytes().decode("utf-8")
    assert text.endswith("\n") and not text.endswith("\n\n")
    assert text == unicodedata.normalize("NFC", text)
    assert "\\u" not in text
    assert not [c for c in text if unicodedata.category(c) in {"Cc", "Cf", "Cs"} and c != "\n"]


@pytest.mark.parametrize(
    "path",
    sorted(set(CONTENT.glob("*.json")) - {CONTENT / "people.json"}),
    ids=lambda p: p.name,
)
def test_every_list_holds_one_record_a_line_sorted_by_key(path: Path) -> None:
    rows = json.loads(path.read_text(encoding="utf-8"))
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    assert path.read_text(encoding="utf-8") == f"[\n{lines}\n]\n"
    keys = [row["key"] for row in rows]
    assert keys == sorted(keys)


def test_keys_are_unique_over_all_kinds() -> None:
    keys = Counter(row["key"] for rows in by_kind().values() for row in rows)
    assert [key for key, times in keys.items() if times > 1] == []


@pytest.mark.parametrize("kind", FIELDS)
def test_every_record_has_the_known_fields_and_their_types(kind: str) -> None:
    fields = dict(field.split(":") for field in FIELDS[kind].split())
    for row in by_kind()[kind]:
        assert list(row) == list(fields), row["key"]
        for name, expected in fields.items():
            nullable = row[name] is None and expected.endswith("?")
            assert nullable or type(row[name]).__name__ == expected.rstrip("?"), (row["key"], name)


def test_three_people_are_in_two_teams() -> None:
    people = read("people.json")
    assert [person["username"] for person in people["people"]] == ["ann", "bea", "bob"]
    for person in people["people"]:
        assert set(person) == {"username", "display_name", "language", "time_zone"}
        assert person["language"] in LANGUAGES
        assert ZoneInfo(person["time_zone"])
    teams = {team["name"]: {m["username"]: m["role"] for m in team["members"]} for team in people["teams"]}
    assert teams == {
        "Atlas": {"ann": "admin", "bea": "reviewer"},
        "Harbor": {"bob": "admin"},
    }


@pytest.mark.parametrize("kind", FIELDS)
def test_every_record_belongs_to_a_member_of_its_team(kind: str) -> None:
    members = {(team["name"], m["username"]) for team in read("people.json")["teams"] for m in team["members"]}
    names = {person["username"] for person in read("people.json")["people"]}
    for row in by_kind()[kind]:
        assert row["owner"] in names, row["key"]
        assert row["team"] is None or (row["team"], row["owner"]) in members, row["key"]
        assert row["bucket"] in {"work", "personal", "public", "private"}, row["key"]
        assert row["team"] is None or row["bucket"] not in {"personal", "private"}, row["key"]


def test_memory_values_lie_in_their_ranges() -> None:
    for row in memories():
        assert row["memory_type"] in TYPES, row["key"]
        assert row["trust"] in {0, 1, 2}, row["key"]
        assert 0 <= row["importance"] <= 1, row["key"]
        assert row["age_days"] > 0, row["key"]
        assert row["used_days_ago"] is None or 0 < row["used_days_ago"] < row["age_days"], row["key"]
        assert row["expires_in_days"] is None or -row["expires_in_days"] < row["age_days"], row["key"]
        assert row["source"] in {"mcp", "api", "console"}, row["key"]
        assert (row["agent"] is None) == (row["source"] == "console"), row["key"]
        assert set(row["metadata"]) <= {"speaker", "ticket", "tags"}, row["key"]


def test_texts_and_paths_have_no_loose_ends() -> None:
    for rows in by_kind().values():
        for row in rows:
            text: str = row["content"] if "content" in row else row["item"]
            assert text == text.strip() and "  " not in text and 5 <= len(text) <= 300, row["key"]
            path = row.get("path", "a")
            assert path == path.strip("/").lower() and "//" not in path, row["key"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_its_share_of_memories(language: str) -> None:
    rows = read(f"memories.{language}.json")
    least, most = LANGUAGES[language]
    assert least <= len(rows) <= most
    assert {row["language"] for row in rows} == {language}
    assert {row["key"].split("-")[0] for row in rows} == {PREFIX[language]}


def test_every_type_occurs_and_most_memories_are_episodic() -> None:
    found = Counter(row["memory_type"] for row in memories())
    assert set(found) == TYPES
    assert found["episodic"] > sum(found.values()) / 2


def test_todos_are_open_late_done_and_undated() -> None:
    rows = read("todos.json")
    assert 20 <= len(rows) <= 30
    assert {row["language"] for row in rows} == set(LANGUAGES)
    open_rows = [row for row in rows if not row["completed"]]
    assert [row for row in open_rows if row["due_in_days"] is None]
    assert len([row for row in open_rows if (row["due_in_days"] or 0) < 0]) >= 3
    assert len([row for row in open_rows if (row["due_in_days"] or 0) > 0]) >= 8
    assert 4 <= len(rows) - len(open_rows) <= 8


def test_ledger_amounts_are_positive_and_have_the_decimals_of_their_currency() -> None:
    rows = read("ledger.json")
    assert 25 <= len(rows) <= 35
    decimals = {"USD": 2, "EUR": 2, "BRL": 2, "JPY": 0, "KRW": 0}
    assert {row["currency"] for row in rows} == set(decimals)
    assert {row["transaction_type"] for row in rows} == {
        "expense",
        "income",
        "refund",
        "transfer",
    }
    for row in rows:
        assert Decimal(row["amount"]) > 0 and row["category"] and row["age_days"] > 0, row["key"]
        assert len(row["amount"].partition(".")[2]) == decimals[row["currency"]], row["key"]
