"""Where a memory comes from and what was made of it: as a nested list, in pages, with a picture that says the same."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.models import Memory, MemoryLink, MemoryState, User
from memories.services.forget import forget
from reflection.services import lineage
from tests.memories import factories
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


def link(origin, target, position=0, quote="", kind="derived_from"):
    return MemoryLink.objects.create(
        origin=origin, target=target, kind=kind, position=position, quote=quote, created_at=timezone.now()
    )


def address(memory):
    return f"/memories/{memory.pk}/lineage"


@pytest.fixture
def summary(ann, plan):
    life.applied(plan, ann)
    return Memory.objects.get(derivation="summary")


def test_a_summary_names_its_sources_quotes_and_pass(web, plan, summary, records):
    page = web.get(address(summary)).content.decode()
    for n in range(4):
        assert f"/memories/{records[f'turn{n}'].pk}" in page
    quote = MemoryLink.objects.exclude(quote="").filter(origin=summary).first().quote
    assert quote in page
    (one,) = plan.candidates.filter(action="summarize")
    assert f"/passes/{plan.pk}/candidates/{one.pk}" in page
    assert "trust normal, written through reflect" in pages.text(web.get(address(summary)))


def test_a_source_names_what_was_made_of_it(web, summary, records):
    response = web.get(address(records["turn0"]))
    seen = pages.text(response)
    assert "What was made of it1 record" in seen and "It rests on no other record." in seen
    assert response.context["derived"].nodes[0].id == summary.pk


def test_a_chain_is_followed_three_steps_and_a_circle_ends(ann, web):
    chain = [factories.memory(factories.ann(), f"Step {n}.") for n in range(5)]
    for n in range(4):
        link(chain[n], chain[n + 1])
    link(chain[4], chain[0])
    (first,) = lineage.sources(chain[0], actor=ann).nodes
    second = first.children[0]
    third = second.children[0]
    assert [node.id for node in (first, second, third)] == [one.pk for one in chain[1:4]]
    assert third.children == []
    (node,) = lineage.derived(chain[0], actor=ann).nodes
    assert node.id == chain[4].pk
    assert web.get(address(chain[0])).status_code == 200


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "relates to"),
        ("pt-br", "relaciona-se com"),
        ("es", "relacionada con"),
        ("ja", "関連"),
        ("ko", "관련 항목"),
    ],
)
def test_a_relation_is_told_as_on_the_page_of_the_memory(web, language, words):
    one, other = (factories.memory(factories.ann(), text) for text in ("We ship on Thursday.", "Alder is quiet."))
    link(one, other, kind="relates_to")
    User.objects.update(language=language)
    for page in (address(one), f"/memories/{one.pk}"):
        assert f"<span>{words}</span>" in web.get(page).content.decode()


def many(count: int) -> Memory:
    """A fact with this many sources."""
    ann, now = factories.ann(), timezone.now()
    fact = factories.memory(ann, "Deploys happen on Thursdays.")
    made = [
        Memory(owner=ann, content=f"Said {n}.", memory_type="episodic", created_at=now, updated_at=now)
        for n in range(count)
    ]
    Memory.objects.bulk_create(made)
    MemoryState.objects.bulk_create(MemoryState(memory=one, anchor=now) for one in made)
    MemoryLink.objects.bulk_create(
        MemoryLink(origin=fact, target=one, kind="derived_from", position=n, created_at=now)
        for n, one in enumerate(made)
    )
    return fact


def test_five_thousand_sources_come_in_pages_and_few_queries(web):
    fact = many(5_000)
    with CaptureQueriesContext(connection) as seen:
        response = web.get(address(fact))
    assert len(seen) < 40
    text = pages.text(response)
    assert "5000 records · 1 to 50 shown" in text and "Said 49." in text and "Said 50." not in text
    assert len(response.content) < 120_000
    last = pages.text(web.get(address(fact), {"sources": 4950}))
    assert "4951 to 5000 shown" in last and "Said 4999." in last
    assert "and 4,993 more" in text


def test_the_pages_meet_without_gap_or_double(ann):
    fact = many(120)
    seen, start = [], 0
    while (side := lineage.sources(fact, start=start, actor=ann)).nodes:
        seen += [node.text for node in side.nodes]
        start = side.last
    assert seen == [f"Said {n}." for n in range(120)]


def test_few_of_what_lies_behind_are_shown_and_the_rest_is_counted(ann):
    fact, root = many(9), factories.memory(factories.ann(), "Above.")
    link(root, fact)
    (node,) = lineage.sources(root, actor=ann).nodes
    assert (len(node.children), node.more) == (5, 4)


def test_sources_that_were_erased_are_stated(web):
    told = factories.memory(factories.ann(), "What remains.", provenance={"sources_gone": 2})
    assert "Sources gone: 2 of the records" in pages.text(web.get(address(told)))


def test_what_is_in_the_trash_or_out_of_sight_is_said(ann, web):
    fact = many(3)
    gone = Memory.objects.get(content="Said 1.")
    forget(record_id=gone.pk, actor=ann)
    hidden = factories.memory(factories.bob(), "Bob's secret.")
    link(fact, hidden, position=9)
    response = web.get(address(fact))
    seen = pages.text(response)
    assert "in the trash" in seen and "1 more in spaces you do not see" in seen
    assert "Bob's secret" not in seen and str(hidden.pk) not in response.content.decode()


def test_untrusted_sources_are_marked(web):
    fact = many(1)
    Memory.objects.filter(content="Said 0.").update(trust=0)
    assert "untrusted" in pages.text(web.get(address(fact)))


def test_the_picture_is_well_formed_clickable_and_without_styles(web, summary):
    page = web.get(address(summary)).content.decode()
    (svg,) = re.findall(r"<svg viewBox.*?</svg>", page, re.S)
    tree = ElementTree.fromstring(svg)
    links = [one.attrib["href"] for one in tree.iter("a")]
    assert len(links) == 4 and all(link.endswith("/lineage") for link in links)
    assert len(list(tree.iter("rect"))) == 5 and len(list(tree.iter("path"))) == 4
    assert "style=" not in svg and "<script" not in svg and "onclick" not in svg
    assert "4 sources at the left, 0 records made of it at the right" in tree.attrib["aria-label"]


def test_the_text_of_a_memory_stays_text_in_the_picture(web):
    fact = many(1)
    Memory.objects.filter(content="Said 0.").update(content="</text><script>x</script>\u202eevil")
    page = web.get(address(fact)).content.decode()
    assert "<script>x" not in page and "\u202e" not in page


def test_a_stranger_and_a_wrong_page_are_refused(summary, web):
    assert pages.browser(factories.bob()).get(address(summary)).status_code == 404
    assert web.get(address(summary), {"sources": "x"}).status_code == 422
    assert web.get(address(summary), {"sources": 999}).status_code == 200


def test_the_memory_leads_to_it(web, summary):
    assert address(summary) in web.get(f"/memories/{summary.pk}").content.decode()
