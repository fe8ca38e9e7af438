"""How the importance of one memory will fade, and when a pass would put it away: in words, and as a curve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from reflection.pages.ahead_chart import chart, day_of, written
from reflection.planner.ahead import Ahead, Leaving
from reflection.services.ahead import LookedAhead, look_ahead
from reflection.states import Action


@require_safe
def show(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """The curve, and what lies before the memory if nobody touches it."""
    found = look_ahead(record_id, actor=request.actor)
    context: dict[str, Any] = {"nav": "memories", "found": found, "memory": found.memory}
    if found.ahead:
        leaving, below = found.ahead.leaving(), found.ahead.below_from()
        context["story"] = Story(found, found.ahead, leaving, below)
        if not found.ahead.steady:
            context["chart"] = chart(found.ahead, leaving, below)
    return render(request, "reflection/ahead.html", context)


@dataclass(frozen=True, slots=True)
class Story:
    """What lies before a memory, in words and as a curve."""

    found: LookedAhead
    ahead: Ahead
    leaving: Leaving | None
    below: datetime | None

    @property
    def steady(self) -> str:
        """Why it does not fade, or nothing."""
        said = {
            "": "",
            "legal hold": _("It does not fade, because it is under a legal hold: no pass changes it."),
            "pinned": _("It does not fade, because it is pinned: no pass changes it."),
            "identity": _("It does not fade, because it is an identity memory: no pass changes one."),
            "half_life": _("It does not fade, because the policy has no half-life for memories of its type."),
            "floor": _("It does not fade, because the policy lets no importance fall below %(floor)s."),
        }
        return said[self.ahead.steady] % {"floor": written(self.found.policy.rules.decay_floor)}

    @property
    def lines(self) -> list[str]:
        """What happens, one sentence each, in the order in which it does."""
        told = [] if self.ahead.steady else [*self._fading(), *self._writing()]
        return told if self.ahead.row.protected else [*told, *self._below()]

    @property
    def now(self) -> str:
        """The importance of today."""
        return written(self.ahead.value_at(self.ahead.as_of))

    @property
    def stored(self) -> str:
        """The importance of the last pass."""
        return written(self.ahead.row.importance)

    @property
    def leaves(self) -> str:
        """When a pass would take it away."""
        if not self.ahead.whole:
            return _("More memories hang together with it than are looked at here, so nobody foretells when it leaves.")
        if self.leaving is None:
            return _("Within ten years no rule puts it away.")
        day, archives = day_of(self.leaving.at), self.leaving.proposal.action == Action.ARCHIVE
        if self.leaving.at <= self.ahead.as_of:
            return _("A pass would archive it now.") if archives else _("Its time is over: a pass would note that now.")
        if archives:
            return _("If nobody uses or edits it, a pass would archive it from %(day)s on.") % {"day": day}
        return _("It expires on %(day)s. Nobody finds it from then on, and a pass notes that.") % {"day": day}

    @property
    def because(self) -> str:
        """The rule that takes it away, as the planner says it."""
        return str(self.leaving.proposal.why["text"]) if self.leaving else ""

    def _fading(self) -> Iterator[str]:
        row, rules = self.ahead.row, self.found.policy.rules
        life = rules.half_life_days[row.memory_type]
        form = ngettext(
            "It was %(base)s on %(day)s, and halves every %(life)s day without use.",
            "It was %(base)s on %(day)s, and halves every %(life)s days without use.",
            int(life) if float(life).is_integer() else 2,
        )
        yield form % {"base": written(row.base), "day": day_of(row.anchor), "life": number_format(f"{life:g}")}
        if rules.decay_floor:
            yield _("It never falls below %(floor)s.") % {"floor": written(rules.decay_floor)}

    def _writing(self) -> Iterator[str]:
        at, step = self.ahead.written_from(), written(self.found.policy.rules.decay_step)
        if at is None:
            yield _("No pass would store another value: the difference stays below %(step)s.") % {"step": step}
        elif self.leaving and self.leaving.at <= at:
            return  # what leaves is not written any more
        elif at <= self.ahead.as_of:
            yield _("A pass would store today's value now, in place of %(stored)s.") % {"stored": self.stored}
        else:
            form = _("A pass would store a new value from %(day)s on, when it differs by %(step)s.")
            yield form % {"day": day_of(at), "step": step}

    def _below(self) -> Iterator[str]:
        limit = written(self.found.policy.rules.archive_below)
        if self.below is None:
            if not self.ahead.steady:
                yield _("It does not fall below %(limit)s, where it might be archived for being faded.") % {
                    "limit": limit
                }
        elif self.below <= self.ahead.as_of:
            yield _("It is below %(limit)s: faded enough to be archived, once it is unused for long enough.") % {
                "limit": limit
            }
        else:
            form = _(
                "It falls below %(limit)s on %(day)s: faded enough to be archived, once it is unused for long enough."
            )
            yield form % {"limit": limit, "day": day_of(self.below)}
