"""Planning to take back what a token wrote in a span of time: a pass like any other, to be reviewed and approved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor, check_may_use
from memories.models import MemoryLink
from memories.models.memory import Derivation, LinkKind
from memories.services.turns import hold_off_erasures
from reflection.digest import plan_digest
from reflection.filters import Reader, limit_of, space_of
from reflection.models import Basis, Candidate, ReflectPass
from reflection.planner.reversal import Left, Reversed, Verdict, Written, judge
from reflection.planner.wording import many, name
from reflection.services import policies, reversal, storing
from reflection.services.plan import note
from reflection.services.written import Span, passes, tally, token, touched, written
from reflection.states import PassKind, Reversal, Status

NAMES = ("token", "since", "until", "team_id", "limit")
NOTHING = "Nothing to take back: nothing that this token wrote in this span still stands."
LEFT_KEPT = 500
TEXT_MOST = 8_000_000  # characters of texts in one plan


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be taken back, as the server resolved it."""

    span: Span
    prefix: str
    owner: str
    limit: int
    notes: tuple[str, ...]


def read(given: Mapping[str, Any], *, actor: Actor, as_of: datetime) -> Asked:
    """The parameters in `given` (see NAMES). Raises Invalid, NotFound, NotAllowed."""
    reader = Reader(given)
    for word in sorted(set(given) - set(NAMES)):
        field = str(word)[:50]
        reader.wrong(field, phrase("%(field)s is no parameter of a revert. Leave it out.", field=field))
    token_id = _id(reader)
    since, until = reader.time("since"), reader.time("until") or as_of
    if since is None and not any(problem.loc[-1] == "since" for problem in reader.problems):
        text = phrase("since is missing. Say from when on the token's writes are to be taken back.")
        reader.wrong("since", text)
    if since is not None and until <= since:
        reader.wrong("until", phrase("until must be later than since. Change one of them."))
    limit, team = limit_of(reader), reader.text("team_id", "")
    if reader.problems or token_id is None or since is None:
        raise Invalid(*reader.problems)
    found = token(token_id, actor=actor)
    span = Span(found.pk, space_of(team, actor), since, until)
    return Asked(span, found.prefix, found.user.username, limit, tuple(reader.notes))


def _id(reader: Reader) -> UUID | None:
    text = reader.text("token", "")
    try:
        return UUID(text)
    except ValueError:
        wrong = phrase("token is the id of a token. Choose one.") if text else phrase("No token is named. Choose one.")
        reader.wrong("token", wrong)
        return None


@dataclass
class _Found:
    changes: list[Reversed] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    cut: int = 0
    texts: int = 0  # characters

    def add(self, verdict: Verdict, teller: UUID | None) -> None:
        """Take a verdict in; `teller` is a summary or fact in which the words live on."""
        if verdict.left:
            self.left.append(verdict.left)
        if change := verdict.change:
            if teller:
                told = f"{name(teller)} still tells it: undo the pass that wrote it, or delete it."
                change.why["note"] = " ".join(filter(None, [change.why.get("note", ""), told]))
            self.changes.append(change)
            self.texts += sum(len(str(side.get("content", ""))) for side in (change.before, change.after))

    def leave_taken(self) -> None:
        """Leave alone what cannot be given back now; see `reversal.refused`."""
        taken = reversal.refused({one.id: (one.after, one.why) for one in self.changes})
        self.changes = [one for one in self.changes if one.id not in taken]
        self.left += [Left("taken", f"{why[0].upper()}{why[1:]}.", (key,)) for key, why in taken.items()]

    def counts(self) -> dict[str, int]:
        return {kind.value: sum(one.action is kind for one in self.changes) for kind in Reversal}


@transaction.atomic
def plan_revert(*, given: Mapping[str, Any], as_of: datetime | None = None, actor: Actor) -> ReflectPass:
    """Compute how everything that a token wrote to memories of one space in a span is taken back, and store it.

    Each memory that the token changed gets back what it was; those that it made go to the trash. Nothing else is
    written before a person approves. Needs memory:read and memory:write. Raises Invalid, NotAllowed, NotFound.
    """
    check_may_use(actor, "memory:write")
    check_may_use(actor, "memory:read")
    as_of = as_of or timezone.now()
    asked = read(given, actor=actor, as_of=as_of)
    hold_off_erasures(asked.span.space.id)
    found = _found(asked, as_of, actor)
    stored = _stored(given, asked, found, as_of, actor)
    note(stored, actor)
    return stored


