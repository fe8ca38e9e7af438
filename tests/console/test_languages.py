"""In which language the console speaks, and to whom."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import translation

from console.errors import Invalid, NotFound, Problem
from console.saying import Quoted, joined, phrase, phrase_many, told, unquoted
from memories.models import User
from tests.memories.api_client import Api
from tests.memories.factories import ann
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db

MORE = ("And %(count)s more problem. Correct these first.", "And %(count)s more problems. Correct these first.")


def test_a_phrase_is_english_until_it_is_told() -> None:
    refused = NotFound(phrase("Sign in"))
    with translation.override("es"):
        assert (refused.message, str(refused), refused.told) == ("Sign in", "Sign in", "Iniciar sesión")
    assert refused.told == "Sign in"


def test_values_and_numbers_keep_their_place() -> None:
    assert phrase_many(*MORE, 1) == "And 1 more problem. Correct these first."
    many = phrase_many(*MORE, 7)
    assert many == "And 7 more problems. Correct these first."
    with translation.override("pt-br"):
        assert told(many) == "E mais 7 problemas. Corrija estes primeiro."
    with translation.override("ja"):
        assert "7件の問題" in told(many)


def test_what_is_kept_for_ever_holds_no_quoted_words_and_every_other_value() -> None:
    said = phrase("%(who)s holds “%(key)s”.", who="Ann", key=Quoted("100 % wax"))
    assert said == "Ann holds “100 % wax”." and unquoted(said) == "Ann holds “…”."
    assert unquoted(joined([said, phrase_many(*MORE, 1)])) == "Ann holds “…”. And 1 more problem. Correct these first."
    assert unquoted(phrase_many(*MORE, 7)).startswith("And 7 more problems") and unquoted("100 %") == "100 %"


def test_a_percent_sign_stands_for_itself() -> None:
    assert told(phrase("100 %")) == "100 %" == told("100 %")


def test_each_problem_of_a_form_is_told() -> None:
    refused = Invalid(Problem(("body", "name"), phrase("Sign in")), Problem(("body", "name"), "as it is"))
    with translation.override("pt-br"):
        assert refused.told == "Entrar as it is"
        assert refused.problems[0].as_json()["msg"] == "Entrar"
    assert str(refused) == refused.message == "Sign in as it is"


def test_sentences_in_a_row_keep_their_forms() -> None:
    said = joined([joined(["name", phrase("Sign in")], ": "), phrase_many(*MORE, 1_200)])
    assert said == "name: Sign in And 1,200 more problems. Correct these first."
    with translation.override("es"):
        assert told(said).startswith("name: Iniciar sesión Y 1,200")
    assert told(joined([])) == ""


def test_a_program_is_answered_in_the_language_it_asks_for() -> None:
    api = Api(ann())
    answer = api.post("reflect", {"actions_csv": ",".join(["x"] * 60)}, Accept_Language="ko")
    assert answer.json()["detail"][-1]["msg"].startswith("그 밖에 문제가 10개")


@pytest.mark.parametrize(
    ("asked", "language"),
    [("ja,en;q=0.5", "ja"), ("pt", "pt-br"), ("pt-PT,pt;q=0.9", "pt-br"), ("de,fr;q=0.5", "en"), ("", "en")],
)
def test_whoever_is_not_signed_in_reads_what_the_browser_asks_for(asked: str, language: str) -> None:
    page = Client().get("/login", headers={"accept-language": asked})
    assert f'<html lang="{language}"' in page.content.decode()
    assert page["Content-Language"] == language
    assert "Accept-Language" in page["Vary"]


def test_the_profile_comes_before_the_browser() -> None:
    User.objects.filter(pk=ann().pk).update(language="ko")
    page = signed_in(ann()).get("/", headers={"accept-language": "ja"})
    assert '<html lang="ko"' in page.content.decode() and "휴지통" in page.content.decode()
    assert page["Content-Language"] == "ko"


def test_one_person_s_language_is_not_left_to_the_next() -> None:
    User.objects.filter(pk=ann().pk).update(language="ko")
    signed_in(ann()).get("/")
    assert '<html lang="en"' in Client().get("/login").content.decode()
