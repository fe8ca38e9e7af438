"""Long answers go out piece by piece; who takes none of them holds no thread for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from django.http import StreamingHttpResponse

from console import threaded
from console.threaded import Message, Threaded

Told = TypeVar("Told")


def in_a_loop_of_its_own(made: Coroutine[Any, Any, Told]) -> Told:
    """What the coroutine tells; in a thread, since a browser of another test may keep a loop in this one."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, made).result()


SCOPE = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": []}


class Answer(StreamingHttpResponse):
    """Parts of several sizes; says when it is closed."""

    ended = False

    def close(self) -> None:
        self.ended = True
        super().close()


@pytest.fixture
def answer() -> Answer:
    return Answer(part for part in (b"ab", b"", b"c" * 10))


@pytest.fixture
def pages(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Threaded]:
    monkeypatch.setattr(threaded, "PIECE_BYTES", 4)
    with ThreadPoolExecutor(1) as pool:
        made = Threaded(pool)
        monkeypatch.setattr(made, "get_response", lambda request: answer)
        yield made


async def nothing() -> Message:
    return {"type": "http.request", "body": b""}


def test_parts_are_sent_in_small_pieces(pages: Threaded, answer: Answer) -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    in_a_loop_of_its_own(pages(SCOPE, nothing, send))
    assert [one.get("body") for one in sent] == [None, b"ab", b"cccc", b"cccc", b"cc", b""]
    assert not sent[-1].get("more_body") and answer.ended


def test_a_client_that_takes_nothing_gives_its_thread_back(
    pages: Threaded, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threaded, "STALLED_SECONDS", 0.05)

    async def send(message: Message) -> None:
        if "body" in message:
            await asyncio.Event().wait()

    with pytest.raises(ConnectionAbortedError):
        in_a_loop_of_its_own(pages(SCOPE, nothing, send))
    assert answer.ended and pages.pool.submit(lambda: "free").result() == "free"
