"""Template tags that every template has."""

from __future__ import annotations

from django import template

register = template.Library()
