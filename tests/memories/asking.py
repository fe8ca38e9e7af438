"""The URL map as requests: which addresses may change something, and a good request to one of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from memories.pages.selecting import VERBS
from tests.memories.api_client import ALL, Api
from tests.memories.factories import ann
from tests.memories.page_client import signed_in

WHY = "as agreed"
EVERYTHING = [*ALL, "admin"]
ID = re.compile(r"<(str|uuid):\w+_id>")
Given = tuple[UUID | None, dict[str, Any]]


def routes(resolver: Any = None, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address of the map with its pattern, the API once; one that takes a verb stands for each of its verbs."""
    for entry in (resolver or get_resolver()).url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from routes(entry, path)
        elif "<str:verb>" in path:
            yield from ((path.replace("<str:verb>", verb), entry) for verb in VERBS)
        elif not path.startswith("api/v1/"):
            yield path, entry


def unsafe_routes() -> set[str]:
    """`POST memories/new` and its like: what takes a method that may change something."""
    found, nobody = set(), Client()
    for path, entry in routes():
        methods = ("POST", "PUT", "PATCH", "DELETE") if path.startswith("v1/") else ("POST",)
        view = getattr(entry.callback, "cls", None)
        for method in methods:
            takes = hasattr(view, method.lower()) if view else _takes(nobody, method, path)
            found |= {f"{method} {path}"} if takes else set()
    return found


def _takes(client: Client, method: str, path: str) -> bool:
    client.force_login(ann())
    return client.generic(method, filled(path, UUID(int=1))).status_code != 405


def filled(path: str, key: UUID | None) -> str:
    return "/" + ID.sub(str(key), path).replace("<int:number>", "1")


@dataclass(frozen=True, slots=True)
class Case:
    """A good request to one address, and the actions its audit lines name. `given` makes the record and the body."""

    route: str
    given: Callable[[], Given]
    actions: tuple[str, ...]

    def ask(self, **token: Any) -> tuple[HttpResponse, UUID | None]:
        """The answer, and the id of the record; for the API with a token of these fields."""
        method, path = self.route.split(" ")
        key, body = self.given()
        address = filled(path, key)
        if path.startswith("v1/"):
            return Api(ann(), **{"scopes": EVERYTHING, **token}).call(method, address, body), key
        browser = Client() if path in ("login", "first-password") else signed_in(ann())
        return browser.post(address, body), key


def of(key: UUID, **body: Any) -> Given:
    """The id of a record and what is sent about it."""
    return key, body
