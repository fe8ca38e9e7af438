"""The command line as one more way out: its own commands, in this process, talking to the API of the test."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import httpx
from django.test import Client

from console.cli.main import main

URL = "http://127.0.0.1:8321"
BROWSER = Client()


def _answered(request: httpx.Request) -> httpx.Response:
    """What the API says, without a server and within the test's transaction."""
    sent = {name: text for name, text in request.headers.items() if name in ("authorization", "idempotency-key")}
    path = request.url.raw_path.decode()
    answer = BROWSER.generic(request.method, path, request.content, "application/json", headers=sent)
    return httpx.Response(answer.status_code, headers=dict(answer.items()), content=answer.content)


CLIENT = partial(httpx.Client, transport=httpx.MockTransport(_answered))


def said(key: str, *arguments: str) -> tuple[str, int]:
    """All that a command with this token prints, and the status of its answer."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    given = {"MEMORY_CONSOLE_URL": URL, "MEMORY_CONSOLE_TOKEN": key}
    with (
        patch("console.cli.client.httpx.Client", CLIENT),
        patch.dict(os.environ, given),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        main([*arguments, "--json"])
    out.seek(0)
    text = out.read()
    return f"{text}\n{err.getvalue()}", _status(json.loads(text))


def _status(told: Mapping[str, Any]) -> int:
    return int(told["error"].get("status", 500)) if "error" in told else 200


def exported(key: str) -> tuple[str, int]:
    """What stands in the file that an export of everything makes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "all.jsonl"
        text, status = said(key, "export", str(path), "--all")
        return text + (path.read_text() if path.exists() else ""), status
