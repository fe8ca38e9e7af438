"""What plans are stored with in English is recognised again, and told in the reader's language."""

from __future__ import annotations

import ast
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone, translation
from django.utils.translation import get_language

from memories.models import User
from reflection import notify, rules
from reflection.models import Subscription
from reflection.numbers import LIFETIME, RULES
from reflection.pages import moments, probed
from reflection.pages import retold as retelling
from reflection.pages.retold import PARTS, VALUES, WHOLE, _known, retold
from reflection.pages.rhythms import rhythm_words
from reflection.planner.probe import answers
from reflection.planner.question import Question
from reflection.planner.rows import Row
from reflection.policy import Policy
from reflection.services import notices
from reflection.services.good_values import good_number, said
from reflection.services.schedules import EVERY, WEEKDAY
from reflection.slots import Kind, Rhythm
from reflection.summarizer import chat
from reflection.templatetags.reflection_tags import linked
from tests.memories import factories
from tests.memories.page_client import signed_in
from tests.reflection import life, pages, token_writes
from tests.reflection.planner_rows import ALWAYS, NOW, planned
from tests.reflection.random_rows import some_rows

FREE = {"who", "hold", "name", "zone", "host", "why", "names", "protection"}  # values that may be anything
SPOKEN = "Working memory, unused for 20 days (the rule asks for 14)."


def unknown(texts: set[str]) -> list[str]:
    """Those that nobody could tell but in English."""
    with translation.override("es"):
        return sorted(text for text in texts if retold(text) is None)


def of_plan(rows: list[Row]) -> set[str]:
    found = planned(rows, policy=replace(Policy(), near_misses=500))
    texts = {one.text for one in (*found.skipped, *found.near_misses)}
    return texts | {one.why[name] or "" for one in found.proposals for name in ("text", "note") if name in one.why}


def of_answers(rows: list[Row], about: Row) -> set[str]:
    texts: set[str] = set()
    for one in answers(Question(rows, about.id, NOW, Policy(), ALWAYS)):
        gates = [gate for reason in one.reasons for gate in reason.gates]
        names = {gate.name.replace("_", " ") for gate in gates}
        texts |= {one.text, *names, *(gate.measured for gate in gates), *(gate.asked for gate in gates)}
    return texts


@pytest.mark.parametrize("seed", range(20))
def test_every_sentence_of_the_planner_is_recognised(seed: int) -> None:
    rows = some_rows(random.Random(seed))
    assert unknown(of_plan(rows)) == []


@pytest.mark.parametrize("seed", range(4))
def test_every_answer_about_one_memory_is_recognised(seed: int) -> None:
    rows = some_rows(random.Random(seed))
    assert unknown({text for about in rows[:8] for text in of_answers(rows, about)}) == []


@pytest.mark.django_db
def test_every_sentence_about_a_token_s_writes_is_recognised() -> None:
    scene = token_writes.scene()
    token_writes.spoil(scene)
    made = scene.plan()
    texts = {item["text"] for item in made.skipped} | set(made.notes)
    texts |= {one.why.get(name, "") for one in life.candidates(made) for name in ("text", "note")}
    assert unknown(texts) == []


def reasons() -> list[str]:
    """Every sentence in which the code of the model says why it could not be used, with some number in it."""
    found = []
    for path in sorted(Path(chat.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            raised = isinstance(node, ast.Call) and ast.unparse(node.func) == "Unusable"
            told = isinstance(node, ast.FunctionDef) and node.name in ("given_up", "unsupported")
            returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)] if told else []
            found += node.args if isinstance(node, ast.Call) and raised else returned
    parts = [part for one in found if one for part in ([one.body, one.orelse] if isinstance(one, ast.IfExp) else [one])]
    return [text for text in map(as_said, parts) if " " in text]


def as_said(text: ast.expr) -> str:
    if isinstance(text, ast.JoinedStr):
        return "".join(as_said(part) if isinstance(part, ast.Constant) else "30" for part in text.values)
    return str(text.value) if isinstance(text, ast.Constant) else ""


@pytest.mark.parametrize("reason", reasons())
@pytest.mark.parametrize(
    "note",
    [
        "The model could not be asked whether all say the same (%s).",
        "The summarizer model could not be used (%s); sentences were taken word for word instead.",
    ],
)
def test_why_a_model_could_not_be_used_is_told_inside_the_note(
    reason: str, note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translation, "gettext", lambda text: f"<{text}>")
    with translation.override("ja"):
        assert retold(note % reason) == f"<{note % f'<{reason}>'}>"


