"""The map of the console: pages at the root, the same API under /v1 and /api/v1."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from console import health
from console.openapi import doors

api: list[URLPattern | URLResolver] = [
    path("onboarding/status", health.onboarding, name="api_onboarding"),
    path("openapi.json", doors.document, name="api_document"),
    path("", include("memories.api_urls")),
    path("", include("reflection.api_urls")),
]

urlpatterns = [
    path("health", health.health, name="health"),
    path("ready", health.ready, name="ready"),
    path(".well-known/agent-discovery.json", health.agent_discovery, name="agent_discovery"),
    path(".well-known/memory-os.json", health.memory_os, name="memory_os"),
    path("v1/", include(api)),
    path("api/v1/", include(api)),
    path("", include("console.page_urls")),
    path("", include("memories.page_urls")),
    path("", include("reflection.page_urls")),
]

handler400 = "console.http.bad_request"
handler403 = "console.http.not_found"
handler404 = "console.http.not_found"
handler500 = "console.http.server_error"
