"""Strict search: what matches, why it was found, or that nothing strong enough was."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def search(request: HttpRequest) -> HttpResponse:
    return render(request, "memories/search.html", {})
