"""A browser that is signed in, and a count of all rows that a refusal must leave alone."""

from __future__ import annotations

import re
import time
from html import unescape
from typing import Any

from django.apps import apps
from django.http import HttpResponse
from django.test import Client

from console.credentials import SIGNED_IN_AT
from memories.models import Memory, User

HTMX = {"HX-Request": "true"}
NOT_COUNTED = {"AuditRecord", "AuditHead", "Session"}


def signed_in(who: User, *, seconds_ago: float = 0) -> Client:
    """`who` in a browser, the password given `seconds_ago`."""
    client = Client()
    client.force_login(who)
    session = client.session
    session[SIGNED_IN_AT] = time.time() - seconds_ago
    session.save()
    return client


def text_of(response: HttpResponse) -> str:
    """What a reader sees of a page, in one line."""
    body = re.sub(r"<template.*?</template>|<head>.*?</head>", " ", response.content.decode(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def everything() -> dict[str, list[Any]]:
    """All rows of all models but the audit and sessions, to be compared."""
    return {
        model.__name__: sorted(map(str, model._default_manager.values_list()))
        for model in apps.get_models()
        if model.__name__ not in NOT_COUNTED
    }


def records_now() -> dict[str, list[Any]]:
    """All rows of all models but the audit, sessions, requests for a token, and what notes when somebody was here."""
    return {name: rows for name, rows in everything().items() if name not in ("User", "ApiToken", "DeviceLogin")}


def standing(memory: Memory) -> tuple[str, int]:
    """Status and version as they are stored now."""
    memory.state.refresh_from_db()
    return memory.state.status, memory.state.version
