"""An agent as simple bridges are: hand-written JSON-RPC over HTTP, no handshake, the last `data:` line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import jsonschema

from memories.models import User
from tests.memories import factories
from tests.memories.api_client import ALL

BOTH = "application/json, text/event-stream"


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer over HTTP."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        """The JSON-RPC message: of a stream the last `data:` line, as every splitter of lines sees it."""
        if self.headers["content-type"].startswith("text/event-stream"):
            data = [line for line in self.body.decode().splitlines() if line.startswith("data:")]
            return json.loads(data[-1].removeprefix("data:"))
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool answered."""

    text: str
    data: Any
    failed: bool

    @property
    def code(self) -> str:
        """The code of an error."""
        assert self.failed, self.text
        return self.text.splitlines()[0].removeprefix("Error: ")


class Bridge:
    """Calls with a token of `who`; `fields` are the token's scopes and bounds. Answers are held to their schemas."""

    def __init__(self, server: str, who: User, profile: str = "extended", **fields: Any) -> None:
        fields.setdefault("scopes", ALL)
        self.token, self.key = factories.token(who, **fields)
        self.server, self.path = server, f"/mcp?profile={profile}"
        self._schemas: dict[str, Any] = {}

    def post(self, message: Any, path: str = "", verb: str = "POST", **headers: str | None) -> Reply:
        """One request; a header given as None is left out."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        usual = {"Content-Type": "application/json", "Accept": BOTH, "Authorization": f"Bearer {self.key}"}
        sent = {name: value for name, value in {**usual, **named}.items() if value is not None}
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        connection = HTTPConnection(urlsplit(self.server).netloc, timeout=60)
        try:
            connection.request(verb, path or self.path, body, sent)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, found, answer.read())
        finally:
            connection.close()

    def ask(self, method: str, params: Any = None, **headers: str | None) -> Any:
        """The result of a request."""
        message = {"jsonrpc": "2.0", "id": "one", "method": method, **({"params": params} if params else {})}
        reply = self.post(message, **headers)
        assert reply.status == 200, reply
        assert reply.message["id"] == "one"
        return reply.message["result"] if "result" in reply.message else reply.message["error"]

    def tools(self) -> dict[str, Any]:
        """The tools shown to this token, by name."""
        return {tool["name"]: tool for tool in self.ask("tools/list")["tools"]}

    def call(self, name: str, **arguments: Any) -> Said:
        """One call of a tool."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        text, failed = result["content"][0]["text"], result.get("isError", False)
        data = result.get("structuredContent")
        if not failed:
            self._schemas = self._schemas or self.tools()
            if name in self._schemas:
                jsonschema.validate(data, self._schemas[name]["outputSchema"])
        return Said(text, data, failed)
