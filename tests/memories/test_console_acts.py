"""What was done with the rights of the console is read by its administrators, and else only by whom it concerns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client

from console.http import announce
from memories import audit
from memories.access import OPERATOR, Actor
from memories.models import AuditRecord, User
from memories.models.audit import CONSOLE_ACTS
from memories.services import people, presence, teams
from tests.console.test_people_commands import PASSWORD
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, bea, bob, memory, team, token_actor, user
from tests.memories.page_client import signed_in
from tests.memories.test_teams import administrator, seat

pytestmark = pytest.mark.django_db


def all_acts(root: Actor) -> None:
    """Every act that takes the rights of the console, once."""
    made, _ = people.invite(username="dora", display_name="Dora", actor=root)
    people.invite_again(user_id=made.pk, actor=root)
    presence.deactivate(user_id=made.pk, actor=root)
    presence.reactivate(user_id=made.pk, actor=root)
    atlas = team("Atlas of acts", ann="member", bea="member")
    teams.name_admin(membership_id=seat(atlas, bea()), actor=root)
    teams.create(name="Harbor of acts", admin="ann", actor=root)
    people.set_email(username="dora", email="dora@acts.example", actor=OPERATOR)
    people.set_password(username="dora", password=PASSWORD, actor=OPERATOR)
    presence.set_administrator(username="emil", administers=True, actor=OPERATOR)


def page(who: User) -> str:
    answer = signed_in(who).get("/audit", {"limit": 200})
    assert answer.status_code == 200
    return answer.content.decode()


def acts_in(text: str) -> set[str]:
    return {action for action in CONSOLE_ACTS if f">{action}<" in text or f'"{action}"' in text}


@pytest.fixture
def root() -> Actor:
    found = administrator()
    user("emil")
    all_acts(found)
    return found


def test_every_act_is_in_the_audit_of_each_administrator(root: Actor) -> None:
    spare = User.objects.get(pk=administrator("spare").own)
    for who in (User.objects.get(pk=root.own), spare):
        assert acts_in(page(who)) == set(CONSOLE_ACTS)
    table = b"".join(signed_in(spare).get("/audit.csv").streaming_content).decode()
    assert acts_in(table) == set(CONSOLE_ACTS)
    one = AuditRecord.objects.get(action="user.deactivate")
    assert str(one.pk) in str(signed_in(spare).get("/go", {"q": str(one.pk)}).headers.get("Location", ""))


def test_nobody_else_reads_them_but_whom_they_concern(root: Actor) -> None:
    assert acts_in(page(bob())) == set()
    assert acts_in(page(bea())) == {"team.name_admin"}
    assert acts_in(page(ann())) == {"team.name_admin", "team.create"}
    concerned = {one for one in CONSOLE_ACTS if one.startswith("user.")} - {"user.set_administrator"}
    assert acts_in(page(user("dora"))) == concerned


def test_a_token_of_an_administrator_and_who_was_one_read_none_of_them(root: Actor) -> None:
    spare = User.objects.get(pk=administrator("spare").own)
    api = Api(spare, scopes=["audit", "admin", "memory:read"])
    assert acts_in(api.get("audit/events", limit=200).content.decode()) == set()
    assert not [row for row in audit.newest(AuditRecord.objects.all(), token_actor(spare), limit=99) if row.seq]
    presence.set_administrator(username="spare", administers=False, actor=OPERATOR)
    assert acts_in(page(User.objects.get(pk=spare.pk))) == {"user.set_administrator"}


def test_other_lines_of_others_stay_hidden_from_administrators(root: Actor) -> None:
    Api(ann()).post("remember", {"content": "hers alone", "path": "p"})
    shown = set(audit.shown_to(root, AuditRecord.objects.all()).values_list("action", flat=True))
    assert shown == set(CONSOLE_ACTS) and AuditRecord.objects.filter(action="memory.create").exists()


@pytest.mark.parametrize(("who", "seen"), [(administrator, True), (lambda: actor(bob()), False)])
def test_the_database_shows_the_same(root: Actor, who: Callable[[], Actor], seen: bool) -> None:
    memory(ann(), "hers")
    Api(ann()).post("remember", {"content": "hers alone", "path": "p"})
    with transaction.atomic(), connection.cursor() as cursor:
        announce(who())
        cursor.execute("SELECT DISTINCT action FROM memories_auditrecord")
        found = {row[0] for row in cursor.fetchall()}
        cursor.execute("SELECT set_config('memory_console.spaces', '*', true)")
    assert (found >= set(CONSOLE_ACTS)) is seen and "memory.create" not in found


def test_an_administrator_pages_through_them_by_an_index_of_their_own(root: Actor) -> None:
    rows = audit.by_space(AuditRecord.objects.all(), root)[-1].order_by("-at", "-pk")[:50]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off")
        assert "audit_console" in rows.explain()


def test_links_of_their_lines_lead_where_the_administrator_may_go(root: Actor) -> None:
    browser = signed_in(User.objects.get(pk=root.own))
    text = browser.get("/audit", {"limit": 200}).content.decode()
    made: Any = user("dora").pk
    assert f'href="/people/{made}"' in text and 'href="/teams/' not in text
    assert browser.get(f"/people/{made}").status_code == 200


def test_the_chains_stay_whole(root: Actor) -> None:
    assert audit.verify() == []
    call_command("verify_audit", verbosity=0)
    assert Client().get("/audit").status_code == 302