def test_a_sentence_that_nobody_knows_stays_english_and_is_marked() -> None:
    with translation.override("ja"):
        assert retold("Nobody wrote this.") is None
        assert linked("Nobody <wrote> this.") == '<span lang="en">Nobody &lt;wrote&gt; this.</span>'
    assert linked("Nobody <wrote> this.") == "Nobody &lt;wrote&gt; this."


def test_numbers_days_and_names_keep_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = {
        "%(who)s changed what it says on %(moment)s, after the token.": "[%(moment)s|%(who)s]",
        "Said %(times)s in %(sessions)s and %(hours)s; the rule asks for %(asked_sessions)s and %(asked_hours)s.": (
            "[%(hours)s|%(times)s]"
        ),
    }
    monkeypatch.setattr(translation, "gettext", lambda text: forms.get(text, text))
    monkeypatch.setattr(translation, "ngettext", lambda one, many, number: one if number == 1 else many)
    with translation.override("ja"):
        assert retold("3 days changed what it says on 8 May 2023 13:56 UTC, after the token.") == (
            "[2023年5月8日 13:56 UTC|3 days]"
        )
        assert retold("Said 3 times in 1 session and 2 different hours; the rule asks for 2 and 3.") == (
            "[2 different hours|3 times]"
        )


@pytest.mark.parametrize(
    ("zone", "text", "told"),
    [
        ("UTC", "8 May 2023", "2023年5月8日"),
        ("Asia/Tokyo", "8 May 2023 13:56 UTC", "2023年5月8日 22:56 JST"),
        ("Asia/Tokyo", "8 May 2023 13:56 to 14:10 UTC", "2023/05/08 22:56 to 23:10 JST"),
        ("Asia/Tokyo", "8 May 2023 13:56 to 9 May 2023 14:10 UTC", "2023/05/08 22:56 to 2023年5月9日 23:10 JST"),
        ("America/New_York", "8 Mar 2026 06:30 to 07:30 UTC", "2026年3月8日 01:30 EST to 03:30 EDT"),
        ("Asia/Tokyo", "31 Feb 2026 12:00 UTC", "31 Feb 2026 12:00 UTC"),
    ],
)
def test_days_moments_and_spans_are_told_in_the_zone_of_the_reader(
    zone: str, text: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moments, "_", str)
    with timezone.override(zone), translation.override("ja"):
        assert retold(text) == told


@pytest.mark.parametrize(
    ("language", "said"), [("pt-br", "0,59 1.234"), ("es", "0,59 1\xa0234"), ("ja", "0.59 1,234"), ("ko", "0.59 1,234")]
)
def test_figures_are_written_as_the_reader_writes_them(
    language: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retelling, "WHOLE", ("about %(value)s and %(most)s",))
    monkeypatch.setattr(translation, "gettext", lambda text: text.replace("about ", "").replace(" and", ""))
    with translation.override(language):
        assert retold("about 0.59 and 1,234") == said


def test_sentences_that_stand_together_are_told_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        translation,
        "gettext",
        lambda text: text.upper() if text.startswith("Its words") and "kept" not in text else text,
    )
    together = "Its words were taken out for good. What it said at version 3 is not kept any more."
    with translation.override("ko"):
        assert retold(together) == "ITS WORDS WERE TAKEN OUT FOR GOOD. What it said at version 3 is not kept any more."
        assert retold(f"{together} And this is new.") is None


ID = "0198c6a2-7f00-7000-8000-000000000001"
SAMPLES = {
    **dict.fromkeys(VALUES, "3"),
    "memory": f"mem_{ID}",
    "pass": ID,
    "type": "episodic",
    "action": "archive",
    "side": "status",
    "time": "3 days",
    "age": "4 days",
    "times": "3 times",
    "sessions": "2 sessions",
    "hours": "2 hours",
    "end": "…0a1b2c",
    "day": "8 May 2023",
    "moment": "8 May 2023 13:56 UTC",
    "last": "14:10 UTC",
    "first": "8 May 2023 13:56",
    "span": "8 May 2023 13:56 to 14:10 UTC",
    "who": "ann",
    "hold": "case 4",
    "name": "since",
    "zone": "Asia/Tokyo",
    "host": "hook.example",
    "why": "OSError",
    "names": "…0a1b2c, …0a1b2d",
    "protection": "pinned",
}


def first_that_fits(text: str) -> Any:
    return next((form for pattern, form in [*_known(WHOLE), *_known(PARTS)] if pattern.fullmatch(text)), None)


@pytest.mark.parametrize("form", [*WHOLE, *PARTS], ids=str)
def test_a_sentence_is_taken_for_its_own_form(form: Any) -> None:
    """A form that takes another's sentence for its own would tell it wrongly."""
    for text in (form,) if isinstance(form, str) else form:
        assert first_that_fits(text % SAMPLES) in (form, *probed.CONDITIONS, *probed.MEASURED)


