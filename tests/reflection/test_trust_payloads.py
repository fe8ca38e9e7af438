"""Text of memories is data: fifty texts that give orders change nothing in what passes do, and stay inert."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.utils import timezone

from memories.models import AuditRecord, Memory
from reflection import report
from reflection.models import ReflectPass
from reflection.services.revert import plan_revert
from reflection.states import Reversal
from tests.memories import factories
from tests.reflection import life, pages, token_writes
from tests.reflection.payloads import PAYLOADS
from tests.reflection.planner_rows import HOUR, NOW, planned, row

PLAIN = "The harbour was foggy and the ferry left late."


def lines_of(actor, pattern="pass."):
    return AuditRecord.objects.filter(action__startswith=pattern)


def fill(text: str) -> None:
    """An episode, a repeated sentence, something due and something faded; one record of each says `text`."""
    now, ann = timezone.now(), factories.ann()

    def made(content: str, hours: float, **fields) -> None:
        at = now - timedelta(hours=hours)
        given = {"memory_type": "episodic", "created_at": at, "anchor": at, "path": "atlas/day", "session": "day"}
        factories.memory(ann, content, **{**given, **fields})

    for n in range(3):
        made(f"{text}\n{PLAIN} It was day {n}.", 3 - n / 10)
        made(text, 4 + 2 * n, path=f"atlas/{n}", session=f"s{n}")
    made(text, 50, expires_at=now - timedelta(hours=1), path=text.replace("/", " ")[:80].split("\n")[0].strip())
    made(text, 24 * 400, base=0.1, importance=0.1, memory_type="semantic")


class Parsed(HTMLParser):
    """The elements of a page: tags with their attributes, in order."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(sorted(name for name, _ in attrs))))

    def handle_data(self, data):
        self.words.append(data)


def test_there_are_fifty_of_them_and_all_differ():
    assert len(set(PAYLOADS)) == len(PAYLOADS) == 50


@pytest.mark.django_db
@pytest.mark.parametrize("text", PAYLOADS, ids=range(50))
def test_a_pass_over_such_texts_waits_writes_and_reports_like_any_other(text, ann, web):
    fill(text)
    plan = life.plan_all(ann)
    assert (plan.status, plan.approved_by_id, plan.applied_at) == ("planned", None, None)
    assert [line.action for line in lines_of(ann)] == ["pass.plan"]
    assert plan.counts["expire"] == 1 and plan.counts["archive"] >= 1 and plan.actions == list(life_actions())
    assert inert(web.get(pages.address(plan)).content.decode(), text)
    one = life.candidates(plan)[0]
    done = life.applied(plan, ann, exclude=(one.pk,))
    assert done.applied_counts == {**plan.counts, one.action: plan.counts[one.action] - 1}
    assert [line.action for line in lines_of(ann).order_by("seq")] == ["pass.plan", "pass.approve", "pass.apply"]
    told = report.as_text(done)
    assert told.count("### Memory Reflect Report") == 1 and told.startswith(
        "### Memory Reflect Report\n- Dry Run: false\n"
    )
    assert [line.split(":")[0] for line in told.splitlines()[1:8]] == [
        "- Dry Run",
        "- Actions",
        "- Summarized",
        "- Promoted",
        "- Expired",
        "- Decayed",
        "- Archived",
    ]
    assert inert(web.get(pages.address(done)).content.decode(), text)
    assert not any(text in str(line.detail) for line in AuditRecord.objects.all() if len(text) > 20)


def life_actions():
    return ("summarize", "promote", "expire", "decay", "archive")


def inert(page: str, text: str) -> bool:
    """Whether the page has only elements of ours, whatever the texts of memories say."""
    parsed = Parsed(page)
    assert not {"script", "iframe", "style", "object", "embed"} & {
        tag for tag, _ in parsed.tags[parsed.tags.index(body(parsed)) :]
    }
    for tag, names in parsed.tags:
        assert not [name for name in names if name.startswith("on") or name == "style"], tag
    assert "\u202e" not in page and "\u200b" not in page and "\u2066" not in page
    digests = re.findall(r'name="digest" value="(\w+)"', page)
    assert digests in ([], [ReflectPass.objects.latest("planned_at").digest])
    shown = " ".join(html.unescape("".join(parsed.words)).split())
    first = " ".join(text.split())[:40]
    return first in shown or any(ord(letter) in INVISIBLE for letter in text)


