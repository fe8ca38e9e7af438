"""The document itself: drf-spectacular walks the addresses, and each operation is told as the tables have it."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

from django.urls import resolve
from drf_spectacular.drainage import warn
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from console.contract import tolerant
from console.openapi import answers, answers_of_passes, examples, links, of_kinds, of_memories, of_passes
from console.openapi.fields import UUID, Schema, body_schema, query_parameters, text
from console.openapi.told import Told

OPERATIONS: dict[str, Told] = {**of_memories.OPERATIONS, **of_kinds.OPERATIONS, **of_passes.OPERATIONS}
NAMED: dict[str, Schema] = answers.COMPONENTS | answers_of_passes.COMPONENTS
SUCCESS = "Done."
SIGN_IN = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "A token, as Authorization: Bearer <token>."},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key", "description": "The same token."},
}
KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "description": "Sent again with the same key within a day, the request changes nothing and gets the first answer.",
    "schema": text(255, "4f1c7c1e-ticket-1"),
}
IF_MATCH = {
    "in": "header",
    "name": "If-Match",
    "description": "The ETag of the version that was seen. Where the record has moved on, the answer is 412.",
    "schema": text(40, '"3"'),
}
REFUSALS = {
    400: "It cannot be read, or an id is none.",
    401: "No credential.",
    403: "The credential is wrong or lacks the scope, or this lies outside its boundary.",
    404: "There is nothing here, or it is not the caller's to see.",
    405: "The address takes other verbs.",
    409: "Something stands in the way: another state, another version, or the same request under way.",
    411: "The length of the body is missing.",
    412: "The record is not at the version that If-Match names.",
    413: "The body is too large.",
    414: "The address is too long.",
    415: "The body is not JSON in UTF-8.",
    422: "Fields are wrong; each is named with a sentence.",
    429: "Too many requests; Retry-After says how many seconds to wait.",
    503: "A part that is needed is down; try again.",
}


def kept(endpoints: list[Any]) -> list[Any]:
    """Each address once: what answers under /v1 answers under /api/v1 too."""
    return [one for one in endpoints if not one[0].startswith("/api/")]


def completed(result: Schema, generator: Any, request: Any, public: Any) -> Schema:
    """What operations refer to: what is answered, the refusals, which are alike everywhere, and how to sign in."""
    found = {}
    for status, meaning in REFUSALS.items():
        schema = {"$ref": f"#/components/schemas/{'Invalid' if status == 422 else 'Error'}"}
        headers = {"Retry-After": {"schema": {"type": "integer"}}} if status in (429, 503) else None
        content = {"application/json": {"schema": schema, "example": examples.of_refusal(status, meaning)}}
        found[f"Refused{status}"] = {
            "description": meaning,
            **({"headers": headers} if headers else {}),
            "content": content,
        }
    result["components"] = {
        "schemas": NAMED,
        "responses": found,
        "securitySchemes": SIGN_IN,
    }
    return result


class Described(AutoSchema):
    """One operation, as `OPERATIONS` tells it. One that is not told is a warning, and the checks fail on those."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> dict[str, Any] | None:
        """The operation object."""
        name = f"{method} {path.removeprefix('/v1/')}"
        told = OPERATIONS.get(name)
        if told is None:
            warn(f"{name} is not told. Add it to the tables in console/openapi.")
            return None
        operation: dict[str, Any] = {
            "operationId": links.name_of(method, path),
            "summary": told.summary,
            "description": self._description(told, method),
            "tags": [self._tag(path)],
            "parameters": [*_of_path(path), *_of_headers(told, method)],
            "security": [] if told.open_ else [{"bearer": []}, {"key": []}, *([{}] if told.partly_open else [])],
            "responses": _linked(_responses(told, path, method), name),
        }
        if told.query:
            operation["parameters"] += query_parameters(told.query)
        if told.body is not None:
            operation["requestBody"] = _body(told)
        if told.scope:
            operation["x-required-scope"] = told.scope
        return operation

    def _description(self, told: Told, method: str) -> str:
        said = inspect.getdoc(getattr(self.view, method.lower())) or ""
        needs = f"Needs {'the scope ' if ':' in told.scope or told.scope in ('audit', 'admin') else ''}{told.scope}."
        return f"{said}\n\n{needs}" if told.scope else said

    def _tag(self, path: str) -> str:
        parts = [part for part in path.split("/") if part not in ("", "v1", "me")]
        first = parts[0] if path.startswith("/v1/") else "console"
        return TAGS.get(first, first)


TAGS = {
    "remember": "memories",
    "recall": "memories",
    "forget": "memories",
    "erasures": "memories",
    "projects": "memories",
    "reflect": "passes",
    "dream": "passes",
    "update_state": "working state",
    "restart": "working state",
    "auth": "tokens",
    "onboarding": "console",
    "openapi.json": "console",
}


def _of_path(path: str) -> list[Schema]:
    found = []
    for name in re.findall(r"\{(\w+)\}", path):
        schema = {"number": {"type": "integer", "minimum": 0}, "project_id": text(150, "42")}.get(name, UUID)
        found.append({"in": "path", "name": name, "required": True, "schema": schema})
    return found


def _of_headers(told: Told, method: str) -> list[Schema]:
    return [*([KEY] if method == "POST" and told.changes else []), *([IF_MATCH] if told.versioned else [])]


def _body(told: Told) -> Schema:
    schema = told.body if isinstance(told.body, dict) else body_schema(told.body)  # type: ignore[arg-type]
    content: Schema = {"schema": schema}
    if told.example is not None:
        content["example"] = told.example
    return {"content": {"application/json": content}, "required": bool(schema.get("required"))}


def _responses(told: Told, path: str, method: str) -> Schema:
    content = {told.media: {"schema": told.answer} | _example(told)}
    found: dict[str, Any] = {
        str(status): {"description": meaning, "content": content}
        for status, meaning in {200: SUCCESS, **told.answers}.items()
    }
    refusals = {400, 414, 429, 503, *told.refusals} | (set() if told.open_ else {401, 403})
    if told.query or told.body is not None or not tolerant(resolve(path.replace("{number}", "1"))):
        refusals |= {422}
    if method != "GET":
        refusals |= {409, 411, 413, 415, 422}
    if "{" in path:
        refusals |= {404}
    if "forget" in path:
        refusals |= {404}
    if told.versioned:
        refusals |= {412}
    found |= {str(status): {"$ref": f"#/components/responses/Refused{status}"} for status in sorted(refusals)}
    if path.endswith("auth/device/token"):
        error = {"type": "object", "properties": {"error": {"type": "string"}, "detail": {}}}
        waits = {"application/json": {"schema": error, "example": {"error": "authorization_pending"}}}
        found["400"] = {"description": "There is no token (yet).", "content": waits}
    if path == "/ready":
        found["503"] = {"description": "It cannot.", "content": content}
    return found


def _linked(responses: Schema, name: str) -> Schema:
    """The same, with what may follow where it succeeded."""
    found = links.links(name, {one: told.summary for one, told in OPERATIONS.items()})
    return responses | {"200": {**responses["200"], "links": found}} if found else responses


def _example(told: Told) -> Schema:
    return {"example": examples.of_answer(told.answer, NAMED)} if told.answer.get("type") != "string" else {}


@cache
def document() -> dict[str, Any]:
    """The whole document."""
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found