def test_english_is_left_alone() -> None:
    assert retold(SPOKEN) == SPOKEN
    assert retold("") == ""


@pytest.mark.parametrize("rule", [LIFETIME, *RULES, EVERY, WEEKDAY], ids=lambda rule: rule.name)
def test_what_a_good_number_is_reads_as_the_rule_says_it(rule: Any) -> None:
    assert good_number(rule) == rule.sentence()


def test_what_is_wrong_with_two_numbers_reads_as_the_rules_say_it() -> None:
    numbers, sentences = rules.read({"summary_min_rows": 90, "promote_cosine": "high"}, Policy())
    whole = rules.flat(Policy()) | numbers
    assert len(sentences) == 2
    assert {name: said(name, text, whole) for name, text in sentences.items()} == sentences


@pytest.mark.parametrize(
    "rhythm",
    [
        Rhythm(Kind.HOURS, NOW, every_hours=1),
        Rhythm(Kind.HOURS, NOW, every_hours=6),
        Rhythm(Kind.DAILY, NOW, "Asia/Tokyo", NOW.time()),
        Rhythm(Kind.WEEKLY, NOW, "UTC", NOW.time(), 2),
    ],
    ids=lambda rhythm: rhythm.words(),
)
def test_a_rhythm_reads_in_english_as_the_api_says_it(rhythm: Rhythm) -> None:
    assert rhythm_words(rhythm) == rhythm.words()


@pytest.mark.django_db
def test_a_page_in_another_language_stores_and_reports_english(settings: Any) -> None:
    life.fill(factories.ann())
    ann = factories.actor(factories.ann())
    made = life.plan_all(ann)
    before = [one.why for one in life.candidates(made)]
    User.objects.filter(pk=ann.own).update(language="pt-br")
    web = signed_in(factories.ann())
    page, report = web.get(pages.address(made)), web.get(pages.address(made, "report"))
    assert page.status_code == report.status_code == 200 and page["Content-Language"] == "pt-br"
    assert report.content.decode().startswith("### Memory Reflect Report")
    assert [one.why for one in life.candidates(made)] == before


@pytest.mark.django_db
@pytest.mark.parametrize(("kept", "language"), [("ko", "ko"), ("pt-BR", "pt-br"), ("tlh", "en")])
def test_a_letter_is_in_the_language_of_whoever_asked(
    kept: str, language: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_HOST = "mail.example"
    User.objects.filter(pk=factories.ann().pk).update(language=kept)
    me = factories.actor(factories.ann())
    notices.subscribe(space_id=me.own, channel="email", address="ann@example.org", actor=me)
    life.fill(factories.ann())
    made = life.plan_all(me)
    monkeypatch.setattr(notify, "_letter", lambda to, one: (f"in {get_language()}", ""))
    with translation.override("es"):
        notify.tell(Subscription.objects.get(), made)
    assert mail.outbox[0].subject == f"in {language}"


def test_every_value_of_a_form_has_a_shape_or_may_be_anything() -> None:
    forms = [text for form in (*WHOLE, *PARTS) for text in ((form,) if isinstance(form, str) else form)]
    assert {name for text in forms for name in re.findall(r"%\((\w+)\)s", text)} <= VALUES.keys() | FREE


PLACES = ("/passes", "/inbox", "/passes/new", "/passes/revert", "/policies", "/schedules", "/schedules/new", "/notices")


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["pt-br", "es", "ja", "ko"])
def test_every_page_opens_in_every_language(language: str) -> None:
    """Decimals keep their point where a machine reads them: in fields, pictures and addresses."""
    kept = life.fill(factories.ann())
    ann = factories.actor(factories.ann())
    User.objects.filter(pk=ann.own).update(language=language)
    planned_one, done = life.plan_all(ann), life.applied(life.plan_all(ann), ann)
    web = signed_in(factories.ann())
    about = [f"/memories/{kept[name].pk}/{page}" for name in ("turn0", "old") for page in ("why", "lineage")]
    own = f"/policies/{ann.own}"
    for address in (
        *PLACES,
        *about,
        own,
        f"{own}/preview?decay_step=0.2",
        pages.address(planned_one),
        pages.address(done),
    ):
        seen = web.get(address)
        assert (seen.status_code, seen["Content-Language"]) == (200, language), address
        assert not re.findall(r'(?:value|viewBox|d|x|y)="[^"]*[0-9],[0-9]+"', seen.content.decode()), address
