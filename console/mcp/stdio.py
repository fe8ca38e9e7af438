"""The bridge over standard input and output: what an agent writes goes to the server as any other client's calls do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx
from mcp.shared.inbound import NAME_BEARING_METHODS, encode_header_value
from mcp_types import INTERNAL_ERROR, PARSE_ERROR, PROTOCOL_VERSION_META_KEY

AT_ONCE = 8
SECONDS = 120
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Bridge:
    """Sends each message to `url` with `token`, and writes what comes back, one message a line."""

    def __init__(self, url: str, token: str, write: Callable[[bytes], None]) -> None:
        self.url = url
        self.write = write
        self.version = ""  # as negotiated by clients that shake hands
        self.client = httpx.Client(
            headers={
                "Authorization": f"Bearer {token}",
                "Accept": "application/json, text/event-stream",
                "Content-Type": "application/json",
            },
            timeout=SECONDS,
            trust_env=urlsplit(url).hostname not in LOOPBACK,
        )

    def serve(self, lines: Iterable[bytes]) -> None:
        """Until there are no more lines, and every one has its answer."""
        with self.client, ThreadPoolExecutor(AT_ONCE) as pool:  # the client outlives the calls
            for line in lines:
                if line.strip():
                    message = _parsed(line)
                    if isinstance(message, dict) and message.get("method") == "initialize":
                        self.forward(message)  # what follows needs the version that it settles
                    else:
                        pool.submit(self.forward, message)

    def forward(self, message: Any) -> None:
        """Send one message and write its answers; a server that cannot be reached is said as an error."""
        if not isinstance(message, dict):
            return self._fail(None, PARSE_ERROR, "This line is no JSON object. Send one message a line.")
        try:
            body = json.dumps(message)  # in ASCII: half a surrogate pair is for the server to refuse
            answer = self.client.post(self.url, content=body, headers=self._headers(message))
        except (ValueError, RecursionError):
            return self._fail(message, PARSE_ERROR, "This message cannot be sent. Send plain JSON, nested less deeply.")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            said = f"The console at {self.url} does not answer ({type(error).__name__}). Start it, or set MCP_URL."
            return self._fail(message, INTERNAL_ERROR, said)
        found = [one for one in _messages(answer) if isinstance(one, dict) and "jsonrpc" in one]
        for one in found:
            self._note_version(message, one)
            nameless = "error" in one and one.get("id") is None  # a server that could not read the message
            self._say({**one, "id": message["id"]} if nameless and "id" in message else one)
        if not found and answer.status_code >= 400:
            self._fail(message, INTERNAL_ERROR, _refused(answer))

    def _headers(self, message: dict[str, Any]) -> dict[str, str]:
        """What the protocol wants to see outside the body."""
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
        if not isinstance(version, str):
            return {"MCP-Protocol-Version": self.version} if self.version else {}
        method = str(message.get("method", ""))
        headers = {"MCP-Protocol-Version": encode_header_value(version), "Mcp-Method": encode_header_value(method)}
        name = params.get(NAME_BEARING_METHODS.get(method, ""))
        return headers | ({"Mcp-Name": encode_header_value(name)} if isinstance(name, str) else {})

    def _note_version(self, message: dict[str, Any], answer: dict[str, Any]) -> None:
        if message.get("method") == "initialize" and isinstance(answer.get("result"), dict):
            self.version = str(answer["result"].get("protocolVersion", ""))

    def _fail(self, message: dict[str, Any] | None, code: int, said: str) -> None:
        if message is None or "id" in message:  # nobody waits for the answer to a notification
            error = {"code": code, "message": said}
            self._say({"jsonrpc": "2.0", "id": message["id"] if message else None, "error": error})

    def _say(self, message: dict[str, Any]) -> None:
        self.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _messages(answer: httpx.Response) -> Iterator[Any]:
    """The messages of an answer, which is JSON or a stream of events."""
    if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
        lines = answer.content.replace(b"\r\n", b"\n").split(b"\n")
        yield from (_parsed(line[5:]) for line in lines if line.startswith(b"data:"))
    elif answer.content.strip():
        yield _parsed(answer.content)


def _refused(answer: httpx.Response) -> str:
    """Why the server let nobody in."""
    body = _parsed(answer.content)
    detail = body.get("detail") if isinstance(body, dict) else None
    if isinstance(detail, dict) and isinstance(detail.get("message"), str):
        return str(detail["message"])
    return f"The server answered with status {answer.status_code}."
