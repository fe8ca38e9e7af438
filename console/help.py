"""Help: what the console is, how the common jobs are done, and what its words mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_safe

from console.http import public


@dataclass(frozen=True, slots=True)
class Job:
    """Something that people come to do: its name for links, its title and steps, and the page where it begins."""

    name: str
    title: Any
    steps: tuple[Any, ...]
    page: str
    page_title: Any


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the console, and what it means here."""

    word: Any
    meaning: Any


JOBS = (
    Job(
        "find",
        _("Find a memory"),
        (
            _("Type what it is about into the search at the top, or paste its id."),
            _("Each hit says why it was found. Where nothing matches, the page says so and offers what comes near."),
            _("To browse instead, narrow the list of memories by type, place or age."),
        ),
        "search",
        pgettext_lazy("verb", "Search"),
    ),
    Job(
        "correct",
        _("Correct it"),
        (
            _("Open the memory and choose Edit."),
            _("Change what it says, and store it. A reason helps whoever reads the audit."),
            _("Its former text stands under History; there it can be brought back."),
        ),
        "memories",
        _("Memories"),
    ),
    Job(
        "why",
        _("See why it exists"),
        (
            _("Open the memory: Facts says who wrote it, through which door, and when."),
            _("Lineage shows from which memories it was made, and what was made of it."),
            _("Audit lists all that ever happened to it."),
        ),
        "memories",
        _("Memories"),
    ),
    Job(
        "erase",
        _("Delete it for good, and prove it"),
        (
            _("Move it to the trash."),
            _("In the trash choose “Delete for good…”, type the last 6 characters of its id, and say why."),
            _("On the receipt choose “Verify deletion”: every place is searched again. Print it or keep it as a file."),
        ),
        "trash",
        _("Trash"),
    ),
    Job(
        "restore",
        _("Bring one back from the trash"),
        (
            _("Open the trash and find the record."),
            _("Choose Restore. It stands again where it stood, with its history."),
        ),
        "trash",
        _("Trash"),
    ),
    Job(
        "preview",
        _("Preview a pass"),
        (
            _("Choose a space, and what the pass may do. The other fields may stay as they are."),
            _("“Preview the pass” shows every change it proposes, with its reason. Nothing is written."),
        ),
        "pass-new",
        _("New pass"),
    ),
    Job(
        "leave-out",
        _("Leave three changes out"),
        (
            _("Open a pass that waits for a decision."),
            _("Take the tick off the three. They stay on the page, and the bar at the foot counts the others."),
        ),
        "inbox",
        _("Inbox"),
    ),
    Job(
        "apply",
        _("Apply the others"),
        (
            _("The button at the foot says how many changes it applies. Choose it."),
            _("What somebody changed meanwhile is left alone, and named."),
            _("The page then shows the report, with a link to each changed memory."),
        ),
        "inbox",
        _("Inbox"),
    ),
    Job(
        "undo",
        _("Undo a pass"),
        (
            _("Open the applied pass and choose “Undo…”; or tick some of its changes and undo only those."),
            _("What was changed again since then stays as it is, and is named."),
        ),
        "passes",
        _("Passes"),
    ),
    Job(
        "connect",
        _("Connect an agent"),
        (
            _("Make a token for it, with the rights it needs and no more. It is shown once."),
            _("Copy the settings that the page shows into the agent."),
            _("“Try it” says what the agent would be told."),
        ),
        "connect",
        _("Connect an agent"),
    ),
)
WORDS = (
    Word(_("memory"), _("A sentence or more that a person or an agent wants to know again later.")),
    Word(_("space"), _("Whose memories they are: yours alone, or those of a team. Nobody sees into other spaces.")),
    Word(
        pgettext_lazy("reflection", "pass"),
        _("A round of care: the console proposes changes, somebody approves them, then they are applied together."),
    ),
    Word(_("summarize"), _("Several notes about one matter are told in one; the notes stay, behind it.")),
    Word(_("promote"), _("What notes say again and again becomes a fact that lasts.")),
    Word(_("expire"), _("What was only meant to last until a day, and that day is over, is no longer found.")),
    Word(_("decay"), _("What nobody used for a while counts a little less.")),
    Word(_("archive"), _("What counts for little now is put aside: kept, but not found by search and agents.")),
    Word(_("pin"), _("No pass touches a pinned memory.")),
    Word(_("legal hold"), _("As long as it has a name on it, the record cannot be deleted for good, by anybody.")),
    Word(_("trash"), _("Where deleted records wait. They can be restored until they are deleted for good.")),
    Word(_("redact"), _("The words go for good, and the record stays as an empty place.")),
    Word(_("receipt"), _("What proves a deletion: when, why, by whom, and where nothing is left.")),
    Word(_("audit"), _("The list of all that was done, which nobody can change unnoticed.")),
    Word(_("token"), _("The key of an agent. It acts for a person, with the rights it was given, until it ends.")),
    Word(_("policy"), _("The numbers that passes of a space go by, and whose approval they need.")),
    Word(_("reviewer"), _("A member of a team who may approve its passes.")),
)


@public
@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """For everybody, signed in or not: it tells of nobody's memories."""
    return render(request, "console/help.html", {"nav": "help", "jobs": JOBS, "words": WORDS})
