"""What the planner says about one memory when it is asked: names of conditions, what was measured and what is asked."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from reflection.pages.stored import Form, ngettext_noop

ANSWERS: tuple[Form, ...] = (
    gettext_noop("Its time is not over."),
    gettext_noop("It leaves the active set in the same pass."),
    gettext_noop("Its importance stands as stored."),
    gettext_noop("No reason to archive it holds."),
    gettext_noop("It is told already, in %(memory)s."),
    gettext_noop("No summary would tell it."),
    gettext_noop("Nothing makes a fact of it."),
)
CONDITIONS: tuple[Form, ...] = (
    gettext_noop("expires"),
    gettext_noop("protection"),
    gettext_noop("half-life"),
    gettext_noop("difference"),
    gettext_noop("importance"),
    gettext_noop("unused"),
    gettext_noop("kept in"),
    gettext_noop("age"),
    gettext_noop("a newer one with the same words"),
    gettext_noop("an event"),
    gettext_noop("recent"),
    gettext_noop("not told yet"),
    gettext_noop("says something"),
    gettext_noop("in its episode"),
    gettext_noop("repeated"),
    gettext_noop("independent"),
    gettext_noop("declarative"),
    gettext_noop("already known"),
    gettext_noop("untrusted"),
)
MEASURED: tuple[Form, ...] = (
    gettext_noop("never"),
    gettext_noop("none"),
    gettext_noop("one"),
    gettext_noop("yes"),
    gettext_noop("by %(moment)s"),
    gettext_noop("one for its type"),
    gettext_noop("stored %(stored)s, now %(now)s: %(difference)s"),
    gettext_noop("below %(limit)s"),
    gettext_noop("more than %(time)s"),
    gettext_noop("no summary"),
    gettext_noop("an active summary that is not faded"),
    gettext_noop("%(type)s, written by a pass, held"),
    gettext_noop("%(type)s, written by a pass"),
    gettext_noop("%(type)s, held"),
    gettext_noop("episodic, not written by a pass, not under hold"),
    gettext_noop("written %(time)s before the end of the window"),
    gettext_noop("in the last %(number)s hours"),
    gettext_noop("told in %(memory)s"),
    gettext_noop("untold"),
    gettext_noop("a summary to go on with"),
    gettext_noop("not counted"),
    gettext_noop("only greetings and questions"),
    gettext_noop("not looked at"),
    gettext_noop("said %(times)s, likeness %(likeness)s"),
    gettext_noop("%(times)s, likeness %(likeness)s"),
    gettext_noop("a statement"),
    gettext_noop("a statement of %(number)s words or more"),
    gettext_noop("no fact says so"),
    gettext_noop("no fact as near as %(likeness)s"),
    gettext_noop("every source is trusted enough"),
    gettext_noop("trust %(trust)s or more of every source"),
    gettext_noop("%(number)s memories that say so"),
    gettext_noop("no other one to compare with"),
    gettext_noop(
        "none says the same, in its words and in this time; the nearest has a likeness of %(likeness)s "
        "(asked: %(asked)s)"
    ),
    gettext_noop("none; the nearest comes to a likeness of %(likeness)s (asked: %(asked)s)"),
    gettext_noop("%(sessions)s, %(hours)s"),
)
# What stands inside a sentence.
PARTS: tuple[Form, ...] = (
    ngettext_noop("%(count)s day", "%(count)s days"),
    ngettext_noop("%(count)s time", "%(count)s times"),
    ngettext_noop("%(count)s session", "%(count)s sessions"),
    ngettext_noop("%(count)s independent session", "%(count)s independent sessions"),
    ngettext_noop("%(count)s hour", "%(count)s hours"),
    ngettext_noop("%(count)s different hour", "%(count)s different hours"),
    ngettext_noop("%(count)s memory", "%(count)s memories"),
    gettext_noop("legal hold"),
    gettext_noop("pinned"),
    gettext_noop("identity"),
    gettext_noop("episodic"),
    gettext_noop("semantic"),
    gettext_noop("procedural"),
    gettext_noop("working"),
    gettext_noop("status"),
    gettext_noop("importance"),
    gettext_noop("summarize"),
    gettext_noop("promote"),
    gettext_noop("expire"),
    gettext_noop("decay"),
    gettext_noop("archive"),
)
