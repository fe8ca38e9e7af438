"""Why a command ends without having done what it was asked, each reason with its exit code and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

LOG_IN = "Log in with `memory-console login`, or put a token into MEMORY_CONSOLE_TOKEN or a --token-file."
NOT_OURS = "Is this the address of a Memory Console? --url and MEMORY_CONSOLE_URL name another one."


class Exit(IntEnum):
    """How a command ends. docs/cli.md tells the same."""

    DONE = 0
    REFUSED = 1
    USAGE = 2
    NOTHING = 3
    NO_ANSWER = 4
    WAITS = 5
    INTERRUPTED = 130


class Failure(Exception):
    """The end of a command. `message` is a sentence for a person, `detail` what a program wants beside it."""

    def __init__(self, message: str, exit_code: Exit = Exit.REFUSED, **detail: Any) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.detail = detail

    def as_json(self) -> dict[str, Any]:
        """The one document that --json prints instead of an answer."""
        kept = {name: value for name, value in self.detail.items() if value is not None}
        return {"error": {"exit_code": int(self.exit_code), "message": self.message, **kept}}


class Unreached(Failure):
    """Nobody answers at the address."""

    def __init__(self, url: str, why: str) -> None:
        text = f"The console at {url} does not answer ({why}). Start it, or name another address with --url."
        super().__init__(text, Exit.NO_ANSWER, url=url)


def refused(answer: httpx.Response, url: str) -> Failure:
    """What an answer that is none of the good ones means."""
    status, told = answer.status_code, _told(answer)
    detail = {
        "status": status,
        "code": told.get("code"),
        "problems": told.get("problems"),
        "scope": told.get("scope"),
        "audit_id": answer.headers.get("X-XMemo-Audit-ID"),
    }
    said = str(told.get("message", ""))
    if 300 <= status < 400:
        text = f"{url} leads on to another address. Name that one with --url. {NOT_OURS}"
        return Failure(text, Exit.NO_ANSWER, **detail)
    if status == 429:
        return _too_many(answer, said, detail)
    if status >= 500:
        reference = f" Its reference is {detail['audit_id']}." if detail["audit_id"] else ""
        said = said or f"The server failed (status {status}). Try again; if it stays, look into its log.{reference}"
        return Failure(said, Exit.NO_ANSWER, **detail)
    if not said:
        text = f"What answers at {url} (with status {status}) is no Memory Console. {NOT_OURS}"
        return Failure(text, Exit.NO_ANSWER, **detail)
    ends = Exit.NOTHING if status == 404 else Exit.REFUSED
    return Failure(_with_advice(status, said, told), ends, **detail)


def _with_advice(status: int, said: str, told: Mapping[str, Any]) -> str:
    """The sentence of the server, with what helps here."""
    if status == 401:
        return LOG_IN
    if status == 403 and told.get("scope"):
        return f"{said} `memory-console login --scope {told['scope']}` asks for it; name the others that you need too."
    if status in (409, 412) and told.get("seen") is not None and told.get("now") is not None:
        return f"{said} It was version {told['seen']} and is {told['now']} now. Look at it, and run this again."
    return said


def _too_many(answer: httpx.Response, said: str, detail: Mapping[str, Any]) -> Failure:
    seconds = seconds_to_wait(answer)
    when = f"Try again in {seconds} seconds" if seconds else "Try again later"
    text = f"{said or 'Too many requests.'} {when}; with --retry the command waits once by itself."
    return Failure(text, Exit.NO_ANSWER, retry_after=seconds, **detail)


def seconds_to_wait(answer: httpx.Response) -> int | None:
    """The seconds of Retry-After, where it names any."""
    text = answer.headers.get("Retry-After", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None


def _told(answer: httpx.Response) -> dict[str, Any]:
    """`message`, and whatever else the error says: in one text, as a list of problems, or with a code."""
    try:
        body = answer.json()
    except ValueError:
        return {}
    detail = body.get("detail") if isinstance(body, dict) else None
    if isinstance(detail, str):
        return {"message": detail}
    if isinstance(detail, dict):
        return detail
    if isinstance(detail, list):
        problems = [one for one in detail if isinstance(one, dict)]
        lines = [f"  {_place(one)}: {one.get('msg', '')}" for one in problems]
        return {"message": "\n".join(["The server does not take this:", *lines]), "problems": problems}
    return {}


def _place(problem: Mapping[str, Any]) -> str:
    loc = problem.get("loc")
    names = [str(one) for one in loc] if isinstance(loc, list) else []
    return ".".join(names[1:] or names) or "input"
