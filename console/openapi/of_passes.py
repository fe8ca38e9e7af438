"""Operations on passes, policies and schedules."""

from __future__ import annotations

from console.openapi.answers import COUNT, FLAG, IDS, OBJECT, TEXT, TIME, UUID, like, many, maybe, one_of, ref, thing
from console.openapi.answers_of_passes import SIDE
from console.openapi.fields import BY_NAME, SHARE, Schema, text
from console.openapi.fields import TIME as WHEN
from console.openapi.told import Told
from reflection import api, api_dream, api_review, api_setup
from reflection.states import Action

ACTIONS: Schema = {"type": "array", "items": {"type": "string", "enum": [name.value for name in Action]}}
REFLECT: Schema = {
    "type": "object",
    "properties": {
        "actions_csv": text(200, "summarize,promote,expire,decay,archive"),
        "actions": ACTIONS | {"nullable": True, "description": "The same as a list."},
        "dry_run": {"type": "boolean", "default": False},
        "time_window_hours": {"type": "number", "exclusiveMinimum": True, "minimum": 0, "default": 24},
        "since": WHEN | {"nullable": True},
        "until": WHEN | {"nullable": True},
        "path_filter": text(200, "%"),
        "owner_filter": text(150, nullable=True),
        "bucket": text(200, "%"),
        "scope": BY_NAME["scope"] | {"nullable": True},
        "team_id": text(36, nullable=True),
        "limit": {"type": "integer", "minimum": 1, "default": 500},
    },
}
DAYS: Schema = {"type": "integer", "minimum": 1, "maximum": 365, "nullable": True}
RUN_GIVEN: Schema = REFLECT | {"properties": {**REFLECT["properties"], "window_days": DAYS}}
REVERT: Schema = {
    "type": "object",
    "properties": {"token": text(36), "since": WHEN, "until": WHEN | {"nullable": True}, "limit": {"type": "integer"}},
    "required": ["token"],
}
PREVIEW = {"actions_csv": "expire,decay", "dry_run": True, "path_filter": "projects/%"}
WAITS = {202: "It waits for a person at `url`, or for the worker that makes its plan."}
DIGEST = {"digest": "…", "exclude": [], "comment": "looked through"}
RUNS = "me/dream/runs"
RUN_SETTINGS = thing(
    version=COUNT,
    settings=OBJECT,
    enabled=FLAG,
    mode=like("confirm_each_run"),
    entitlement=thing(can_preview=FLAG, can_apply=FLAG),
)
EFFECT = thing(
    version=COUNT,
    changed=many(OBJECT),
    records=COUNT,
    compared=FLAG,
    without_model=FLAG,
    now=maybe(OBJECT),
    proposed=OBJECT,
    differences=many(OBJECT),
    later=many(thing(at=TIME, archived_now=COUNT, archived_proposed=COUNT)),
)
WHY = thing(
    **IDS,
    policy=OBJECT,
    as_of=TIME,
    time_window_hours={"type": "number"},
    compared={},
    boundary={},
    out_of_reach=maybe(TEXT),
    answers=many(OBJECT),
)
AHEAD = thing(
    steady_because=maybe(TEXT),
    written_from=maybe(TIME),
    below_from=maybe(TIME),
    leaves_known=FLAG,
    leaves=maybe(thing(at=TIME, action=one_of("expire", "archive"), rule=TEXT, text=TEXT)),
    importance=many(thing(days=COUNT, importance=SHARE)),
)
IMPORTANCE = thing(**IDS, policy=OBJECT, as_of=TIME, stored=SHARE, out_of_reach=maybe(TEXT), ahead=maybe(AHEAD))
CANDIDATES = thing(
    pass_id=UUID, status=like("planned"), digest=TEXT, candidates=many(ref("Candidate")), next_cursor=maybe(COUNT)
)

