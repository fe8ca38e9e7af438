"""One good request for each address that changes something, by its pattern in the URL map."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.auth.tokens import default_token_generator

from memories.access import ANYONE, OPERATOR
from memories.models import Membership, User
from memories.services import decisions, devices, ledger, people, snapshots, todos, views
from memories.services.erase import erase
from memories.services.forget import forget
from memories.services.state import update
from tests.memories.asking import WHY, Case, Given, of
from tests.memories.factories import PASSWORD, actor, ann, bea, bob, memory, team, token, version
from tests.memories.page_client import signed_in
from tests.reflection import mutations as passes


def note(**fields: Any) -> UUID:
    made: UUID = memory(ann(), "The kettle leaks.", **fields).pk
    return made


def trashed() -> UUID:
    return note(status="deleted")


def erased() -> UUID:
    key = trashed()
    erase(record_id=key, typed=str(key)[-6:], reason=WHY, seen_version=1, actor=actor(ann()))
    return key


def revised() -> UUID:
    made = memory(ann(), "The kettle leaks.", version=2)
    version(made, 1, "The kettle is new.")
    return made.pk


def todo(*, done: bool = False, gone: bool = False) -> UUID:
    made = todos.add(content="Mend the kettle.", actor=actor(ann()))
    if done:
        todos.complete(todo_id=made.pk, actor=actor(ann()))
    return _left(made.pk, gone)


def entry(*, gone: bool = False) -> UUID:
    money = {"transaction_type": "expense", "amount": Decimal(3), "currency": "EUR", "occurred_on": date(2026, 5, 1)}
    return _left(ledger.add(item="kettle", actor=actor(ann()), **money).pk, gone)


def _left(key: UUID, gone: bool) -> UUID:
    if gone:
        forget(record_id=key, actor=actor(ann()))
    return key


def decision() -> UUID:
    made: UUID = decisions.ask(context="Which kettle?", actor=actor(ann())).pk
    return made


def snapshot() -> UUID:
    update(content="Boiling.", actor=actor(ann()))
    made: UUID = snapshots.take(label="noon", actor=actor(ann())).pk
    return made


def view() -> UUID:
    made: UUID = views.add(name="Kettles", query="bucket=home", space_id=ann().pk, actor=actor(ann())).pk
    return made


def waiting_agent() -> dict[str, Any]:
    """An agent that shows its code, and a person who gives it a token to read."""
    started = devices.start(client_id="agent", actor=ANYONE)
    return {"code": started.user_code, "verdict": "approve", "scopes": ["memory:read"]}


def wished() -> dict[str, Any]:
    """The form for a token as it comes, with a name."""
    form = signed_in(ann()).get("/tokens/new").context["form"]
    return {name: value for name in form.fields if (value := form[name].value()) is not None} | {"name": "helper"}


def looked_at() -> dict[str, Any]:
    """The form that confirms an import, after a look at its file."""
    page = signed_in(ann()).post("/import", {"text": "Drinks tea.", "space": ann().pk})
    initial: dict[str, Any] = page.context["confirm"].initial
    return {**initial, "step": "import"}


def shared() -> UUID:
    made: UUID = team("Atlas", ann="admin").pk
    return made


def seat(role: str = "member") -> UUID:
    """Bea's membership of a team that Ann looks after."""
    made = team("Atlas", ann="admin", bea=role)
    return Membership.objects.get(team=made, user=bea()).pk


def only_seat() -> UUID:
    """Bea's membership of a team that has no admin; Ann looks after people."""
    administering()
    made = team("Harbor", bea="member")
    return Membership.objects.get(team=made, user=bea()).pk


def administering(who: User | None = None) -> UUID:
    """The id of somebody whom Ann, an administrator of the console, looks after."""
    User.objects.filter(pk=ann().pk).update(is_superuser=True)
    return (who or bob()).pk


def newcomer() -> tuple[User, str]:
    return people.invite(username="dora", display_name="Dora", actor=OPERATOR)


