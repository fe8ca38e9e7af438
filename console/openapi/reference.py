"""The document as files of the repository: JSON for tools, and a page for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from console.openapi.schema import REFUSALS, document

HEAD = """# API

Made from the code by `manage.py api_reference`; a test keeps it true. The running console shows the same at `/api-docs`
and as OpenAPI 3 at `/v1/openapi.json` (open to everybody: it tells nothing of anybody).

Every address below `/v1` answers the same below `/api/v1`. No address ends in a slash, and none redirects.

- Sign in with a token: `Authorization: Bearer <token>` or `X-API-Key: <token>`. Without one the answer is 401, with one
  that is wrong, revoked or expired it is 403.
- A POST that changes something takes `Idempotency-Key`. Sent again with the same key within a day it changes nothing
  and gets the first answer, with `Idempotent-Replayed: true`. Another request under the same key is refused with 422,
  the same one while the first is under way with 409.
- In a query an empty value counts as left out, in a body a null.
- Where `If-Match` is taken, it holds the ETag of the version that was seen; a record that has moved on is a 412.
- Errors are `{"detail": {"code": …, "message": …}}`, wrong fields `{"detail": [{"loc": […], "msg": …, "type": …}]}`.
"""


def files() -> dict[str, str]:
    """The contents of both files by their names."""
    found = document()
    text = json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True, default=str) + "\n"
    return {"docs/openapi.json": text, "docs/api.md": "\n".join(_page(found))}


def _page(found: dict[str, Any]) -> Iterator[str]:
    yield HEAD
    yield "| Status | Meaning |\n|---|---|"
    yield from (f"| {status} | {meaning} |" for status, meaning in REFUSALS.items())
    by_tag: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
    for path, verbs in found["paths"].items():
        for verb, operation in verbs.items():
            by_tag.setdefault(operation["tags"][0], []).append((verb.upper(), path, operation))
    for tag in sorted(by_tag):
        yield f"\n## {tag.capitalize()}"
        for verb, path, operation in by_tag[tag]:
            yield from _operation(verb, path, operation)
    yield ""


def _operation(verb: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"\n### {verb} {path}\n"
    yield f"**{operation['summary']}.** {operation['description']}"
    rows = [
        (one["name"], one["in"], one["schema"], one.get("required", False), one.get("description", ""))
        for one in operation["parameters"]
        if one["in"] != "header"
    ]
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = content.get("schema", {})
    required = schema.get("required", [])
    rows += [
        (name, "body", one, name in required, one.get("description", ""))
        for name, one in schema.get("properties", {}).items()
    ]
    if rows:
        yield "\n| Name | In | Type | |\n|---|---|---|---|"
    for name, where, one, needed, text in rows:
        yield f"| `{name}`{' (required)' if needed else ''} | {where} | {_type(one)} | {text} |"
    if content.get("example"):
        yield f"\n```json\n{json.dumps(content['example'], ensure_ascii=False)}\n```"
    yield f"\nAnswers {', '.join(sorted(operation['responses']))}."


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " · ".join(f"`{one}`" for one in schema["enum"])
    if "oneOf" in schema:
        return " or ".join(_type(one) for one in schema["oneOf"])
    found = str(schema.get("format") or schema.get("type", "any"))
    if "minimum" in schema and "maximum" in schema:
        found += f", {schema['minimum']} to {schema['maximum']:,}"
    if "maxLength" in schema:
        found += f", up to {schema['maxLength']:,} characters"
    return f"{found} = `{json.dumps(schema['default'])}`" if "default" in schema else found
