"""Where a memory comes from and what was made of it: as a nested list, in pages, with a picture that says the same."""

from __future__ import annotations

import re
from uuid import UUID
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.models import Memory, MemoryLink, MemoryState, User
from memories.services.forget import forget
from reflection.pages import picture
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
    assert "trust: normal, written through reflect" in pages.text(web.get(address(summary)))


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


def told_anew(text, gone):
    """A summary of which so many sources were deleted for good."""
    made = {"derivation": "summary", "pass_id": UUID(int=7), "provenance": {"sources_gone": gone}}
    return factories.memory(factories.ann(), text, **made)


def test_sources_that_were_erased_are_stated_and_drawn_without_a_link(web):
    response = web.get(address(told_anew("What remains.", 2)))
    assert "Sources gone: 2 of the records" in pages.text(response)
    tree = drawn(response)
    assert [one.attrib["data-look"] for one in tree.iter("rect")] == ["gone", "here"]
    assert "deleted for good" in "".join(tree.itertext()) and list(tree.iter("a")) == []
    assert len(lines(tree)) == 1


def test_sources_of_a_source_that_were_erased_are_drawn_behind_it(web):
    fact = factories.memory(factories.ann(), "Deploys happen on Thursdays.")
    link(fact, told_anew("Told anew.", 1))
    tree = drawn(web.get(address(fact)))
    assert [one.attrib["data-look"] for one in tree.iter("rect")] == ["gone", "", "here"]


@pytest.mark.parametrize("said", ["x", "2", -1, True, 2.5, None, [1], {"a": 1}])
def test_a_count_of_erased_sources_that_somebody_made_up_is_not_told(web, said):
    told = factories.memory(factories.ann(), "Mine.", provenance={"sources_gone": said})
    link(factories.memory(factories.ann(), "Above."), told)
    response = web.get(address(told))
    assert response.status_code == 200 and "Sources gone" not in pages.text(response)
    assert "deleted for good" not in pages.text(response)


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


def drawn(response):
    """The picture of a page, read as XML."""
    (svg,) = re.findall(r"<svg viewBox.*?</svg>", response.content.decode(), re.S)
    assert "style=" not in svg and "<script" not in svg and "onclick" not in svg
    return ElementTree.fromstring(svg)


def lines(tree):
    return [one for one in tree.iter("path") if one.attrib["class"] == "edge"]


def test_the_picture_is_well_formed_clickable_and_without_styles(web, summary):
    tree = drawn(web.get(address(summary)))
    links = [one.attrib["href"] for one in tree.iter("a")]
    assert len(links) == 4 and all(link.endswith("/lineage") for link in links)
    assert len(list(tree.iter("rect"))) == 5 and len(lines(tree)) == 4
    assert "4 sources at the left, 0 records made of it at the right" in tree.attrib["aria-label"]
    for one in tree.iter("a"):
        assert one.find("title").text.startswith("episodic: ")
    assert all(float(one.attrib["height"]) >= 24 for one in tree.iter("rect"))


def test_the_picture_goes_three_steps_back_and_on(web):
    chain = [factories.memory(factories.ann(), f"Step {n}.") for n in range(9)]
    for n in range(8):
        link(chain[n], chain[n + 1])
    tree = drawn(web.get(address(chain[4])))
    told = [one.text for one in tree.iter("title")]
    assert told == [f"semantic: Step {n}." for n in (7, 6, 5, 4, 3, 2, 1)]
    assert "3 steps back" in "".join(tree.itertext()) and "2 steps on" in "".join(tree.itertext())
    assert len(lines(tree)) == 6


def test_what_two_of_them_rest_on_is_drawn_once_with_both_lines(web):
    top, one, other, shared = (factories.memory(factories.ann(), text) for text in ("Top.", "A.", "B.", "Shared."))
    for origin, target in ((top, one), (top, other), (one, shared), (other, shared)):
        link(origin, target)
    tree = drawn(web.get(address(top)))
    assert len(list(tree.iter("rect"))) == 4 and len(lines(tree)) == 4


def test_a_circle_is_drawn_with_each_memory_once(web):
    ring = [factories.memory(factories.ann(), f"Ring {n}.") for n in range(3)]
    for n in range(3):
        link(ring[n], ring[(n + 1) % 3])
    tree = drawn(web.get(address(ring[0])))
    assert len(list(tree.iter("rect"))) == 3 and len(lines(tree)) == 3


def test_the_picture_is_bounded_and_says_how_many_more_there_are(web):
    fact = many(8)
    for source in Memory.objects.filter(content__startswith="Said"):
        for n in range(7):
            link(source, factories.memory(factories.ann(), f"Behind {n} of {source.content}"))
    tree = drawn(web.get(address(fact)))
    boxes = [one.attrib["data-look"] for one in tree.iter("rect")]
    assert len(boxes) <= picture.MOST + 7 and boxes.count("") == 8 + 7
    assert "and 49 more" in "".join(tree.itertext())
    assert [one.attrib["href"] for one in tree.iter("a")][7] == "#sources"


def test_a_picture_holds_forty_memories_at_most(web):
    here = factories.memory(factories.ann(), "Here.")
    for way in (0, 1):
        behind = [here]
        for _step in range(3):
            front = [factories.memory(factories.ann(), f"Of {way}.") for _ in range(8)]
            for n, one in enumerate(front):
                ends = (behind[n % len(behind)], one)
                link(*(ends if way else reversed(ends)), position=n)
            behind = front
    tree = drawn(web.get(address(here)))
    looks = [one.attrib["data-look"] for one in tree.iter("rect")]
    assert looks.count("") == picture.MOST - 1 and looks.count("more") == 2


def test_who_may_not_see_a_memory_behind_does_not_find_it_in_the_picture(web):
    fact, hidden = many(2), factories.memory(factories.bob(), "Bob's secret.")
    link(Memory.objects.get(content="Said 0."), hidden)
    link(hidden, fact)
    page = web.get(address(fact))
    assert "secret" not in page.content.decode() and str(hidden.pk) not in page.content.decode()
    assert len(list(drawn(page).iter("rect"))) == 3 and len(lines(drawn(page))) == 2


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
