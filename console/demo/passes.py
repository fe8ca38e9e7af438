"""The demo's passes: one to review, one applied, one rejected, one undone, and one that waits for a sign-off."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from memories.access import Actor, person
from memories.models import Team, User
from reflection import queries
from reflection.models import ReflectPass
from reflection.services.apply import apply
from reflection.services.decide import reject, settle
from reflection.services.plan import plan
from reflection.services.run import reflect
from reflection.services.undo import roll_back


def load() -> None:
    """Plan and decide as the three people would. Does nothing when there are passes already."""
    if ReflectPass.objects.exists():
        return
    ann, bea, bob = (person(User.objects.get(username=name)) for name in ("ann", "bea", "bob"))
    atlas = str(Team.objects.get(name="Atlas").pk)
    _applied(ann, {"team_id": atlas, "actions_csv": "expire"})
    undone = _applied(bea, {"team_id": atlas, "actions_csv": "archive", "limit": 10})
    roll_back(pass_id=undone.pk, comment="Some of these are still needed for the audit.", actor=ann)
    left = plan(given={"team_id": atlas, "actions_csv": "decay", "limit": 20}, actor=bea)
    reject(pass_id=left.pk, comment="Not in the week of the release.", actor=ann)
    plan(given={"team_id": atlas}, actor=bea.through("cli"))  # previewed in the console it would wait for her alone
    reflect(given={"actions_csv": "decay,archive"}, actor=bob.through("api"))


def _applied(actor: Actor, given: dict[str, Any]) -> ReflectPass:
    """Plan and approve without the last candidate, and apply at once."""
    planned = plan(given=given, actor=actor)
    candidates = queries.candidates_of(planned)
    exclude: list[UUID] = [candidates[-1].pk] if len(candidates) > 1 else []
    settle(planned, digest=planned.digest, exclude=exclude, comment="Looks right.", by_policy=False, actor=actor)
    return apply(pass_id=planned.pk, actor=actor.through("job"))
