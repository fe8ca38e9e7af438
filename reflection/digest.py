"""The digest that binds an approval to the exact plan: SHA-256 of canonical JSON (sorted keys, no white space)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder

from reflection.models import Basis, Candidate, ReflectPass

ALGORITHM = "plan-1"


def _sha256(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, cls=DjangoJSONEncoder)
    return hashlib.sha256(text.encode()).hexdigest()


def plan_digest(reflect_pass: ReflectPass, candidates: Iterable[Candidate], basis: dict[UUID, list[Basis]]) -> str:
    """The digest of a plan: its filters, policy version, candidates in order, and the versions they stand on."""
    return _sha256(
        {
            "algorithm": ALGORITHM,
            "pass": str(reflect_pass.pk),
            "filters": reflect_pass.filters,
            "policy": str(reflect_pass.policy_id),
            "as_of": reflect_pass.as_of,
            "candidates": [
                {
                    "id": str(candidate.pk),
                    "action": candidate.action,
                    "target": candidate.target_id,
                    "before": candidate.before,
                    "after": candidate.after,
                    "basis": [[str(b.memory_id), b.version, b.changes, b.quote] for b in basis[candidate.pk]],
                }
                for candidate in candidates
            ],
        }
    )


def is_whole(reflect_pass: ReflectPass, candidates: Sequence[Candidate], basis: dict[UUID, list[Basis]]) -> bool:
    """Whether the stored plan still is the one of its digest. Where words were erased from it nobody can tell."""
    erased = any(candidate.erased_at for candidate in candidates)
    return erased or plan_digest(reflect_pass, candidates, basis) == reflect_pass.digest


def approved_digest(digest: str, excluded: Iterable[UUID]) -> str:
    """The digest of what was approved: the plan and the candidates left out."""
    return _sha256({"plan": digest, "excluded": sorted(str(key) for key in excluded)})
