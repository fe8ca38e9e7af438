"""Addresses of the pages."""

from __future__ import annotations

from django.urls import path

from reflection.pages import ahead, decide, lineage, lists, new, notices, planning, policy, revert, schedules, show, why

urlpatterns = [
    path("passes", lists.passes, name="passes"),
    path("passes/new", new.new, name="pass-new"),
    path("passes/revert", revert.revert, name="pass-revert"),
    path("passes/<uuid:pass_id>", show.show, name="pass"),
    path("passes/<uuid:pass_id>/candidates/<uuid:candidate_id>", show.candidate, name="pass-candidate"),
    path("passes/<uuid:pass_id>/status", show.status, name="pass-status"),
    path("passes/<uuid:pass_id>/planning", planning.status, name="pass-planning"),
    path("passes/<uuid:pass_id>/cancel", decide.cancel, name="pass-cancel"),
    path("passes/<uuid:pass_id>/report", show.text, name="pass-report"),
    path("passes/<uuid:pass_id>/select", decide.select, name="pass-select"),
    path("passes/<uuid:pass_id>/approve", decide.approve, name="pass-approve"),
    path("passes/<uuid:pass_id>/reject", decide.reject, name="pass-reject"),
    path("passes/<uuid:pass_id>/undo", decide.take_back, name="pass-undo"),
    path("passes/<uuid:pass_id>/undo-some", decide.take_some_back, name="pass-undo-some"),
    path("passes/<uuid:pass_id>/sign-off", decide.sign_off, name="pass-sign-off"),
    path("memories/<uuid:record_id>/lineage", lineage.show, name="memory-lineage"),
    path("memories/<uuid:record_id>/why", why.show, name="memory-why"),
    path("memories/<uuid:record_id>/importance", ahead.show, name="memory-importance"),
    path("inbox", lists.inbox, name="inbox"),
    path("notices", notices.all_of, name="notices"),
    path("notices/<uuid:subscription_id>/end", notices.end, name="notice-end"),
    path("policies", policy.all_of, name="policies"),
    path("policies/<uuid:space_id>", policy.one, name="policy"),
    path("policies/<uuid:space_id>/preview", policy.effect, name="policy-preview"),
    path("policies/<uuid:space_id>/versions/<int:number>", policy.version, name="policy-version"),
    path("schedules", schedules.all_of, name="schedules"),
    path("schedules/new", schedules.new, name="schedule-new"),
    path("schedules/<uuid:schedule_id>", schedules.one, name="schedule"),
    path("schedules/<uuid:schedule_id>/pause", schedules.pause, name="schedule-pause"),
    path("schedules/<uuid:schedule_id>/resume", schedules.resume, name="schedule-resume"),
    path("schedules/<uuid:schedule_id>/delete", schedules.delete, name="schedule-delete"),
]
