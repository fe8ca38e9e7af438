"""The tokens of `memory-console login`: one for each console, in a file that only its owner can read."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

from console.cli.failures import Exit, Failure


def place() -> Path:
    """Where they are kept: below XDG_CONFIG_HOME, which is ~/.config unless it is set."""
    given = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(given) if given.startswith("/") else Path.home() / ".config") / "memory-console" / "logins.json"


def stored() -> dict[str, Any]:
    """All logins, and which is the `default`. Raises Failure for a file that cannot be trusted."""
    path = place()
    try:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            advice = f"Others may have read the tokens in {path}. Revoke them in the console, then: chmod 600 {path}"
            raise Failure(advice, Exit.USAGE)
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {"default": None, "logins": {}}
    except (OSError, ValueError) as error:
        raise Failure(f"{path} cannot be read ({type(error).__name__}). Remove it and log in again.") from None
    if not isinstance(found, dict) or not isinstance(found.get("logins"), dict):
        raise Failure(f"{path} is not what a login wrote. Remove it and log in again.")
    return found


def default_url() -> str | None:
    """The console of the last login."""
    found = stored()["default"]
    return found if isinstance(found, str) else None


def token_for(url: str) -> str | None:
    """The token of the login at `url`."""
    login = stored()["logins"].get(url)
    token = login.get("token") if isinstance(login, dict) else None
    return token if isinstance(token, str) else None


def keep(url: str, login: dict[str, Any]) -> Path:
    """Store this login and make its console the default one."""
    found = stored()
    found["logins"][url], found["default"] = login, url
    return _write(found)


def drop(url: str) -> None:
    """Forget the login at `url`."""
    found = stored()
    found["logins"].pop(url, None)
    if found["default"] == url:
        found["default"] = next(iter(found["logins"]), None)
    _write(found)


def check_writable() -> None:
    """Before a person is asked for a token: whether it can be kept. Raises Failure."""
    path = place()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise Failure(f"Nothing can be stored in {path.parent} ({error.strerror}). Set XDG_CONFIG_HOME.") from None


def _write(found: dict[str, Any]) -> Path:
    path = place()
    try:
        write_private(path, json.dumps(found, indent=2) + "\n")
    except OSError as error:
        raise Failure(f"{path} cannot be written ({error.strerror}). Set XDG_CONFIG_HOME.") from None
    return path


def write_private(path: Path, text: str) -> None:
    """The file `path` with this text, all or nothing, for its owner alone."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # 0600 from the start
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
