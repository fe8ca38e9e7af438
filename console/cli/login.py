"""Commands that get a token by a code that a person approves, keep it, and give it back."""

from __future__ import annotations

import socket
from typing import Any

import click

from console.cli import device, logins, rights, speech
from console.cli.choices import SCOPES, Offered
from console.cli.failures import Exit, Failure
from console.cli.main import cli
from console.cli.session import Session, command

USUAL_SCOPES = ("memory:read", "memory:write")


@command(cli, "login")
@click.option("--scope", "scopes", multiple=True, type=Offered(SCOPES), help="A right to ask for; may be repeated.")
@click.option("--name", metavar="TEXT", help="How the token is called in the console; this machine's name without it.")
def login(session: Session, scopes: tuple[str, ...], name: str | None) -> None:
    """Get a token by a code.

    This shows a code, and a person approves it in the console.

    The token is kept in a file that only you can read, and used from then on. Asks for memory:read and memory:write.
    """
    logins.check_writable()
    called = name or f"memory-console on {socket.gethostname()}"
    given = device.granted(session, name=called, scopes=scopes or USUAL_SCOPES)
    kept = {"token": given["access_token"], "scopes": given.get("scopes"), "expires_at": given.get("expires_at")}
    path = logins.keep(session.url, kept)
    session.answer(_without_token(session.url, given), [_done(session.url, given)])
    session.tell(f"The token is kept in {speech.line(path)}.")


def _without_token(url: str, given: dict[str, Any]) -> dict[str, Any]:
    shown = {name: given.get(name) for name in ("scopes", "expires_at", "user")}
    return {"url": url, **shown}


def _done(url: str, given: dict[str, Any]) -> str:
    user = given.get("user") or {}
    told = rights.line(given.get("scopes") or [])
    until = speech.line(given.get("expires_at") or "–")
    return f"Logged in at {speech.line(url)} as {speech.line(user.get('username') or '–')}: {told}, until {until}."


@command(cli, "logout")
@click.option("--here-only", is_flag=True, help="Only forget the token here; it stays valid until it expires.")
def logout(session: Session, here_only: bool) -> None:
    """Revoke the token of the login, and forget it."""
    token = logins.token_for(session.url)
    if token is None:
        raise Failure(f"There is no login at {speech.line(session.url)}.", Exit.NOTHING)
    if not here_only:
        _revoke(session, token)
    logins.drop(session.url)
    body = {"url": session.url, "revoked": not here_only}
    word = "forgotten here" if here_only else "revoked"
    session.answer(body, [f"Logged out of {speech.line(session.url)}: the token is {word}."])


def _revoke(session: Session, token: str) -> None:
    try:
        session.api_with(token).post("auth/token/revoke-self", {})
    except Failure as why:
        if why.detail.get("status") not in (401, 403):  # then it is no good any more, which is what is wanted
            raise
