"""How long a body may be: one page takes files, and everything else texts."""

from __future__ import annotations

from django.conf import settings


def body_limit(path: str) -> int:
    """In bytes, for a request to this address."""
    return int(settings.UPLOAD_LIMIT_BYTES if path in settings.UPLOAD_PATHS else settings.BODY_LIMIT_BYTES)
