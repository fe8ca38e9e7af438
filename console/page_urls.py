"""Addresses of the shell."""

from django.urls import path

from console import going, pages
from console.openapi import doors

urlpatterns = [
    path("login", pages.login, name="login"),
    path("logout", pages.logout, name="logout"),
    path("sign-in-again", pages.sign_in_again, name="sign-in-again"),
    path("api-docs", doors.api_docs, name="api-docs"),
    path("go", going.go, name="go"),
    path("keys", going.keys, name="keys"),
    path("theme", pages.theme, name="theme"),
]
