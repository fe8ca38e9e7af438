"""The API of memories, below /v1/ and /api/v1/. No address ends in a slash, and none redirects."""

from django.urls import path

from memories.api import forgetting, keys, searching, trail, writing

urlpatterns = [
    path("remember", writing.Remember.as_view(), name="api_remember"),
    path("memories", writing.Memories.as_view(), name="api_memories"),
    path("memories/search", searching.SearchMemories.as_view(), name="api_search"),
    path("memories/<str:record_id>", writing.OneMemory.as_view(), name="api_memory"),
    path("memories/<str:record_id>/versions", writing.Versions.as_view(), name="api_versions"),
    path("memories/<str:record_id>/forget", forgetting.Forget.as_view(), name="api_forget"),
    path("memories/<str:record_id>/restore", forgetting.Restore.as_view(), name="api_restore"),
    path("audit/events", trail.AuditEvents.as_view(), name="api_audit_events"),
    path("auth/token/validate", keys.ValidateToken.as_view(), name="api_validate_token"),
    path("auth/token/revoke-self", keys.RevokeToken.as_view(), name="api_revoke_token"),
]
