"""The API of memories, below /v1/ and /api/v1/. No address ends in a slash, and none redirects."""

from django.urls import path

from memories.api import erasures, forgetting, keys, ledger, protecting, reminders, searching, trail, writing

urlpatterns = [
    path("remember", writing.Remember.as_view(), name="api_remember"),
    path("memories", writing.Memories.as_view(), name="api_memories"),
    path("memories/search", searching.SearchMemories.as_view(), name="api_search"),
    path("memories/<str:record_id>", writing.OneMemory.as_view(), name="api_memory"),
    path("memories/<str:record_id>/versions", writing.Versions.as_view(), name="api_versions"),
    path("memories/<str:record_id>/versions/<int:number>/revert", writing.Revert.as_view(), name="api_revert_version"),
    path("memories/<str:record_id>/pin", protecting.Pin.as_view(), name="api_pin"),
    path("memories/<str:record_id>/hold", protecting.Hold.as_view(), name="api_hold"),
    path("memories/<str:record_id>/forget", forgetting.ForgetOne.as_view(), name="api_forget"),
    path("forget", forgetting.Forget.as_view(), name="api_forget_target"),
    path("memories/<str:record_id>/restore", forgetting.Restore.as_view(), name="api_restore"),
    path("reminders", reminders.Reminders.as_view(), name="api_reminders"),
    path("reminders/<str:record_id>", reminders.Reminder.as_view(), name="api_reminder"),
    path("reminders/<str:record_id>/complete", reminders.Complete.as_view(), name="api_complete_reminder"),
    path("reminders/<str:record_id>/reopen", reminders.Reopen.as_view(), name="api_reopen_reminder"),
    path("me/ledger/transactions", ledger.Transactions.as_view(), name="api_transactions"),
    path("me/ledger/transactions/<str:record_id>", ledger.Transaction.as_view(), name="api_transaction"),
    path("me/ledger/monthly-summary", ledger.MonthlySummary.as_view(), name="api_monthly_summary"),
    path("erasures/<str:record_id>", erasures.OneErasure.as_view(), name="api_erasure"),
    path("audit/events", trail.AuditEvents.as_view(), name="api_audit_events"),
    path("auth/token/validate", keys.ValidateToken.as_view(), name="api_validate_token"),
    path("auth/token/revoke-self", keys.RevokeToken.as_view(), name="api_revoke_token"),
]
