"""Fills a fresh database with people, teams, records and passes in several states.

Passwords and tokens are derived from SECRET_KEY, so that they differ from console to console, need not be stored, and
can be printed again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from console import running
from memories.access import OPERATOR, person
from memories.models import ApiToken, Team, User
from memories.models.people import Role
from memories.services import ledger, people, presence, todos, tokens
from memories.services import teams as team_services
from memories.services.remember import NewMemory, import_many

CONTENT = Path(__file__).parent / "content"
READ, WRITE = ["memory:read"], ["memory:read", "memory:write", "memory:delete", "ledger:read", "ledger:write", "audit"]


@dataclass(frozen=True, slots=True)
class DemoToken:
    """A token of the demo: whose, its name, scopes and the team it is bound to."""

    username: str
    name: str
    scopes: list[str]
    team: str | None = None


TOKENS = (
    DemoToken("ann", "Demo agent", WRITE),
    DemoToken("ann", "Demo reader", READ),
    DemoToken("bea", "Atlas maintenance", WRITE, team="Atlas"),
    DemoToken("bob", "Harbor agent", WRITE),
)


def _secret(*parts: str) -> bytes:
    return hmac.new(settings.SECRET_KEY.encode(), " ".join(("demo", *parts)).encode(), hashlib.sha256).digest()


def password_of(username: str) -> str:
    """The demo password of a person."""
    code = base64.b32encode(_secret("password", username)).decode().lower()
    return f"{code[:5]}-{code[5:10]}-{code[10:15]}"


def key_of(token: DemoToken) -> str:
    """The demo key of a token."""
    code = base64.urlsafe_b64encode(_secret("token", token.username, token.name)).decode().rstrip("=")
    return tokens.PREFIX + code


def _read(name: str) -> Any:
    return json.loads((CONTENT / name).read_text(encoding="utf-8"))


def load() -> bool:
    """Load whatever of the demo is not there yet, in one transaction. Returns whether its people were new.

    Into the spaces of others who have the same names it puts nothing.
    """
    now = timezone.now()
    with transaction.atomic():
        fresh = _people(_read("people.json"))
        if not fresh and not loaded():
            return False
        users = {user.username: user for user in User.objects.all()}
        teams = {team.name: team for team in Team.objects.all()}
        _memories(users, teams, now)
        if fresh:
            _todos(users, teams, now)
            _ledger(users, teams, now)
            _tokens(users, teams, now)
    return fresh


def loaded() -> bool:
    """Whether the demo's people are here: one at least has the password that this console gave."""
    return any(_entering())


def _entering() -> Iterator[User]:
    """The demo's people who can sign in with the password of the demo."""
    found = User.objects.filter(username__in=[one["username"] for one in _read("people.json")["people"]])
    there = found.filter(is_active=True).order_by("username").prefetch_related("memberships__team")
    return (user for user in there if user.check_password(password_of(user.username)))


def _people(content: dict[str, Any]) -> bool:
    if User.objects.filter(username__in=[one["username"] for one in content["people"]]).exists():
        return False
    for one in content["people"]:
        people.create_user(password=password_of(one["username"]), actor=OPERATOR, **one)
    for team in content["teams"]:
        made = team_services.create(name=team["name"], actor=OPERATOR)
        for member in team["members"]:
            role = Role(member["role"])
            team_services.add_member(team_id=made.pk, named=member["username"], role=role, actor=OPERATOR)
    presence.set_administrator(username=content["administrator"], administers=True, actor=OPERATOR)
    return True


def _rows() -> Iterator[dict[str, Any]]:
    for path in sorted(CONTENT.glob("memories.*.json")):
        yield from _read(path.name)


def _memories(users: dict[str, User], teams: dict[str, Team], now: datetime) -> None:
    by_owner: dict[str, list[NewMemory]] = defaultdict(list)
    for row in _rows():
        if row["owner"] in users and row["team"] in {None, *teams}:  # a team may have another name by now
            by_owner[row["owner"]].append(_memory(row, teams, now))
    for username, news in sorted(by_owner.items()):
        import_many(news=news, actor=person(users[username], channel="cli"))


