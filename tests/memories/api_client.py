"""A client of the API with a token, and a count of all rows that a refusal must leave alone."""

from __future__ import annotations

import json
from typing import Any

from django.apps import apps
from django.http import HttpResponse
from django.test import Client

from memories.models import User
from tests.memories import factories

ALL = ["memory:read", "memory:write", "memory:delete", "ledger:read", "ledger:write", "audit"]
NOT_COUNTED = {"AuditRecord", "AuditHead", "Session"}


class Api:
    """Calls with the token of `who`; `fields` are the token's scopes and bounds."""

    def __init__(self, who: User, prefix: str = "/v1/", **fields: Any) -> None:
        fields.setdefault("scopes", ALL)
        self.token, self.key = factories.token(who, **fields)
        self.prefix = prefix
        self.client = Client()

    def call(self, verb: str, path: str, body: Any = None, query: Any = None, **headers: str) -> HttpResponse:
        """One request; `body` is sent as JSON, or as it is when it is bytes."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        address = path if path.startswith("/") else self.prefix + path
        sent = {
            "Authorization": f"Bearer {self.key}",
            **{name.replace("_", "-"): text for name, text in headers.items()},
        }
        kind = sent.pop("Content-Type", "application/json")
        return self.client.generic(verb, address, data, content_type=kind, query_params=query, headers=sent)

    def get(self, path: str, /, **query: Any) -> HttpResponse:
        return self.call("GET", path, query=query)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.call("POST", path, {} if body is None else body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> HttpResponse:
        return self.call("PATCH", path, body, **headers)


def rows() -> dict[str, int]:
    """How many rows each table of ours holds, the audit of refusals aside."""
    models = [model for name in ("memories", "reflection") for model in apps.get_app_config(name).get_models()]
    return {model.__name__: model.objects.count() for model in models if model.__name__ not in NOT_COUNTED}


def problems(response: HttpResponse) -> list[str]:
    """The last part of each location in a 422."""
    assert response.status_code == 422, response.content
    assert all(set(one) == {"loc", "msg", "type"} for one in response.json()["detail"])
    return [one["loc"][-1] for one in response.json()["detail"]]


def code(response: HttpResponse) -> str:
    """The stable code of an error."""
    return response.json()["detail"]["code"]