def without_access() -> UUID:
    key = administering()
    User.objects.filter(pk=key).update(is_active=False)
    return key


def coded() -> dict[str, Any]:
    """The form for a first password, with a code for Ann, who has none yet."""
    who = ann()
    who.set_unusable_password()
    who.save(update_fields=["password"])
    code = default_token_generator.make_token(who)
    return {"username": who.username, "code": code, "password": "a sentence that nobody guesses"}


def added() -> dict[str, Any]:
    administering()
    return {"username": "dora", "display_name": "Dora"}


def founded() -> dict[str, Any]:
    administering()
    return {"name": "Harbor", "first": bob().username}


def confirmed(key: UUID, **more: Any) -> Given:
    return key, {"typed": str(key)[-6:], "reason": WHY, "version": 1, **more}


def ticked(key: UUID, **more: Any) -> Given:
    return key, {"include": f"{key}:1", "count": "1", "reason": WHY, **more}


def edited(key: UUID) -> Given:
    form = signed_in(ann()).get(f"/memories/{key}/edit").context["form"]
    sent = {name: value for name, value in form.initial.items() if value is not None}
    return key, sent | {"content": "The kettle is new.", "reason": WHY}


def changed(address: str, key: UUID, **changes: Any) -> Given:
    form = signed_in(ann()).get(f"/{address}/{key}").context["form"]
    return key, {name: value for name, value in form.initial.items() if value is not None} | changes


def _seen(key: UUID, number: int = 1, **more: Any) -> Given:
    return key, {"version": number, "reason": WHY, **more}


MONEY = {"amount": "3", "currency": "EUR", "occurred_on": "2026-05-01", "bucket": "work"}
NEW = {"type": "semantic", "bucket": "work", "importance": "0.5"}

