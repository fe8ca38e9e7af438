"""How often a schedule runs, in words of the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reflection.slots import Kind, Rhythm

DAYS = (
    gettext_lazy("Monday"),
    gettext_lazy("Tuesday"),
    gettext_lazy("Wednesday"),
    gettext_lazy("Thursday"),
    gettext_lazy("Friday"),
    gettext_lazy("Saturday"),
    gettext_lazy("Sunday"),
)


def rhythm_words(rhythm: Rhythm) -> str:
    """`every Monday at 03:00 (Asia/Tokyo)`."""
    if rhythm.kind == Kind.HOURS:
        hours = rhythm.every_hours or 1
        return ngettext("every hour", "every %(count)s hours", hours) % {"count": hours}
    when = {"at": f"{rhythm.at:%H:%M}", "zone": rhythm.zone}
    if rhythm.weekday is None:
        return _("every day at %(at)s (%(zone)s)") % when
    return _("every %(day)s at %(at)s (%(zone)s)") % {"day": DAYS[rhythm.weekday], **when}
