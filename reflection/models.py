"""Policies, passes, their candidates and the basis each candidate stands on."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from memories.models.record import new_id
from reflection.notice_models import Channel as Channel
from reflection.notice_models import Notice as Notice
from reflection.notice_models import Subscription as Subscription
from reflection.policy import Policy
from reflection.schedule_models import Schedule as Schedule
from reflection.schedule_models import ScheduledRun as ScheduledRun
from reflection.states import Action, Outcome, PassKind, Reversal, Status


class Approval(models.TextChoices):
    """Whether a person must approve before anything is written."""

    REQUIRED = "required"
    NOT_REQUIRED = "not_required"


class OnDrift(models.TextChoices):
    """What happens to a pass when records moved since it was planned."""

    SKIP = "skip"
    REFUSE = "refuse"


class OnErasure(models.TextChoices):
    """What becomes of a summary when one of its sources is deleted for good."""

    ERASE = "erase"
    RESUMMARIZE = "resummarize"


class OnSchedule(models.TextChoices):
    """What a due schedule does with what it found."""

    PROPOSE = "propose"
    APPLY = "apply"


def plan_lifetime() -> int:
    """How many hours a plan may be approved where nobody has chosen."""
    return int(settings.PLAN_LIFETIME_HOURS)


class ReflectionPolicy(models.Model):
    """One version of the rules of one space. Versions are never changed; the newest is in force."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space_id = models.UUIDField()
    number = models.PositiveIntegerField()
    values = models.JSONField(default=dict)  # see reflection.policy.Policy
    approval = models.CharField(max_length=15, choices=Approval)
    four_eyes = models.BooleanField(default=False)
    on_drift = models.CharField(max_length=10, choices=OnDrift, default=OnDrift.SKIP)
    on_erasure = models.CharField(max_length=12, choices=OnErasure, default=OnErasure.ERASE)
    on_schedule = models.CharField(max_length=10, choices=OnSchedule, default=OnSchedule.PROPOSE)
    plan_hours = models.PositiveSmallIntegerField(default=plan_lifetime)  # how long a plan may be approved
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name_plural = "reflection policies"
        constraints = [
            models.UniqueConstraint(fields=["space_id", "number"], name="policy_number_once"),
            models.CheckConstraint(condition=Q(approval__in=Approval.values), name="policy_approval_known"),
            models.CheckConstraint(condition=Q(on_drift__in=OnDrift.values), name="policy_on_drift_known"),
            models.CheckConstraint(condition=Q(on_erasure__in=OnErasure.values), name="policy_on_erasure_known"),
            models.CheckConstraint(condition=Q(plan_hours__range=(1, 720)), name="policy_plan_hours_range"),
            models.CheckConstraint(
                condition=Q(on_schedule="propose") | Q(on_schedule="apply", approval="not_required", four_eyes=False),
                name="policy_on_schedule_allowed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.space_id} v{self.number}"

    @property
    def rules(self) -> Policy:
        """The numbers as the planner takes them."""
        return Policy.from_json(self.values)


class ReflectPass(models.Model):
    """One bounded run of reflect: its plan, its approval and its result. The plan itself never changes."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    space_id = models.UUIDField()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    team = models.ForeignKey("memories.Team", models.PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=10, choices=[(k.value, k.value) for k in PassKind], default=PassKind.REFLECT)
    status = models.CharField(max_length=12, choices=[(s.value, s.value) for s in Status])
    dry_run = models.BooleanField()
    actions = models.JSONField()
    requested = models.JSONField()  # parameters as they came
    filters = models.JSONField()  # as the server resolved them
    boundary = models.JSONField()  # what the caller could see
    as_of = models.DateTimeField()
    policy = models.ForeignKey(ReflectionPolicy, models.PROTECT, related_name="+")
    on_drift = models.CharField(max_length=10, choices=OnDrift)
    limit = models.PositiveIntegerField()
    cut = models.PositiveIntegerField(default=0)
    counts = models.JSONField(default=dict)  # planned, per action
    applied_counts = models.JSONField(default=dict)
    skipped = models.JSONField(default=list)
    near_misses = models.JSONField(default=list)
    notes = models.JSONField(default=list)
    digest = models.CharField(max_length=64, default="")
    approved_digest = models.CharField(max_length=64, default="")
    comment = models.CharField(max_length=1000, default="")
    undo_comment = models.CharField(max_length=1000, default="")
    failure = models.CharField(max_length=500, default="")

    planned_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    planned_token_id = models.UUIDField(null=True)
    planned_channel = models.CharField(max_length=10)
    planned_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    approved_at = models.DateTimeField(null=True)
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    approved_by_policy = models.BooleanField(default=False)
    rejected_at = models.DateTimeField(null=True)
    rejected_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    applied_at = models.DateTimeField(null=True)
    rolled_back_at = models.DateTimeField(null=True)
    rolled_back_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    signed_off_at = models.DateTimeField(null=True)
    signed_off_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    attempts = models.PositiveSmallIntegerField(default=0)  # plannings begun; then applications that met an error
    progress = models.JSONField(default=dict)  # while it is planned in the worker: phase, done, of
    goes_on = models.BooleanField(default=False)  # once planned there, it is applied where the policy lets it
    planned_agent_id = models.CharField(max_length=200, default="")  # for a plan that the worker makes
    queued_at = models.DateTimeField(null=True)  # when the worker was last told

    class Meta:
        verbose_name_plural = "reflect passes"
        indexes = [
            models.Index(F("space_id"), F("planned_at").desc(), F("id").desc(), name="pass_newest"),
            models.Index(
                fields=["status", "queued_at"],
                name="pass_due",
                condition=Q(status__in=["planning", "approved", "applying"]),
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(status__in=[s.value for s in Status]), name="pass_status_known"),
            models.CheckConstraint(condition=Q(kind__in=[k.value for k in PassKind]), name="pass_kind_known"),
            models.CheckConstraint(condition=Q(expires_at__gt=F("planned_at")), name="pass_expires_later"),
            models.CheckConstraint(
                condition=Q(approved_at__isnull=True, approved_by__isnull=True, approved_digest="")
                | Q(approved_at__isnull=False, approved_by__isnull=False) & ~Q(approved_digest=""),
                name="pass_approved_paired",
            ),
            models.CheckConstraint(
                condition=Q(rejected_at__isnull=True, rejected_by__isnull=True)
                | Q(rejected_at__isnull=False, rejected_by__isnull=False, status="rejected"),
                name="pass_rejected_paired",
            ),
            models.CheckConstraint(
                condition=Q(rolled_back_at__isnull=True, rolled_back_by__isnull=True)
                | Q(rolled_back_at__isnull=False, rolled_back_by__isnull=False, status="rolled_back"),
                name="pass_rolled_back_paired",
            ),
            models.CheckConstraint(
                condition=Q(signed_off_at__isnull=True, signed_off_by__isnull=True)
                | Q(signed_off_at__isnull=False, signed_off_by__isnull=False, applied_at__isnull=False),
                name="pass_signed_off_paired",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=["approved", "applying", "applied", "rolled_back"])
                | Q(approved_at__isnull=False),
                name="pass_applied_only_approved",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["applied", "rolled_back"], applied_at__isnull=False)
                | ~Q(status__in=["applied", "rolled_back"]) & Q(applied_at__isnull=True),
                name="pass_applied_marked",
            ),
            models.CheckConstraint(
                condition=Q(status="planning", digest="", counts={}) | ~Q(status="planning") & Q(progress={}),
                name="pass_planning_unfinished",
            ),
            models.UniqueConstraint(
                fields=["space_id"], condition=Q(status="applying"), name="pass_one_applying_per_space"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk}: {self.status}"


CHANGES = [*(a.value for a in Action), *(r.value for r in Reversal)]


class Candidate(models.Model):
    """One change a pass would make, and what became of it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    reflect_pass = models.ForeignKey(ReflectPass, models.CASCADE, related_name="candidates")
    position = models.PositiveIntegerField()
    action = models.CharField(max_length=10, choices=[(name, name) for name in CHANGES])
    target_id = models.UUIDField(null=True)  # the record it changes; null: it makes a new one
    before = models.JSONField()
    after = models.JSONField()
    why = models.JSONField()
    erased_at = models.DateTimeField(null=True)  # a source was erased: texts are gone from before, after, why
    outcome = models.CharField(max_length=12, choices=[(o.value, o.value) for o in Outcome], default=Outcome.PENDING)
    outcome_text = models.CharField(max_length=500, default="")
    undo = models.JSONField(default=dict)  # what roll back restores beyond `before`
    result_id = models.UUIDField(null=True)  # the record it changed or made
    result_version = models.PositiveIntegerField(null=True)
    audit_id = models.UUIDField(null=True)

    class Meta:
        indexes = [models.Index(fields=["target_id"], name="candidate_target")]
        constraints = [
            models.UniqueConstraint(fields=["reflect_pass", "position"], name="candidate_position_once"),
            models.CheckConstraint(condition=Q(action__in=CHANGES), name="candidate_action_known"),
            models.CheckConstraint(condition=Q(outcome__in=[o.value for o in Outcome]), name="candidate_outcome_known"),
            models.CheckConstraint(
                condition=~Q(outcome__in=["applied", "rolled_back", "kept"])
                | Q(result_id__isnull=False, result_version__isnull=False, audit_id__isnull=False),
                name="candidate_applied_has_result",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.target_id or 'new'}"


class Viewed(models.Model):
    """A person has looked at a candidate. It is their own note, and decides nothing."""

    id = models.BigAutoField(primary_key=True)
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="viewed")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "viewed"
        constraints = [models.UniqueConstraint(fields=["user", "candidate"], name="viewed_once")]

    def __str__(self) -> str:
        return f"{self.candidate_id} by {self.user_id}"


class Basis(models.Model):
    """A record that a candidate changes or cites, with the version seen at planning."""

    id = models.BigAutoField(primary_key=True)
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="basis")
    memory_id = models.UUIDField()  # no foreign key: an erased record leaves its id
    version = models.PositiveIntegerField()
    changes = models.BooleanField(default=False)
    position = models.PositiveIntegerField()
    quote = models.TextField(default="")

    class Meta:
        verbose_name_plural = "bases"
        indexes = [models.Index(fields=["memory_id"], name="basis_memory")]
        constraints = [models.UniqueConstraint(fields=["candidate", "memory_id"], name="basis_once")]

    def __str__(self) -> str:
        return f"{self.memory_id} v{self.version}"
