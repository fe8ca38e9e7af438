"""`manage.py translations`: collects what is to be translated into the catalogues, and compiles them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    """Write the catalogues anew, or only say what is wrong with them."""

    help = "Collect the texts of templates and code into console/locale, and compile the translations."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """--check changes nothing."""
        parser.add_argument("--check", action="store_true", help="only say what is missing, fuzzy or stale")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write, then say what is missing."""
        try:
            from console import translations
        except ImportError as error:
            raise CommandError(
                f"{error}. Babel is one of the tools for development: make test installs them."
            ) from None
        found = translations.collected()
        if not options["check"]:
            for language in translations.languages():
                translations.write(language, translations.updated(language, found))
        problems = [one for language in translations.languages() for one in translations.problems(language, found)]
        for problem in problems[:200]:
            self.stdout.write(problem)
        count = len({(message, context) for _, message, context in found})
        self.stdout.write(f"{count} messages, {len(problems)} problems.")
        if problems and options["check"]:
            raise CommandError("Translate what is named above, then run manage.py translations.")
