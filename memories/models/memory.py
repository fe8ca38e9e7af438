"""A memory in three tables: what it says (Memory), what it means (MemoryEmbedding), where it stands (MemoryState).

The split keeps lifecycle writes away from the wide indexes: a pass that lowers 500 importances touches only the narrow
state table. `version` lives in the state and moves with every change of any of the three.

The table also has two generated columns that only SQL reads (see migration 0001): `folded`, the content normalised,
and `search`, its tsvector.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import F, Q
from pgvector.django import HalfVectorField

from memories.models.record import Boundary, Lifecycle, lifecycle_constraints, new_id


class MemoryType(models.TextChoices):
    """What kind of thing is remembered."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    WORKING = "working"
    IDENTITY = "identity"


class Trust(models.IntegerChoices):
    """How far a record's origin is trusted; summaries inherit the lowest of their sources."""

    UNTRUSTED = 0
    NORMAL = 1
    TRUSTED = 2


class Derivation(models.TextChoices):
    """How a record came about, when a pass wrote it."""

    NONE = ""
    SUMMARY = "summary"
    FACT = "fact"


CONTENT_LIMIT = 64_000  # characters


class Memory(Boundary):
    """One remembered text with its origin."""

    memory_type = models.CharField(max_length=10, choices=MemoryType)
    content = models.TextField()
    semantic_key = models.CharField(max_length=200, null=True)
    confidence = models.FloatField(null=True)
    metadata = models.JSONField(default=dict)
    provenance = models.JSONField(default=dict)
    session = models.CharField(max_length=200, null=True)
    source = models.CharField(max_length=100, default="")
    source_id = models.CharField(max_length=200, null=True)
    token_id = models.UUIDField(null=True)
    language = models.CharField(max_length=10, default="")
    trust = models.SmallIntegerField(choices=Trust, default=Trust.NORMAL)
    derivation = models.CharField(max_length=10, choices=Derivation, default=Derivation.NONE)
    pass_id = models.UUIDField(null=True)
    event_type = models.CharField(max_length=50, default="")  # events of the timeline name one
    occurred_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    redacted_at = models.DateTimeField(null=True)
    pinned = models.BooleanField(default=False)
    hold = models.CharField(max_length=100, default="")  # name of the legal hold; empty: none

    class Meta:
        verbose_name_plural = "memories"
        indexes = [
            models.Index(
                F("space_id"),
                F("created_at").desc(),
                F("id").desc(),
                name="memory_newest",
                include=["memory_type", "expires_at"],  # what is counted of all memories is counted from here
            ),
            models.Index(F("space_id"), F("updated_at").desc(), F("id").desc(), name="memory_changed"),
            models.Index(fields=["space_id", "path"], name="memory_path", opclasses=["uuid_ops", "text_pattern_ops"]),
            models.Index(
                fields=["space_id", "expires_at"], name="memory_expiry", condition=Q(expires_at__isnull=False)
            ),
            models.Index(
                fields=["space_id", "semantic_key"], name="memory_key", condition=Q(semantic_key__isnull=False)
            ),
            models.Index(
                F("space_id"),
                F("occurred_at").desc(),
                F("id").desc(),
                name="memory_timeline",
                condition=~Q(event_type=""),
            ),
            GinIndex(OpClass(F("path"), name="gin_trgm_ops"), name="memory_path_trigrams"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "source", "source_id"],
                name="memory_source_once",
                nulls_distinct=True,
            ),
            models.CheckConstraint(condition=Q(memory_type__in=MemoryType.values), name="memory_type_known"),
            models.CheckConstraint(condition=Q(trust__in=Trust.values), name="memory_trust_known"),
            models.CheckConstraint(condition=Q(derivation__in=Derivation.values), name="memory_derivation_known"),
            models.CheckConstraint(condition=~Q(bucket=""), name="memory_bucket_named"),
            models.CheckConstraint(
                condition=Q(event_type="") | Q(occurred_at__isnull=False), name="memory_event_has_its_time"
            ),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__gte=0, confidence__lte=1),
                name="memory_confidence_is_share",
            ),
            models.CheckConstraint(
                condition=Q(derivation="", pass_id__isnull=True) | ~Q(derivation="") & Q(pass_id__isnull=False),
                name="memory_derivation_has_pass",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)


class MemoryState(Lifecycle):
    """Where a memory stands. `importance` is what is stored now; `base` at `anchor` is what it decays from."""

    memory = models.OneToOneField(Memory, models.CASCADE, primary_key=True, related_name="state")
    space_id = models.UUIDField(editable=False)  # filled by the database, from the memory
    importance = models.FloatField(default=0.5)
    base = models.FloatField(default=0.5)
    anchor = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    use_count = models.PositiveIntegerField(default=0)
    reactivated_at = models.DateTimeField(null=True)  # when somebody last brought it back into the active set

    class Meta:
        indexes = [
            models.Index(fields=["status", "memory"], name="state_not_active", condition=~Q(status="active")),
        ]
        constraints = [
            *lifecycle_constraints("state"),
            models.CheckConstraint(condition=Q(importance__gte=0, importance__lte=1), name="state_importance_is_share"),
            models.CheckConstraint(condition=Q(base__gte=0, base__lte=1), name="state_base_is_share"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id}: {self.status}"


class MemoryEmbedding(models.Model):
    """The vector of a memory's content, with the model that made it and the boundary it is searched in."""

    memory = models.OneToOneField(Memory, models.CASCADE, primary_key=True, related_name="embedding")
    space_id = models.UUIDField()
    active = models.BooleanField(default=True)
    model = models.CharField(max_length=100)
    dimension = models.PositiveSmallIntegerField()
    vector = HalfVectorField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["space_id", "model"], name="embedding_space", condition=Q(active=True))]

    def __str__(self) -> str:
        return f"{self.memory_id}: {self.model}"


class MemoryVersion(models.Model):
    """What a memory was before one revision. `number` is the version that this text had."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    content = models.TextField()
    fields = models.JSONField()  # path, bucket, scope, memory_type, importance, confidence, metadata, expires_at
    replaced_at = models.DateTimeField()
    replaced_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    reason = models.CharField(max_length=500, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["memory", "number"], name="version_once")]

    def __str__(self) -> str:
        return f"{self.memory_id} v{self.number}"


class LinkKind(models.TextChoices):
    """How one memory stands to another."""

    DERIVED_FROM = "derived_from"
    SUPERSEDES = "supersedes"
    RELATES_TO = "relates_to"


class MemoryLink(models.Model):
    """One memory refers to another, with the words it took from it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    origin = models.ForeignKey(Memory, models.CASCADE, related_name="links")
    target = models.ForeignKey(Memory, models.CASCADE, related_name="linked_from")
    space_id = models.UUIDField(editable=False)  # filled by the database, from the origin
    kind = models.CharField(max_length=15, choices=LinkKind)
    position = models.PositiveIntegerField(default=0)
    quote = models.TextField(default="")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["origin", "target", "kind"], name="link_once"),
            models.CheckConstraint(condition=~Q(origin=F("target")), name="link_to_another"),
            models.CheckConstraint(condition=Q(kind__in=LinkKind.values), name="link_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.origin_id} {self.kind} {self.target_id}"