OPERATIONS = {
    "POST reflect": Told(
        "Run a pass", ref("Report"), "memory:read memory:write", body=REFLECT, example=PREVIEW, answers=WAITS
    ),
    "GET passes": Told(
        "List passes",
        thing(passes=many(ref("Pass")), next_cursor=maybe(UUID)),
        "memory:read",
        query=api.ListShape,
    ),
    "POST passes/revert": Told(
        "Plan to take back what a token wrote",
        ref("Report"),
        "memory:read memory:write",
        body=REVERT,
        example={"token": "01a22ca2-8482-7386-8256-67939b2aa67b", "since": "2026-11-30T10:00:00Z"},
        answers=WAITS,
        refusals=(404,),
    ),
    "GET passes/{pass_id}": Told("Look at a pass", ref("Report"), "memory:read"),
    "GET passes/{pass_id}/candidates": Told(
        "List candidates of a pass", CANDIDATES, "memory:read", query=api.CandidatesShape
    ),
    "POST passes/{pass_id}/approve": Told(
        "Approve a plan", ref("Pass"), "a person at the console", body=api.DecisionShape, example=DIGEST
    ),
    "POST passes/{pass_id}/reject": Told(
        "Reject a plan", ref("Pass"), "a person at the console", body=api.DecisionShape, example={"comment": "no"}
    ),
    "POST passes/{pass_id}/apply": Told(
        "Wake the worker for an approved plan",
        ref("Pass"),
        "memory:write",
        body=api.DecisionShape,
        example={},
        answers={202: "The worker was told."},
    ),
    "POST passes/{pass_id}/rollback": Told(
        "Take a pass back",
        ref("Pass"),
        "a person at the console",
        body=api.RollBackShape,
        example={"comment": "it was wrong"},
    ),
    "GET reflect/policy": Told("Read the policy", ref("Policy"), "memory:read", query=api_setup.SpaceShape),
    "PUT reflect/policy": Told(
        "Change the policy",
        ref("Policy"),
        "admin",
        query=api_setup.SpaceShape,
        body=api_setup.PolicyShape,
        example={"version": 1, "values": {"decay_step": 0.5}},
        versioned=True,
    ),
    "GET reflect/policy/versions": Told(
        "List versions of the policy",
        thing(versions=many(ref("Policy"))),
        "memory:read",
        query=api_setup.VersionsShape,
    ),
    "POST reflect/policy/preview": Told(
        "Preview another policy",
        EFFECT,
        "memory:read",
        query=api_setup.SpaceShape,
        body=api_setup.PreviewShape,
        example={"values": {"decay_step": 0.5}},
        changes=False,
    ),
    "GET reflect/schedules": Told(
        "List schedules", thing(schedules=many(ref("Schedule"))), "memory:read", query=api_setup.SpaceShape
    ),
    "GET reflect/schedules/{schedule_id}": Told("Look at a schedule", ref("Schedule"), "memory:read"),
    "GET memories/{record_id}/lineage": Told(
        "Follow where a memory comes from",
        thing(**IDS, sources_gone=COUNT, sources=SIDE, derived=SIDE),
        "memory:read",
        query=api_review.LineageShape,
    ),
    "GET memories/{record_id}/why": Told(
        "Ask what the rules say about a memory", WHY, "memory:read", query=api_review.WhyShape
    ),
    "GET memories/{record_id}/importance": Told("Ask how the importance of a memory fades", IMPORTANCE, "memory:read"),
    "GET me/dream/settings": Told("Read the settings of runs", RUN_SETTINGS, "memory:read", query=api_dream.TeamShape),
    "POST me/dream/settings": Told(
        "Change the settings of runs",
        RUN_SETTINGS,
        "admin",
        query=api_dream.TeamShape,
        body=api_dream.SettingsShape,
        example={"settings": {"decay_step": 0.5}, "expected_version": 1},
    ),
    f"POST {RUNS}": Told(
        "Preview a run",
        ref("Run"),
        "memory:read",
        query=api_dream.TeamShape,
        body=RUN_GIVEN,
        example={"actions_csv": "expire,archive", "window_days": 7},
        answers={202: "The worker makes the plan."},
    ),
    f"GET {RUNS}/{{pass_id}}": Told("Look at a run", ref("Run"), "memory:read", query=api_dream.TeamShape),
    f"POST {RUNS}/{{pass_id}}/confirm": Told(
        "Confirm one item of a run",
        ref("Run"),
        "memory:read memory:write",
        query=api_dream.TeamShape,
        body=api_dream.ConfirmShape,
        example={"item_id": "01a22ca2-8482-7386-8256-67939b2aa67b", "expected_run_version": 1},
        answers={202: "A person has to approve at `url`; nothing is written."},
    ),
    "GET audit/consolidation": Told(
        "Read what passes wrote",
        thing(records=many(ref("AuditLine"))),
        "audit",
        query=api.ConsolidationShape,
    ),
}
