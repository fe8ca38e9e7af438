"""Which console is meant, and with which token: from options, the environment, or the last login."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from console.cli import logins
from console.cli.failures import LOG_IN, Exit, Failure

USUAL_URL = "http://127.0.0.1:8321"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
TOKEN_MOST = 4_000  # characters


def url_of(given: str | None) -> str:
    """The address of the console, without a slash at its end. Raises Failure."""
    text = given or os.environ.get("MEMORY_CONSOLE_URL") or logins.default_url() or USUAL_URL
    url = text.strip().rstrip("/").removesuffix("/v1").removesuffix("/api")
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1) and url.isprintable()
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment or " " in url:
        raise Failure(f"This is no address of a console: {text}. Name one like {USUAL_URL}.", Exit.USAGE)
    if parts.username is not None or parts.password is not None:
        raise Failure("The address holds a name or password. Leave it out; a token is what counts.", Exit.USAGE)
    return url


def travels_openly(url: str) -> bool:
    """Whether what is sent to `url` can be read on its way."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in LOOPBACK


def token_of(url: str, token_file: str | None) -> str | None:
    """The token to send to `url`, None where there is none. Raises Failure."""
    if token_file is not None:
        return _checked(_read(token_file), "The token file")
    if given := os.environ.get("MEMORY_CONSOLE_TOKEN"):
        return _checked(given, "MEMORY_CONSOLE_TOKEN")
    return logins.token_for(url)


def _read(name: str) -> str:
    """The text of a token file, `-` being standard input. What fails never shows a token given by mistake."""
    if name.startswith("mc_"):
        text = "That is a token, not the name of a file. Others can see the arguments of a command: revoke this token."
        raise Failure(f"{text} {LOG_IN}", Exit.USAGE)
    try:
        return sys.stdin.readline(TOKEN_MOST) if name == "-" else Path(name).read_text("utf-8")[:TOKEN_MOST]
    except (OSError, ValueError) as error:
        raise Failure(
            f"The token file cannot be read ({type(error).__name__}). Name another one.", Exit.USAGE
        ) from None


def _checked(text: str, what: str) -> str:
    token = text.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise Failure(f"{what} holds no token: one word on one line is expected.", Exit.USAGE)
    return token
