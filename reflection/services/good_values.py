"""What a good value of a policy or schedule is, as sentences that can be told in another language."""

from __future__ import annotations

from collections.abc import Mapping

from console import saying
from console.saying import Said, phrase
from reflection.numbers import Number, Rule
from reflection.rules import BY_NAME, ORDERED


def good_number(rule: Rule) -> Said:
    """`Rule.sentence`, to be told."""
    values = {"label": saying.phrase(rule.label), "least": f"{rule.least:,g}", "most": f"{rule.most:,g}"}
    if rule.whole and rule.optional:
        text = phrase("%(label)s: give a whole number from %(least)s to %(most)s, or leave it empty.", **values)
    elif rule.whole:
        text = phrase("%(label)s: give a whole number from %(least)s to %(most)s.", **values)
    elif rule.optional:
        text = phrase("%(label)s: give a number from %(least)s to %(most)s, or leave it empty.", **values)
    else:
        text = phrase("%(label)s: give a number from %(least)s to %(most)s.", **values)
    return text


def good_choice(label: str, one: str, other: str) -> Said:
    """Which two values there are."""
    return phrase("%(label)s: choose %(one)s or %(other)s.", label=saying.phrase(label), one=one, other=other)


def said(name: str, sentence: str, numbers: Mapping[str, Number]) -> str:
    """A sentence of `reflection.rules` about the number `name`, to be told; `numbers` are those that were read."""
    rule, larger = BY_NAME[name], dict(ORDERED).get(name)
    if sentence == rule.sentence() or larger is None:
        return good_number(rule)
    return phrase(
        "%(label)s: it is above “%(other)s”, %(value)s. Change one of them.",
        label=saying.phrase(rule.label),
        other=saying.phrase(BY_NAME[larger].label),
        value=numbers[larger],
    )
