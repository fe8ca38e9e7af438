"""The sentences that plans, results and failures are stored with, in their English forms.

Who plans and applies writes English. `reflection.pages.retold` recognises these forms again and tells them in the
reader's language.
"""

from __future__ import annotations

from django.utils.translation import gettext_noop

Form = str | tuple[str, str]  # a text, or one for a single thing and one for several; `%(count)s` is their number


def ngettext_noop(one: str, many: str) -> tuple[str, str]:
    """A form with a number, to be collected for translation."""
    return one, many


PLANNED: tuple[Form, ...] = (
    gettext_noop(
        "Importance %(value)s is below %(limit)s and nobody used or edited it for %(time)s (the rule asks for "
        "%(asked)s)."
    ),
    gettext_noop("Importance %(value)s on %(day)s, %(time)s ago; with a half-life of %(life)s days it is now %(now)s."),
    gettext_noop("Kept in %(memory)s; %(age)s old and unused for %(time)s."),
    gettext_noop("Working memory, unused for %(time)s (the rule asks for %(asked)s)."),
    gettext_noop("Same words as the newer %(memory)s of %(day)s."),
    gettext_noop("Its time was over on %(moment)s."),
    gettext_noop("Would %(action)s, and is protected: %(protection)s."),
    gettext_noop("%(memory)s would be brought up to date, and is protected: %(protection)s."),
    gettext_noop("Only greetings and questions: nothing to tell."),
    ngettext_noop(
        "%(count)s untold memory: the summaries of its episode take no more, and a new summary needs %(needed)s.",
        "%(count)s untold memories: the summaries of its episode take no more, and a new summary needs %(needed)s.",
    ),
    ngettext_noop(
        "%(count)s untold memory: a new summary needs %(needed)s.",
        "%(count)s untold memories: a new summary needs %(needed)s.",
    ),
    ngettext_noop("%(count)s memory of one episode, %(span)s", "%(count)s memories of one episode, %(span)s"),
    ngettext_noop(
        "%(count)s memory of one part of a long episode, %(span)s",
        "%(count)s memories of one part of a long episode, %(span)s",
    ),
    ngettext_noop(
        "%(count)s new memory of an episode already told, %(span)s",
        "%(count)s new memories of an episode already told, %(span)s",
    ),
    gettext_noop("The summarizer model could not be used (%(why)s); sentences were taken word for word instead."),
    gettext_noop("Written by %(who)s without %(number)s of its sentences, which no memory bears out."),
    gettext_noop("Written by %(who)s."),
    gettext_noop("The model could not be asked whether all say the same (%(why)s)."),
    gettext_noop("All say the same, by the judgement of %(who)s."),
    gettext_noop("Not all say the same, by the judgement of %(who)s."),
    ngettext_noop(
        "%(count)s memory says so in %(sessions)s and %(hours)s, %(span)s",
        "%(count)s memories say so in %(sessions)s and %(hours)s, %(span)s",
    ),
    ngettext_noop(
        "Said %(count)s time, but only as questions, greetings or fragments.",
        "Said %(count)s times, but only as questions, greetings or fragments.",
    ),
    ngettext_noop(
        "Said %(count)s time; the rule asks for %(asked)s.", "Said %(count)s times; the rule asks for %(asked)s."
    ),
    ngettext_noop(
        "%(count)s more with the same words is of another speaker, or of none that is known; each speaker is heard "
        "apart.",
        "%(count)s more with the same words are of another speaker, or of none that is known; each speaker is heard "
        "apart.",
    ),
    gettext_noop(
        "Said %(times)s in the same words, each time by somebody else; each speaker is heard apart, and the rule asks "
        "for %(number)s of one."
    ),
    gettext_noop(
        "Said %(times)s in %(sessions)s and %(hours)s; the rule asks for %(asked_sessions)s and %(asked_hours)s."
    ),
    gettext_noop("Already known as the fact proposed from %(memory)s."),
    gettext_noop("Already known as %(memory)s."),
    ngettext_noop(
        "%(count)s source is below the trust level %(trust)s, first %(memory)s. Raise the trust of the sources, or "
        "write the fact yourself.",
        "%(count)s sources are below the trust level %(trust)s, first %(memory)s. Raise the trust of the sources, or "
        "write the fact yourself.",
    ),
    gettext_noop("A record it stood on changed or was deleted while this was planned."),
    gettext_noop("A record it stood on was deleted for good, redacted, or moved to another space."),
)
TAKEN_BACK: tuple[Form, ...] = (
    gettext_noop("Under the legal hold “%(hold)s”."),
    gettext_noop("The token made it, and nobody else has changed what it says."),
    ngettext_noop(
        "The token wrote to it %(count)s time; this gives back what was there before.",
        "The token wrote to it %(count)s times; this gives back what was there before.",
    ),
    gettext_noop("Its words were taken out for good."),
    gettext_noop("%(who)s changed what it says on %(moment)s, after the token."),
    gettext_noop("%(who)s changed its %(side)s on %(moment)s, after the token."),
    gettext_noop("What it said at version %(number)s is not kept any more."),
    gettext_noop("%(memory)s still tells it: undo the pass that wrote it, or delete it."),
    gettext_noop("The state “%(name)s” is held by another memory, %(memory)s."),
    gettext_noop(
        "Pass %(pass)s of %(moment)s archived memories and left their words to this one; undo that pass first."
    ),
    gettext_noop("Pass %(pass)s of %(moment)s archived records whose words only this one keeps; undo that first."),
    gettext_noop("The token applied pass %(pass)s. Undo it on its own page."),
    ngettext_noop(
        "It also wrote %(count)s TODO. Look at it by hand.", "It also wrote %(count)s TODOs. Look at them by hand."
    ),
    ngettext_noop(
        "It also wrote %(count)s ledger entry. Look at it by hand.",
        "It also wrote %(count)s ledger entries. Look at them by hand.",
    ),
    ngettext_noop(
        "It also wrote %(count)s decision. Look at it by hand.",
        "It also wrote %(count)s decisions. Look at them by hand.",
    ),
    ngettext_noop(
        "It also wrote %(count)s snapshot. Look at it by hand.",
        "It also wrote %(count)s snapshots. Look at them by hand.",
    ),
)
NOTES: tuple[Form, ...] = (
    gettext_noop("Nothing to take back: nothing that this token wrote in this span still stands."),
    gettext_noop("The limit left up to %(number)s more memories for the next pass."),
    gettext_noop("The limit left %(number)s more for the next pass."),
    gettext_noop(
        "%(without)s of %(compared)s memories that were compared have no usable vector now; their meaning was not "
        "compared."
    ),
    gettext_noop("%(total)s were skipped; the first %(listed)s are listed."),
    gettext_noop("%(total)s were left alone; the first %(listed)s are listed."),
    gettext_noop("The model was asked no more (%(why)s); the rest was planned without it."),
    gettext_noop("%(name)s has no offset and is read as UTC."),
    gettext_noop("limit %(number)s was clamped to %(most)s."),
    ngettext_noop(
        "%(count)s candidate was left out: records changed or were deleted while this was planned. Plan again for "
        "them.",
        "%(count)s candidates were left out: records changed or were deleted while this was planned. Plan again for "
        "them.",
    ),
)
OUTCOMES: tuple[Form, ...] = (
    gettext_noop("changed since the plan: %(names)s and %(number)s more"),
    gettext_noop("changed since the plan: %(names)s"),
    gettext_noop("a source was deleted for good"),
    gettext_noop("%(end)s tells the same sources already"),
    gettext_noop("the state “%(name)s” is held by another memory, %(memory)s"),
    gettext_noop("kept: the state “%(name)s” is held by another memory, %(memory)s"),
    gettext_noop("kept: the record or one of its sources was deleted for good"),
    gettext_noop("kept: pass %(pass)s of %(moment)s changed this memory since; undo that pass first"),
    gettext_noop(
        "pass %(pass)s of %(moment)s archived memories and left their words to this one; undo that pass first"
    ),
    gettext_noop(
        "kept: pass %(pass)s of %(moment)s archived memories and left their words to this one; undo that pass first"
    ),
    # As it was said until now, and stands in what is stored.
    gettext_noop("kept: pass %(pass)s of %(moment)s changed the record since; undo that first"),
    gettext_noop("pass %(pass)s of %(moment)s archived records whose words only this one keeps; undo that first"),
    gettext_noop("kept: pass %(pass)s of %(moment)s archived records whose words only this one keeps; undo that first"),
    gettext_noop("kept: changed since the pass (version %(version)s, now %(now)s)"),
)
FAILURES: tuple[Form, ...] = (
    ngettext_noop(
        "%(count)s record changed since this was planned, and the policy refuses that.",
        "%(count)s records changed since this was planned, and the policy refuses that.",
    ),
    gettext_noop("Cancelled by %(who)s before the plan was made."),
    gettext_noop("%(who)s, in whose name it acts, has no access to this space any more."),
    gettext_noop("This machine does not know the time zone %(zone)s any more. Choose another."),
    gettext_noop(
        "It met an unexpected error %(number)s times in a row. Whoever runs this console finds it in the log."
    ),
    gettext_noop("The mail server did not take it (%(why)s)."),
    gettext_noop("%(host)s could not be reached (%(why)s)."),
    gettext_noop("%(host)s answered %(status)s."),
    gettext_noop("%(host)s leads to where clouds hand out keys of the machine."),
    gettext_noop("%(host)s leads into the network of the console, or nowhere."),
    gettext_noop("The pass no longer waited for this person when the notice was due."),
)
# Why a model could not be used: told inside the note that says so.
REASONS: tuple[Form, ...] = (
    gettext_noop("it failed %(number)s times in a row"),
    gettext_noop("its %(number)s s for one plan are used up"),
    gettext_noop("SUMMARIZER_URL leads to where clouds hand out keys of the machine"),
    gettext_noop("it took longer than %(number)s s"),
    gettext_noop("no answer, %(name)s"),
    gettext_noop("it answered %(status)s"),
    gettext_noop("its answer is too long"),
    gettext_noop("its answer is no chat completion"),
    gettext_noop("its answer is neither yes nor no"),
    gettext_noop("its answer is empty"),
    gettext_noop("its answer has %(number)s characters instead of %(most)s"),
    gettext_noop("its answer says too little of what the memories say"),
    gettext_noop("its answer has headings, lists, labels or markup"),
    gettext_noop("its answer speaks to whoever reviews it"),
    gettext_noop("its answer holds an address that is in no memory"),
    gettext_noop("its answer holds a number that is in no memory"),
    gettext_noop("its answer holds a name that is in no memory"),
    gettext_noop("a sentence of its answer says what no memory says"),
)