def _found(asked: Asked, as_of: datetime, actor: Actor) -> _Found:
    """What comes of each memory, up to the limit; `cut` counts those that nobody has looked at yet."""
    found = _Found()
    ids = touched(asked.span, actor=actor)
    passed = 0
    for count, chunk in written(ids, asked.span, actor=actor):
        passed += count
        tellers = _tellers(chunk)
        for place, one in enumerate(chunk):
            if len(found.changes) >= asked.limit or found.texts >= TEXT_MOST:
                found.cut = len(chunk) - place + len(ids) - passed
                break
            found.add(judge(one, as_of=as_of), tellers.get(one.id))
        if found.cut:
            break
    found.leave_taken()
    found.left += _elsewhere(asked, actor)
    return found


def _tellers(chunk: list[Written]) -> dict[UUID, UUID]:
    """Active summaries and facts that cite these records: their words live on in them."""
    ids = [one.id for one in chunk]
    links = MemoryLink.objects.filter(target_id__in=ids, kind=LinkKind.DERIVED_FROM, origin__state__status="active")
    pairs = links.exclude(origin__derivation=Derivation.NONE).order_by("-origin_id")
    return {target: origin for origin, target in pairs.values_list("origin_id", "target_id")}


def _elsewhere(asked: Asked, actor: Actor) -> list[Left]:
    """What else the token did, which this pass does not take back."""
    found = [
        Left("pass", f"The token applied pass {key}. Undo it on its own page.")
        for key in passes(asked.span, actor=actor)[:50]
    ]
    counted = tally(asked.span, actor=actor)
    words = {"todo": "TODO", "ledger": "ledger entry", "decision": "decision", "snapshot": "snapshot"}
    plural = {"ledger": "ledger entries"}
    for kind, count in counted.others.items():
        told = many(count, words[kind], plural.get(kind, ""))
        found.append(Left("other_kind", f"It also wrote {told}. Look at {'it' if count == 1 else 'them'} by hand."))
    return found


def _stored(given: Mapping[str, Any], asked: Asked, found: _Found, as_of: datetime, actor: Actor) -> ReflectPass:
    now, space = timezone.now(), asked.span.space
    policy = policies.in_force(space)
    reflect_pass = ReflectPass(
        kind=PassKind.REVERT,
        space_id=space.id,
        owner_id=actor.own,
        team_id=space.team_id,
        status=Status.PLANNED,
        dry_run=False,
        actions=[kind.value for kind in Reversal],
        requested={key: str(value) for key, value in given.items() if value not in (None, "")},
        filters=_filters(asked),
        boundary=storing.boundary(space, "" if space.team_id else actor.name, actor),
        as_of=as_of,
        policy=policy,
        on_drift=policy.on_drift,
        limit=asked.limit,
        cut=found.cut,
        counts=found.counts(),
        skipped=[_left_json(one) for one in found.left[:LEFT_KEPT]],
        notes=[*asked.notes, *_notes(found)],
        planned_by_id=actor.own,
        planned_token_id=actor.token_id,
        planned_channel=actor.channel,
        planned_at=now,
        expires_at=now + timedelta(hours=policy.plan_hours),
    )
    candidates = [_candidate(reflect_pass, place, one) for place, one in enumerate(found.changes)]
    basis = {
        row.pk: [Basis(candidate=row, memory_id=one.id, version=one.version, changes=True, position=0)]
        for row, one in zip(candidates, found.changes, strict=True)
    }
    reflect_pass.digest = plan_digest(reflect_pass, candidates, basis)
    reflect_pass.save(force_insert=True)
    storing.write(reflect_pass, candidates, [line for lines in basis.values() for line in lines])
    return reflect_pass


def _filters(asked: Asked) -> dict[str, Any]:
    span = asked.span
    return {
        "token": asked.prefix,
        "token_id": str(span.token_id),
        "token_owner": asked.owner,
        "since": span.since.isoformat(),
        "until": span.until.isoformat(),
        "team": span.space.name if span.space.team_id else None,
        "team_id": str(span.space.team_id) if span.space.team_id else None,
        "owner": "%",
        "bucket": "%",
        "scope": None,
        "path_filter": "%",
    }


def _notes(found: _Found) -> list[str]:
    notes = []
    if not found.changes and not found.cut:
        notes.append(NOTHING)
    if found.cut:
        notes.append(f"The limit left up to {found.cut} more memories for the next pass.")
    if len(found.left) > LEFT_KEPT:
        notes.append(f"{len(found.left)} were left alone; the first {LEFT_KEPT} are listed.")
    return notes


def _left_json(one: Left) -> dict[str, Any]:
    return {
        "action": Reversal.REVERT.value,
        "gate": one.gate,
        "text": one.text,
        "memory_ids": [str(key) for key in one.memory_ids],
    }


def _candidate(reflect_pass: ReflectPass, place: int, one: Reversed) -> Candidate:
    return Candidate(
        reflect_pass=reflect_pass,
        position=place,
        action=one.action.value,
        target_id=one.id,
        before=one.before,
        after=one.after,
        why=one.why,
    )
