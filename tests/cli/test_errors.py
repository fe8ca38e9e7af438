"""Why a command did nothing: each reason with its exit code and what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Shell
from tests.cli.stub import Canned, answering

FOUND = Canned(body={"results": [{"id": "1", "content": "x", "similarity": 1.0}]})


def refusal(code: str, message: str, **more: Any) -> dict[str, Any]:
    return {"detail": {"code": code, "message": message, **more}}


PROBLEM = {"detail": [{"loc": ["body", "path"], "msg": "It is empty.", "type": "value_error"}]}
ENDS = [
    (Canned(400, {"detail": "It cannot be read."}), 1, "It cannot be read."),
    (Canned(401, refusal("not_authenticated", "Send a token.")), 1, "memory-console login"),
    (Canned(403, refusal("permission_denied", "It lacks audit.", scope="audit")), 1, "login --scope audit"),
    (Canned(403, refusal("permission_denied", "This token was revoked.")), 1, "This token was revoked."),
    (Canned(404, refusal("not_found", "There is nothing here.")), 3, "There is nothing here."),
    (Canned(409, refusal("stale", "It moved.", seen=1, now=2)), 1, "It was version 1 and is 2 now."),
    (Canned(412, refusal("precondition_failed", "It moved.", seen=3, now=4)), 1, "version 3"),
    (Canned(422, PROBLEM), 1, "path: It is empty."),
    (Canned(429, refusal("too_many_requests", "Slow down."), {"Retry-After": "7"}), 4, "Try again in 7 seconds"),
    (Canned(429, refusal("too_many_requests", "Slow down.")), 4, "--retry"),
    (Canned(500, "", {"X-XMemo-Audit-ID": "reference-1"}), 4, "reference-1"),
    (Canned(503, refusal("unavailable", "The database did not answer.")), 4, "The database did not answer."),
    (Canned(404, "<h1>Not found</h1>"), 4, "no Memory Console"),
    (Canned(200, "<h1>Welcome</h1>"), 4, "no Memory Console"),
    (Canned(200, ["a list"]), 4, "no Memory Console"),
    (Canned(200, {"another": "API"}), 4, "not understood"),
    (Canned(302, "", {"Location": "http://elsewhere.example/"}), 4, "leads on to another address"),
    (Canned(403, refusal("permission_denied", "No \x1b]0;owned\x07.")), 1, "No <U+001B>]0;owned<U+0007>."),
    (Canned(breaks=True), 4, "does not answer"),
]


@pytest.mark.parametrize(("answer", "code", "said"), ENDS, ids=[f"{one.status} {said}" for one, _, said in ENDS])
def test_every_refusal_has_its_exit_code_and_advice(shell: Shell, answer: Canned, code: int, said: str) -> None:
    with answering(answer) as stub:
        told = shell("search", "x", "--url", stub.url, "--json")
    assert told.code == code and said in told.err and "\x1b" not in told.err
    assert told.json["error"]["exit_code"] == code


def test_asked_to_it_waits_once_as_long_as_it_is_told(shell: Shell) -> None:
    busy = Canned(429, refusal("too_many_requests", "Slow down."), {"Retry-After": "1"})
    with answering(busy, FOUND) as stub:
        assert shell("search", "x", "--url", stub.url, "--retry").code == 0
    with answering(busy) as stub:
        assert shell("search", "x", "--url", stub.url, "--retry").code == 4
    assert len(stub.asked) == 2


def test_a_call_whose_answer_is_lost_is_repeated_under_its_key(shell: Shell) -> None:
    stored = Canned(body={"id": "1", "status": "created"})
    with answering(Canned(breaks=True), stored) as stub:
        assert shell("remember", "Tea.", "--path", "a", "--url", stub.url).code == 0
    keys = [headers["Idempotency-Key"] for *_, headers in stub.asked]
    assert len(keys) == 2 and len(set(keys)) == 1


def test_nobody_there_is_said_so(shell: Shell) -> None:
    told = shell("search", "x", "--url", "http://127.0.0.1:9")
    assert told.code == 4 and "Connection refused" in told.err and "--url" in told.err


@pytest.mark.parametrize(
    "url", ["ftp://a", "a", "http://", "http://a b", "http://u:p@a", "http://a:x", "http://a?b=c", "http://a\x1b[2J"]
)
def test_what_is_no_address_is_refused(shell: Shell, url: str) -> None:
    told = shell("search", "x", "--url", url)
    assert told.code == 2 and "\x1b" not in told.err and "u:p" not in told.err


def test_the_address_may_be_that_of_the_api(shell: Shell) -> None:
    with answering(FOUND) as stub:
        assert shell("search", "x", "--url", f"{stub.url}/api/v1/").code == 0
    assert stub.asked[0][1].startswith("/v1/memories/search?")


def test_a_token_comes_from_a_file_or_from_standard_input(shell: Shell) -> None:
    plain = shell.without_token()
    (shell.home / "key").write_text("mc_file\n")
    with answering(FOUND) as stub:
        assert plain("search", "x", "--url", stub.url, "--token-file", "key").code == 0
        assert plain("search", "x", "--url", stub.url, "--token-file", "-", stdin="mc_stdin\nmore").code == 0
        assert plain("search", "x", "--url", stub.url).code == 0
    sent = [headers.get("Authorization") for *_, headers in stub.asked]
    assert sent == ["Bearer mc_file", "Bearer mc_stdin", None]


@pytest.mark.parametrize("text", ["", " \n", "two words", "é", "a\x1bb"])
def test_what_is_no_token_is_refused_without_being_shown(shell: Shell, tmp_path: Path, text: str) -> None:
    (tmp_path / "key").write_text(text)
    told = shell("search", "x", "--token-file", "key")
    assert told.code == 2 and (not text.strip() or text not in told.err)


def test_a_token_on_the_command_line_is_not_repeated(shell: Shell) -> None:
    told = shell("search", "x", "--token-file", "mc_secretsecretsecret")
    assert told.code == 2 and "mc_secret" not in told.err and "revoke this token" in told.err
    assert shell("search", "x", "--token", "mc_secret").code == 2  # there is no such option


def test_an_open_way_is_warned_of(shell: Shell) -> None:
    told = shell("search", "x", "--url", "http://console.invalid")
    assert told.code == 4 and "no https address" in told.err
