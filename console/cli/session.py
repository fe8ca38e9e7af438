"""What every command shares: its options, the API at its address, and how it answers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from console.cli import speech, where

if TYPE_CHECKING:
    from console.cli.client import Api


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Remember an option for all of the command line, wherever on it the option stands."""
    if value not in (None, False):
        context.find_root().ensure_object(dict)[str(parameter.name)] = value


def _shared(*names: str, **more: Any) -> click.Option:
    return click.Option(names, expose_value=False, callback=_keep, **more)


SHARED = [
    _shared("--json", "as_json", is_flag=True, help="Print exactly one JSON document, also where it fails."),
    _shared("--url", metavar="URL", help="The console; else MEMORY_CONSOLE_URL, else that of the last login."),
    _shared(
        "--token-file",
        metavar="FILE",
        help="A file with the token, - for standard input; else MEMORY_CONSOLE_TOKEN, else that of the login.",
    ),
    _shared("--retry", is_flag=True, help="Where there were too many requests, wait as long as asked, once."),
]


class Session:
    """One run of a command."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.as_json: bool = given.get("as_json", False)
        self.retry: bool = given.get("retry", False)

    @functools.cached_property
    def url(self) -> str:
        """The address of the console. Raises Failure."""
        return where.url_of(self.given.get("url"))

    @functools.cached_property
    def token(self) -> str | None:
        """The token for it, never to be shown. Raises Failure."""
        return where.token_of(self.url, self.given.get("token_file"))

    @functools.cached_property
    def api(self) -> Api:
        """The API with that token. Raises Failure."""
        return self.api_with(self.token)

    def api_with(self, token: str | None) -> Api:
        """The API with another token, or none."""
        from console.cli.client import Api  # loading the HTTP client takes longer than all the rest

        if where.travels_openly(self.url):
            speech.tell(f"Note: {speech.line(self.url)} is no https address; others on the way can read along.")
        return Api(self.url, token, retry=self.retry)

    def answer(self, body: Any, lines: Iterable[str]) -> None:
        """The answer of the command: `body` as JSON, or else `lines`, which must be visible already."""
        if self.as_json:
            speech.say(speech.document(body))
            return
        for one in lines:
            speech.say(one)

    def tell(self, text: str) -> None:
        """Something beside the answer, in our own words or made visible."""
        speech.tell(text)


Command = Callable[..., int | None]


def command(group: click.Group, name: str) -> Callable[[Command], click.Command]:
    """Make a function a command of `group`: it takes the session and its own options, and returns its exit code."""

    def made(function: Command) -> click.Command:
        @functools.wraps(function)
        def run(**given: Any) -> int:
            return int(function(Session(click.get_current_context().find_root().ensure_object(dict)), **given) or 0)

        one = group.command(name)(run)
        one.params.extend(SHARED)
        return one

    return made


def pages(read: Callable[[Any], dict[str, Any]], name: str, wanted: int | None) -> Iterator[Any]:
    """At most `wanted` items (None: all) of a list that comes in pages, each telling the `next_cursor`."""
    cursor, count = None, 0
    while True:
        page = read(cursor)
        for item in page[name]:
            if wanted is not None and count >= wanted:
                return
            count += 1
            yield item
        cursor = page.get("next_cursor")
        if cursor is None:
            return
