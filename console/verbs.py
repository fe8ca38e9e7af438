"""A verb that a page does not know: Django answers it with an empty page, and here a sentence takes its place."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase

from console.errors import MethodRefused
from console.http import Handler
from console.refusal import is_api, refusal_response
from console.saying import phrase


def told(get_response: Handler) -> Handler:
    """Say that the page is not for looking at, or not for sending to. The API says so itself."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code != 405 or is_api(request):
            return response
        refusal = MethodRefused(phrase("%(method)s is not possible here.", method=request.method))
        answer = refusal_response(request, refusal)
        answer["Allow"] = response["Allow"]
        return answer

    return handle
