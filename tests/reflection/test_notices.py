"""Notices: who may be told where, what is said, and that it is said once, by the rights of the moment."""

from __future__ import annotations

import json
import smtplib
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from django.core import mail
from django.utils import timezone

from console import endpoints, sweep
from console.errors import Conflict, Invalid, NotAllowed, NotFound
from memories.models import AuditRecord, Membership, Memory
from reflection import notify, tasks
from reflection.models import Notice, ReflectPass, Subscription
from reflection.services import notices
from tests.memories import factories
from tests.memories.page_client import signed_in, text_of
from tests.reflection import life

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mail_server(settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example"


@pytest.fixture
def me() -> Any:
    return factories.actor(factories.ann())


@pytest.fixture
def hook(settings: Any) -> Iterator[dict[str, Any]]:
    """A server on loopback that keeps what it is sent and answers with `status`."""
    settings.NOTICES_INSIDE = True
    seen: dict[str, Any] = {"got": [], "status": 200}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen["got"].append((dict(self.headers), body))
            self.send_response(seen["status"])
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield seen | {"seen": seen, "url": f"http://127.0.0.1:{server.server_port}/hook"}
    server.shutdown()
    server.server_close()


def planned(actor: Any) -> ReflectPass:
    life.fill(factories.ann())
    return life.plan_all(actor, actions_csv="expire,archive")


def by_mail(actor: Any, address: str = "ann@example.org") -> Subscription:
    return notices.subscribe(space_id=actor.own, channel="email", address=address, actor=actor)


def test_a_pass_that_waits_is_told_once_and_quotes_nothing(me: Any) -> None:
    by_mail(me)
    made = planned(me)
    tasks.tell_task()
    tasks.tell_task()
    (sent,) = mail.outbox
    assert sent.to == ["ann@example.org"]
    assert sent.subject == "Memory Console: a pass over your private space waits"
    assert f"/passes/{made.pk}" in sent.body
    assert not [text for text in Memory.objects.values_list("content", flat=True) if text in sent.body]
    assert AuditRecord.objects.filter(action="notices.on").count() == 1


def test_what_waited_before_one_asked_is_not_told(me: Any) -> None:
    planned(me)
    by_mail(me)
    tasks.tell_task()
    assert mail.outbox == []


def test_a_webhook_is_told_with_a_signature(me: Any, hook: dict[str, Any]) -> None:
    row = notices.subscribe(space_id=me.own, channel="webhook", address=hook["url"], actor=me)
    made = planned(me)
    tasks.tell_task()
    ((headers, body),) = hook["got"]
    said = json.loads(body)
    assert said["event"] == "pass.awaits_approval"
    assert said["pass_id"] == str(made.pk)
    assert said["counts"] == made.counts
    assert headers[notify.SIGNATURE] == notify.signature(notify.secret_of(row), body)
    assert set(said) == {"event", "pass_id", "space_id", "counts", "planned_at", "expires_at", "url"}


@pytest.mark.parametrize("status", [302, 404, 500])
def test_what_is_not_taken_is_tried_again_later_and_not_for_ever(me: Any, hook: dict[str, Any], status: int) -> None:
    notices.subscribe(space_id=me.own, channel="webhook", address=hook["url"], actor=me)
    planned(me)
    hook["seen"]["status"] = status
    notices.make_due()
    at = timezone.now()
    for _ in range(notices.ATTEMPTS + 3):
        notices.send_due(at=at)
        notices.send_due(at=at)  # not due yet
        at += timedelta(hours=1)
    assert len(hook["got"]) == notices.ATTEMPTS
    notice = Notice.objects.get()
    assert (notice.sent_at, notice.next_at) == (None, None)
    assert notice.why_not == f"127.0.0.1 answered {status}."


def test_a_mail_server_that_fails_is_tried_again(me: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    by_mail(me)
    planned(me)

    def fail(self: Any) -> int:
        raise smtplib.SMTPServerDisconnected

    with monkeypatch.context() as broken:
        broken.setattr("django.core.mail.EmailMessage.send", fail)
        tasks.tell_task()
    notice = Notice.objects.get()
    assert notice.why_not == "The mail server did not take it (SMTPServerDisconnected)."
    notices.send_due(at=notice.next_at)
    assert len(mail.outbox) == 1


def test_whoever_lost_the_right_is_not_told(me: Any) -> None:
    team = factories.team("Atlas", ann="admin", bea="reviewer")
    bea = factories.actor(factories.bea())
    notices.subscribe(space_id=team.pk, channel="email", address="bea@example.org", actor=bea)
    life.fill(factories.ann(), team=team)
    asking = factories.actor(factories.ann(), channel="cli")
    life.plan_all(asking, team_id=str(team.pk), actions_csv="expire,archive")
    notices.make_due()
    Membership.objects.filter(user=factories.bea()).delete()
    assert notices.send_due() == 0
    assert mail.outbox == []
    assert Notice.objects.get().why_not == "The pass no longer waited for this person when the notice was due."


@pytest.mark.parametrize(
    ("channel", "address", "said"),
    [
        ("email", "not an address", "no e-mail address"),
        ("email", "a@example.org\nBcc: b@example.org", "no e-mail address"),
        ("webhook", "http://example.org/", "https://"),
        ("webhook", "https://", "https://"),
        ("webhook", "https://[::1", "https://"),
        ("webhook", "https://user:word@93.184.216.34/", "passwords"),
        ("webhook", "https://127.0.0.1/", "into the network"),
        ("webhook", "https://10.0.0.8/x", "into the network"),
        ("webhook", "https://192.168.1.1/", "into the network"),
        ("webhook", "https://169.254.169.254/latest", "into the network"),
        ("webhook", "https://2130706433/", "into the network"),
        ("webhook", "https://[::ffff:10.0.0.1]/", "into the network"),
        ("webhook", "https://localhost/", "into the network"),
        ("webhook", "https://100.64.0.1/", "into the network"),
        ("webhook", "https://224.0.0.1/", "into the network"),
        ("pigeon", "roof", "is unknown"),
    ],
)
def test_an_address_that_may_not_be_told_is_refused(me: Any, channel: str, address: str, said: str) -> None:
    with pytest.raises(Invalid) as refused:
        notices.subscribe(space_id=me.own, channel=channel, address=address, actor=me)
    assert said in refused.value.problems[0].msg
    assert not Subscription.objects.exists()


def test_even_where_inside_is_allowed_no_keys_of_the_machine_are(me: Any, settings: Any) -> None:
    settings.NOTICES_INSIDE = True
    with pytest.raises(Invalid):
        notices.subscribe(space_id=me.own, channel="webhook", address="http://169.254.169.254/", actor=me)


def test_a_name_that_leads_inside_later_is_not_followed(me: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    leads = {"to": "93.184.216.34"}
    monkeypatch.setattr(endpoints.socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", (leads["to"], 0))])
    notices.subscribe(space_id=me.own, channel="webhook", address="https://hook.example/", actor=me)
    planned(me)
    leads["to"] = "127.0.0.1"
    tasks.tell_task()
    assert Notice.objects.get().why_not == "hook.example leads into the network of the console, or nowhere."


def test_without_a_mail_server_no_mail_is_promised(me: Any, settings: Any) -> None:
    settings.EMAIL_HOST = ""
    with pytest.raises(Invalid):
        by_mail(me)
    assert "No mail server is set up here" in text_of(signed_in(factories.ann()).get("/notices"))


def test_who_may_be_told(me: Any) -> None:
    team = factories.team("Atlas", ann="admin", bea="reviewer", cem="member")
    bea, cem = factories.actor(factories.bea()), factories.actor(factories.user("cem"))
    notices.subscribe(space_id=team.pk, channel="email", address="bea@example.org", actor=bea)
    for who, channel in ((bea, "webhook"), (cem, "email")):
        with pytest.raises(NotAllowed):
            notices.subscribe(space_id=team.pk, channel=channel, address="https://93.184.216.34/", actor=who)
    with pytest.raises(NotFound):
        notices.subscribe(
            space_id=team.pk, channel="email", address="b@example.org", actor=factories.actor(factories.bob())
        )
    with pytest.raises(Conflict):
        notices.subscribe(space_id=team.pk, channel="email", address="bea@example.org", actor=bea)


def test_one_ends_ones_own_and_an_admin_those_of_the_team(me: Any) -> None:
    team = factories.team("Atlas", ann="admin", bea="reviewer")
    bea, bob = factories.actor(factories.bea()), factories.actor(factories.bob())
    ann = factories.actor(factories.ann())
    of_ann = notices.subscribe(space_id=team.pk, channel="email", address="ann@example.org", actor=ann)
    of_bea = notices.subscribe(space_id=team.pk, channel="email", address="bea@example.org", actor=bea)
    for who, row in ((bea, of_ann), (bob, of_bea)):
        with pytest.raises(NotFound):
            notices.unsubscribe(subscription_id=row.pk, actor=who)
    notices.unsubscribe(subscription_id=of_bea.pk, actor=ann)
    assert list(Subscription.objects.all()) == [of_ann]


def test_the_page_adds_shows_and_takes_off() -> None:
    web = signed_in(factories.ann())
    assert "Nobody is told" in text_of(web.get("/notices"))
    sent = {"space": str(factories.ann().pk), "channel": "email", "address": "ann@example.org"}
    assert web.post("/notices", sent).status_code == 302
    assert "ann@example.org" in text_of(web.get("/notices"))
    again = web.post("/notices", sent)
    assert (again.status_code, "told already" in text_of(again)) == (409, True)
    row = Subscription.objects.get()
    assert signed_in(factories.bob()).post(f"/notices/{row.pk}/end").status_code == 404
    assert web.post(f"/notices/{row.pk}/end").status_code == 302
    assert not Subscription.objects.exists()


def test_the_page_keeps_what_was_typed_where_it_is_refused() -> None:
    web = signed_in(factories.ann())
    sent = {"space": str(factories.ann().pk), "channel": "webhook", "address": "https://10.0.0.8/x"}
    answer = web.post("/notices", sent)
    assert answer.status_code == 422
    assert "https://10.0.0.8/x" in answer.content.decode()
    assert "Give a public address" in text_of(answer)


def test_the_sweep_wakes_the_task_that_tells() -> None:
    assert "reflection.tasks.tell_task" in sweep.TASKS
