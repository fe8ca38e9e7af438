"""Teams and people: one's teams, one of them with its members, and what a member may do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.errors import Conflict, Invalid, SignInAgain
from memories.access import Actor
from memories.models import Membership, Team
from memories.models.people import Role
from memories.pages import keyset
from memories.pages.erasing import password_first
from memories.pages.form_fields import Refusable
from memories.services import charge, leaving, presence, teams

View = Callable[..., HttpResponse]
MEANING = {
    Role.MEMBER.value: _("Member: reads, writes, proposes passes"),
    Role.REVIEWER.value: _("Reviewer: also approves passes"),
    Role.ADMIN.value: _("Admin: also deletes for good, and looks after the members"),
}


def password_asked(view: View) -> View:
    """What gives or takes rights asks for the password where it was given too long ago, and then goes on."""

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        try:
            return view(request, *args, **more)
        except SignInAgain:
            return password_first(request)

    return asked


class RoleForm(Refusable):
    """What a member may do."""

    role = forms.ChoiceField(label=_("Role"), choices=list(MEANING.items()), widget=forms.RadioSelect)


class MemberForm(RoleForm):
    """Somebody who is to be taken in."""

    named = forms.CharField(
        label=_("Username or e-mail"),
        max_length=254,
        help_text=_("Of somebody who has an account here."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        error_messages={"required": _("Say who: a username, or an e-mail address.")},
    )
    field_order = ("named", "role")


class NameForm(Refusable):
    """What a team is called."""

    name = forms.CharField(
        label=_("Name of the team"),
        max_length=teams.NAME_LIMIT,
        error_messages={"required": _("The name is empty. Choose one.")},
    )


class TeamForm(NameForm):
    """A team that is to be made, and who looks after it."""

    NAMES = {"named": "first"}

    first = forms.CharField(
        label=_("Its first admin"),
        max_length=254,
        help_text=_("A username or an e-mail address. The admin takes in the others."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
        error_messages={"required": _("Say who looks after the team.")},
    )


class PeopleFilter(Refusable):
    """The filter of the list of people; it is in the address."""

    named = forms.CharField(label=_("Name or e-mail"), required=False, max_length=254)


@require_safe
def listed(request: HttpRequest) -> HttpResponse:
    """One's own teams; for administrators of the console, everybody."""
    administers = charge.may_administer(request.actor)
    context: dict[str, Any] = {"nav": "people", "teams": _own_teams(request.actor), "administers": administers}
    if administers:
        filters = PeopleFilter(request.GET, label_suffix="", auto_id="filter_%s")
        context["filters"] = filters
        if not filters.is_valid():
            return render(request, "memories/people.html", context, status=422)
        rows = presence.everybody(actor=request.actor, named=filters.cleaned_data["named"])
        source = keyset.Source(rows, "date_joined", lambda row: row.date_joined)
        context["page"] = keyset.page([source], request.GET, request.path)
    return render(request, "memories/people.html", context)


def _own_teams(actor: Actor) -> list[dict[str, Any]]:
    counted = Team.objects.filter(pk__in=list(actor.spaces)).annotate(members=Count("memberships"))
    found = {team.pk: team for team in counted}
    spaces = [space for space in actor.spaces.values() if space.team_id in found]
    admins = charge.admins_by_team(found)
    return [{"team": found[one.id], "role": one.role, "admins": admins.get(one.id, [])} for one in spaces]


