"""Addresses of the pages about records."""

from django.urls import path

from memories.pages import (
    access,
    auditing,
    caring,
    erasing,
    listing,
    memory,
    moving,
    overview,
    retention,
    searching,
    selecting,
    trash,
)

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("memories", listing.memories, name="memories"),
    path("memories/new", memory.new, name="memory-new"),
    path("memories/<uuid:record_id>", memory.memory, name="memory"),
    path("memories/<uuid:record_id>/edit", memory.edit, name="memory-edit"),
    path("memories/<uuid:record_id>/forget", moving.forget, name="memory-forget"),
    path("memories/<uuid:record_id>/restore", moving.restore, name="memory-restore"),
    path("memories/<uuid:record_id>/status", caring.set_status, name="memory-status"),
    path("memories/<uuid:record_id>/space", caring.move, name="memory-move"),
    path("memories/<uuid:record_id>/pin", caring.pin, name="memory-pin"),
    path("memories/<uuid:record_id>/redact", caring.redact, name="memory-redact"),
    path("memories/<uuid:record_id>/versions/<int:number>/revert", caring.revert, name="memory-revert"),
    path("records/<uuid:record_id>/hold", caring.hold, name="hold"),
    path("records/selected/<str:verb>", selecting.selected, name="selected"),
    path("trash", trash.trash, name="trash"),
    path("trash/retention", retention.retention, name="trash-retention"),
    path("records/<uuid:record_id>/erase", erasing.erase, name="erase"),
    path("erasure-requests/<uuid:request_id>", erasing.erasure_request, name="erasure-request"),
    path("erased/<uuid:record_id>", erasing.erased, name="erased"),
    path("erased/<uuid:record_id>.json", erasing.erased_json, name="erased-json"),
    path("erased/<uuid:record_id>/verify", erasing.verify, name="erased-verify"),
    path("search", searching.search, name="search"),
    path("audit", auditing.audit, name="audit"),
    path("access", access.access, name="access"),
]
