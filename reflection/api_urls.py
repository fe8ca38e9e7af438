"""The API of reflection, below /v1/ and /api/v1/. No address ends in a slash, and none redirects."""

from django.urls import path

from reflection import api, api_dream, api_review, api_setup

urlpatterns = [
    path("reflect", api.Reflect.as_view(), name="api_reflect"),
    path("passes", api.Passes.as_view(), name="api_passes"),
    path("passes/revert", api.Revert.as_view(), name="api_revert"),
    path("passes/<str:pass_id>", api.OnePass.as_view(), name="api_pass"),
    path("passes/<str:pass_id>/candidates", api.Candidates.as_view(), name="api_candidates"),
    path("passes/<str:pass_id>/approve", api.Approve.as_view(), name="api_approve"),
    path("passes/<str:pass_id>/reject", api.Reject.as_view(), name="api_reject"),
    path("passes/<str:pass_id>/apply", api.Apply.as_view(), name="api_apply"),
    path("passes/<str:pass_id>/rollback", api.RollBack.as_view(), name="api_rollback"),
    path("reflect/policy", api_setup.Policy.as_view(), name="api_policy"),
    path("reflect/policy/versions", api_setup.Versions.as_view(), name="api_policy_versions"),
    path("reflect/policy/preview", api_setup.Preview.as_view(), name="api_policy_preview"),
    path("reflect/schedules", api_setup.Schedules.as_view(), name="api_schedules"),
    path("reflect/schedules/<str:schedule_id>", api_setup.OneSchedule.as_view(), name="api_schedule"),
    path("memories/<str:record_id>/lineage", api_review.Lineage.as_view(), name="api_lineage"),
    path("memories/<str:record_id>/why", api_review.Why.as_view(), name="api_why"),
    path("memories/<str:record_id>/importance", api_review.Importance.as_view(), name="api_importance"),
    path("me/dream/settings", api_dream.Settings.as_view(), name="api_dream_settings"),
    path("me/dream/runs", api_dream.Runs.as_view(), name="api_dream_runs"),
    path("me/dream/runs/<str:pass_id>", api_dream.OneRun.as_view(), name="api_dream_run"),
    path("me/dream/runs/<str:pass_id>/confirm", api_dream.Confirm.as_view(), name="api_dream_confirm"),
    path("audit/consolidation", api.Consolidation.as_view(), name="api_consolidation"),
]
