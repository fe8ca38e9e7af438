"""Reads settings from the environment and fails with advice."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from console import endpoints

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    """The variable `name` without surrounding white space."""
    return os.environ.get(name, default).strip()


def flag(name: str, default: bool = False) -> bool:
    """A yes/no variable. Raises ImproperlyConfigured for anything that is neither."""
    value = text(name, "1" if default else "0").lower()
    if value in TRUE:
        return True
    if value in FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}. Set it to 1 or 0.")


def number(name: str, default: int, *, least: int, most: int) -> int:
    """A whole number within [least, most]. Raises ImproperlyConfigured otherwise."""
    value = text(name, str(default))
    whole = value.isascii() and value.removeprefix("-").isdigit() and len(value) <= 20
    if not whole or not least <= int(value) <= most:
        raise ImproperlyConfigured(f"{name} is {value!r}. Set it to a whole number from {least} to {most}.")
    return int(value)


def choice(name: str, default: str, among: tuple[str, ...]) -> str:
    """One of `among`. Raises ImproperlyConfigured otherwise."""
    value = text(name, default)
    if value not in among:
        raise ImproperlyConfigured(f"{name} is {value!r}. Set it to one of: {', '.join(among)}.")
    return value


def words(name: str) -> list[str]:
    """A comma separated list, blanks dropped."""
    return [word.strip() for word in text(name).split(",") if word.strip()]


def endpoint(name: str, model: str, path: str) -> str:
    """The address that a model answers at, completed with `path`, or nothing where none is set.

    Raises ImproperlyConfigured with advice for what is no address, for a host that hands out keys of the machine (a
    name is looked up only when something is sent there) and where `model` does not name the model.
    """
    value = text(name)
    if not value:
        return ""
    try:
        value = endpoints.completed(name, value, path)
    except ValueError as error:
        raise ImproperlyConfigured(str(error)) from None
    host = urlsplit(value).hostname or ""
    if endpoints.hands_out_keys(host, look_up=False):
        raise ImproperlyConfigured(endpoints.advice(name, host))
    if not text(model):
        raise ImproperlyConfigured(
            f"{name} is set and {model} is not. Set {model} to the name of the model that answers there, "
            f"or leave {name} empty to do without a model of your own."
        )
    return value


def secret_key(home: Path, *, production: bool) -> str:
    """SECRET_KEY, or for a local console one kept in its data folder (made at the first start)."""
    key = text("SECRET_KEY")
    if key:
        if production and len(key) < 50:
            raise ImproperlyConfigured(
                "SECRET_KEY is shorter than 50 characters. Make one: python -c 'import secrets; "
                "print(secrets.token_urlsafe(64))'"
            )
        return key
    if production:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. In production it must come from the environment, at least 50 random characters: "
            "python -c 'import secrets; print(secrets.token_urlsafe(64))'"
        )
    return _kept_secret(home / "secret_key")


def _kept_secret(path: Path) -> str:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(64))
        except FileExistsError:
            pass
        return path.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {path.parent} cannot be used ({error.strerror}). "
            "Set MEMORY_CONSOLE_HOME to a folder that you may write to."
        ) from error


def mail() -> dict[str, Any]:
    """The mail server of EMAIL_URL as Django's settings; without it no mail is sent. Raises ImproperlyConfigured."""
    value = text("EMAIL_URL")
    shape = "Write it as smtp://user:password@host:587 (STARTTLS), smtps://…:465, or smtp://host:25?tls=0."
    if not value:
        return {"EMAIL_HOST": "", "EMAIL_TIMEOUT": 10}
    try:
        parts = urlsplit(value)
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured(f"EMAIL_URL cannot be read. {shape}") from None
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.query not in ("", "tls=0", "tls=1"):
        raise ImproperlyConfigured(f"EMAIL_URL cannot be read. {shape}")
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": port or (465 if parts.scheme == "smtps" else 587),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
        "EMAIL_USE_TLS": parts.scheme == "smtp" and parts.query != "tls=0",
        "EMAIL_TIMEOUT": 10,
        "DEFAULT_FROM_EMAIL": text("EMAIL_FROM") or f"memory-console@{parts.hostname}",
    }
