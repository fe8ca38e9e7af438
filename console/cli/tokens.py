"""Commands about tokens: one for an agent, and the one in use. The list of all is for people, in the console."""

from __future__ import annotations

from pathlib import Path

import click

from console.cli import device, logins, rights, speech
from console.cli.choices import SCOPES, Offered
from console.cli.failures import Exit, Failure
from console.cli.main import cli
from console.cli.session import Session, command


@cli.group("token")
def token() -> None:
    """Make a token for an agent; show or revoke the one in use."""


@command(token, "create")
@click.argument("name")
@click.option("--out", required=True, type=click.Path(dir_okay=False), help="The file for it, which must be new.")
@click.option("--scope", "scopes", multiple=True, type=Offered(SCOPES), help="A right to ask for; may be repeated.")
def create(session: Session, name: str, out: str, scopes: tuple[str, ...]) -> None:
    """Get a token into a file.

    It is called NAME. This shows a code, and a person approves it in the console.

    Asks for memory:read and memory:write. The token itself is never printed; only you can read the file.
    """
    path = Path(out)
    _check_new(path)
    given = device.granted(session, name=name, scopes=scopes or ("memory:read", "memory:write"))
    try:
        logins.write_private(path, f"{given['access_token']}\n")
    except OSError as error:
        raise Failure(f"{out} cannot be written ({error.strerror}). Revoke the token in the console.") from None
    shown = {"file": out, "name": name, "scopes": given.get("scopes"), "expires_at": given.get("expires_at")}
    told = rights.line(given.get("scopes") or [])
    session.answer(shown, [f"{speech.line(out)} holds the token {speech.line(name)}: {told}."])


@command(token, "show")
def show(session: Session) -> None:
    """Show what the token in use may do, and until when.

    The console lists all your tokens, and revokes any of them.
    """
    body = session.api.get("auth/token/validate")
    bounds = {name: value for name, value in dict(body.get("agent_boundary") or {}).items() if value not in (None, [])}
    name, until = speech.line(body.get("name") or "–"), speech.line(body["expires_at"])
    lines = [
        f"{name} is {speech.line(body['status'])} until {until}",
        f"scopes: {rights.line(body['scopes'])}",
        *(f"{speech.line(one)}: {speech.line(value)}" for one, value in bounds.items()),
    ]
    session.answer(body, lines)


@command(token, "revoke")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def revoke(session: Session, yes: bool) -> None:
    """Revoke the token in use, at once and for good."""
    if not yes and not speech.at_a_terminal():
        raise Failure("There is nobody to ask. Add --yes.", Exit.USAGE)
    name = session.api.get("auth/token/validate").get("name") or "–"
    if not yes and not speech.agreed(f"Revoke the token {speech.line(name)}?"):
        raise Failure("Nothing was revoked.")
    body = session.api.post("auth/token/revoke-self", {}).body
    if logins.token_for(session.url) == session.token:
        logins.drop(session.url)
    session.answer(body, [f"The token {speech.line(name)} is revoked."])


def _check_new(path: Path) -> None:
    """Before a person is asked: whether the file can be made. Raises Failure."""
    if path.exists():
        raise Failure(f"{path} is there already. Name a new file.", Exit.USAGE)
    try:
        logins.write_private(path, "")
        path.unlink()
    except OSError as error:
        raise Failure(f"{path} cannot be written ({error.strerror}). Name another file.", Exit.USAGE) from None
