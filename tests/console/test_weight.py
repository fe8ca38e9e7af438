"""What a browser has to load before a page can be used."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.conf import settings

from tests.memories.factories import ann
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db

SCRIPTS_MOST, STYLES_MOST = 30_000, 15_000  # bytes, packed


def packed(names: list[str]) -> int:
    """What these files weigh on their way, together."""
    static = Path(settings.BASE_DIR, "static")
    return sum(len(gzip.compress((static / name).read_bytes(), 9)) for name in names)


def test_scripts_and_styles_stay_small() -> None:
    page = re.sub(r"\.[0-9a-f]{12}\.", ".", signed_in(ann()).get("/memories").content.decode())
    scripts = re.findall(r'<script src="/static/([^"]+)"', page)
    styles = re.findall(r'<link rel="stylesheet" href="/static/([^"]+)"', page)
    assert len(scripts) == 3 and len(styles) == 4
    assert packed(scripts) <= SCRIPTS_MOST
    assert packed(styles) <= STYLES_MOST
