"""Chromium, and contexts in which everything is noted that a page must never do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
REPORT_VIOLATIONS = """
document.addEventListener('securitypolicyviolation', (event) =>
  window.noteViolation(`${event.effectiveDirective} ${event.blockedURI} on ${event.documentURI}`));
"""
PATIENCE_MS = 20_000


def program() -> str:
    """The installed Chromium. Raises AssertionError with advice when there is none."""
    found = os.environ.get("CHROMIUM") or next((path for name in NAMES if (path := shutil.which(name))), "")
    assert shutil.which(found), (
        "No Chromium is found. Run the tests with `make test`, which installs it, or set CHROMIUM to the program."
    )
    return found


def launch(playwright: Playwright) -> Browser:
    """A browser that knows no host but this machine."""
    rootless = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's sandbox refuses to work for root
    blocked = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    return playwright.chromium.launch(executable_path=program(), args=[*rootless, *QUIET, *blocked])


@dataclass
class Watch:
    """What went wrong in a context. `refusals` are statuses that a test has asked for, once for each."""

    host: str
    violations: list[str] = field(default_factory=list)
    console_errors: list[str] = field(default_factory=list)
    page_errors: list[str] = field(default_factory=list)
    other_hosts: list[str] = field(default_factory=list)
    refusals: list[int] = field(default_factory=list)

    def check(self) -> None:
        """Raises AssertionError with everything that was noted."""
        noted = {
            "violations of the content security policy": self.violations,
            "errors in the browser's console": self.console_errors,
            "uncaught errors of scripts": self.page_errors,
            "requests to other hosts": self.other_hosts,
            "refusals that did not come": self.refusals,
        }
        assert not any(noted.values()), {what: found for what, found in noted.items() if found}

    def attach(self, context: BrowserContext, *, javascript: bool) -> None:
        """Note from now on."""
        if javascript:  # without, violations still come as errors in the console
            context.expose_binding("noteViolation", lambda _, text: self.violations.append(text))
            context.add_init_script(REPORT_VIOLATIONS)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.page_errors.append(str(error.error)))
        context.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type != "error":
            return
        for status in self.refusals:
            if f"responded with a status of {status} " in message.text:
                self.refusals.remove(status)
                return
        self.console_errors.append(f"{message.text} at {message.location}")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.netloc != self.host:
            self.other_hosts.append(request.url)


@contextmanager
def watched_page(
    browser: Browser, url: str, *, javascript: bool = True, **options: Any
) -> Iterator[tuple[Page, Watch]]:
    """A page in a fresh context at the address `url`; at the end nothing may have been noted."""
    with browser.new_context(base_url=url, java_script_enabled=javascript, locale="en-GB", **options) as context:
        context.set_default_timeout(PATIENCE_MS)
        watch = Watch(urlsplit(url).netloc)
        watch.attach(context, javascript=javascript)
        yield context.new_page(), watch
        watch.check()
