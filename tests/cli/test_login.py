"""memory-console login, logout and token create: a person approves a code, and nobody sees the token."""

from __future__ import annotations

import json
import re
from pathlib import Path

from django.utils import timezone

from memories.models import ApiToken, DeviceLogin, User
from tests.cli.shell import Shell
from tests.cli.stub import Canned, answering
from tests.memories import factories

CODES = {"device_code": "d", "user_code": "BCDF-GHJK", "verification_uri_complete": "http://c/device-login?code=B"}
CODES |= {"expires_in": 600, "interval": 0}
GRANTED = {"access_token": "mc_granted", "scopes": ["memory:read"], "expires_at": "2027", "user": {"username": "ann"}}
STARTED, PENDING = Canned(body=CODES), Canned(400, {"error": "authorization_pending"})


def stored(shell: Shell) -> Path:
    return shell.home / "config" / "memory-console" / "logins.json"


def test_a_person_approves_and_the_login_is_used_until_logout(shell: Shell, who: User, server: str) -> None:
    plain = shell.without_token()
    begun = plain.begun("login", "--url", server, "--scope", "memory:read", "--name", "Ann's laptop")
    assert begun.stderr
    assert re.search(r"/device-login\?code=[A-Z]{4}-[A-Z]{4}$", begun.stderr.readline().decode().strip())
    now = timezone.now()
    asked = DeviceLogin.objects.filter(client_id="Ann's laptop", scopes=["memory:read"], decided_at=None)
    assert asked.update(user=who, granted=["memory:read"], decided_at=now) == 1
    out, _ = begun.communicate(timeout=60)
    token = json.loads(stored(shell).read_text())["logins"][server]["token"]
    assert begun.returncode == 0 and who.username in out.decode() and token not in out.decode()
    assert stored(shell).stat().st_mode & 0o777 == 0o600 and stored(shell).parent.stat().st_mode & 0o777 == 0o700
    anywhere = Shell(shell.home)
    assert anywhere("search", "tea").code == 3
    assert anywhere("remember", "Tea.", "--path", "a").code == 1  # it was given the right to read, no more
    assert anywhere("logout").code == 0 and ApiToken.objects.get(user=who, name="Ann's laptop").revoked_at
    assert token not in stored(shell).read_text() and anywhere("logout", "--url", server).code == 3


def test_it_waits_until_the_person_decides(shell: Shell) -> None:
    with answering(STARTED, PENDING, PENDING, Canned(body=GRANTED)) as stub:
        told = shell.without_token()("login", "--url", stub.url, "--json")
    assert told.code == 0 and told.json["user"] == {"username": "ann"} and "BCDF-GHJK" in told.err
    assert "mc_granted" not in told.out + told.err and "mc_granted" in stored(shell).read_text()
    assert stub.asked[0][2]["scopes"] == ["memory:read", "memory:write"] and len(stub.asked) == 4
    assert not any("Authorization" in headers for *_, headers in stub.asked)


def test_what_is_not_given_is_no_login(shell: Shell) -> None:
    for error in ("access_denied", "expired_token"):
        with answering(STARTED, Canned(400, {"error": error})) as stub:
            assert shell("login", "--url", stub.url).code == 1
    with answering(Canned(body={**CODES, "expires_in": 0})) as stub:
        assert shell("login", "--url", stub.url).code == 1
    assert not stored(shell).exists()


def test_a_login_is_sent_to_no_other_console(shell: Shell) -> None:
    plain = shell.without_token()
    found = Canned(body={"results": []})
    with answering(STARTED, Canned(body=GRANTED), found) as one, answering(found) as other:
        assert plain("login", "--url", one.url).code == 0
        assert plain("search", "x", "--url", other.url).code == 3
        assert Shell(shell.home)("search", "x").code == 3  # the last login is where to go without an address
    assert "Authorization" not in other.asked[0][3]
    assert one.asked[-1][3]["Authorization"] == "Bearer mc_granted"


def test_a_login_that_others_can_read_is_not_used(shell: Shell) -> None:
    stored(shell).parent.mkdir(parents=True)
    stored(shell).write_text("{}")
    stored(shell).chmod(0o644)
    told = Shell(shell.home)("search", "x")
    assert told.code == 2 and "chmod 600" in told.err
    stored(shell).chmod(0o600)
    assert Shell(shell.home)("search", "x").code == 1  # and neither is what no login wrote


def test_a_token_that_is_no_good_any_more_is_forgotten_and_one_that_cannot_be_revoked_is_not(shell: Shell) -> None:
    plain = shell.without_token()
    with answering(STARTED, Canned(body=GRANTED), Canned(503, "")) as stub:
        assert plain("login", "--url", stub.url).code == 0
        assert plain("logout", "--url", stub.url).code == 4 and "mc_granted" in stored(shell).read_text()
        stub.answers[:] = [Canned(403, {"detail": "revoked"})]
        assert plain("logout", "--url", stub.url).code == 0 and "mc_granted" not in stored(shell).read_text()


def test_a_token_for_an_agent_goes_into_a_new_file_of_its_own(shell: Shell) -> None:
    with answering(STARTED, Canned(body=GRANTED)) as stub:
        told = shell("token", "create", "hermes", "--out", "key", "--scope", "memory:read", "--url", stub.url)
        assert told.code == 0 and "mc_granted" not in told.out + told.err
        assert shell("token", "create", "hermes", "--out", "key", "--url", stub.url).code == 2
    assert stub.asked[0][2] == {"client_id": "hermes", "scopes": ["memory:read"]} and len(stub.asked) == 2
    key = shell.home / "key"
    assert key.read_text() == "mc_granted\n" and key.stat().st_mode & 0o777 == 0o600


def test_the_token_in_use_is_shown_and_revoked(shell: Shell, who: User) -> None:
    told = shell("token", "show")
    assert told.code == 0 and f"owner: {who.username}" in told.out and "memory:delete" in told.out
    assert shell("token", "revoke").code == 2
    assert shell.at_a_terminal("token", "revoke", typed="n\n").code == 1
    assert shell("token", "show", "--json").json["status"] == "valid"
    assert shell("token", "revoke", "--yes").code == 0 and ApiToken.objects.get(user=who).revoked_at
    assert shell("token", "show").code == 1


def test_what_a_token_may_is_told_alike_when_it_is_made_and_when_it_is_shown(shell: Shell, who: User) -> None:
    listed = "memory:read, memory:restore (comes along with memory:write), memory:write"
    made = {**GRANTED, "scopes": ["memory:read", "memory:write"]}
    with answering(STARTED, Canned(body=made)) as stub:
        assert listed in shell("token", "create", "hermes", "--out", str(shell.home / "key"), "--url", stub.url).out
    with answering(STARTED, Canned(body=made)) as stub:
        assert listed in shell.without_token()("login", "--url", stub.url).out
    writes = Shell(shell.home, url=shell.url, token=factories.token(who, scopes=["memory:read", "memory:write"])[1])
    assert f"scopes: {listed}\n" in writes("token", "show").out
