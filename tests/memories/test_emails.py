"""An e-mail address belongs to one person, whoever is faster; any number of people have none."""

from __future__ import annotations

import importlib

import pytest
from django.apps import apps
from django.core.management.base import CommandError
from django.db import IntegrityError, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpResponse

from console.errors import Invalid, NotAllowed
from memories.access import OPERATOR
from memories.models import User
from memories.models.people import EMAIL_ONCE
from memories.services import people
from tests.console.test_people_commands import said
from tests.memories.at_once import at_once
from tests.memories.factories import actor, ann, user
from tests.memories.page_client import signed_in
from tests.memories.test_teams import administrator

MIGRATION = importlib.import_module("memories.migrations.0054_email_once")


@pytest.mark.django_db
def test_the_database_holds_an_address_once_in_any_case_of_letters_and_none_often() -> None:
    user("nina")
    user("nora")
    user("dora", email="d@example.org")
    with pytest.raises(IntegrityError, match=EMAIL_ONCE), transaction.atomic():
        User.objects.create_user("emil", email="D@Example.org")
    assert User.objects.filter(email="").count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_who_add_the_same_address_at_once_one_is_told_so_at_the_field() -> None:
    for turn in range(8):
        browsers = [signed_in(User.objects.get(pk=administrator(name).own)) for name in ("one", "two")]
        forms = [{"username": f"{name}{turn}", "email": f"m{turn}@example.org"} for name in "pq"]
        posts = [
            lambda browser=browser, form=form: browser.post("/people/new", form)
            for browser, form in zip(browsers, forms, strict=True)
        ]
        answers: list[HttpResponse] = at_once(*posts)
        assert sorted(one.status_code for one in answers) == [200, 422]
        refused = next(one.content.decode() for one in answers if one.status_code == 422)
        assert "Somebody here has this e-mail address already." in refused
        assert User.objects.filter(email=f"m{turn}@example.org").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_who_take_the_same_username_at_once_one_is_told_so() -> None:
    root = administrator()
    for turn in range(4):
        found = at_once(*[lambda t=turn: people.invite(username=f"u{t}", display_name="U", actor=root)] * 2)
        assert sorted(type(one).__name__ for one in found) == ["Conflict", "tuple"]


@pytest.mark.django_db
def test_the_operator_gives_another_address_or_none() -> None:
    user("dora", email="d@example.org")
    user("emil", email="e@example.org")
    with pytest.raises(Invalid, match="already"):
        people.set_email(username="emil", email="D@example.org", actor=OPERATOR)
    with pytest.raises(Invalid, match="no e-mail address"):
        people.set_email(username="emil", email="none", actor=OPERATOR)
    with pytest.raises(NotAllowed):
        people.set_email(username="emil", email="", actor=actor(ann()))
    assert said("person", "email", "emil", "E@example.org") == "emil has E@example.org.\n"
    assert said("person", "email", "dora") == "dora has no e-mail address.\n"
    assert set(User.objects.exclude(email="").values_list("email", flat=True)) == {"E@example.org"}


@pytest.mark.django_db(transaction=True)
def test_the_migration_names_people_who_share_an_address_and_changes_nothing(
    owner_connection: BaseDatabaseWrapper,
) -> None:
    user("dora", email="d@example.org")
    user("emil", email="e@example.org")
    with owner_connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {EMAIL_ONCE}")
    try:
        User.objects.filter(username="emil").update(email="D@example.org")
        with connection.schema_editor() as editor, pytest.raises(CommandError) as refusal:
            MIGRATION.check_each_once(apps, editor)
        assert "d@example.org: dora, emil" in str(refusal.value) and "manage.py person email" in str(refusal.value)
        people.set_email(username="emil", email="", actor=OPERATOR)
        with connection.schema_editor() as editor:
            MIGRATION.check_each_once(apps, editor)
    finally:
        rule = next(one for one in User._meta.constraints if one.name == EMAIL_ONCE)
        with owner_connection.cursor() as cursor:
            cursor.execute(str(rule.create_sql(User, owner_connection.SchemaEditorClass(owner_connection))))
    assert "owner" in connections.settings
