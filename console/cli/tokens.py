"""Commands about tokens for others: agents, machines, other programs."""

from __future__ import annotations

from pathlib import Path

import click

from console.cli import device, logins, speech
from console.cli.choices import SCOPES, Offered
from console.cli.failures import Exit, Failure
from console.cli.main import cli
from console.cli.session import Session, command


@cli.group("token")
def token() -> None:
    """Make a token for an agent, list yours, or revoke one."""


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
    rights = speech.line(", ".join(given.get("scopes") or []))
    session.answer(shown, [f"{speech.line(out)} holds the token {speech.line(name)}: {rights}."])


def _check_new(path: Path) -> None:
    """Before a person is asked: whether the file can be made. Raises Failure."""
    if path.exists():
        raise Failure(f"{path} is there already. Name a new file.", Exit.USAGE)
    try:
        logins.write_private(path, "")
        path.unlink()
    except OSError as error:
        raise Failure(f"{path} cannot be written ({error.strerror}). Name another file.", Exit.USAGE) from None
