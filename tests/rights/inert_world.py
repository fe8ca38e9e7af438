"""Everything that a person can write, written with given texts; two people with texts of one kind have equal pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.test import override_settings
from django.utils import timezone

from memories.access import OPERATOR, Actor, bearer
from memories.models import Memory, User
from memories.models.people import SCOPES
from memories.services import decisions, ledger, protect, snapshots, state, timeline, todos, tokens, views
from memories.services.erase import erase, request_erasure
from memories.services.forget import forget
from memories.services.remember import NewMemory, remember
from memories.services.revise import revise
from reflection.services import notices, schedules
from reflection.services.decide import reject
from reflection.services.plan import plan
from reflection.services.revert import plan_revert
from reflection.services.undo import roll_back
from tests.memories.factories import actor, team, token, user
from tests.reflection import life

WORD = "lantern"  # in every text, so that all are found
DAY = date(2026, 5, 1)
Ids = dict[str, list[UUID]]


def line(text: str, number: int, most: int = 100) -> str:
    """The text as a short field takes it: in one line, cut, and unlike all others also when only letters are left."""
    kept = "".join(letter for letter in text.replace("..", ".") if ord(letter) >= 32)
    return f"{kept[: most - 4]} {number:03}"


def lines(text: str) -> str:
    """The text as a field of several lines takes it."""
    return "".join(letter for letter in text if ord(letter) >= 32 or letter in "\t\n")


class World:
    """What `name` wrote: each of `texts` in every field of a memory, and in the fields of one other kind of record or,
    where the `whole` world is wanted, of all other kinds. `ids` says which records there are.
    """

    def __init__(self, name: str, texts: Sequence[str], *, whole: bool = False) -> None:
        self.who = user(name)
        self.texts = texts
        self.ids: Ids = defaultdict(list)
        User.objects.filter(pk=self.who.pk).update(display_name=texts[0][:150])
        self.who.refresh_from_db()
        self.team = team(texts[1][:100], **{name: "admin"})
        self.me: Actor = actor(self.who)
        self.ids["space"] = [self.who.pk, self.team.pk]
        self.ids["user"], self.ids["team"] = [self.who.pk], [self.team.pk]
        self.ids["membership"] = [self.team.memberships.get().pk]
        with override_settings(EMAIL_HOST="mail.example"):
            mail = {"channel": "email", "address": "ann@example.org"}
            self.ids["subscription"] = [notices.subscribe(space_id=self.who.pk, **mail, actor=self.me).pk]
        for number, text in enumerate(texts):
            self._memory(number, text)
            for place, make in enumerate((self._todo, self._entry, self._decision, self._event)):
                if whole or (number // 2) % 4 == place:
                    make(number, lines(text))
            if number % 10 == 0:
                self._setup(number, text)
                self._slot(number, lines(text))
        self._passes()

    def _memory(self, number: int, text: str) -> None:
        short = line(text, number)
        place = {"path": line(text, number, 400), "bucket": short, "scope": short}
        origin = {"source": short, "source_id": short, "session": short, "agent_id": short, "semantic_key": short}
        new = NewMemory(
            content=f"{text} {WORD}",
            metadata={text: text, "speaker": text, "tags": [text]},
            provenance={"said": text},
            team_id=self.team.pk if number % 7 == 0 else None,
            **place,
            **origin,
        )
        made = remember(new=new, actor=self.me).memory
        if number % 3 == 0:
            revise(memory_id=made.pk, changes={"content": f"{text} {WORD} again"}, reason=short, actor=self.me)
        if number % 5 == 1:
            self._gone(number, short, made)
            return
        if number % 5 == 2:
            protect.set_hold(record_id=made.pk, name=short, reason=short, actor=self.me)
        if number % 5 == 3:
            Memory.objects.filter(pk=made.pk).update(expires_at=timezone.now())
        self.ids["memory"].append(made.pk)

    def _gone(self, number: int, reason: str, made: Memory) -> None:
        """To the trash, and of every fifth nothing stays but its receipt."""
        gone = forget(record_id=made.pk, reason=reason, actor=self.me).record
        if number % 25 == 1:
            last = str(made.pk)[-6:]
            erase(record_id=made.pk, typed=last, reason=reason, seen_version=gone.state.version, actor=self.me)
        self.ids["erased" if number % 25 == 1 else "trash"].append(made.pk)

    def _place(self, number: int, text: str) -> dict[str, Any]:
        short = line(text, number)
        return {"bucket": short, "scope": short, "path": short, "actor": self.me}

    def _todo(self, number: int, text: str) -> None:
        made = todos.add(content=text, source=line(text, number), **self._place(number, text))
        self.ids["todo"].append(made.pk)
        if number % 2:
            todos.complete(todo_id=made.pk, note=text, actor=self.me)

    def _entry(self, number: int, text: str) -> None:
        money = {"transaction_type": "expense", "amount": Decimal(3), "currency": "EUR", "occurred_on": DAY}
        said = {"item": line(text, number), "category": line(text, number), "note": text}
        self.ids["entry"].append(ledger.add(**said, **money, **self._place(number, text)).pk)

    def _decision(self, number: int, text: str) -> None:
        short = line(text, number)
        made = decisions.ask(context=text, options=[short, f"{short}2"], **self._place(number, text))
        self.ids["decision"].append(made.pk)
        if number % 2:
            decisions.resolve(decision_id=made.pk, resolution=text, actor=self.me)

    def _event(self, number: int, text: str) -> None:
        place = self._place(number, text)
        place.pop("actor")
        short = line(text, number, 50)
        event = timeline.NewEvent(content=text, event_type=short, session=short, metadata={text: text}, **place)
        timeline.record(event=event, actor=self.me)

    def _slot(self, number: int, text: str) -> None:
        """What somebody was doing, and a snapshot of it."""
        place = self._place(number, text)
        place.pop("path")
        state.update(content=text, current_task=text, next_action=text, blocked_reason=text, **place)
        short = line(text, number)
        self.ids["snapshot"].append(snapshots.take(label=short, session=short, **place).pk)

    def _setup(self, number: int, text: str) -> None:
        short, until = line(text, number), timezone.now() + timedelta(days=9)
        bounds = {"buckets": [short], "scope": short, "path_prefix": short, "agent_id": short}
        made, _ = tokens.create(
            user=self.who, name=short, scopes=list(SCOPES), expires_at=until, **bounds, actor=OPERATOR
        )
        self.ids["token"].append(made.pk)
        query = urlencode(dict.fromkeys(("bucket", "under", "scope"), line(text, number, 60)))
        self.ids["view"].append(views.add(name=short, query=query, space_id=self.me.own, actor=self.me).pk)
        if number % 50 == 0:
            given = {"rhythm": "daily", "at": "03:00", "zone": "UTC", "actions": ["decay"], "path_filter": short}
            made_ = schedules.add(space_id=self.me.own, given={**given, "bucket": short}, actor=self.me)
            self.ids["schedule"].append(made_.pk)

    def _passes(self) -> None:
        """A plan with candidates, one with nothing in it for each of some texts, one undone, one about a token."""
        found = [life.plan_all(self.me, actions_csv="expire")]
        undone = life.applied(life.plan_all(self.me, actions_csv="expire", limit=3), self.me)
        roll_back(pass_id=undone.pk, comment=self.texts[2], actor=self.me)
        found.append(undone)
        for number in range(0, len(self.texts), 20):
            short = line(self.texts[number], number)
            made = plan(given={"path_filter": short, "bucket": short, "scope": short}, actor=self.me)
            found.append(reject(pass_id=made.pk, comment=self.texts[number], actor=self.me))
        self.ids["candidate"] = [one.pk for one in life.candidates(found[0])]
        self.ids["pass"] = [one.pk for one in [*found, self._revert()]]

    def _revert(self) -> Any:
        """What an agent wrote, to be taken back; one of its records it asks to erase."""
        made, _ = token(self.who, scopes=["memory:read", "memory:write", "memory:delete"])
        agent = bearer(made)
        for number, text in enumerate(self.texts[::20]):
            kept = remember(new=NewMemory(content=text, path=line(text, number)), actor=agent).memory
        self.ids["request"] = [request_erasure(record_id=kept.pk, reason=line(text, 0), actor=agent).pk]
        since = (timezone.now() - timedelta(hours=1)).isoformat()
        return plan_revert(given={"token": str(made.pk), "since": since}, actor=self.me)
