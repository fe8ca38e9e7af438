"""People, as administrators of the console look after them: adding one, ending access and giving it back."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.errors import Conflict, Invalid
from memories.models import User
from memories.pages.form_fields import Refusable
from memories.pages.teams import password_asked
from memories.services import charge, people, presence, tokens
from memories.services.teams import ABSENT


class PersonForm(Refusable):
    """Somebody new."""

    username = forms.CharField(
        label=_("Username"),
        max_length=people.NAME_LIMIT,
        help_text=_("They sign in with it. It does not change."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        error_messages={"required": _("The name is empty. Choose one.")},
    )
    display_name = forms.CharField(
        label=_("Name that others see"),
        required=False,
        max_length=people.NAME_LIMIT,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    email = forms.EmailField(
        label=_("E-mail"),
        required=False,
        help_text=_("So that a team can find them. The console sends nothing to it."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
        error_messages={"invalid": _("This is no e-mail address. Correct it, or leave it out.")},
    )


@require_http_methods(["GET", "HEAD", "POST"])
@password_asked
def new(request: HttpRequest) -> HttpResponse:
    """The form; posted, the page that shows the code for a first password, this once."""
    charge.check_may_administer(request.actor)
    form = PersonForm(request.POST if request.method == "POST" else None, label_suffix="")
    if form.is_valid():
        try:
            made, code = people.invite(**form.cleaned_data, actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        except Conflict as refusal:
            form.add_error("username", refusal.told)
        else:
            return _invited(request, made, code)
    status = 422 if form.is_bound else 200
    return render(request, "memories/person_new.html", {"nav": "people", "form": form}, status=status)


@sensitive_variables("code")
def _invited(request: HttpRequest, made: User, code: str) -> HttpResponse:
    """The answer to the form is the only place that holds the code; it is neither kept nor redirected to."""
    return render(request, "memories/person_code.html", {"nav": "people", "person": made, "code": code})


@require_POST
@password_asked
def invite_again(request: HttpRequest, user_id: UUID) -> HttpResponse:
    """Another code for somebody who has not used the first."""
    return _invited(request, *people.invite_again(user_id=user_id, actor=request.actor))


@require_safe
def person(request: HttpRequest, user_id: UUID) -> HttpResponse:
    """One person: access, teams, and what an administrator may do about them."""
    found = people.looked_after(user_id, actor=request.actor)
    context = {
        "nav": "people",
        "person": found,
        "mine": found.pk == request.actor.user_id,
        "rows": presence.seats_of(found, actor=request.actor),
        "waits": found.last_login is None and not found.has_usable_password(),
    }
    return render(request, "memories/person.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@password_asked
def deactivate(request: HttpRequest, user_id: UUID) -> HttpResponse:
    """Ask, with all consequences, whether somebody's access is to end; and end it."""
    found = people.looked_after(user_id, actor=request.actor)
    if request.method == "POST":
        presence.deactivate(user_id=user_id, successors=_successors(request), actor=request.actor)
        messages.success(request, gettext("%(person)s has no access any more.") % {"person": found})
        return redirect("person", user_id)
    context = {
        "nav": "people",
        "person": found,
        "mine": found.pk == request.actor.user_id,
        "alone": presence.left_without_admin(found),
        "tokens": tokens.working_of(found),
    }
    return render(request, "memories/person_end.html", context)


def _successors(request: HttpRequest) -> list[UUID]:
    """The memberships chosen, one for each team. Raises Invalid."""
    try:
        return [UUID(str(value)) for name, value in request.POST.items() if name.startswith("successor_")]
    except ValueError:
        raise Invalid.field("successor", ABSENT) from None


@require_POST
@password_asked
def reactivate(request: HttpRequest, user_id: UUID) -> HttpResponse:
    """Let somebody in again."""
    found = presence.reactivate(user_id=user_id, actor=request.actor)
    messages.success(request, gettext("%(person)s can sign in again.") % {"person": found})
    return redirect("person", user_id)
