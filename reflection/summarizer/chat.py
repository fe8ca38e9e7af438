"""A chat endpoint that speaks OpenAI's protocol (`POST …/v1/chat/completions`): one question, one answer."""

from __future__ import annotations

import asyncio
import json
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

import httpx

TIMEOUT = 30.0  # seconds for the whole answer
PATIENCE = 3  # failures in a row, after which a plan asks no more
PLAN_SECONDS = 900.0  # that one plan waits for all its answers
ANSWER_BYTES = 1_000_000
_BREAKS = "\u2028\u2029"  # lines and paragraphs
_KEPT = "\n\t\u200c\u200d"  # some scripts need the joiners


class Unusable(Exception):
    """The endpoint gave nothing that can stand; the message says why in a few words."""


class Chat:
    """`model` at `url` for one plan, unless `forbids` says of its host that nothing is to be sent there.

    After PATIENCE failures in a row, or once the time of one plan is used up, it is asked no more. No connection
    outlives its question. `url` is the whole address to post to. Raises ValueError where no model is named.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str = "",
        timeout: float = TIMEOUT,
        forbids: Callable[[str], bool] = lambda host: False,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        if not model:
            raise ValueError("SUMMARIZER_MODEL must name the model that SUMMARIZER_URL serves.")
        self.model = model
        self._url, self._timeout, self._forbids = url, timeout, forbids
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._transport, self._clock = transport, clock
        self._tls = httpx.create_ssl_context(trust_env=False)  # reads certificates, so once for all questions
        self._failures, self._spent = 0, 0.0

    @property
    def given_up(self) -> str:
        """Why it is asked no more, or nothing."""
        if self._failures >= PATIENCE:
            return f"it failed {PATIENCE} times in a row"
        return f"its {PLAN_SECONDS:g} s for one plan are used up" if self._spent >= PLAN_SECONDS else ""

    def ask(self, task: str, material: str) -> str:
        """What the model answers to `material` under `task`, without white space around. Raises Unusable."""
        if self.given_up:
            raise Unusable(self.given_up)
        began = self._clock()
        try:
            said = self._answer(task, material)
        except Unusable:
            self._failures += 1
            raise
        finally:
            self._spent += self._clock() - began
        self._failures = 0
        return said

    def _answer(self, task: str, material: str) -> str:
        body = {
            "model": self.model,
            "temperature": 0,
            "messages": [
                {"role": "system", "content": task},
                {"role": "user", "content": material.encode("utf-8", "replace").decode()},
            ],
        }
        try:
            return _said(json.loads(self._post(body)))
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
            raise Unusable("its answer is no chat completion") from error

    def _post(self, body: dict[str, Any]) -> bytes:
        if self._forbids(httpx.URL(self._url).host):
            raise Unusable("SUMMARIZER_URL leads to where clouds hand out keys of the machine")
        with ThreadPoolExecutor(1) as alone:  # an event loop may be running in this thread already
            return alone.submit(asyncio.run, self._in_time(body)).result()

    async def _in_time(self, body: dict[str, Any]) -> bytes:
        """All of the answer, however slowly it drips: the time is that of the whole, not of one read."""
        seconds = min(self._timeout, max(0.0, PLAN_SECONDS - self._spent))
        try:
            async with asyncio.timeout(seconds):
                return await self._received(body)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise Unusable(f"it took longer than {seconds:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unusable(f"no answer, {type(error).__name__}") from error

    async def _received(self, body: dict[str, Any]) -> bytes:
        received = bytearray()
        async with (
            self._client() as client,
            client.stream("POST", self._url, json=body) as response,
        ):
            if response.status_code != 200:
                raise Unusable(f"it answered {response.status_code}")
            async for part in response.aiter_bytes():
                received += part
                if len(received) > ANSWER_BYTES:
                    raise Unusable("its answer is too long")
        return bytes(received)

    def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            headers=self._headers,
            verify=self._tls,
            timeout=httpx.Timeout(self._timeout, connect=min(self._timeout, 5.0)),
            follow_redirects=False,
            trust_env=False,
            transport=self._transport,
        )


def _said(answer: Any) -> str:
    text = answer["choices"][0]["message"]["content"]
    if not isinstance(text, str):
        raise TypeError("content")
    return "".join("\n" if c in _BREAKS else c for c in text if c in _KEPT or not _unseen(c)).strip()


def _unseen(character: str) -> bool:
    """Whether nobody sees it: half characters, controls, and marks of format, in which words can hide."""
    return unicodedata.category(character) in ("Cc", "Cf", "Cs")
