"""A file or a text from another program: looked at first, row by row, and stored when the person says so.

Between the two steps nothing is kept here: the page itself carries the file, packed, or asks for it once more.
"""

from __future__ import annotations

import base64
import hashlib
import zlib
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from console.errors import Invalid
from console.formats import FORMATS
from console.formats.guess import guessed
from console.saying import phrase, told
from console.uploads import Outcome, Report, take
from memories.access import Actor
from memories.pages.downloading import Everything
from memories.pages.form_fields import NO_SPACE, Refusable, SpaceField, Text
from memories.services.import_lines import Place

CARRIED_MOST = 900_000  # letters that a page carries; a larger file is asked for again
SHOWN_MOST = 300  # rows of each outcome
SECTIONS = ("wrong", "new", "repeated", "known")
PASTED = "text.txt"
UNKNOWN = phrase("What this is cannot be seen from it. Choose the format.")
OTHER_FILE = phrase("This is not the file that was looked at. Choose that one, or begin again.")


@dataclass(frozen=True, slots=True)
class Sent:
    """A file as it was handed over."""

    name: str
    data: bytes

    @property
    def digest(self) -> str:
        """By which it is known again."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def carried(self) -> str:
        """It, packed into letters; empty where that is too much for a page."""
        packed = base64.urlsafe_b64encode(zlib.compress(self.data, 6)).decode()
        return packed if len(packed) <= CARRIED_MOST else ""


def _formats() -> list[tuple[str, str]]:
    return [("", gettext("Find out from the file")), *((name, told(form.label)) for name, form in FORMATS.items())]


class TargetForm(Refusable):
    """Which format it has, and where the records go."""

    NAMES: ClassVar[dict[str, str]] = {"team_id": "space", "jsonl": "file"}

    format = forms.ChoiceField(
        required=False,
        choices=_formats,
        help_text=_("A text that is pasted counts as a list of memories, unless you choose another format."),
    )
    space = SpaceField(error_messages=NO_SPACE, label=_("Who may see it"))
    bucket = forms.CharField(
        required=False, max_length=100, help_text=_("The drawer it is put into. Empty: that of the file, else work.")
    )

    def __init__(self, actor: Actor, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, label_suffix="", auto_id="import_%s")
        self.fields["space"].offer(actor, empty=None)
        self.own = actor.own

    def place(self) -> Place:
        """Where the records go."""
        space = self.cleaned_data["space"]
        return Place(team_id=None if space == self.own else space, bucket=self.cleaned_data["bucket"] or None)


class StartForm(TargetForm):
    """What is to be looked at."""

    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        help_text=format_lazy(
            _("Up to {size} MB: one file, or a zip of files."), size=settings.UPLOAD_LIMIT_BYTES // 1_000_000
        ),
        widget=forms.FileInput(attrs={"accept": ".jsonl,.ndjson,.json,.md,.markdown,.txt,.zip"}),
    )
    text = Text(
        required=False,
        label=_("Or the text itself"),
        help_text=_("Such as the list in which ChatGPT or Claude shows what it remembers."),
        widget=forms.Textarea(attrs={"rows": 5, "dir": "auto"}),
    )
    field_order = ["file", "text", "format", "space", "bucket"]

    def clean(self) -> dict[str, Any]:
        """One of the two ways, not both and not none."""
        given = super().clean() or {}
        if "file" not in self.errors and bool(given.get("file")) == bool((given.get("text") or "").strip()):
            self.add_error("file", gettext("Choose a file, or paste a text: one of the two."))
        return given

    def sent(self) -> Sent:
        """What was handed over."""
        file = self.cleaned_data["file"]
        return Sent(file.name, file.read()) if file else Sent(PASTED, self.cleaned_data["text"].encode())


class ConfirmForm(TargetForm):
    """The same once more, to be stored."""

    name = forms.CharField(max_length=300, widget=forms.HiddenInput)
    digest = forms.CharField(max_length=64, widget=forms.HiddenInput)
    carried = forms.CharField(required=False, widget=forms.HiddenInput)
    file = forms.FileField(required=False, label=_("The same file again"))

    def sent(self) -> Sent:
        """What was looked at. Raises Invalid for another file."""
        given = self.cleaned_data
        data = given["file"].read() if given["file"] else _unpacked(given["carried"])
        sent = Sent(given["name"], data)
        if sent.digest != given["digest"]:
            raise Invalid.field("file", OTHER_FILE)
        return sent


def _unpacked(text: str) -> bytes:
    try:
        packer = zlib.decompressobj()
        return packer.decompress(base64.urlsafe_b64decode(text.encode()), settings.UPLOAD_LIMIT_BYTES)
    except (ValueError, zlib.error):
        raise Invalid.field("file", OTHER_FILE) from None


@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest) -> HttpResponse:
    """The form; posted, the report of what would come; posted again from there, what came."""
    if request.method != "POST":
        return _start(request, StartForm(request.actor))
    confirmed = request.POST.get("step") == "import"
    form = (ConfirmForm if confirmed else StartForm)(request.actor, request.POST, request.FILES)
    if not form.is_valid():
        return _start(request, form, status=422)
    try:
        sent = form.sent()
        report = _taken(form, sent, dry_run=not confirmed, actor=request.actor)
    except Invalid as refusal:
        form.take(refusal)
        return _start(request, form, status=422)
    return render(request, "memories/imported.html", _told(request, form, report, sent))


def _start(request: HttpRequest, form: TargetForm, *, status: int = 200) -> HttpResponse:
    """The form to begin with, whatever went wrong before."""
    shown = form if isinstance(form, StartForm) else StartForm(request.actor)
    context = {"nav": "import", "form": shown, "failed": form, "everything": Everything(None, request.actor)}
    return render(request, "memories/import.html", context, status=status)


def _taken(form: TargetForm, sent: Sent, *, dry_run: bool, actor: Actor) -> Report:
    """What would come, or came. Raises Invalid, NotAllowed."""
    name = form.cleaned_data["format"] or guessed(sent.name, sent.data) or ("chatgpt" if sent.name == PASTED else "")
    if not name:
        raise Invalid.field("format", UNKNOWN)
    return take(format_name=name, name=sent.name, data=sent.data, place=form.place(), dry_run=dry_run, actor=actor)


def _told(request: HttpRequest, form: TargetForm, report: Report, sent: Sent) -> dict[str, Any]:
    """The report for a reader, with the form that confirms a dry run."""
    rows: dict[str, list[Outcome]] = {name: [] for name in SECTIONS}
    for one in report.outcomes:
        rows["repeated" if one.repeated else one.outcome].append(one)
    lists = [(name, found[:SHOWN_MOST], len(found) - SHOWN_MOST) for name, found in rows.items() if found]
    context: dict[str, Any] = {
        "nav": "import",
        "report": report,
        "format": FORMATS[report.format_name].label,
        "counts": {name: len(found) for name, found in rows.items()},
        "lists": lists,
        "begins_now": not FORMATS[report.format_name].keeps_ids,
        "file_name": sent.name,
    }
    if report.dry_run:
        carried = sent.carried
        given = {name: form.cleaned_data[name] for name in ("space", "bucket")}
        about = {"format": report.format_name, "name": sent.name, "digest": sent.digest, "carried": carried}
        confirm = ConfirmForm(request.actor)
        confirm.initial = given | about
        context |= {"confirm": confirm, "carried": bool(carried)}
    return context
