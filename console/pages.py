"""Signing in and out, and the theme."""

from __future__ import annotations

import time
from typing import Any, cast
from urllib.parse import urlsplit

from django.contrib.auth import authenticate
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from console import carried
from console.credentials import SIGNED_IN_AT
from console.errors import Invalid
from console.frame import THEMES
from console.http import public
from console.saying import phrase
from memories.models import User
from memories.services import sign_in

YEAR_SECONDS = 365 * 24 * 3600
OF_THE_STEP = ("password", "next")  # fields of the password page itself


def local(request: HttpRequest, otherwise: str) -> str:
    """The address in `next` when it lies in this console, else `otherwise`."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe and wanted.startswith("/") else otherwise


class SignInForm(AuthenticationForm):
    """Name and password; one answer for every mismatch, so that nobody learns which names exist."""

    error_messages = {
        "invalid_login": _("This name and password do not belong together. Check both and try again."),
        "inactive": _("This name and password do not belong together. Check both and try again."),
    }

    def clean(self) -> dict[str, Any]:
        """Refuses before the password is looked at when there were too many attempts."""
        sign_in.check_not_throttled(username=self.data.get("username", ""), actor=cast(Any, self.request).actor)
        return super().clean()


class SignIn(LoginView):
    """The sign-in page."""

    authentication_form = SignInForm
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Who has signed in meanwhile, in another window, keeps the form that came along too."""
        if request.user.is_authenticated and self._goes_on():
            return self._send_again()
        return super().dispatch(request, *args, **kwargs)

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        """Where `next` leads; never back to this page, which would go round in circles."""
        wanted = super().get_redirect_url()
        return "" if urlsplit(wanted).path == self.request.path else wanted

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """A new session that knows when the password was given."""
        response = super().form_valid(form)
        self.request.session[SIGNED_IN_AT] = time.time()
        sign_in.welcome(user=form.get_user(), actor=self.request.actor)
        return self._send_again() if self._goes_on() else response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """The page once more. Its status is 200: the audit line of the refusal is to be kept."""
        sign_in.refuse(username=form.data.get("username", ""), actor=self.request.actor)
        return super().form_invalid(form)

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """With the form that came along."""
        along = {"form_sent": True, "carried": self.request.POST["carried"]} if self._goes_on() else {}
        return super().get_context_data(**more) | along

    def _goes_on(self) -> bool:
        """Whether a form came along, sent while nobody was signed in."""
        along = self.request.POST.get("carried")
        return along is not None and len(along) <= carried.CARRIED_MOST and bool(self.get_redirect_url())

    def _send_again(self) -> HttpResponse:
        fields = carried.read(self.request.POST["carried"])
        context = {"target": self.get_redirect_url(), "fields": fields}
        return render(self.request, "console/send_again.html", context)


class SignOut(LogoutView):
    """Ends the session here and clears what the browser keeps."""

    http_method_names = ["post", "options"]

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Back to the sign-in page."""
        response = super().post(request, *args, **kwargs)
        response["Clear-Site-Data"] = '"cookies", "storage"'
        return response


login = public(SignIn.as_view())
logout = public(SignOut.as_view())


class SameRequestAgain(HttpResponseRedirect):
    """The browser sends the form it has just sent to another address: nothing has to be typed twice."""

    status_code = 307


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_again(request: HttpRequest) -> HttpResponse:
    """Ask for the password before something grave; what was being done goes on afterwards."""
    target = local(request, reverse("overview"))
    if request.method != "POST":
        return password_step(request, target)
    name = request.actor.name
    sign_in.check_not_throttled(username=name, actor=request.actor)
    if authenticate(request, username=name, password=request.POST.get("password", "")) is None:
        sign_in.refuse(username=name, actor=request.actor)
        return password_step(request, target, wrong=True)
    request.session.cycle_key()
    request.session[SIGNED_IN_AT] = time.time()
    sign_in.welcome(user=cast(User, request.user), again=True, actor=request.actor)
    return SameRequestAgain(target) if carried.fields(request, without=OF_THE_STEP) else redirect(target)


def password_step(request: HttpRequest, target: str, *, wrong: bool = False, status: int = 200) -> HttpResponse:
    """The password page. It carries along the fields of a form that was sent, and sends them on to `target`."""
    context = {"target": target, "wrong": wrong, "fields": carried.fields(request, without=OF_THE_STEP)}
    return render(request, "console/sign_in_again.html", context, status=status)


@public
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Remember light, dark or auto in a cookie."""
    chosen = request.POST.get("theme", "")
    if chosen not in THEMES:
        raise Invalid.field("theme", phrase("Choose one of %(choices)s.", choices=", ".join(THEMES)))
    response = redirect(local(request, reverse("overview")))
    secure = request.is_secure()
    response.set_cookie("theme", chosen, max_age=YEAR_SECONDS, samesite="Lax", secure=secure, httponly=True)
    return response
