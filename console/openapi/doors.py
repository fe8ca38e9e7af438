"""Where the document is had: as JSON, open to everybody because it tells nothing of anybody, and as a page."""

from __future__ import annotations

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door
from console.http import public
from console.openapi import schema


class Document(Door):
    """GET openapi.json."""

    def get(self, request: Request) -> Response:
        """What every address takes and answers, as OpenAPI 3."""
        return Response(schema.document())


document = public(Document.as_view())


@require_safe
@csp_update({"img-src": ["data:"]})  # type: ignore[arg-type]  # the arrows in the style sheet of Swagger UI
def api_docs(request: HttpRequest) -> HttpResponse:
    """The document to read and to try out."""
    return render(request, "console/api_docs.html")
