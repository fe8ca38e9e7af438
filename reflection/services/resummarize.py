"""What becomes of summaries and facts when sources are deleted for good: told anew from what remains, or erased.

The policy of the space decides (`on_erasure`). The extractive summarizer tells anew whatever wrote the old text: an
erasure waits for no model over the network.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from uuid import UUID

from memories.models import Memory, MemoryLink
from memories.models.memory import Derivation, LinkKind
from memories.services.elsewhere import Rewritten
from reflection.loading import comparable, rows_of
from reflection.models import OnErasure, ReflectionPolicy
from reflection.planner.rows import Row
from reflection.planner.statement import state
from reflection.planner.summarize import span_of, told
from reflection.policy import Policy
from reflection.summarizer import extractive


def resummarize(derived: Sequence[Memory], gone: Collection[UUID]) -> dict[UUID, Rewritten]:
    """The new texts of those summaries and facts that have enough sources left; none where the policy erases."""
    policy = _policy(derived[0].space_id)
    if policy is None:
        return {}
    sources = _sources(derived, gone)
    found: dict[UUID, Rewritten] = {}
    for one in derived:
        if one.redacted_at is not None:
            continue  # somebody took its words out: they are not to come back
        rows, rules = comparable(sources[one.pk], policy)
        tell = _summary if one.derivation == Derivation.SUMMARY else _fact
        if text := tell(rows, rules):
            found[one.pk] = text
    return found


def _policy(space_id: UUID) -> Policy | None:
    """The numbers in force where summaries are told anew; None where they are erased."""
    policy = ReflectionPolicy.objects.filter(space_id=space_id).order_by("-number").first()
    if policy is None or policy.on_erasure != OnErasure.RESUMMARIZE:
        return None
    return policy.rules


def _sources(derived: Sequence[Memory], gone: Collection[UUID]) -> dict[UUID, list[Row]]:
    """What each still rests on and may quote, in time order: nothing redacted, under hold or in the trash."""
    links = MemoryLink.objects.filter(origin__in=derived, kind=LinkKind.DERIVED_FROM).exclude(target_id__in=gone)
    pairs = list(links.values_list("origin_id", "target_id"))
    memories = Memory.objects.filter(pk__in={target for _, target in pairs}, redacted_at__isnull=True, hold="")
    rows = {row.id: row for row in rows_of(memories.exclude(state__status="deleted"))}
    found: dict[UUID, list[Row]] = defaultdict(list)
    wanted: dict[UUID, set[UUID]] = defaultdict(set)
    for origin, target in pairs:
        wanted[origin].add(target)
    for origin, targets in wanted.items():
        found[origin] = [row for key, row in rows.items() if key in targets]
    return found


def _summary(rows: Sequence[Row], rules: Policy) -> Rewritten | None:
    if len(rows) < rules.summary_min_rows:
        return None
    summary, quotes = told(rows, rules, extractive)
    return _rewritten(rows, summary.text, quotes) if summary.text else None


def _fact(rows: Sequence[Row], rules: Policy) -> Rewritten | None:
    if len(rows) < rules.promote_min_rows:
        return None
    statement = state(rows, rules)
    return _rewritten(rows, statement.text, statement.quotes) if statement else None


def _rewritten(rows: Sequence[Row], content: str, quotes: dict[UUID, str]) -> Rewritten:
    since, until = span_of(rows)
    return Rewritten(content, quotes, min(row.trust for row in rows), (since, until))
