"""How a person wants to be spoken to: chosen on a page, kept, audited."""

from __future__ import annotations

import re
from typing import Any

import pytest

from console.errors import Invalid, NotAllowed
from memories.models import AuditRecord, User
from memories.services.preferences import choose
from tests.memories.factories import actor, ann, bea, token_actor
from tests.memories.page_client import everything, signed_in, text_of

pytestmark = pytest.mark.django_db

CHOSEN = {"language": "ja", "time_zone": "Asia/Tokyo", "single_keys": "on"}


def lines() -> int:
    return AuditRecord.objects.filter(action="user.choose_preferences").count()


def test_what_is_chosen_is_kept_and_spoken_at_once() -> None:
    answer = signed_in(ann()).post("/settings", CHOSEN, follow=True)
    assert '<html lang="ja"' in answer.content.decode()
    found = User.objects.get(pk=ann().pk)
    assert (found.language, found.time_zone, found.single_keys) == ("ja", "Asia/Tokyo", True)
    assert lines() == 1
    form = signed_in(ann()).get("/settings").context["form"]
    assert [form[name].value() for name in CHOSEN] == ["ja", "Asia/Tokyo", True]


def test_the_same_again_writes_nothing() -> None:
    signed_in(ann()).post("/settings", CHOSEN)
    signed_in(ann()).post("/settings", CHOSEN)
    assert lines() == 1


def test_each_language_is_named_in_its_own_words() -> None:
    page = signed_in(ann()).get("/settings").content.decode()
    for code, name in (("en", "English"), ("pt-BR", "Português (Brasil)"), ("ja", "日本語"), ("ko", "한국어")):
        assert re.search(rf'<option value="{code.lower()}"[^>]* lang="{code}"[^>]*>{re.escape(name)}<', page)
    assert not re.search(r'<option value=""[^>]*lang=', page)


def test_no_language_follows_the_browser() -> None:
    signed_in(ann()).post("/settings", CHOSEN)
    signed_in(ann()).post("/settings", CHOSEN | {"language": ""})
    page = signed_in(ann()).get("/settings", headers={"accept-language": "ko"})
    assert '<html lang="ko"' in page.content.decode()


def test_without_single_keys_the_page_names_none() -> None:
    assert 'aria-keyshortcuts="/"' in signed_in(ann()).get("/").content.decode()
    signed_in(ann()).post("/settings", {"language": "", "time_zone": "UTC"})
    assert 'aria-keyshortcuts="/"' not in signed_in(ann()).get("/").content.decode()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"language": "tlh"}, "Select a valid choice"),
        ({"time_zone": "Mars"}, "Select a valid choice"),
        ({"time_zone": ""}, ""),
    ],
)
def test_what_is_not_on_offer_is_refused_at_its_field(wrong: dict[str, str], said: str) -> None:
    web, before = signed_in(ann()), everything()
    answer = web.post("/settings", CHOSEN | wrong)
    assert answer.status_code == 422 and said in text_of(answer)
    assert answer.context["form"].errors.keys() == wrong.keys()
    assert everything() == before


@pytest.mark.parametrize("wrong", [{"language": "tlh"}, {"time_zone": "Mars"}])
def test_the_service_refuses_it_too(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        choose(**{"language": "", "time_zone": "UTC", "single_keys": True} | wrong, actor=actor(ann()))


def test_a_token_has_no_settings_and_nobody_has_another_s() -> None:
    with pytest.raises(NotAllowed):
        choose(language="", time_zone="UTC", single_keys=False, actor=token_actor(ann()))
    signed_in(ann()).post("/settings", CHOSEN)
    assert User.objects.get(pk=bea().pk).language == ""
