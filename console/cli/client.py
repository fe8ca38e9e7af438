"""Calls of the API over HTTP: the answer, or the Failure that says why there is none."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx

from console.cli.failures import NOT_OURS, Exit, Failure, Unreached, refused, seconds_to_wait
from console.cli.where import LOOPBACK

CONNECT_SECONDS = 5
ANSWER_SECONDS = 120
WAIT_MOST = 3_600  # seconds
AGENT = "memory-console-cli"


@dataclass(frozen=True, slots=True)
class Answer:
    """A good answer: its status, what it says, and the version that it names."""

    status: int
    body: dict[str, Any]
    etag: str | None


class Api:
    """The API of the console at `url`. With `retry` a call that came too often is repeated once, when it may be."""

    def __init__(self, url: str, token: str | None, *, retry: bool = False) -> None:
        self.url = url
        self.retry = retry
        headers = {"Accept": "application/json", "User-Agent": AGENT, "X-Memory-OS-Agent-ID": AGENT}
        self.client = httpx.Client(
            base_url=f"{url}/v1/",
            headers=headers | ({"Authorization": f"Bearer {token}"} if token else {}),
            timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS),
            trust_env=urlsplit(url).hostname not in LOOPBACK,
        )

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What stands at `path`; a value that is None is not sent."""
        return self.look(path, query).body

    def look(self, path: str, query: Mapping[str, Any] | None = None) -> Answer:
        """The same with its version."""
        return self._good(self._send("GET", path, params=_sent(query or {})))

    def post(self, path: str, body: Mapping[str, Any], *, seen: str | None = None) -> Answer:
        """Have `path` do something, once even where the answer was lost and the call is repeated."""
        headers = {"Idempotency-Key": str(uuid4())} | ({"If-Match": seen} if seen else {})
        return self._good(self._send("POST", path, json=_kept(body), headers=headers))

    def ask(self, path: str, body: Mapping[str, Any]) -> httpx.Response:
        """POST without a key; the answer as it is, whatever its status."""
        return self._send("POST", path, json=_kept(body))

    def _send(self, method: str, path: str, **more: Any) -> httpx.Response:
        answer = self._once_more(method, path, **more)
        seconds = seconds_to_wait(answer)
        if answer.status_code == 429 and self.retry and seconds is not None and seconds <= WAIT_MOST:
            time.sleep(seconds)
            answer = self._once_more(method, path, **more)
        return answer

    def _once_more(self, method: str, path: str, **more: Any) -> httpx.Response:
        """One call; repeated once where the connection broke before there was an answer."""
        try:
            return self.client.request(method, path, **more)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            return self._try(method, path, **more)
        except httpx.HTTPError as error:
            raise _unreached(self.url, error) from None

    def _try(self, method: str, path: str, **more: Any) -> httpx.Response:
        try:
            return self.client.request(method, path, **more)
        except httpx.HTTPError as error:
            raise _unreached(self.url, error) from None

    def _good(self, answer: httpx.Response) -> Answer:
        if not 200 <= answer.status_code < 300:
            raise refused(answer, self.url)
        try:
            body = answer.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            text = f"What answers at {self.url} is no Memory Console. {NOT_OURS}"
            raise Failure(text, Exit.NO_ANSWER, status=answer.status_code)
        return Answer(answer.status_code, body, answer.headers.get("ETag"))


def _unreached(url: str, error: httpx.HTTPError) -> Unreached:
    """Why. Words of the library are repeated only from before anything was sent."""
    if isinstance(error, httpx.TimeoutException):
        return Unreached(url, "no answer in time")
    if isinstance(error, httpx.ConnectError):
        return Unreached(url, str(error).rpartition("] ")[2])
    return Unreached(url, type(error).__name__)


def _kept(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _sent(query: Mapping[str, Any]) -> dict[str, Any]:
    """As the API reads queries: booleans in lowercase, and nothing that is empty."""
    return {name: str(one).lower() if isinstance(one, bool) else one for name, one in _kept(query).items() if one != ""}
