"""The command that lets a shell complete the others."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from console.cli import speech
from console.cli.failures import Failure
from console.cli.main import NAME, cli

VARIABLE = "_MEMORY_CONSOLE_COMPLETE"


@cli.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete commands and options.

    bash: memory-console completion bash > ~/.local/share/bash-completion/completions/memory-console

    zsh: memory-console completion zsh > ~/.zfunc/_memory-console

    fish: memory-console completion fish > ~/.config/fish/completions/memory-console.fish
    """
    made = get_completion_class(shell)
    if made is None:
        raise Failure(f"There is no completion for {shell} here.")
    speech.say(made(cli, {}, NAME, VARIABLE).source().rstrip("\n"))
