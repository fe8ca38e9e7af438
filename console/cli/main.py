"""The command line itself: its groups of commands, and how every run of it ends."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click

from console.cli import speech
from console.cli.failures import Exit, Failure
from console.cli.session import SHARED

NAME = "memory-console"
VERSION = "0.1.0"
# Which module makes a command. Only the one that runs is loaded, so that help and completion answer at once.
MODULES = {
    "search": "memories",
    "recall": "memories",
    "show": "memories",
    "remember": "memories",
    "forget": "forgetting",
    "restore": "forgetting",
    "reflect": "reflecting",
    "passes": "passes",
    "approve": "passes",
    "audit": "trail",
    "export": "exporting",
    "import": "importing",
    "token": "tokens",
    "login": "login",
    "logout": "login",
    "completion": "completion",
}


class Late(click.Group):
    """A group that loads the module of a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All of them, in the order of the table."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        if cmd_name in MODULES and cmd_name not in self.commands:
            importlib.import_module(f"console.cli.{MODULES[cmd_name]}")
        return self.commands.get(cmd_name)


@click.group(
    NAME,
    cls=Late,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=list(SHARED),
)
@click.version_option(VERSION, "-V", "--version", prog_name=NAME, message="%(prog)s %(version)s")
def cli() -> None:
    """Search, keep and look after what agents remember, through the API of a Memory Console.

    Exit codes: 0 done, 1 refused by the server, 2 wrong usage, 3 nothing found or no strong match, 4 no answer (not
    reachable, failed, or too many requests), 5 a person has to decide first, 130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    speech.forgiving(sys.stdout, sys.stderr)
    try:
        ends = cli.main(given, prog_name=NAME, standalone_mode=False)
        sys.stdout.flush()
        return int(ends or 0)
    except BrokenPipeError:  # whoever read the answer has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.REFUSED
    except (click.Abort, KeyboardInterrupt):
        return _ended(Failure("Interrupted.", Exit.INTERRUPTED), given)
    except click.ClickException as error:
        return _ended(_misused(error), given)
    except Failure as why:
        return _ended(why, given)
    except (LookupError, TypeError, AttributeError) as error:
        text = f"The answer of the server is not understood ({type(error).__name__}). Is it of another version?"
        return _ended(Failure(text, Exit.NO_ANSWER), given)


def _misused(error: click.ClickException) -> Failure:
    context = error.ctx if isinstance(error, click.UsageError) else None
    more = f" `{context.command_path} --help` says more." if context else ""
    return Failure(error.format_message() + more, Exit.USAGE)


def _ended(why: Failure, given: Sequence[str]) -> int:
    """Say why, to a person always, and to a program that reads JSON."""
    speech.tell(click.style("Error: ", fg="red") + speech.visible(why.message))
    if "--json" in given:
        speech.say(speech.document(why.as_json()))
    return why.exit_code
