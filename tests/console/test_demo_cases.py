"""The demo content holds at least one case for everything a pass, a search and a boundary have to show."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from console import demo

CONTENT = Path(demo.__file__).parent / "content"
Record = dict[str, Any]

LANGUAGES = {"en", "pt-BR", "es", "ja", "ko"}
LATE = 20 / 24  # days: what must lie in the default window stays inside it for four hours after loading
PROMOTED = {
    "en-fact-001": 4,  # the key of one member, and how often the fact is said
    "en-fact-005": 3,
    "es-hec-001": 3,
    "ja-jijitsu-001": 3,
    "ko-hwan-001": 3,
    "pt-col-001": 3,
}
BOBS_WORDS = (
    "zebra",
    "kiosk",
    "ferry",
    "turnstile",
    "gangway",
    "berth",
    "gannet",
    "lamprey",
    "harbor",
)


def read(name: str) -> list[Record]:
    rows: list[Record] = json.loads((CONTENT / name).read_text(encoding="utf-8"))
    return rows


def memories() -> list[Record]:
    return [row for language in sorted(LANGUAGES) for row in read(f"memories.{language}.json")]


def anns(rows: Iterable[Record]) -> list[Record]:
    return [row for row in rows if row["owner"] == "ann"]


def boundary(row: Record) -> tuple[Any, ...]:
    return (row["owner"], row["team"], row["bucket"], row["scope"])


def parent(row: Record) -> str:
    return str(row["path"]).rpartition("/")[0]


def words_of(row: Record) -> str:
    return json.dumps(row, ensure_ascii=False).lower()


def unprotected(row: Record) -> bool:
    return not (row["pinned"] or row["held"] or row["memory_type"] == "identity")


def recent_episodic() -> list[Record]:
    return [row for row in memories() if row["memory_type"] == "episodic" and row["age_days"] <= LATE]


def episodes() -> dict[tuple[str, str], list[Record]]:
    found: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for row in anns(recent_episodic()):
        if row["session"]:
            found[row["session"], row["language"]].append(row)
    return {key: rows for key, rows in found.items() if len(rows) >= 4}


def test_every_language_has_an_episode_of_the_last_hours() -> None:
    found = Counter(language for _, language in episodes())
    assert found["en"] >= 3
    assert set(found) == LANGUAGES
    assert 6 <= sum(found.values()) <= 8


def test_an_episode_is_dense_and_lies_in_one_place() -> None:
    for (session, _), rows in episodes().items():
        minutes = sorted(row["age_days"] * 24 * 60 for row in rows)
        gaps = [after - before for before, after in pairwise(minutes)]
        assert 4 <= len(rows) <= 8, session
        assert 1 < min(gaps) and max(gaps) < 20, session
        assert len({(boundary(row), row["path"]) for row in rows}) == 1, session


def test_no_other_recent_row_shares_the_boundary_and_parent_folder_of_an_episode() -> None:
    places = [(boundary(rows[0]), parent(rows[0])) for rows in episodes().values()]
    assert len({folder for _, folder in places}) == len(places)
    in_episodes = {row["key"] for rows in episodes().values() for row in rows}
    others = [row for row in recent_episodic() if row["key"] not in in_episodes]
    assert [row["key"] for row in others if (boundary(row), parent(row)) in places] == []


def evidence(first: str, times: int) -> list[Record]:
    stem, number = first.rsplit("-", 1)
    keys = {f"{stem}-{int(number) + step:03d}" for step in range(times)}
    return [row for row in memories() if row["key"] in keys]


def test_each_language_has_a_repeated_fact() -> None:
    assert {row["language"] for first in PROMOTED for row in evidence(first, 1)} == LANGUAGES


@pytest.mark.parametrize("first", PROMOTED)
def test_repeated_evidence_comes_from_different_sessions_and_hours(first: str) -> None:
    rows = evidence(first, PROMOTED[first])
    ages = sorted(row["age_days"] * 24 for row in rows)
    assert len(rows) == PROMOTED[first] and max(ages) <= 20
    assert min(after - before for before, after in pairwise(ages)) > 2
    assert len({row["session"] for row in rows}) == len({parent(row) for row in rows}) == len(rows)
    assert len({boundary(row) for row in rows}) == 1
    assert len({row["metadata"].get("speaker") for row in rows}) == 1, "each speaker is heard apart"
    assert all(row["memory_type"] == "episodic" and row["trust"] == 1 and row["owner"] == "ann" for row in rows)


def test_some_facts_repeat_word_for_word_and_some_in_other_words() -> None:
    wordings = [len({row["content"] for row in evidence(first, times)}) for first, times in PROMOTED.items()]
    assert sorted(wordings) == [1, 1, 1, 3, 3, 3]


def test_gates_of_promotion_have_an_example_that_each_stops() -> None:
    texts = defaultdict(list)
    for row in anns(memories()):
        if row["age_days"] <= LATE or row["memory_type"] == "semantic":
            texts[row["content"]].append(row)
    repeated = [rows for rows in texts.values() if len(rows) >= 3]
    assert [rows for rows in repeated if any(row["memory_type"] == "semantic" for row in rows)], "already known"
    assert [rows for rows in repeated if all(row["trust"] == 0 for row in rows)], "untrusted"
    assert [rows for rows in repeated if rows[0]["content"].endswith("?")], "a question"


def test_decay_has_enough_to_lower() -> None:
    found = [
        row
        for row in anns(memories())
        if row["memory_type"] == "episodic"
        and unprotected(row)
        and 0.5 <= row["importance"] <= 0.9
        and row["used_days_ago"] is None
        and 20 <= row["age_days"] <= 90
    ]
    assert len(found) >= 30
    assert {row["language"] for row in found} == LANGUAGES


def test_archive_has_low_and_long_unused_records_and_stale_working_state() -> None:
    idle = [r for r in anns(memories()) if unprotected(r) and r["used_days_ago"] is None]
    low = [r["language"] for r in idle if r["importance"] < 0.15 and r["age_days"] > 90]
    stale = [r["language"] for r in idle if r["memory_type"] == "working" and r["age_days"] > 14]
    assert set(low) == set(stale) == LANGUAGES
    assert len(low) >= 10


def test_archive_has_exact_duplicates_equal_but_for_case() -> None:
    groups = defaultdict(list)
    for row in anns(memories()):
        if row["age_days"] > 1:
            groups[boundary(row), row["memory_type"], row["content"].casefold()].append(row)
    pairs = [rows for rows in groups.values() if len(rows) > 1]
    assert len(pairs) >= 6 and all(len(rows) == 2 for rows in pairs)
    assert [rows for rows in pairs if rows[0]["content"] != rows[1]["content"]]


def test_expire_finds_some_records_of_ann_and_leaves_others_for_later() -> None:
    dated = [row for row in anns(memories()) if row["expires_in_days"] is not None]
    assert 5 <= len([row for row in dated if row["expires_in_days"] <= 0 and unprotected(row)]) <= 8
    assert len([row for row in dated if row["expires_in_days"] > 1]) >= 5


def test_protected_records_would_otherwise_be_candidates() -> None:
    rows = [row for row in anns(memories()) if not unprotected(row)]
    old = [row for row in rows if row["age_days"] > 90]
    assert [row for row in old if row["pinned"] and row["importance"] < 0.15]
    assert [row for row in old if row["memory_type"] == "identity"]
    held = [row for row in memories() if row["held"]]
    assert 1 <= len(held) <= 2
    assert [row for row in held if row["expires_in_days"] is not None and row["expires_in_days"] < 0]
    assert len([row for row in memories() if row["pinned"]]) <= 12


def test_bobs_words_occur_in_nobody_elses_records() -> None:
    every = memories() + read("todos.json") + read("ledger.json")
    for word in BOBS_WORDS:
        assert {row["owner"] for row in every if word in words_of(row)} == {"bob"}, word
    bobs = [row for row in memories() if row["owner"] == "bob"]
    assert 35 <= len(bobs) <= 45
    assert {row["team"] for row in bobs} == {"Harbor", None}
    assert len([row for row in bobs if "zebra kiosk 42" in words_of(row)]) >= 3


@pytest.mark.parametrize(
    "text",
    [
        "### Memory Reflect Report",
        "<b>bold</b>",
        "approve all; dry_run=false",
        "重跑gen-itgc后结果正常",
        "ＡＴＬＡＳ",
        "Sao Joao",
        "direccion de envio",
        "endereco de devolucao",
    ],
)
def test_awkward_text_is_among_anns_records(text: str) -> None:
    assert [row for row in anns(memories()) if text in row["content"]]


def test_the_example_of_the_command_line_asks_for_something_that_ann_remembers() -> None:
    page = (Path(demo.__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    asked = re.findall(r'^memory-console search "(.+)"$', page, re.MULTILINE)
    assert asked
    for words in asked:
        assert any(all(word in row["content"] for word in words.split()) for row in anns(memories())), words
