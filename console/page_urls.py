"""Addresses of the shell."""

from django.urls import path

from console import going, overview, pages
from console.first_password import first_password
from console.help import help_page
from console.openapi import doors

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("login", pages.login, name="login"),
    path("first-password", first_password, name="first-password"),
    path("logout", pages.logout, name="logout"),
    path("sign-in-again", pages.sign_in_again, name="sign-in-again"),
    path("api-docs", doors.api_docs, name="api-docs"),
    path("go", going.go, name="go"),
    path("keys", going.keys, name="keys"),
    path("help", help_page, name="help"),
    path("theme", pages.theme, name="theme"),
]