PAGES: dict[str, tuple[Callable[[], Given], tuple[str, ...]]] = {
    "login": (lambda: (None, {"username": ann().username, "password": PASSWORD}), ("user.sign_in",)),
    "first-password": (lambda: (None, coded()), ("user.set_password",)),
    "people/new": (lambda: (None, added()), ("user.create",)),
    "people/<uuid:user_id>/code": (lambda: of(administering(newcomer()[0])), ("user.invite",)),
    "people/<uuid:user_id>/deactivate": (lambda: of(administering()), ("user.deactivate",)),
    "people/<uuid:user_id>/reactivate": (lambda: of(without_access()), ("user.reactivate",)),
    "teams/new": (lambda: (None, founded()), ("team.create",)),
    "teams/<uuid:team_id>/name": (lambda: of(shared(), name="Atlantis"), ("team.rename",)),
    "teams/<uuid:team_id>/members": (lambda: of(shared(), named=bob().username, role="member"), ("team.set_role",)),
    "members/<uuid:membership_id>": (lambda: of(seat(), role="reviewer"), ("team.set_role",)),
    "members/<uuid:membership_id>/remove": (lambda: of(seat()), ("team.remove_member",)),
    "members/<uuid:membership_id>/admin": (lambda: of(only_seat()), ("team.name_admin",)),
    "sign-in-again": (lambda: (None, {"password": PASSWORD}), ("user.sign_in",)),
    "memories/new": (lambda: (None, {**NEW, "content": "Tea.", "space": ann().pk}), ("memory.create",)),
    "memories/<uuid:record_id>/edit": (lambda: edited(note()), ("memory.update",)),
    "memories/<uuid:record_id>/forget": (lambda: _seen(note()), ("memory.forget",)),
    "memories/<uuid:record_id>/restore": (lambda: _seen(trashed()), ("memory.restore",)),
    "memories/<uuid:record_id>/status": (lambda: _seen(note(), status="archived"), ("memory.archive",)),
    "memories/<uuid:record_id>/space": (lambda: _seen(note(), space=shared()), ("memory.update", "memory.update")),
    "memories/<uuid:record_id>/pin": (lambda: _seen(note(), pinned="on"), ("memory.pin",)),
    "memories/<uuid:record_id>/redact": (lambda: _seen(note(), replacement_content="[cut]"), ("memory.redact",)),
    "memories/<uuid:record_id>/versions/<int:number>/revert": (lambda: _seen(revised(), 2), ("memory.update",)),
    "records/<uuid:record_id>/hold": (lambda: _seen(note(), hold="Case 12"), ("memory.hold",)),
    "records/selected/forget": (lambda: ticked(note()), ("memory.forget", "records.forget_many")),
    "records/selected/restore": (lambda: ticked(trashed()), ("memory.restore", "records.restore_many")),
    "records/selected/erase": (lambda: ticked(trashed(), word="delete"), ("memory.erase", "records.erase_many")),
    "records/<uuid:record_id>/erase": (lambda: confirmed(trashed()), ("memory.erase",)),
    "todos": (lambda: (None, {"content": "Mend it.", "space": ann().pk}), ("todo.create",)),
    "todos/<uuid:record_id>": (lambda: changed("todos", todo(), content="Buy one."), ("todo.update",)),
    "todos/<uuid:record_id>/complete": (lambda: of(todo(), version=1), ("todo.complete",)),
    "todos/<uuid:record_id>/reopen": (lambda: of(todo(done=True), version=2), ("todo.reopen",)),
    "todos/<uuid:record_id>/forget": (lambda: _seen(todo()), ("todo.forget",)),
    "todos/<uuid:record_id>/restore": (lambda: _seen(todo(gone=True), 2), ("todo.restore",)),
    "decisions/<uuid:record_id>/resolve": (
        lambda: of(decision(), version=1, resolution="Red."),
        ("decision.resolve",),
    ),
    "ledger": (lambda: (None, {**MONEY, "item": "tea", "type": "expense", "space": ann().pk}), ("ledger.create",)),
    "ledger/<uuid:record_id>": (lambda: changed("ledger", entry(), item="pot"), ("ledger.update",)),
    "ledger/<uuid:record_id>/forget": (lambda: _seen(entry()), ("ledger.forget",)),
    "ledger/<uuid:record_id>/restore": (lambda: _seen(entry(gone=True), 2), ("ledger.restore",)),
    "import": (lambda: (None, looked_at()), ("memory.import", "records.import")),
    "memories/views": (
        lambda: (None, {"name": "Mine", "query": "bucket=home", "space": ann().pk}),
        ("view.create",),
    ),
    "memories/views/<uuid:view_id>": (lambda: of(view(), name="Pots", space=ann().pk), ("view.update",)),
    "memories/views/<uuid:view_id>/default": (lambda: of(view(), chosen="on"), ("user.choose_default_view",)),
    "memories/views/<uuid:view_id>/delete": (lambda: of(view()), ("view.delete",)),
    "settings": (lambda: (None, {"language": "ja", "time_zone": "Asia/Tokyo"}), ("user.choose_preferences",)),
    "tokens/new": (lambda: (None, wished()), ("token.create",)),
    "tokens/<uuid:token_id>/revoke": (lambda: of(token(ann())[0].pk), ("token.revoke",)),
    "device-login": (lambda: (None, waiting_agent()), ("device.approve",)),
    "trash/retention": (lambda: (None, {"days": "30", "typed": "0"}), ("space.trash_retention",)),
}
REASON = {"reason": WHY}
CHANGED: dict[str, tuple[Callable[[], Given], tuple[str, ...]]] = {
    "POST remember": (lambda: (None, {"content": "Tea.", "path": "p"}), ("memory.create",)),
    "PATCH memories/<str:record_id>": (lambda: of(note(), content="Pot.", **REASON), ("memory.update",)),
    "POST memories/<str:record_id>/versions/<int:number>/revert": (
        lambda: of(revised(), **REASON),
        ("memory.update",),
    ),
    "PUT memories/<str:record_id>/pin": (lambda: of(note(), **REASON), ("memory.pin",)),
    "DELETE memories/<str:record_id>/pin": (lambda: of(note(pinned=True), **REASON), ("memory.unpin",)),
    "PUT memories/<str:record_id>/hold": (lambda: of(note(), name="Case 12", **REASON), ("memory.hold",)),
    "DELETE memories/<str:record_id>/hold": (lambda: of(note(hold="Case 12"), **REASON), ("memory.lift_hold",)),
    "POST memories/<str:record_id>/forget": (lambda: of(note(), **REASON), ("memory.forget",)),
    "POST forget": (lambda: (None, {"memory_id": str(note()), **REASON}), ("memory.forget",)),
    "POST memories/<str:record_id>/restore": (lambda: of(trashed(), **REASON), ("memory.restore",)),
    "POST memories/<str:record_id>/usage": (lambda: of(note(), action="used"), ("memory.use",)),
    "POST reminders": (lambda: (None, {"content": "Mend it."}), ("todo.create",)),
    "PATCH reminders/<str:record_id>": (lambda: of(todo(), content="Buy one."), ("todo.update",)),
    "POST reminders/<str:record_id>/complete": (lambda: of(todo(), note="done"), ("todo.complete",)),
    "POST reminders/<str:record_id>/reopen": (lambda: of(todo(done=True)), ("todo.reopen",)),
    "POST me/ledger/transactions": (
        lambda: (None, {"item": "tea", "amount": "3", "currency": "EUR"}),
        ("ledger.create",),
    ),
    "PATCH me/ledger/transactions/<str:record_id>": (lambda: of(entry(), item="pot"), ("ledger.update",)),
    "POST update_state": (lambda: (None, {"content": "Boiling."}), ("memory.create",)),
    "POST timeline/events": (lambda: (None, {"content": "It boiled."}), ("memory.create",)),
    "POST restart/snapshot": (lambda: (None, {"label": "noon"}), ("snapshot.create",)),
    "POST restart/restore": (
        lambda: (None, {"snapshot_id": str(snapshot()), "restore_state": False}),
        ("memory.create", "snapshot.restart"),
    ),
    "POST decisions": (lambda: (None, {"context": "Which kettle?"}), ("decision.create",)),
    "POST decisions/<str:record_id>/resolve": (lambda: of(decision(), resolution="Red."), ("decision.resolve",)),
    "POST memories/import": (
        lambda: (None, {"jsonl": '{"content": "Tea.", "path": "p"}'}),
        ("memory.import", "records.import"),
    ),
    "POST import": (
        lambda: (None, {"format": "chatgpt", "text": "Drinks tea."}),
        ("memory.import", "records.import"),
    ),
    "POST skill/operations": (
        lambda: (None, {"operation": "remember", "arguments": {"content": "Tea.", "importance": "0.7"}}),
        ("memory.create",),
    ),
    "POST auth/token/revoke-self": (lambda: (None, {}), ("token.revoke",)),
}
CASES = [Case(f"POST {path}", *made) for path, made in {**PAGES, **passes.PAGES}.items()]
CASES += [Case(route.replace(" ", " v1/"), *made) for route, made in {**CHANGED, **passes.CHANGED}.items()]

# What takes such a method and changes no record of anybody: the answer must leave every row as it was.
NEUTRAL: dict[str, Callable[[], Given]] = {
    "POST logout": lambda: (None, {}),
    "POST theme": lambda: (None, {"theme": "dark"}),
    "POST erased/<uuid:record_id>/verify": lambda: of(erased(), words="kettle"),
    "POST connect": lambda: (None, {"key": token(ann())[1]}),
    "POST v1/recall/context": lambda: (None, {"query": "kettle"}),
    "POST v1/projects/<str:project_id>/context": lambda: (note(scope="tenant:project:1"), {"durable_query": "kettle"}),
    "POST v1/memories/export": lambda: (note(), {"limit": 10}),
    "POST v1/export": lambda: (note(), {"limit": 10}),
    "POST v1/auth/device/start": lambda: (None, {"client_id": "agent"}),
    "POST v1/auth/device/token": lambda: (None, {"device_code": "none"}),
    **passes.NEUTRAL,
}
REFUSED = passes.REFUSED