INVISIBLE = {0x202E, 0x202C, 0x200B, 0x2066, 0x2069, 0x85, 0x2028, 0x2029}


def body(parsed: Parsed) -> tuple[str, tuple[str, ...]]:
    return next(tag for tag in parsed.tags if tag[0] == "body")


@pytest.mark.django_db
def test_the_page_has_the_same_elements_whatever_the_texts_say(ann, web):
    shapes = set()
    for text in (PLAIN, PAYLOADS[25], PAYLOADS[28], PAYLOADS[31], PAYLOADS[34]):
        Memory.objects.all().delete()
        fill(text)
        page = web.get(pages.address(life.plan_all(ann, actions_csv="expire"))).content.decode()
        shapes.add(tuple(Parsed(page).tags))
    assert len(shapes) == 1


@pytest.mark.django_db
def test_a_revert_of_such_texts_stays_inert(web):
    at = token_writes.scene()
    for text in PAYLOADS:
        at.made(text)
    planned = plan_revert(given=at.asked(), actor=at.ann)
    assert planned.counts == {"revert": 0, "trash": 50}
    assert inert(web.get(pages.address(planned)).content.decode(), PAYLOADS[25])
    done = life.applied(planned, at.ann)
    assert done.applied_counts == {"revert": 0, "trash": 50} and Reversal.TRASH.value in done.applied_counts


# Trust


@pytest.mark.parametrize("text", PAYLOADS, ids=range(50))
def test_no_text_talks_its_way_out_of_distrust(text):
    said = [
        row(n, f"{PLAIN} {text}", trust=0, created_at=NOW - (n + 1) * HOUR, session=f"s{n}", path=f"p{n}")
        for n in range(3)
    ]
    found = planned(said)
    assert not [one for one in found.proposals if one.action == "promote"]
    episode = [row(n, f"{PLAIN} {text} {n}", trust=0 if n == 1 else 2) for n in range(3)]
    summaries = [one for one in planned(episode).proposals if one.action == "summarize"]
    assert [one.after["trust"] for one in summaries] == [0]


@pytest.mark.parametrize("trusts", [(0, 1, 2), (2, 1, 1), (2, 2, 2), (1, 1, 1)])
def test_a_summary_and_a_fact_are_trusted_as_their_least_trusted_source(trusts):
    episode = [row(n, trust=trust) for n, trust in enumerate(trusts)]
    (summary,) = [one for one in planned(episode).proposals if one.action == "summarize"]
    assert summary.after["trust"] == min(trusts)
    said = [
        row(
            n,
            "Deploys happen on Thursdays.",
            trust=trust,
            created_at=NOW - (n + 1) * HOUR,
            session=f"s{n}",
            path=f"p{n}",
        )
        for n, trust in enumerate(trusts)
    ]
    facts = [one.after["trust"] for one in planned(said).proposals if one.action == "promote"]
    assert facts == ([] if 0 in trusts else [min(trusts)])


def test_a_summary_that_goes_on_with_a_less_trusted_source_is_trusted_less():
    told = [row(n, cited_by=row(9).id, trust=2) for n in range(3)]
    summary = row(
        9, "The harbour.", memory_type="semantic", is_summary=True, trust=2, cites=tuple(one.id for one in told)
    )
    fresh = row(4, trust=0)
    (update,) = [one for one in planned([*told, summary, fresh]).proposals if one.target_id == summary.id]
    assert (update.before["trust"], update.after["trust"]) == (2, 0)
    again = planned([*told, replace(summary, trust=0), replace(fresh, trust=2)]).proposals
    assert all("trust" not in one.after or one.after["trust"] == 0 for one in again if one.target_id == summary.id)


@pytest.mark.django_db
def test_applied_the_stored_record_has_the_trust_of_the_plan(ann, records):
    Memory.objects.filter(pk=records["turn1"].pk).update(trust=0)
    life.applied(life.plan_all(ann), ann)
    assert Memory.objects.get(derivation="summary").trust == 0
    assert Memory.objects.get(derivation="fact").trust == 1


@pytest.mark.django_db
def test_a_card_marks_untrusted_evidence(ann, web, records):
    Memory.objects.filter(pk=records["turn1"].pk).update(trust=0)
    seen = pages.text(web.get(pages.address(life.plan_all(ann))))
    assert seen.count("untrusted") == 2  # the source, and the summary that would be written
