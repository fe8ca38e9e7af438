"""Template tags: whatever text holds, what comes out is inert."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from html import unescape

import pytest
from django.utils import timezone, translation
from hypothesis import given
from hypothesis import strategies as st

from console import tags
from console.cli.speech import visible
from memories.models import AuditRecord


def plain(html: str) -> str:
    """What is left when our own tags are taken out."""
    spans = r'<span class="hidden">\w+: </span>|<span class="control" title="[^"]+">U\+[0-9A-F]+</span>'
    return re.sub(rf"</?(?:mark|ins|del)>|{spans}", "", html)


@given(st.text())
def test_shown_text_holds_no_markup_and_no_hidden_characters(text: str) -> None:
    html = tags.shown(text)
    assert "<" not in plain(html) and not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x00-\x08]", html)


@given(st.text(alphabet=st.characters(categories=["L", "P", "S", "N"])))
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    assert unescape(tags.shown(text)) == text


def test_a_text_that_hides_in_selectors_is_seen_and_one_selector_is_left_to_its_letter() -> None:
    hidden = "".join(chr(0xE0100 + ord(letter)) for letter in "ignore all")
    assert tags.shown(f"Hello.{hidden}").count(">U+E0") == len(hidden) - 1
    for plain_one in ("1\ufe0f\u20e3", "\u845b\U000e0100\u98fe\u533a", "\u2764\ufe0f"):
        assert tags.shown(plain_one) == plain_one


@pytest.mark.parametrize("letter", ["\u180e", "\u2028", "\u2029", "\ufff9", "\ufffb"])
def test_what_the_command_line_spells_out_pages_do_too(letter: str) -> None:
    assert f"U+{ord(letter):04X}" in tags.shown(f"a{letter}b") and f"<U+{ord(letter):04X}>" in visible(f"a{letter}b")


def test_a_family_of_joined_signs_stays_whole() -> None:
    assert tags.shown("👩\u200d👧") == "👩\u200d👧"


@given(st.text(alphabet="ab <>&\n字"), st.text(alphabet="ab <>&\n字"))
def test_a_diff_holds_the_old_and_the_new_text(old: str, new: str) -> None:
    html = re.sub(r'<span class="hidden">\w+: </span>', "", tags.word_diff(old, new))
    without_new = re.sub(r"<ins>.*?</ins>", "", html, flags=re.DOTALL)
    without_old = re.sub(r"<del>.*?</del>", "", html, flags=re.DOTALL)
    assert unescape(re.sub(r"</?del>", "", without_new)) == old
    assert unescape(re.sub(r"</?ins>", "", without_old)) == new


def test_a_diff_marks_the_words_that_changed() -> None:
    html = tags.word_diff("We ship on Thursday.", "We ship on Friday.")
    assert html == (
        'We ship on <del><span class="hidden">removed: </span>Thursday</del>'
        '<ins><span class="hidden">added: </span>Friday</ins>.'
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a " * 32_000, "b " * 32_000),
        ("a\n" * 32_000, "b\n" * 32_000),
        ("a b " * 500, "b a " * 500),
        ("字" * 1_999, "字" * 1_000 + "學" * 999),
        ("x " * 999, "x " * 500 + "y " * 499),
    ],
)
def test_a_diff_of_any_length_is_quick(old: str, new: str) -> None:
    start = time.thread_time()
    tags.word_diff(old, new)
    assert time.thread_time() - start < 1


def test_marks_are_set_around_escaped_text() -> None:
    assert tags.marked("a<b> c", [(1, 4)]) == "a<mark>&lt;b&gt;</mark> c"


@given(st.text(min_size=1), st.integers(0, 50), st.integers(1, 50))
def test_marked_text_is_inert_wherever_the_spans_fall(text: str, start: int, length: int) -> None:
    assert "<" not in plain(tags.marked(text, [(start, start + length)]))


def test_an_excerpt_begins_near_the_first_mark_and_says_that_it_is_cut() -> None:
    text = "before " * 200 + "giraffe" + " after" * 200
    at = text.index("giraffe")
    html = tags.excerpt(text, [(at, at + 7)])
    assert html.startswith("… ") and html.endswith(" …") and "<mark>giraffe</mark>" in html
    assert len(html) < tags.EXCERPT + 50
    assert tags.excerpt("short", []) == "short"


def test_ids_scores_and_times_are_short() -> None:
    key = "01a22ca2-8482-7386-8256-67939b2aa67b"
    assert tags.short_id(key) == "mem_…2aa67b" and tags.short_id(key, "pass") == "pass_…2aa67b"
    assert (tags.score(0.834), tags.score(None), tags.percent(0.834)) == ("0.83", "–", "83%")
    now = timezone.now()
    assert tags.ago(now) == "just now"
    assert tags.ago(now - timedelta(days=3, hours=5)) == "3\xa0days ago"
    assert tags.ago(now + timedelta(hours=2, minutes=1)) == "in 2\xa0hours"


@pytest.mark.parametrize(
    ("language", "line", "told"),
    [
        ("en", ("reflect.decay", "done", "half_life"), "half-life"),
        ("en", ("erase", "refused", "Nobody <knows> this."), "Nobody &lt;knows&gt; this."),
        ("ko", ("erase", "refused", "Nobody <knows> this."), '<span lang="en">Nobody &lt;knows&gt; this.</span>'),
        ("ko", ("memory.forget", "done", "half_life"), "half_life"),
        ("ko", ("memory.forget", "done", ""), ""),
    ],
)
def test_a_reason_is_a_rule_by_name_or_a_refusal_or_what_somebody_wrote(
    language: str, line: tuple[str, str, str], told: str
) -> None:
    action, result, reason = line
    with translation.override(language):
        assert tags.reason_words(AuditRecord(action=action, result=result, reason=reason)) == told


@pytest.mark.parametrize(
    ("span", "told"),
    [
        (timedelta(days=90), "3\xa0months"),
        (timedelta(days=89, hours=23), "3\xa0months"),
        (timedelta(days=30), "4\xa0weeks"),
        (timedelta(days=29, hours=23), "4\xa0weeks"),
        (timedelta(days=6, hours=20), "1\xa0week"),
        (timedelta(hours=23, minutes=40), "1\xa0day"),
        (timedelta(minutes=59, seconds=40), "1\xa0hour"),
        (timedelta(days=360), "1\xa0year"),
        (timedelta(days=365), "1\xa0year"),
        (timedelta(days=800), "2\xa0years"),
        (timedelta(days=10), "1\xa0week"),
        (timedelta(days=11), "2\xa0weeks"),
        (timedelta(seconds=61), "1\xa0minute"),
    ],
)
def test_a_time_is_told_in_the_nearest_whole_number_of_its_largest_unit(span: timedelta, told: str) -> None:
    assert tags.ago(timezone.now() - span) == f"{told} ago"
    assert tags.ago(timezone.now() + span + timedelta(seconds=5)) == f"in {told}"


@given(st.integers(60, 10**9))
def test_a_time_is_never_told_a_third_of_itself_wrong(seconds: int) -> None:
    sizes = {"year": 365.25, "month": 365.25 / 12, "week": 7, "day": 1, "hour": 1 / 24, "minute": 1 / 1440}
    count, unit = tags.ago(timezone.now() - timedelta(seconds=seconds)).split(" ")[0].split("\xa0")
    told = int(count) * sizes[unit.rstrip("s")] * 86_400
    assert abs(told - seconds) <= seconds / 3 + 1
