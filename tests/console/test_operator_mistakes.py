"""What an operator gets wrong is said in a sentence, with what to do; no command ends in a trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.core.management.commands import migrate as django_migrate

from console import broker, environment
from console.cli import logins
from console.cli.failures import Failure
from console.postgres import PostgresUnavailable, setup
from memories.models import ApiToken
from tests.memories.factories import ann

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("value", ["--5", "²", "٣", "5.0", "-", "9" * 5_000, "five"])
def test_a_number_that_is_none_is_named(monkeypatch, value: str) -> None:
    monkeypatch.setenv("SOME_NUMBER", value)
    with pytest.raises(ImproperlyConfigured, match="Set it to a whole number from 1 to 9"):
        environment.number("SOME_NUMBER", 1, least=1, most=9)


def test_a_queue_that_cannot_be_made_says_what_to_do(monkeypatch) -> None:
    def refused() -> None:
        raise PostgresUnavailable("Let the role create schemas there.")

    monkeypatch.setattr(setup, "prepare", lambda: None)
    monkeypatch.setattr(django_migrate.Command, "execute", lambda *args, **options: None)
    monkeypatch.setattr(broker, "ensure_broker_schema", refused)
    with pytest.raises(CommandError, match="Let the role create schemas there"):
        call_command("migrate")


def test_up_does_not_wait_for_a_web_server_that_listens_elsewhere(monkeypatch) -> None:
    monkeypatch.setenv("WEB_BIND", "0.0.0.0:9000")
    with pytest.raises(CommandError, match="WEB_BIND is for a web server of its own: unset it"):
        call_command("up", "--no-demo")


@pytest.mark.parametrize("days", [10**12, -(10**12), 0])
def test_a_token_lives_for_days_that_there_are(days: int) -> None:
    ann()
    with pytest.raises(CommandError):
        call_command("token", "create", "ann", days=days)
    assert not ApiToken.objects.exists()


def test_a_file_that_cannot_be_read_is_named(monkeypatch, tmp_path) -> None:
    ann()
    file = tmp_path / "memories.jsonl"
    file.write_text("{}")

    def refused(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(CommandError, match="memories.jsonl cannot be read .Permission denied.. Name another"):
        call_command("import", str(file), owner="ann")


def test_a_login_that_cannot_be_stored_is_no_trace(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def full(*args: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(logins.tempfile, "mkstemp", full)
    with pytest.raises(Failure, match="cannot be written .No space left on device.. Set XDG_CONFIG_HOME"):
        logins.drop("http://127.0.0.1:1")
