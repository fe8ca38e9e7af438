"""The heading of a pass: what it looks over, and where it stands."""

from __future__ import annotations

from django.utils.translation import gettext as _

from reflection.models import ReflectPass
from reflection.pages.words import state_of
from reflection.states import PassKind


def title_of(reflect_pass: ReflectPass, state: str, space: str) -> str:
    """`Preview of a pass over Harbour`, `A pass over your private memories, undone`."""
    place = space if reflect_pass.team_id else _("your private memories")
    if reflect_pass.kind == PassKind.REVERT:
        form = (
            _("Preview: what a token wrote, taken back from %(place)s")
            if state == "planned"
            else _("What a token wrote, taken back from %(place)s")
        )
    else:
        form = _("Preview of a pass over %(place)s") if state == "planned" else _("A pass over %(place)s")
    title = form % {"place": place}
    if state == "planned":
        return title
    return _("%(title)s, %(state)s") % {"title": title, "state": _standing(reflect_pass, state)}


def _standing(reflect_pass: ReflectPass, state: str) -> str:
    if state == "failed":
        return _("not applied") if reflect_pass.approved_at else _("not planned")
    if state == "planning":
        return _("being planned")
    return state_of("approved" if state == "applying" else state)
