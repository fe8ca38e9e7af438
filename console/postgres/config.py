"""Makes the DATABASES setting: alias `default` is the runtime role, alias `owner` the owner of the schema."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from console.postgres import PostgresUnavailable
from console.postgres.places import PORT, place

DATABASE = "memory_console"
OWNER_ROLE = "memory_console_owner"
RUNTIME_ROLE = "memory_console_app"
SHAPE = "postgresql://user:password@host:5432/database"
CONNECT_SECONDS = 10  # a host that takes connections and never answers would hold everything up for ever
LIBPQ_OPTIONS = {
    "host",
    "port",
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "sslcrl",
    "channel_binding",
    "connect_timeout",
    "application_name",
    "options",
    "target_session_attrs",
    "keepalives",
    "keepalives_idle",
    "tcp_user_timeout",
    "gssencmode",
}


def databases(environ: Mapping[str, str], home: Path, *, secret_key: str = "") -> dict[str, dict[str, Any]]:
    """The two aliases, for the server of DATABASE_URL or else the embedded one of `home`.

    `secret_key` (else SECRET_KEY) yields the runtime role's password when DATABASE_RUNTIME_URL is not set.
    MEMORY_CONSOLE_DATABASE names another database of the embedded server. Raises ImproperlyConfigured with advice
    that never shows a password.
    """
    owner_url = environ.get("DATABASE_URL", "").strip()
    runtime_url = environ.get("DATABASE_RUNTIME_URL", "").strip()
    if not owner_url:
        if runtime_url:
            raise ImproperlyConfigured(
                "DATABASE_RUNTIME_URL is set, DATABASE_URL is not. Set DATABASE_URL to the role that owns the schema, "
                "or unset both for the embedded server."
            )
        return _embedded(home, environ.get("MEMORY_CONSOLE_DATABASE", "").strip() or DATABASE)
    owner = _from_url("DATABASE_URL", owner_url)
    if runtime_url:
        runtime = _from_url("DATABASE_RUNTIME_URL", runtime_url)
    else:
        runtime = _managed(owner, secret_key or environ.get("SECRET_KEY", ""))
    if runtime["USER"] == owner["USER"]:
        raise ImproperlyConfigured(
            f"DATABASE_URL and DATABASE_RUNTIME_URL name the same role, {owner['USER']}. The runtime role must be "
            "another one that owns nothing, or row security does not bind it."
        )
    return {"default": runtime, "owner": owner}


def runtime_password(secret_key: str) -> str:
    """The runtime role's password on a server of one's own: HMAC-SHA256 of its name, keyed by SECRET_KEY."""
    return hmac.new(secret_key.encode(), f"database role {RUNTIME_ROLE}".encode(), hashlib.sha256).hexdigest()


def with_database(url: str, name: str) -> str:
    """The same database URL for another database."""
    return urlsplit(url)._replace(path=f"/{quote(name, safe='')}").geturl()


def _embedded(home: Path, database: str) -> dict[str, dict[str, Any]]:
    try:
        host = str(place(home).socket_dir)
    except PostgresUnavailable as error:
        raise ImproperlyConfigured(str(error)) from error
    shared = {
        "ENGINE": "console.postgres",
        "NAME": database,
        "HOST": host,
        "PORT": str(PORT),
        "PASSWORD": "",
    }
    return {
        alias: _with_habits({**shared, "USER": role, "EMBEDDED": {"home": str(home)}})
        for alias, role in (("default", RUNTIME_ROLE), ("owner", OWNER_ROLE))
    }


def _managed(owner: dict[str, Any], secret_key: str) -> dict[str, Any]:
    if not secret_key:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set, so the runtime role has no password. Set SECRET_KEY, or DATABASE_RUNTIME_URL."
        )
    runtime = {**owner, "OPTIONS": dict(owner["OPTIONS"]), "TEST": {}}
    return runtime | {
        "USER": RUNTIME_ROLE,
        "PASSWORD": runtime_password(secret_key),
        "MANAGED_ROLE": True,
    }


def _from_url(variable: str, url: str) -> dict[str, Any]:
    try:
        parts = urlsplit(url)
        port, query = (
            parts.port,
            dict(parse_qsl(parts.query, strict_parsing=bool(parts.query))),
        )
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in ("postgres", "postgresql") or parts.fragment:
        raise ImproperlyConfigured(
            f"{variable} cannot be read. Write it as {SHAPE} and percent-encode special characters "
            "in user and password (@ is %40, : is %3A, / is %2F, # is %23)."
        ) from None
    name = unquote(parts.path.lstrip("/"))
    if not name or "/" in name or not parts.username:
        raise ImproperlyConfigured(f"{variable} names no {'role' if name else 'database'}. Write it as {SHAPE}.")
    unknown = sorted(set(query) - LIBPQ_OPTIONS)
    if unknown:
        known = ", ".join(sorted(LIBPQ_OPTIONS))
        raise ImproperlyConfigured(f"{variable} has unknown options: {', '.join(unknown)}. Known are: {known}.")
    return _with_habits(
        {
            "ENGINE": "console.postgres",
            "NAME": name,
            "USER": unquote(parts.username),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": query.pop("host", "") or unquote(parts.hostname or ""),
            "PORT": query.pop("port", "") or str(port or ""),
            "OPTIONS": {"connect_timeout": str(CONNECT_SECONDS), **query},
        }
    )


def _with_habits(settings: dict[str, Any]) -> dict[str, Any]:
    """Persistent, checked connections in UTF-8 and UTC, without prepared statements on the server."""
    options = {
        "prepare_threshold": None,
        "client_encoding": "UTF8",
        **settings.get("OPTIONS", {}),
    }
    return {
        **settings,
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "TIME_ZONE": "UTC",
        "OPTIONS": options,
    }
