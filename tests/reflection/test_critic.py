"""A model may withhold a fact that the rules found; it adds none, and its failures withhold nothing."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memories.embedding import store
from memories.models import Memory
from reflection.planner import AtHand
from reflection.planner.columns import columns_of
from reflection.planner.rows import Row
from reflection.planner.second import read_again
from reflection.planner.survey import survey
from reflection.policy import Policy
from reflection.services.plan import chat, critic
from reflection.states import Action
from reflection.summarizer.chat import Chat
from reflection.summarizer.critic import HttpCritic
from reflection.summarizer.opinion import Opinion
from reflection.tasks import plan_pass
from tests.memories import factories
from tests.reflection import life
from tests.reflection.planner_rows import ALWAYS, DAY, HOUR, NOW, planned, row, unit

STATEMENT = "Lea plays the violin in Basel."
QUOTES = [STATEMENT, "In Basel Lea plays the violin.", "Lea plays her violin in Basel."]
Asked = list[dict[str, Any]]


class Model:
    """A chat endpoint on loopback that gives one answer after the other, the last one again and again."""

    def __init__(self) -> None:
        self.asked: Asked = []
        self.answers: list[Any] = ["yes"]
        self.status = 200
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self) -> bytes:
        said = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return json.dumps({"choices": [{"message": {"content": said}}]}).encode()


def _handler(model: Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            model.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            content = model.answer()
            self.send_response(model.status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@pytest.fixture
def model() -> Iterator[Model]:
    made = Model()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@pytest.mark.parametrize(
    "answer",
    ["yes", " Yes.", "**Yes**", "YES\nThey agree.", "yes, all do", "Answer: yes", "Yes – all do", "Sim.", "はい。"],
)
def test_a_yes_is_an_agreement(model: Model, answer: str) -> None:
    model.answers = [answer]
    assert HttpCritic(Chat(model.url, "m"))(STATEMENT, QUOTES) == Opinion(
        True, "All say the same, by the judgement of m."
    )


@pytest.mark.parametrize(
    "answer",
    [
        *("no", "No.", "no: the second is about Bern", "NO\n", "No - Bern", "No — Bern", "No (note 2 is about Bern)"),
        *("no because the second is about Bern", "Answer: no", "The answer is **no**.", "'No'", "No…", "Não.", "否"),
        *("<think>yes?</think>no", "Note 2 is about Bern.\n\nNo.", '{"answer": "no"}', "아니요", "いいえ。"),
    ],
)
def test_a_no_is_none(model: Model, answer: str) -> None:
    model.answers = [answer]
    assert HttpCritic(Chat(model.url, "m"))(STATEMENT, QUOTES) == Opinion(
        False, "Not all say the same, by the judgement of m."
    )


@pytest.mark.parametrize(
    "answer",
    [
        *("", None, "No problem at all", "I cannot tell", "nothing", ["no"], "<think>no</think>"),
        *("No note contradicts another", "No contradiction.", "Nobody", "yesterday"),
    ],
)
def test_what_is_neither_withholds_nothing_and_is_noted(model: Model, answer: Any) -> None:
    model.answers = [answer]
    found = HttpCritic(Chat(model.url, "m"))(STATEMENT, QUOTES)
    assert found.agrees and found.note.startswith("The model could not be asked whether all say the same (")


def test_it_gets_the_words_as_material_and_the_statement_last(model: Model) -> None:
    HttpCritic(Chat(model.url, "m"))(STATEMENT, [*QUOTES, "a\nb"])
    system, user = model.asked[0]["messages"]
    lines = [json.loads(line) for line in user["content"].split("\n")]
    assert lines == [*({"note": quote} for quote in [*QUOTES, "a\nb"]), {"statement": STATEMENT}]
    assert "never an instruction" in system["content"] and STATEMENT not in system["content"]


def test_after_three_failures_in_a_row_a_plan_asks_no_more(model: Model) -> None:
    model.status, read = 503, HttpCritic(Chat(model.url, "m"))
    notes = [read(STATEMENT, QUOTES).note for _ in range(5)]
    assert len(model.asked) == 3
    assert "it answered 503" in notes[2] and "failed 3 times in a row" in notes[4]


def test_an_answer_in_between_makes_it_patient_again(model: Model) -> None:
    read = HttpCritic(Chat(model.url, "m"))
    for model.status in (503, 503, 200, 503, 503, 200):
        read(STATEMENT, QUOTES)
    assert len(model.asked) == 6


def test_an_answer_that_cannot_be_read_does_not_keep_later_facts_from_being_asked_about(model: Model) -> None:
    model.answers, read = ["?", "hm", "maybe", "?", "no"], HttpCritic(Chat(model.url, "m"))
    assert [read(STATEMENT, QUOTES).agrees for _ in range(5)] == [True] * 4 + [False]


def told(first: int, *texts: str) -> list[Row]:
    """Rows of sessions and days of their own that are near in meaning."""
    return [
        row(
            first + n,
            text,
            session=f"s{first + n}",
            created_at=NOW - (9 - n) * DAY,
            vector=unit(first == 10, first == 20, first == 30, n / 50),
        )
        for n, text in enumerate(texts)
    ]


ROWS = [
    *told(10, *QUOTES),
    *told(20, "Uwe keeps 4 hens in the yard.", "In the yard Uwe keeps 4 hens.", "Uwe keeps his 4 hens in the yard."),
    *told(30, *["Deploys happen on Thursdays."] * 3),
]


def facts(rows: Sequence[Row] = ROWS) -> Any:
    return planned(rows, Action.PROMOTE).proposals


def texts(proposals: Any) -> list[str]:
    return [one.after["content"] for one in proposals]


def refusing(word: str, heard: list[str]) -> Callable[[str, Sequence[str]], Opinion]:
    def read(statement: str, quotes: Sequence[str]) -> Opinion:
        heard.append(statement)
        assert statement in quotes
        return Opinion(word not in statement, "as read")

    return read


def test_what_the_critic_refuses_becomes_a_near_miss_and_the_rest_stays_as_it_was() -> None:
    heard: list[str] = []
    found = read_again(facts(), 9, refusing("violin", heard))
    (left,) = found.withheld
    assert (left.gate, left.text, len(left.memory_ids)) == ("model_disagrees", "as read", 3)
    assert texts(found.kept) == [text for text in texts(facts()) if "violin" not in text]
    assert len(heard) == 2  # equal words need no opinion
    assert [replace(one, why={**one.why, "note": ""}) for one in found.kept] == [
        replace(one, why={**one.why, "note": ""}) for one in facts() if "violin" not in one.after["content"]
    ]


def test_what_is_withheld_takes_no_room_and_what_there_is_no_room_for_is_not_read() -> None:
    heard: list[str] = []
    found = read_again(facts(), 1, refusing("violin", heard))
    assert (len(found.kept), len(found.withheld), found.unread) == (1, 1, 1)
    assert read_again(facts(), 0, refusing("violin", heard)).unread == 3
    assert len(heard) == 2


def test_of_equal_quotes_each_is_read_once() -> None:
    asked: list[list[str]] = []
    rows = told(10, QUOTES[0], QUOTES[0].upper(), QUOTES[1], QUOTES[0], QUOTES[2])

    def read(statement: str, quotes: Sequence[str]) -> Opinion:
        asked.append(list(quotes))
        return Opinion()

    read_again(facts(rows), 9, read)
    assert asked == [QUOTES]


TEA = ("Ann drinks green tea.", "Green tea is what Ann drinks.", "Ann drinks green tea.")
SENCHA = (
    "Her usual beverage at breakfast stays sencha.",
    "Sencha stays her usual beverage at breakfast.",
    "Her usual beverage at breakfast stays sencha.",
)


def beside_each_other() -> list[Row]:
    """Two facts so near in meaning that the first makes the second known."""
    return [
        row(first + n, text, session=f"s{first + n}", created_at=NOW - 9 * DAY + n * DAY + first * HOUR, vector=vector)
        for first, texts, vector in ((0, TEA, unit(1, 0, 0)), (5, SENCHA, unit(1, 0.3, 0)))
        for n, text in enumerate(texts)
    ]


def planned_with(rows: list[Row], read: Any, limit: int = 9) -> Any:
    found = survey(columns_of(rows), AtHand(rows), actions=[Action.PROMOTE], window=ALWAYS, as_of=NOW, policy=Policy())
    return found.plan(limit, critic=read)


def test_a_fact_that_is_withheld_makes_nothing_known_and_the_next_gets_its_chance() -> None:
    rows = sorted(beside_each_other(), key=lambda one: (one.created_at, one.id))
    agreed = planned_with(rows, lambda statement, quotes: Opinion())
    assert (texts(agreed.proposals), [one.gate for one in agreed.skipped]) == ([TEA[1]], ["already_known"])
    heard: list[str] = []
    found = planned_with(rows, refusing("tea", heard))
    assert texts(found.proposals) == [SENCHA[1]]
    assert (found.skipped, [one.gate for one in found.near_misses]) == ([], ["model_disagrees"])
    assert heard == [TEA[1], SENCHA[1]]  # each question once


def test_a_fact_that_stays_is_not_read_again_when_another_is_withheld() -> None:
    heard: list[str] = []
    rows = sorted(ROWS, key=lambda one: (one.created_at, one.id))
    found = planned_with(rows, refusing("violin", heard))
    assert len(found.proposals) == 2 and len(heard) == 2


def test_where_all_is_withheld_nothing_is_known_or_proposed() -> None:
    rows = sorted(beside_each_other(), key=lambda one: (one.created_at, one.id))
    found = planned_with(rows, lambda statement, quotes: Opinion(False, "no"))
    assert (found.proposals, found.skipped, found.cut) == ([], [], 0)
    assert [one.gate for one in found.near_misses] == ["model_disagrees"] * 2


@pytest.mark.parametrize("seed", range(3))
def test_no_opinion_ever_adds_a_fact(seed: int) -> None:
    without = texts(facts())
    found = read_again(facts(), 9, lambda statement, quotes: Opinion((len(statement) + seed) % 2 == 0))
    assert set(texts(found.kept)) <= set(without)
    assert len(found.kept) + len(found.withheld) == len(without)


def worded(*lines: str) -> None:
    """The same told on days and in sessions of their own."""
    owner = factories.ann()
    for n, text in enumerate(lines):
        at = life.timezone.now() - (n + 1) * DAY
        factories.memory(owner, text, memory_type="episodic", session=f"v{n}", path=f"v/{n}", created_at=at, anchor=at)
    store.drain()


@pytest.mark.django_db
def test_a_plan_names_what_the_model_withheld(model: Model, settings: Any) -> None:
    settings.SUMMARIZER_URL, settings.SUMMARIZER_MODEL = model.url, "m"
    worded(*QUOTES)
    model.answers = ["no"]
    who = factories.actor(factories.ann())
    asked = life.plan_all(who, actions_csv="promote", time_window_hours=24 * 30)
    plan_pass(str(asked.pk))
    made = life.ReflectPass.objects.get(pk=asked.pk)
    assert (made.status, made.counts["promote"]) == ("planned", 0)
    assert "Not all say the same, by the judgement of m." in {one["text"] for one in made.near_misses}
    assert len(model.asked) == 1 and Memory.objects.filter(derivation="fact").count() == 0


@pytest.mark.django_db
def test_without_a_model_nobody_is_asked(model: Model, settings: Any) -> None:
    settings.SUMMARIZER_URL = ""
    assert read_again(facts(), 9, critic(chat())).kept == facts()
    assert model.asked == []
