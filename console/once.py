"""Idempotency of the API: a POST with a key has its effect once, and its answer can be had again for a day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast

from django.http import HttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor
from memories.services import answers

HEADERS = ("Idempotency-Key", "X-Idempotency-Key")
FIELD = "idempotency_key"
Handler = Callable[..., Response]


@dataclass(frozen=True, slots=True)
class Page:
    """Which part of one thing a request sends, and the field that says so: all parts may have one key."""

    field: str
    number: str


def once(handler: Handler) -> Handler:
    """The verb of a Door, carried out once for each key and page. What was refused changed nothing and is not kept."""

    @wraps(handler)
    def carried_out(self: Any, request: Request, *args: Any, **kwargs: Any) -> Any:
        actor: Actor = request._request.actor  # type: ignore[attr-defined]
        if (key := key_of(request)) is None or actor.user_id is None or not self.keeps_answers(request):
            return handler(self, request, *args, **kwargs)
        page = self.page_of(request)
        sent, route = _sent(request, page), _route(request)
        whole = answers.ask(key=key, route=route, sent=sent, actor=actor) if page else None
        asked = answers.ask(key=key, route=f"{route}#{page.number}" if page else route, sent=sent, actor=actor)
        if asked.answer is not None:
            return _again(asked.answer)
        response = handler(self, request, *args, **kwargs)
        if response.status_code < 400:
            body = JSONRenderer().render(response.data)
            answer = answers.Answer(response.status_code, body, response.headers.get("ETag", ""))
            answers.keep(asked, answer, names=request.path, actor=actor)
            if whole is not None and whole.answer is None:
                answers.keep(whole, answers.Answer(response.status_code, b"{}"), names=request.path, actor=actor)
        return response

    return carried_out


def _body(request: Request) -> dict[str, Any]:
    return cast(dict[str, Any], request.data)


def plain_body(request: Request) -> dict[str, Any]:
    """The JSON object that was sent, without its key."""
    return {name: value for name, value in _body(request).items() if name != FIELD}


def key_of(request: Request) -> str | None:
    """The key of this request, in a header or in the body; None without one. Raises Invalid."""
    given = {name: request.headers[name] for name in HEADERS if request.headers.get(name)}
    if (named := _body(request).get(FIELD)) not in (None, ""):
        given[FIELD] = named
    for name, key in given.items():
        where = "body" if name == FIELD else "header"
        if not isinstance(key, str) or len(key) > answers.KEY_LIMIT or not key.isprintable():
            raise Invalid.field(
                name, phrase("A key is a text of at most %(most)s characters.", most=answers.KEY_LIMIT), where=where
            )
        if key != next(iter(given.values())):
            raise Invalid.field(name, phrase("The keys in headers and body differ. Send one."), where=where)
    return next(iter(given.values()), None)


def _route(request: Request) -> str:
    """The address, by its short name: it is the same under both."""
    return f"{request.method} {request.path.removeprefix('/api')}"


def _sent(request: Request, page: Page | None) -> dict[str, Any]:
    """What was sent; of a page what all pages have in common, so that another thing under their key is refused."""
    query = sorted(request.query_params.lists())
    body = {name: value for name, value in plain_body(request).items() if page is None or name != page.field}
    return {"body": body, "query": query, "if_match": request.headers.get("If-Match", "")}


def _again(answer: answers.Answer) -> HttpResponse:
    response = HttpResponse(answer.body, status=answer.status, content_type="application/json")
    response["Idempotent-Replayed"] = "true"
    if answer.etag:
        response["ETag"] = answer.etag
    return response
