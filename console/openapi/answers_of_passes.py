"""What addresses about passes, policies and schedules answer."""

from __future__ import annotations

from console.openapi.answers import COUNT, COUNTS, FLAG, TEXT, like, many, maybe, one_of, ref, thing
from console.openapi.fields import OBJECT, TIME, UUID, Schema

CANDIDATE = thing(
    id=UUID,
    action=like("expire"),
    memory_id=maybe(UUID),
    before=OBJECT,
    after=OBJECT,
    why=OBJECT,
    outcome=TEXT,
    outcome_text=TEXT,
    audit_record_id=maybe(UUID),
    url=TEXT,
    evidence=many(thing(memory_id=UUID, version=COUNT, changes=FLAG, quote=TEXT)),
)
PASS_FIELDS: dict[str, Schema] = {
    "id": UUID,
    "pass_id": UUID,
    "kind": one_of("reflect", "revert"),
    "status": like("planned"),
    "url": TEXT,
    "dry_run": FLAG,
    "actions": many(TEXT),
    "filters": OBJECT,
    "boundary": OBJECT,
    "as_of": TIME,
    "counts": COUNTS,
    "limit": thing(requested={}, applied=COUNT, cut=COUNT),
    "notes": many(TEXT),
    "digest": TEXT,
    "approved_digest": maybe(TEXT),
    "policy": thing(number=COUNT, on_drift=TEXT),
    "planned_by": TEXT,
    "planned_at": TIME,
    "expires_at": TIME,
    "approved_by": maybe(TEXT),
    "applied_at": maybe(TIME),
    "rolled_back_at": maybe(TIME),
    "comment": TEXT,
    "undo_comment": TEXT,
    "failure": maybe(TEXT),
    "progress": maybe(OBJECT),
}
SOMETIMES_OF_PASS = {"reversal_counts": COUNTS}
PASS = thing(SOMETIMES_OF_PASS, **PASS_FIELDS)
LIFECYCLE = thing(expired=many(ref("Candidate")), decayed=many(ref("Candidate")), archived=many(ref("Candidate")))
REPORT = thing(
    SOMETIMES_OF_PASS | {"reverted": many(ref("Candidate")), "trashed": many(ref("Candidate"))},
    **PASS_FIELDS,
    summaries=many(ref("Candidate")),
    promotions=many(ref("Candidate")),
    lifecycle=LIFECYCLE,
    audit_record_ids=many(UUID),
    skipped=many(OBJECT),
    near_misses=many(OBJECT),
)
RUN = thing(
    SOMETIMES_OF_PASS,
    **PASS_FIELDS,
    run=thing(
        id=UUID,
        run_id=UUID,
        status=one_of("running", "succeeded", "failed", "cancelled"),
        confirmation_version=like("1"),
        settings_version=COUNT,
    ),
    run_id=UUID,
    run_version=COUNT,
    needs_approval=FLAG,
    items=many(ref("Candidate")),
)
POLICY = thing(
    {"numbers": many(OBJECT), "choices": many(OBJECT), "changed": many(OBJECT)},
    space=UUID,
    name=like("Atlas"),
    version=COUNT,
    values=OBJECT,
    created_at=maybe(TIME),
    created_by=maybe(TEXT),
)
SCHEDULE = thing(
    id=UUID,
    space=UUID,
    asked=OBJECT,
    words=TEXT,
    status=one_of("on", "paused"),
    next_at=maybe(TIME),
    paused_why=maybe(TEXT),
    made_by=TEXT,
    made_at=TIME,
    version=COUNT,
    last=maybe(thing(slot=TIME, at=TIME, pass_id=UUID)),
)
CITED: Schema = OBJECT | {"example": {"memory_id": UUID["example"], "quote": "The build machine is called otter."}}
SIDE = thing(total=COUNT, hidden=COUNT, records=many(CITED), next=maybe(COUNT))

COMPONENTS: dict[str, Schema] = {
    "Candidate": CANDIDATE,
    "Pass": PASS,
    "Report": REPORT,
    "Run": RUN,
    "Policy": POLICY,
    "Schedule": SCHEDULE,
}
