"""Addresses of the shell."""

from django.urls import path

from console import pages

urlpatterns = [
    path("login", pages.login, name="login"),
    path("logout", pages.logout, name="logout"),
    path("sign-in-again", pages.sign_in_again, name="sign-in-again"),
    path("theme", pages.theme, name="theme"),
]
