"""The DATABASES setting from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from console.postgres import config

URL = "postgresql://keeper:s%40cret@db.example:6432/memories?sslmode=require"
HOME = Path("/srv/console")


def refusal(**environ: str) -> str:
    with pytest.raises(ImproperlyConfigured) as error:
        config.databases(environ, HOME, secret_key="k" * 50)
    return str(error.value)


def test_without_a_url_both_roles_share_the_embedded_server() -> None:
    found = config.databases({}, HOME)
    assert found["default"]["USER"] == "memory_console_app"
    assert found["owner"]["USER"] == "memory_console_owner"
    for settings in found.values():
        assert settings["NAME"] == "memory_console"
        assert settings["EMBEDDED"] == {"home": "/srv/console"}
        assert settings["OPTIONS"]["prepare_threshold"] is None
        assert settings["CONN_HEALTH_CHECKS"] is True


def test_another_database_of_the_embedded_server_can_be_named() -> None:
    found = config.databases({"MEMORY_CONSOLE_DATABASE": "other"}, HOME)
    assert {settings["NAME"] for settings in found.values()} == {"other"}


def test_the_database_url_is_the_owner_and_the_runtime_role_gets_a_derived_password() -> None:
    found = config.databases({"DATABASE_URL": URL}, HOME, secret_key="k" * 50)
    owner, runtime = found["owner"], found["default"]
    assert (owner["USER"], owner["PASSWORD"], owner["HOST"], owner["PORT"]) == (
        "keeper",
        "s@cret",
        "db.example",
        "6432",
    )
    assert owner["OPTIONS"]["sslmode"] == "require" and "EMBEDDED" not in owner
    assert (runtime["USER"], runtime["HOST"], runtime["NAME"]) == ("memory_console_app", "db.example", "memories")
    assert runtime["PASSWORD"] == config.runtime_password("k" * 50) != config.runtime_password("l" * 50)
    assert runtime["MANAGED_ROLE"] is True and "MANAGED_ROLE" not in owner


def test_a_runtime_url_is_taken_as_it_is() -> None:
    environ = {"DATABASE_URL": URL, "DATABASE_RUNTIME_URL": "postgres://weak:pw@db.example/memories"}
    runtime = config.databases(environ, HOME)["default"]
    assert (runtime["USER"], runtime["PASSWORD"], runtime["PORT"]) == ("weak", "pw", "")
    assert "MANAGED_ROLE" not in runtime


def test_a_socket_folder_may_be_the_host() -> None:
    environ = {"DATABASE_URL": "postgresql://keeper@/memories?host=/run/postgresql&port=5433"}
    owner = config.databases(environ, HOME, secret_key="k")["owner"]
    assert (owner["HOST"], owner["PORT"]) == ("/run/postgresql", "5433")


@pytest.mark.parametrize(
    "url",
    [
        "mysql://keeper:geheim@db/memories",
        "postgresql://keeper:geheim@db:port/memories",
        "postgresql://keeper:ge[heim@db/memories",
        "postgresql://keeper:geheim@db/memories#part",
        "postgresql://keeper:geheim@db/memories?sslmode",
        "postgresql://keeper:geheim@db",
        "postgresql://keeper:geheim@db/a/b",
        "postgresql://:geheim@db/memories",
        "postgresql://keeper:geheim@db/memories?sslmod=require",
        "keeper geheim",
    ],
)
def test_a_bad_url_gives_advice_and_no_password(url: str) -> None:
    text = refusal(DATABASE_URL=url)
    assert "DATABASE_URL" in text and "geheim" not in text and "ge[heim" not in text


def test_one_role_for_both_is_refused() -> None:
    assert "same role, keeper" in refusal(DATABASE_URL=URL, DATABASE_RUNTIME_URL=URL)


def test_a_runtime_url_alone_is_refused() -> None:
    assert "Set DATABASE_URL" in refusal(DATABASE_RUNTIME_URL=URL)


def test_a_managed_role_needs_the_secret_key() -> None:
    with pytest.raises(ImproperlyConfigured, match="Set SECRET_KEY, or DATABASE_RUNTIME_URL"):
        config.databases({"DATABASE_URL": URL}, HOME)


def test_a_url_can_be_pointed_at_another_database() -> None:
    assert config.with_database(URL, "x y") == "postgresql://keeper:s%40cret@db.example:6432/x%20y?sslmode=require"


@pytest.mark.parametrize(("query", "seconds"), [("", "10"), ("?connect_timeout=30", "30")])
def test_a_server_that_takes_a_connection_and_never_answers_is_given_up(query: str, seconds: str) -> None:
    environ = {"DATABASE_URL": f"postgresql://keeper:k@db.example/memories{query}"}
    found = config.databases(environ, HOME, secret_key="k")
    assert {alias["OPTIONS"]["connect_timeout"] for alias in found.values()} == {seconds}
