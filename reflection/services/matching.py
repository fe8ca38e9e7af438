"""Which candidates of a pass lie at a path or say some words."""

from __future__ import annotations

from django.db.models import CharField, Exists, OuterRef, Q, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from memories.access import Actor, visible_to
from memories.models import Memory
from memories.patterns import ilike
from reflection.models import ReflectPass


def at_path(reflect_pass: ReflectPass, pattern: str, *, actor: Actor) -> frozenset[int]:
    """The positions of candidates whose record, present or to come, lies at a path that matches an ILIKE pattern."""
    here = visible_to(actor, Memory.objects.all()).filter(pk=OuterRef("target_id")).filter(ilike("path", pattern))
    rows = reflect_pass.candidates.annotate(to=Cast(KeyTextTransform("path", "after"), CharField()))
    return frozenset(rows.filter(ilike("to", pattern) | Q(Exists(here))).values_list("position", flat=True))


def saying(reflect_pass: ReflectPass, words: str, *, actor: Actor) -> frozenset[int]:
    """The positions of candidates with these words in their text, in their reason, or in the record they change."""
    here = visible_to(actor, Memory.objects.all()).filter(pk=OuterRef("target_id"), content__icontains=words)
    rows = reflect_pass.candidates.annotate(
        text=Cast(KeyTextTransform("content", "after"), TextField()),
        reason=Cast(KeyTextTransform("text", "why"), TextField()),
    )
    found = rows.filter(Q(text__icontains=words) | Q(reason__icontains=words) | Q(Exists(here)))
    return frozenset(found.values_list("position", flat=True))
