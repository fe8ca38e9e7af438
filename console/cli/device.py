"""A token by the device flow of the API: show a code, wait until a person has decided."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from console.cli import speech
from console.cli.failures import Failure, refused
from console.cli.session import Session

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
PENDING, SLOW_DOWN = "authorization_pending", "slow_down"
ENDS = {
    "access_denied": "The person refused. Nothing was given.",
    "expired_token": "Nobody approved the code in time. Run this again for a new one.",
}


def granted(session: Session, *, name: str, scopes: Sequence[str]) -> dict[str, Any]:
    """What the server gives when a person approves: `access_token` and what it may. Raises Failure."""
    api = session.api_with(None)
    started = api.ask("auth/device/start", {"client_id": name[:100], "scopes": list(scopes)})
    if not started.is_success:
        raise refused(started, session.url)
    codes = started.json()
    session.tell(f"Open {speech.line(codes['verification_uri_complete'])}")
    session.tell(f"and approve the code {speech.strong(speech.line(codes['user_code']))} there. Waiting …")
    pause = float(codes["interval"])
    ends = time.monotonic() + float(codes["expires_in"])
    while time.monotonic() < ends:
        time.sleep(pause)
        answer = api.ask("auth/device/token", {"device_code": codes["device_code"], "grant_type": GRANT})
        if answer.is_success:
            return dict(answer.json())
        error = _error(answer)
        if error in ENDS:
            raise Failure(ENDS[error])
        if error not in (PENDING, SLOW_DOWN):
            raise refused(answer, session.url)
        pause += 5 if error == SLOW_DOWN else 0
    raise Failure(ENDS["expired_token"])


def _error(answer: Any) -> str | None:
    try:
        body = answer.json()
    except ValueError:
        return None
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, str) else None