@require_safe
def team(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """One team that one is in, with its members."""
    return _team(request, team_id)


def _team(
    request: HttpRequest,
    team_id: UUID,
    *,
    named: NameForm | None = None,
    added: MemberForm | None = None,
) -> HttpResponse:
    found = teams.shown(team_id, actor=request.actor)
    rows = teams.members_of(team_id, actor=request.actor).order_by()
    source = keyset.Source(rows, "created_at", lambda row: row.created_at)
    refused = named or added
    context = {
        "nav": "people",
        "team": found,
        "page": keyset.page([source], request.GET, request.path if not refused else f"/teams/{team_id}"),
        "leads": charge.may_lead(request.actor, team_id),
        "name_form": named or NameForm(initial={"name": found.name}, label_suffix="", auto_id="name_%s"),
        "renames": named is not None,
        "member_form": added or MemberForm(initial={"role": Role.MEMBER.value}, label_suffix="", auto_id="add_%s"),
        "refused": refused,
    }
    return render(request, "memories/team.html", context, status=422 if refused else 200)


@require_POST
def rename(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Give a team another name."""
    charge.check_may_lead(request.actor, team_id)
    form = NameForm(request.POST, label_suffix="", auto_id="name_%s")
    if form.is_valid():
        try:
            found = teams.rename(team_id=team_id, name=form.cleaned_data["name"], actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        else:
            messages.success(request, gettext("The team is called %(name)s now.") % {"name": found.name})
            return redirect("team", team_id)
    return _team(request, team_id, named=form)


@require_POST
@password_asked
def add(request: HttpRequest, team_id: UUID) -> HttpResponse:
    """Take somebody into a team."""
    charge.check_may_lead(request.actor, team_id)
    form = MemberForm(request.POST, label_suffix="", auto_id="add_%s")
    if form.is_valid():
        named, role = form.cleaned_data["named"], Role(form.cleaned_data["role"])
        try:
            found = teams.add_member(team_id=team_id, named=named, role=role, actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        except Conflict as refusal:
            form.add_error("named", refusal.told)
        else:
            said = gettext("%(person)s is in %(team)s now.")
            messages.success(request, said % {"person": found.user, "team": found.team.name})
            return redirect("team", team_id)
    return _team(request, team_id, added=form)


@require_http_methods(["GET", "HEAD", "POST"])
@password_asked
def member(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    """One member: the role, and what becomes of what they have in the team when they leave it."""
    means = leaving.consequences(membership_id, actor=request.actor)
    found = means.membership
    form = RoleForm(request.POST if request.method == "POST" else None, initial={"role": found.role}, label_suffix="")
    if form.is_bound:
        charge.check_may_lead(request.actor, found.team_id)
        if form.is_valid():
            role = Role(form.cleaned_data["role"])
            changed = teams.set_role(membership_id=membership_id, role=role, actor=request.actor)
            messages.success(request, _role_said(changed))
            return redirect("team", changed.team_id)
    leads = charge.may_lead(request.actor, found.team_id)
    context = {"nav": "people", "means": means, "member": found, "form": form, "leads": leads}
    context["mine"] = found.user_id == request.actor.user_id
    return render(request, "memories/member.html", context, status=422 if form.is_bound else 200)


def _role_said(found: Membership) -> str:
    said = {
        Role.MEMBER: gettext("%(person)s is a member of %(team)s now."),
        Role.REVIEWER: gettext("%(person)s is a reviewer of %(team)s now."),
        Role.ADMIN: gettext("%(person)s is an admin of %(team)s now."),
    }
    return said[Role(found.role)] % {"person": found.user, "team": found.team.name}


@require_POST
@password_asked
def remove(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    """End a membership, or leave."""
    gone = teams.remove_member(membership_id=membership_id, actor=request.actor)
    if gone.user_id == request.actor.user_id:
        messages.success(request, gettext("You are not in %(team)s any more.") % {"team": gone.team.name})
        return redirect("people")
    said = gettext("%(person)s is not in %(team)s any more.")
    messages.success(request, said % {"person": gone.user, "team": gone.team.name})
    return redirect("team", gone.team_id)


@require_POST
@password_asked
def name_admin(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    """An administrator of the console names the admin of a team that would have none."""
    found = teams.name_admin(membership_id=membership_id, actor=request.actor)
    messages.success(request, _role_said(found))
    return redirect("person", found.user_id)


@require_http_methods(["GET", "HEAD", "POST"])
@password_asked
def new(request: HttpRequest) -> HttpResponse:
    """A new team and its first admin, by an administrator of the console."""
    charge.check_may_administer(request.actor)
    form = TeamForm(request.POST if request.method == "POST" else None, label_suffix="")
    if form.is_valid():
        try:
            made = teams.create(name=form.cleaned_data["name"], admin=form.cleaned_data["first"], actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        else:
            messages.success(request, gettext("The team %(team)s is there.") % {"team": made.name})
            return redirect("people")
    status = 422 if form.is_bound else 200
    return render(request, "memories/team_new.html", {"nav": "people", "form": form}, status=status)