def _memory(row: dict[str, Any], teams: dict[str, Team], now: datetime) -> NewMemory:
    def ago(days: float | None) -> datetime | None:
        return None if days is None else now - timedelta(days=days)

    expires = row["expires_in_days"]
    return NewMemory(
        content=row["content"],
        path=row["path"],
        bucket=row["bucket"],
        scope=row["scope"],
        team_id=teams[row["team"]].pk if row["team"] else None,
        memory_type=row["memory_type"],
        importance=row["importance"],
        expires_at=None if expires is None else now + timedelta(days=expires),
        source=row["source"],
        source_id=row["key"],
        session=row["session"],
        agent_id=row["agent"] or "",
        language=row["language"],
        metadata=row["metadata"],
        created_at=ago(row["age_days"]),
        last_used_at=ago(row["used_days_ago"]),
        trust=row["trust"],
        pinned=row["pinned"],
        hold=row["held"] or "",
    )


def _todos(users: dict[str, User], teams: dict[str, Team], now: datetime) -> None:
    for row in _read("todos.json"):
        actor = person(users[row["owner"]], channel="cli")
        due = row["due_in_days"]
        todo = todos.add(
            content=row["content"],
            due_at=None if due is None else now + timedelta(days=due),
            team_id=teams[row["team"]].pk if row["team"] else None,
            bucket=row["bucket"],
            scope=row["scope"],
            path=row["path"],
            source="demo",
            source_id=row["key"],
            actor=actor,
        )
        if row["completed"]:
            todos.complete(todo_id=todo.pk, actor=actor)


def _ledger(users: dict[str, User], teams: dict[str, Team], now: datetime) -> None:
    for row in _read("ledger.json"):
        ledger.add(
            transaction_type=row["transaction_type"],
            item=row["item"],
            amount=Decimal(row["amount"]),
            currency=row["currency"],
            category=row["category"],
            occurred_on=(now - timedelta(days=row["age_days"])).date(),
            team_id=teams[row["team"]].pk if row["team"] else None,
            bucket=row["bucket"],
            source="demo",
            source_id=row["key"],
            actor=person(users[row["owner"]], channel="cli"),
        )


def _tokens(users: dict[str, User], teams: dict[str, Team], now: datetime) -> None:
    for token in TOKENS:
        tokens.create(
            user=users[token.username],
            name=token.name,
            scopes=token.scopes,
            expires_at=now + timedelta(days=90),
            team=teams[token.team] if token.team else None,
            key=key_of(token),
            actor=OPERATOR,
        )


def describe() -> dict[str, Any]:
    """Address, people with passwords and tokens with scopes, of both those that work, for scripts."""
    people_ = [
        {
            "username": user.username,
            "password": password_of(user.username),
            "user_id": str(user.pk),
            "teams": {m.team.name: {"id": str(m.team_id), "role": m.role} for m in user.memberships.all()},
        }
        for user in _entering()
    ]
    keys = {digest_of(token): token for token in TOKENS}
    known = ApiToken.objects.filter(digest__in=list(keys), user__is_active=True, revoked_at__isnull=True)
    known = known.filter(expires_at__gt=timezone.now()).select_related("user", "team").order_by("created_at", "pk")
    return {
        "url": running.address() or settings.CONSOLE_URL,
        "users": people_,
        "tokens": [
            {
                "token": key_of(keys[bytes(row.digest)]),
                "name": row.name,
                "username": row.user.username,
                "scopes": row.scopes,
                "team": row.team.name if row.team else None,
                "team_id": str(row.team_id) if row.team_id else None,
                "expires_at": row.expires_at.isoformat(),
            }
            for row in known
        ],
    }


def digest_of(token: DemoToken) -> bytes:
    """The hash under which a demo token is stored."""
    return tokens.digest_of(key_of(token))


def credentials() -> str:
    """The same as a few lines to read; how to come by an account where the demo opens none."""
    about = describe()
    if not about["users"]:
        return "Sign in with an account of yours; manage.py person add makes one."
    lines = ["Sign in as one of:"]
    for user in about["users"]:
        roles = ", ".join(f"{team['role']} of {name}" for name, team in user["teams"].items())
        lines.append(f"  {user['username']:<4} {user['password']}   {roles}")
    for first in about["tokens"][:1]:
        named = f"A token of {first['username']} for the API ({', '.join(first['scopes'])}):"
        lines += ["", named, f"  {first['token']}"]
    return "\n".join(lines)
