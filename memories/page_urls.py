"""Addresses of the pages about records."""

from django.urls import path

from memories.pages import access, auditing, erasing, listing, memory, moving, overview, searching, trash

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("memories", listing.memories, name="memories"),
    path("memories/new", memory.new, name="memory-new"),
    path("memories/<uuid:record_id>", memory.memory, name="memory"),
    path("memories/<uuid:record_id>/edit", memory.edit, name="memory-edit"),
    path("memories/<uuid:record_id>/forget", moving.forget, name="memory-forget"),
    path("memories/<uuid:record_id>/restore", moving.restore, name="memory-restore"),
    path("trash", trash.trash, name="trash"),
    path("records/<uuid:record_id>/erase", erasing.erase, name="erase"),
    path("erasure-requests/<uuid:request_id>", erasing.erasure_request, name="erasure-request"),
    path("erased/<uuid:record_id>", erasing.erased, name="erased"),
    path("erased/<uuid:record_id>/verify", erasing.verify, name="erased-verify"),
    path("search", searching.search, name="search"),
    path("audit", auditing.audit, name="audit"),
    path("access", access.access, name="access"),
]
