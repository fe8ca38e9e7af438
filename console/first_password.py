"""Choosing a first password with the code that an administrator passed on."""

from __future__ import annotations

import time

from django import forms
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from console.credentials import SIGNED_IN_AT
from console.errors import Invalid
from console.http import public
from memories.services import people, sign_in


class FirstPasswordForm(forms.Form):
    """Who, the code, and the password that they choose."""

    username = forms.CharField(
        label=_("Username"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )
    code = forms.CharField(
        label=_("Code"),
        max_length=200,
        help_text=_("From whoever added you. It works once, for three days."),
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    password = forms.CharField(
        label=_("New password"),
        strip=False,
        max_length=1000,
        help_text=_("At least 12 characters; a sentence is easier to keep in mind than a word."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


@public
@sensitive_post_parameters("password", "code")
@require_http_methods(["GET", "HEAD", "POST"])
def first_password(request: HttpRequest) -> HttpResponse:
    """The form; posted, the person is signed in."""
    if request.method != "POST":
        return _page(request, FirstPasswordForm(label_suffix="", initial={"username": request.GET.get("name", "")}))
    form = FirstPasswordForm(request.POST, label_suffix="")
    if not form.is_valid():
        return _page(request, form, status=422)
    given = form.cleaned_data
    sign_in.check_not_throttled(username=given["username"], actor=request.actor)
    try:
        user = people.use_code(**given, actor=request.actor)
    except people.WrongCode as refusal:
        form.add_error(None, refusal.told)
        sign_in.refuse(username=given["username"], actor=request.actor)
        return _page(request, form)  # its status is 200: the audit line of the refusal is to be kept
    except Invalid as refusal:
        form.add_error("password", [problem.told for problem in refusal.problems])
        return _page(request, form, status=422)
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")
    request.session[SIGNED_IN_AT] = time.time()
    return redirect("overview")


def _page(request: HttpRequest, form: FirstPasswordForm, *, status: int = 200) -> HttpResponse:
    return render(request, "console/first_password.html", {"form": form}, status=status)
