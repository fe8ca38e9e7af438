"""Strict search: finds what is there in every language, shows nothing weak, and nothing that is gone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from console.errors import Invalid, NotAllowed
from memories.embedding import store
from memories.models import Memory
from memories.search.search import Found, Search, recall, search
from tests.memories.factories import actor, ann, bob, memory, team, token_actor

pytestmark = pytest.mark.django_db


def ask(query: str, **filters: object) -> Found:
    return search(actor(ann()), Search(query, **filters))  # type: ignore[arg-type]


def texts(found: Found) -> list[str]:
    return [hit.memory.content for hit in found.hits]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Today I played an idiom game", "idiom"),
        ("The deployments failed twice", "deployment"),
        ("She was running the migration", "run migrations"),
        ("Reunião na terça com a equipe de implantação", "implantacao"),
        ("As reuniões foram canceladas", "reunioes cancelada"),
        ("El niño pidió más corazones", "nino corazon"),
        ("今天玩成语接龙游戏", "成语接龙"),
        ("今天玩成语接龙游戏", "成语"),
        ("服务器部署完成", "部署"),
        ("今日は成語しりとりをした", "しりとり"),
        ("東京で会議", "東"),
        ("会議は京", "京"),
        ("오늘 끝말잇기 게임", "끝말"),
        ("프로젝트에서 배포했다", "프로젝트"),
        ("ﾒﾓﾘの管理", "メモリ"),
        ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("重跑gen-itgc后", "gen-itgc"),
        ("İstanbul trip", "istanbul"),
        ("STRASSE 12", "straße"),
        ("Die Straße", "STRASSE"),
        ("cafe\u0301 na esquina", "café"),
        ("ends with <|endoftext|> here", "<|endoftext|>"),
        ("ticket ABC_123 is open", "abc_123"),
        ("see notes/v1..2 for it", "v1..2"),
        ("token identity fallback", "token fallback"),
        ("100% sure", "100%"),
    ],
)
def test_a_text_is_found_by_its_words(no_model: None, text: str, query: str) -> None:
    memory(ann(), text)
    memory(ann(), "Something else altogether")
    assert texts(ask(query)) == [text]


@pytest.mark.parametrize(
    ("query", "found"), [("b", True), ("7", True), ("b & 7", True), ("g|(7)", False), ("x:*", False)]
)
def test_a_single_letter_or_digit_finds_itself_and_no_longer_word(no_model: None, query: str, found: bool) -> None:
    memory(ann(), "The bay has 70 gates, an xylophone among them.")
    memory(ann(), "Return the badge at B before 7.")
    assert texts(ask(query)) == (["Return the badge at B before 7."] if found else [])


@pytest.mark.parametrize(
    ("query", "found"), [("tea", False), ("gat", False), ("gate", True), ("bad", False), ("badge", True)]
)
def test_the_beginning_of_a_word_finds_it_from_four_letters_on(no_model: None, query: str, found: bool) -> None:
    memory(ann(), "The team opens the gates to whoever has badges.")
    assert bool(texts(ask(query))) is found


def test_a_text_is_found_by_its_meaning() -> None:
    memory(ann(), "The kettle in the office kitchen leaks.")
    memory(ann(), "Invoices are paid within thirty days.")
    store.drain()
    found = recall(actor(ann()), Search("hot water boiler is broken"))
    assert found.hits[0].memory.content.startswith("The kettle")
    assert "meaning" in found.hits[0].matched


def test_an_absent_topic_is_no_strong_match_and_names_the_filters() -> None:
    memory(ann(), "The kettle in the office kitchen leaks.", path="office/kitchen")
    store.drain()
    found = ask("quarterly revenue forecast", path="office/%", memory_type="semantic")
    assert found.hits == []
    assert found.no_match is not None
    assert "recall" in found.no_match.reason
    assert {"name": "path", "value": "office/%"} in found.no_match.filters
    assert [one["name"] for one in found.no_match.filters] == ["memory_type", "path"]


def test_recall_gives_what_strict_search_withholds() -> None:
    memory(ann(), "The kettle in the office kitchen leaks.")
    store.drain()
    assert ask("a forecast of kettle revenue next quarter").hits == []
    assert len(recall(actor(ann()), Search("a forecast of kettle revenue next quarter")).hits) == 1


def test_words_still_find_while_the_model_is_down(no_model: None) -> None:
    memory(ann(), "zebra kiosk 42")
    found = ask("zebra kiosk")
    assert texts(found) == ["zebra kiosk 42"]
    assert found.coverage["meaning"] == "unavailable"


def test_rows_without_a_vector_are_found_and_counted() -> None:
    memory(ann(), "zebra kiosk 42")
    found = ask("zebra kiosk")
    assert texts(found) == ["zebra kiosk 42"]
    assert found.coverage == {"records": 1, "without_vector": 1, "looked_at": 1, "meaning": "used"}


def test_a_new_text_is_found_by_its_new_words_only(no_model: None) -> None:
    mine = memory(ann(), "The parrot lives in the hall. The safe code is walrus.")
    Memory.objects.filter(pk=mine.pk).update(content="The parrot lives in the hall.")
    assert ask("walrus").hits == []
    assert len(ask("parrot").hits) == 1


@pytest.mark.parametrize("status", ["deleted", "archived", "expired"])
def test_what_is_not_active_is_never_found(status: str) -> None:
    gone = memory(ann(), "zebra kiosk 42", status=status)
    for query in ("zebra kiosk", "*", str(gone.pk), '"zebra kiosk"'):
        assert ask(query).hits == []
        assert recall(actor(ann()), Search(query)).hits == []


def test_what_has_expired_is_not_found_before_any_pass() -> None:
    memory(ann(), "zebra kiosk 42", expires_at=timezone.now() - timedelta(seconds=1))
    memory(ann(), "zebra kiosk 43", expires_at=timezone.now() + timedelta(days=1))
    assert texts(ask("zebra kiosk")) == ["zebra kiosk 43"]


def test_a_vector_marked_active_does_not_revive_a_deleted_memory() -> None:
    mine = memory(ann(), "zebra kiosk 42")
    store.drain()
    marks = {"deleted_at": timezone.now(), "deleted_by": mine.owner, "status_before_delete": "active"}
    type(mine.state).objects.filter(pk=mine.pk).update(status="deleted", **marks)
    assert recall(actor(ann()), Search("zebra kiosk")).hits == []


def test_the_limit_counts_visible_rows_only(no_model: None) -> None:
    for number in range(5):
        memory(ann(), f"zebra kiosk {number}", status="deleted")
        memory(bob(), f"zebra kiosk {number}")
    for number in range(7):
        memory(ann(), f"zebra kiosk number {number} is live")
    assert len(ask("zebra kiosk", limit=5).hits) == 5
    assert len(ask("zebra kiosk", limit=50).hits) == 7


def test_equal_scores_come_in_order_of_id(no_model: None) -> None:
    made = [memory(ann(), "zebra kiosk") for _ in range(6)]
    assert [hit.memory_id for hit in ask("zebra kiosk", limit=6).hits] == sorted(one.pk for one in made)


def test_a_whole_id_finds_its_record() -> None:
    mine = memory(ann(), "zebra kiosk 42")
    memory(ann(), f"mentions {mine.pk}")
    found = ask(f" {str(mine.pk).upper()} ")
    assert texts(found) == ["zebra kiosk 42"]
    assert (found.hits[0].score, found.hits[0].matched) == (1.0, ("id",))


def test_an_unknown_id_is_looked_for_in_texts(no_model: None) -> None:
    memory(ann(), "see 0190e7c2-0000-7000-8000-000000000001 for more")
    assert len(ask("0190e7c2-0000-7000-8000-000000000001").hits) == 1


def test_a_part_of_a_long_word_is_found_where_no_word_is(no_model: None) -> None:
    memory(ann(), "requestPipelineFactory was renamed")
    assert len(ask("PipelineFact").hits) == 1


def test_a_phrase_must_stand_as_it_is(no_model: None) -> None:
    memory(ann(), "the red kettle leaks")
    memory(ann(), "a kettle that is red")
    assert texts(ask('"red kettle"')) == ["the red kettle leaks"]


def test_a_wildcard_in_a_phrase_is_plain_text(no_model: None) -> None:
    memory(ann(), "sure by 100% today")
    memory(ann(), "sure by 100 or so today")
    assert texts(ask('"100%"')) == ["sure by 100% today"]


def test_a_star_lists_the_newest_first() -> None:
    for day in (1, 3, 2):
        memory(ann(), f"day {day}", created_at=datetime(2026, 1, day, tzinfo=UTC))
    assert texts(ask("*", limit=2)) == ["day 3", "day 2"]
    assert texts(ask("*", time_order="oldest", limit=2)) == ["day 1", "day 2"]


def test_working_state_comes_first_when_preferred(no_model: None) -> None:
    memory(ann(), "zebra kiosk")
    memory(ann(), "zebra kiosk task", memory_type="working")
    assert ask("zebra kiosk", prefer_working=True).hits[0].memory.memory_type == "working"
    assert ask("*", prefer_working=True).hits[0].memory.memory_type == "working"


def test_a_threshold_only_raises_the_cut(no_model: None) -> None:
    memory(ann(), "zebra kiosk")
    assert ask("zebra kiosk", threshold=0.9).hits
    assert not ask("zebra unheard of thing", threshold=0.0).hits


def test_a_hit_says_where_and_why(no_model: None) -> None:
    atlas = team("Atlas", ann="member")
    memory(ann(), "Our Zébra kiosk", team=atlas, path="zoo/zebra")
    hit = ask("zebra").hits[0]
    assert hit.why_visible == "team Atlas"
    assert hit.matched == ("content", "path")
    assert [hit.memory.content[start:end] for start, end in hit.marks] == ["Zébra"]


def test_the_match_in_a_long_list_of_others_is_found(no_model: None) -> None:
    oldest = memory(ann(), "common word unicorn", path="rare/place", created_at=datetime(2020, 1, 1, tzinfo=UTC))
    for number in range(60):
        memory(ann(), f"common word {number}", path="other/place")
    assert ask("common word unicorn").hits[0].memory_id == oldest.pk
    assert [hit.memory_id for hit in ask("common word", path="rare/%").hits] == [oldest.pk]


def test_a_token_without_buckets_finds_nothing() -> None:
    memory(ann(), "zebra kiosk")
    assert search(token_actor(ann(), buckets=[]), Search("zebra kiosk")).hits == []
    assert recall(token_actor(ann(), buckets=[]), Search("*")).hits == []


def test_a_token_without_the_right_to_read_is_refused() -> None:
    with pytest.raises(NotAllowed, match="memory:read"):
        search(token_actor(ann(), scopes=["memory:write"]), Search("zebra"))


def test_a_strangers_team_is_refused() -> None:
    theirs = team("Borealis", bob="admin")
    with pytest.raises(NotAllowed, match="not in this team"):
        ask("zebra", team_id=theirs.pk)


def test_several_wrong_inputs_are_named_at_once() -> None:
    with pytest.raises(Invalid) as refusal:
        ask(" ", limit=0, memory_type="dream")
    assert [problem.loc for problem in refusal.value.problems] == [
        ("query", "query"),
        ("query", "limit"),
        ("query", "memory_type"),
    ]
