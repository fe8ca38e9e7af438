"""A world in which no record, person or team holds a Latin letter, and a language in which no message does.

Whatever is read in Latin letters on a page was then never handed to the translators.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from unittest.mock import patch
from uuid import UUID

from django.test import override_settings
from django.utils import timezone, translation

from memories.access import Actor, bearer
from memories.models import ApiToken, Memory, User
from memories.services import decisions, ledger, records, snapshots, state, timeline, todos, views
from memories.services.erase import erase, request_erasure
from memories.services.forget import forget
from memories.services.protect import set_hold
from memories.services.revise import revise
from reflection.models import Candidate, ReflectPass
from reflection.services import notices, policies, schedules
from reflection.services.decide import reject
from reflection.services.revert import plan_revert
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.reflection import life

OTHER = "абвгдежзиклмнопрстуфхцчшщы" + "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫ"
QUIET = str.maketrans(string.ascii_letters, OTHER)
WIDE = str.maketrans({letter: chr(ord(letter) + 0xFEE0) for letter in string.ascii_letters})
# What a message holds beside its words: values, tags, entities.
HELD = re.compile(r"(%\(\w+\)[sd]|%[sd]|\{\w*\}|<[^>]*>|&\w+;)")


def wide(message: str) -> str:
    """`message` as the made-up language says it: the same in wide letters."""
    return "".join(part if HELD.fullmatch(part) else part.translate(WIDE) for part in HELD.split(str(message)))


@contextmanager
def wide_letters() -> Iterator[None]:
    """Every message that is translated comes in wide letters."""
    found = {
        "gettext": wide,
        "ngettext": lambda one, many, number: wide(one if number == 1 else many),
        "pgettext": lambda context, message: wide(message),
        "npgettext": lambda context, one, many, number: wide(one if number == 1 else many),
    }
    translation.gettext("")  # fills what is patched here
    with patch.multiple(translation._trans, create=True, **found):
        yield


def quiet(text: str) -> str:
    """`text` in letters that are not Latin."""
    return text.translate(QUIET)


def _memory(owner: User, content: str, **fields: Any) -> Memory:
    named = {name: quiet(fields[name]) for name in ("path", "bucket", "session") if fields.get(name)}
    return MADE(owner, quiet(content), **{"bucket": "仕事", **fields, **named})


MADE = factories.memory


def somebody(name: str) -> User:
    """A person with this name, who reads no English: some sentences are put together only for those."""
    return factories.user(name, language="ja", time_zone="Asia/Tokyo")


class World:
    """Hanako, who looks after a team and the console, with something of everything.

    `ids` by the names of address parameters.
    """

    def __init__(self) -> None:
        self.who = somebody("花子")
        self.team = factories.team("組")
        self.team.memberships.create(user=self.who, role="admin")
        self.me = factories.actor(self.who)
        with patch.object(factories, "memory", _memory):
            self.kept = life.fill(self.who)
            self.passes = self._passes()
        self.token = self._token()
        self.ids: dict[str, list[UUID]] = {
            **self._records(),
            "pass": [one.pk for one in [*self.passes, self._revert()]],
            "candidate": [],
            "space": [self.who.pk, self.team.pk],
            **self._settings(),
            "token": [self.token.pk, *self._other_tokens()],
            "view": self._views(),
            **self._people(),
        }
        for model in records.KINDS.values():
            model._default_manager.update(source="源")

    def _token(self, **fields: Any) -> ApiToken:
        made, _ = factories.token(self.who, **fields)
        ApiToken.objects.filter(pk=made.pk).update(name="係")
        made.refresh_from_db()
        return made

    def _people(self) -> dict[str, list[UUID]]:
        """A team's members, somebody who has no access, and the only admin of a team in which others are."""
        User.objects.filter(pk=self.who.pk).update(is_superuser=True)
        here, gone, needed = (somebody(name) for name in ("次郎", "三郎", "四郎"))
        User.objects.filter(pk=gone.pk).update(is_active=False)
        theirs = factories.team("別の組")
        seats = [self.team.memberships.create(user=one, role="member") for one in (here, gone)]
        theirs.memberships.create(user=needed, role="admin")
        seats.append(theirs.memberships.create(user=self.who, role="member"))
        return {
            "user": [self.who.pk, here.pk, gone.pk, needed.pk],
            "team": [self.team.pk, theirs.pk],
            "membership": [self.team.memberships.get(user=self.who).pk, *(one.pk for one in seats)],
        }

    def _views(self) -> list[UUID]:
        """One's own, with which the list begins, and one of the team."""
        own = views.add(name="札1", query="bucket=仕事", space_id=self.me.own, actor=self.me)
        views.choose_default(view_id=own.pk, chosen=True, actor=self.me)
        return [own.pk, views.add(name="札2", query="", space_id=self.team.pk, actor=self.me).pk]

    def _other_tokens(self) -> list[UUID]:
        """One that is over, one that is revoked, one that is bound to everything that it can be."""
        past = timezone.now() - timedelta(days=9)
        over, ended = self._token(), self._token()
        bound = self._token(team=self.team, buckets=["仕事"], scope="場", path_prefix="道", agent_id="係1")
        ApiToken.objects.filter(pk=over.pk).update(created_at=past, expires_at=past + timedelta(days=1))
        ApiToken.objects.filter(pk=ended.pk).update(revoked_at=timezone.now(), last_used_at=timezone.now())
        return [over.pk, ended.pk, bound.pk]

    def _passes(self) -> list[ReflectPass]:
        """One of every state that a person can look at."""
        me = self.me
        undone = life.applied(life.plan_all(me, actions_csv="expire"), me)
        roll_back(pass_id=undone.pk, comment="1", actor=me)
        rejected = life.plan_all(me, actions_csv="decay")
        reject(pass_id=rejected.pk, comment="2", actor=me)
        drifted, opened = life.plan_all(me), life.plan_all(me, actions_csv="archive,decay")
        chosen = life.plan_all(me, actions_csv="summarize,promote,expire")
        applied = life.applied(chosen, me, exclude=(life.candidates(chosen)[-1].pk,))
        return [undone, rejected, drifted, opened, applied]

    def _revert(self) -> ReflectPass:
        agent = bearer(self.token)
        kept = _memory(self.who, "note", path="notes/may", memory_type="procedural")
        revise(memory_id=kept.pk, changes={"content": "四十二", "path": "道"}, actor=agent)
        since = (timezone.now() - timedelta(hours=1)).isoformat()
        return plan_revert(given={"token": str(self.token.pk), "since": since}, actor=self.me)

    def _records(self) -> dict[str, list[UUID]]:
        me, kept, now = self.me, self.kept, timezone.now()
        revise(memory_id=kept["turn1"].pk, changes={"content": "四十一"}, actor=me)
        set_hold(record_id=kept["pinned"].pk, name="件1", actor=me)
        gone = forget(record_id=kept["said0"].pk, actor=me).record
        erased = forget(record_id=kept["said1"].pk, actor=me).record
        last = str(erased.pk)[-6:]
        erase(record_id=erased.pk, typed=last, reason="3", seen_version=erased.state.version, actor=me)
        ours = _memory(self.who, "ours", team=self.team)
        asked = request_erasure(record_id=kept["idle"].pk, actor=bearer(self._token(scopes=SCOPES)))
        memories = [*(kept[name].pk for name in ("turn1", "pinned", "idle", "turn0", "old")), gone.pk, ours.pk]
        summaries = Memory.objects.filter(owner=self.who).exclude(derivation="")
        return {
            "memory": [*memories, *summaries.values_list("pk", flat=True)],
            "erased": [erased.pk],
            "request": [asked.pk],
            **self._kinds(me, now),
        }

    def _kinds(self, me: Actor, now: Any) -> dict[str, list[UUID]]:
        place = {"bucket": "仕事"}
        late = todos.add(content="1", due_at=now - timedelta(days=2), actor=me, **place)
        done = todos.add(content="2", actor=me, **place)
        todos.complete(todo_id=done.pk, note="3", actor=me)
        left = forget(record_id=todos.add(content="4", actor=me, **place).pk, actor=me).record
        money = {"transaction_type": "expense", "currency": "EUR", "occurred_on": date(2026, 5, 1), "actor": me}
        entry = ledger.add(item="5", amount=Decimal("1234.5"), category="旅", **place, **money)
        open_, over = (decisions.ask(context=text, options=["7", "8"], actor=me, **place) for text in ("6", "9"))
        decisions.resolve(decision_id=over.pk, resolution="10", actor=me)
        state.update(state_key="状態", content="11", actor=me, **place)
        Memory.objects.filter(path="state").update(path="道")
        event = timeline.NewEvent(content="12", event_type="出来事", session="夜", occurred_at=now, path="時", **place)
        timeline.record(event=event, actor=me)
        return {
            "todo": [late.pk, done.pk, left.pk],
            "entry": [entry.pk],
            "decision": [open_.pk, over.pk],
            "snapshot": [snapshots.take(label="印", session="夜", actor=me, **place).pk],
        }

    def _settings(self) -> dict[str, list[UUID]]:
        me = self.me
        policies.adopt(space_id=me.own, given={"plan_hours": 48, "decay_step": 0.02}, seen_version=1, actor=me)
        given = {"rhythm": "weekly", "weekday": 0, "at": "03:00", "zone": "Asia/Tokyo", "actions": ["decay"]}
        runs, stopped = (schedules.add(space_id=me.own, given=given, actor=me) for _ in range(2))
        schedules.pause(schedule_id=stopped.pk, seen_version=1, actor=me)
        with override_settings(NOTICES_INSIDE=True):
            hook = notices.subscribe(space_id=me.own, channel="webhook", address="http://127.0.0.1:9/1", actor=me)
        return {"schedule": [runs.pk, stopped.pk], "subscription": [hook.pk]}

    def candidates(self) -> dict[UUID, UUID]:
        """One candidate of each pass."""
        rows = Candidate.objects.filter(reflect_pass__in=self.ids["pass"]).order_by("pk")
        return dict(rows.values_list("reflect_pass_id", "pk"))


SCOPES = ["memory:read", "memory:write", "memory:delete"]
