"""summarize: episodes, their text, and summaries that are brought up to date."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from reflection.planner.rows import Plan, Row, Window
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer import Source, Summary
from tests.reflection.planner_rows import BEA, DAY, HOUR, MINUTE, NOW, applied, planned, row, unit


def summaries(rows: Sequence[Row], **values: Any) -> Plan:
    return planned(rows, Action.SUMMARIZE, **values)


def cited(plan: Plan) -> list[list[int]]:
    return [[c.memory_id.int - 0x1000 for c in p.basis if not c.changes] for p in plan.proposals]


def test_three_rows_of_one_place_become_a_summary_that_cites_them_all() -> None:
    rows = [row(n, base=n / 10, trust=2 if n else 1, anchor=NOW) for n in range(3)]
    (found,) = summaries(rows).proposals
    after = found.after
    assert found.target_id is None
    assert (after["memory_type"], after["path"]) == ("semantic", "notes/day/reflections/2026-03-10")
    assert (after["importance"], after["trust"], after["confidence"]) == (0.1, 1, None)
    assert (after["owner_id"], after["team_id"]) == (str(rows[0].owner_id), None)
    assert after["span"] == [rows[0].created_at.isoformat(), rows[2].created_at.isoformat()]
    assert [(c.memory_id, c.version, c.changes) for c in found.basis] == [(r.id, 1, False) for r in rows]


@pytest.mark.parametrize("stored", [0.1, 0.8])
def test_a_summary_is_worth_what_its_sources_are_worth_now_whatever_a_pass_has_stored(stored: float) -> None:
    rows = [row(n, base=0.8, importance=stored, anchor=NOW - 30 * DAY) for n in range(3)]
    (found,) = summaries(rows).proposals
    assert found.after["importance"] == 0.4


def test_the_reason_counts_rows_and_names_the_span() -> None:
    start = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    (found,) = summaries([row(n, created_at=start + n * 7 * MINUTE) for n in range(3)]).proposals
    assert found.why["text"] == "3 memories of one episode, 8 May 2023 13:56 to 14:10 UTC"


def test_two_rows_are_too_few_and_listed_as_a_near_miss() -> None:
    done = summaries([row(1), row(2)])
    assert done.proposals == []
    assert [miss.gate for miss in done.near_misses] == ["too_few"]


def test_a_gap_of_six_hours_holds_an_episode_and_a_longer_one_parts_it() -> None:
    gap = [0, 6, 12]
    assert cited(summaries([row(n, created_at=NOW + h * HOUR) for n, h in enumerate(gap)])) == [[0, 1, 2]]
    later = [row(n, created_at=NOW + h * HOUR + (n > 1) * MINUTE) for n, h in enumerate(gap)]
    assert summaries(later).proposals == []


def test_places_and_boundaries_never_mix() -> None:
    rows = [row(n, path=f"p{n % 2}", owner_id=BEA if n > 5 else row(0).owner_id) for n in range(12)]
    assert sorted(cited(summaries(rows))) == [[0, 2, 4], [1, 3, 5], [6, 8, 10], [7, 9, 11]]


def test_the_window_takes_its_start_and_not_its_end() -> None:
    rows = [row(n) for n in range(5)]
    window = Window(rows[1].created_at, rows[4].created_at)
    assert cited(summaries(rows, window=window)) == [[1, 2, 3]]


def test_an_empty_window_finds_nothing() -> None:
    assert summaries([row(n) for n in range(5)], window=Window(NOW + DAY, NOW + 2 * DAY)).proposals == []


def test_held_expired_and_other_rows_are_no_sources_but_pinned_ones_are() -> None:
    odd = [row(3, held=True), row(4, expires_at=NOW), row(5, memory_type="working"), row(6, is_summary=True)]
    assert cited(summaries([row(0), row(1), row(2, pinned=True), *odd])) == [[0, 1, 2]]


def test_rows_whose_time_is_only_that_of_their_import_make_no_episode() -> None:
    together = [row(n, undated=True) for n in range(5)]
    assert summaries(together).proposals == [] == summaries([*together, row(5), row(6)]).proposals
    assert cited(summaries([*together, row(5), row(6), row(7)])) == [[5, 6, 7]]


def test_a_new_row_of_a_told_episode_updates_its_summary() -> None:
    rows = applied([row(n) for n in range(5)], summaries([row(n) for n in range(5)]), at=NOW)
    (summary,) = [r for r in rows if r.is_summary]
    (found,) = summaries([*rows, row(6, "Bea sold the old boat to a collector.")]).proposals
    assert found.target_id == summary.id
    assert found.before["content"] == summary.content
    assert "Bea sold the old boat to a collector." in found.after["content"]
    assert [c.memory_id for c in found.basis if c.changes] == [summary.id]
    assert len(found.basis) == 7


def test_three_passes_make_one_summary_of_a_cluster() -> None:
    rows = [row(n) for n in range(5)]
    for _ in range(3):
        rows = applied(rows, summaries(rows))
    assert sum(r.is_summary for r in rows) == 1


def test_a_summary_is_never_a_source() -> None:
    rows = applied([row(n) for n in range(5)], summaries([row(n) for n in range(5)]))
    rows = applied([*rows, row(6), row(7)], summaries([*rows, row(6), row(7)]))
    kinds = {r.id: r.is_summary for r in rows}
    assert not any(kinds[source] for r in rows for source in r.cites)


def test_what_is_gone_of_the_old_sources_stays_in_the_summary() -> None:
    rows = applied([row(n) for n in range(5)], summaries([row(n) for n in range(5)]))
    (summary,) = [r for r in rows if r.is_summary]
    left = [r for r in rows if r.id != row(0).id]
    (found,) = summaries([*left, row(6, "Bea sold the old boat.")]).proposals
    assert found.after["content"] == summary.content + " Bea sold the old boat."


def test_a_pinned_summary_is_left_alone_and_listed() -> None:
    rows = applied([row(n) for n in range(5)], summaries([row(n) for n in range(5)]))
    pinned = [replace(r, pinned=r.is_summary) for r in rows]
    done = summaries([*pinned, row(6)])
    assert (done.proposals, [s.gate for s in done.skipped]) == ([], ["protected"])


def test_a_full_summary_takes_no_more() -> None:
    policy = Policy(summary_max_rows=5)
    rows = applied([row(n) for n in range(5)], summaries([row(n) for n in range(5)], policy=policy))
    assert summaries([*rows, row(5)], policy=policy).proposals == []
    assert cited(summaries([*rows, row(5), row(6), row(7)], policy=policy)) == [[5, 6, 7]]


def test_rows_of_an_expired_summary_are_told_again() -> None:
    rows = applied([row(n) for n in range(5)], summaries([row(n) for n in range(5)]))
    rows = [replace(r, expires_at=NOW) if r.is_summary else r for r in rows]
    done = planned(rows, Action.SUMMARIZE, Action.EXPIRE)
    assert [(p.action, p.target_id is None) for p in done.proposals] == [
        (Action.SUMMARIZE, True),
        (Action.EXPIRE, False),
    ]


def test_a_long_episode_is_parted_by_topic() -> None:
    topics = [unit(1, 0, 0), unit(0, 1, 0), unit(0, 0, 1)]
    rows = [row(n, created_at=NOW + n * MINUTE, vector=topics[n % 3]) for n in range(60)]
    assert cited(summaries(rows)) == [list(range(n, 60, 3)) for n in range(3)]


def test_a_chain_of_likeness_does_not_tie_unlike_rows_together() -> None:
    angles = np.linspace(0, np.pi / 2, 60)
    rows = [row(n, created_at=NOW + n * MINUTE, vector=unit(np.cos(a), np.sin(a))) for n, a in enumerate(angles)]
    for members in cited(summaries(rows, policy=Policy(episode_split_cosine=0.8))):
        vectors = np.stack([rows[n].vector for n in members])  # type: ignore[misc]
        assert (vectors @ vectors.T).min() >= 0.8 - 1e-5


def test_without_vectors_a_long_episode_is_parted_by_time() -> None:
    rows = [row(n, created_at=NOW + n * MINUTE) for n in range(90)]
    assert cited(summaries(rows)) == [list(range(n, n + 30)) for n in (0, 30, 60)]


def test_an_odd_row_of_a_long_episode_finds_a_place() -> None:
    rows = [row(n, created_at=NOW + n * MINUTE, vector=unit(1, 0, 0)) for n in range(50)]
    rows[7] = replace(rows[7], vector=unit(0, 0, 1))
    assert cited(summaries(rows)) == [list(range(50))]


def test_only_greetings_and_questions_make_no_summary() -> None:
    done = summaries([row(1, "Hey Mel!"), row(2, "How are you?"), row(3, "Good to see you!")])
    assert (done.proposals, [miss.gate for miss in done.near_misses]) == ([], ["declarative"])


def test_japanese_memories_become_a_japanese_summary() -> None:
    texts = [
        "午前は東京で会議をした。",
        "京都へ行く電車は遅れた。",
        "夜は寿司を食べた。",
        "明日は休む。",
        "元気ですか。",
    ]
    (found,) = summaries([row(n, text) for n, text in enumerate(texts)]).proposals
    assert found.after["content"] == "".join(texts[:4])


def test_a_text_that_holds_our_own_words_survives() -> None:
    texts = ["### Memory Reflect Report", "The score was [score=0.91] --- for Ann.", "Counts {summarized} stay."]
    (found,) = summaries([row(n, text) for n, text in enumerate(texts)]).proposals
    assert all(text in found.after["content"] for text in texts)


def test_a_slash_in_front_of_a_path_stays_and_an_empty_path_gets_none() -> None:
    for path, expected in (("/a/b", "/a/b/reflections/2026-03-10"), ("", "reflections/2026-03-10")):
        (found,) = summaries([row(n, path=path) for n in range(3)]).proposals
        assert found.after["path"] == expected


def test_only_proposals_within_the_limit_cost_a_summary() -> None:
    asked: list[int] = []

    class Counting:
        def summarize(self, sources: Sequence[Source], budget_chars: int) -> Summary:
            asked.append(len(sources))
            return Summary(((sources[0].text, sources[0].id),), "model")

    rows = [row(n, created_at=NOW - n * timedelta(hours=2), path=f"p{n % 4}") for n in range(16)]
    done = summaries(rows, limit=1, summarizer=Counting(), policy=Policy(episode_gap_hours=100))
    assert (asked, done.cut) == ([4], 3)
    assert done.proposals[0].why["method"] == "model"
