"""Every line that any logger writes, at the finest level, as it would stand in a log with its traceback.

All but those of templates, which the settings hold at INFO: below, Django writes whole contexts.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings


@contextmanager
def everything_written() -> Iterator[list[str]]:
    """The lines that are written meanwhile."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(logging.Formatter("%(name)s %(message)s").format(record))

    keep, root = Keep(logging.DEBUG), logging.getLogger()
    names = [name for name in logging.root.manager.loggerDict if not name.startswith("django.template")]
    assert settings.LOGGING["loggers"]["django.template"] == {"level": "INFO"}
    known = [root, *(logging.getLogger(name) for name in names)]
    before = [(one, one.level, one.propagate) for one in known]
    for one in known:
        one.setLevel(logging.DEBUG)
        one.propagate = True
    root.addHandler(keep)
    try:
        yield lines
    finally:
        root.removeHandler(keep)
        for one, level, propagate in before:
            one.setLevel(level)
            one.propagate = propagate
