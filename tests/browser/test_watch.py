"""What the other tests rely on: a page that does wrong is noticed, with scripts and without."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, Page

from tests.browser import looks
from tests.browser.watch import Watch, watched_page

pytestmark = pytest.mark.browser

URL = "http://127.0.0.1:9"  # never asked: the answers come from `answer`
POLICY = {"content-security-policy": "default-src 'none'; script-src 'self'"}


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
def javascript(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def watched(chromium: Browser, javascript: bool) -> Iterator[tuple[Page, Watch]]:
    with watched_page(chromium, URL, javascript=javascript) as (page, watch):
        yield page, watch
        for noted in (watch.violations, watch.console_errors, watch.page_errors, watch.other_hosts):
            noted.clear()


def answer(page: Page, body: str, path: str = "/", **more: object) -> None:
    page.route(f"{URL}{path}", lambda route: route.fulfill(body=body, **more))  # type: ignore[arg-type]


def test_an_inline_style_is_noticed(watched: tuple[Page, Watch], javascript: bool) -> None:
    page, watch = watched
    answer(page, "<p style='color: red'>Red</p>", content_type="text/html", headers=POLICY)
    page.goto("/")
    assert "style-src" in " ".join(watch.console_errors)
    assert len(watch.violations) == (1 if javascript else 0)
    with pytest.raises(AssertionError, match="console"):
        watch.check()


def test_a_request_to_another_host_is_noticed_and_fails(watched: tuple[Page, Watch]) -> None:
    page, watch = watched
    answer(page, "<img src='http://elsewhere.example/dot.png' alt=''>", content_type="text/html")
    page.goto("/")
    assert watch.other_hosts == ["http://elsewhere.example/dot.png"]
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        page.goto("http://elsewhere.example/")


@pytest.mark.parametrize("javascript", [True], indirect=True)
def test_an_error_in_a_script_is_noticed(watched: tuple[Page, Watch]) -> None:
    page, watch = watched
    answer(page, "<script src='/broken.js'></script>", content_type="text/html", headers=POLICY)
    answer(page, "throw new Error('broken')", "/broken.js", content_type="text/javascript")
    page.goto("/")
    assert "broken" in " ".join(watch.page_errors)


def test_only_the_refusal_that_was_asked_for_is_let_pass(watched: tuple[Page, Watch]) -> None:
    page, watch = watched
    answer(page, "Refused", status=422)
    watch.refusals += [422, 409]
    page.goto("/")
    assert (watch.refusals, watch.console_errors) == ([409], [])
    watch.refusals.clear()
    page.goto("/")
    assert len(watch.console_errors) == 1


@pytest.mark.parametrize("javascript", [True], indirect=True)
def test_what_is_too_wide_or_has_no_name_is_noticed(watched: tuple[Page, Watch]) -> None:
    page, _ = watched
    answer(page, "<!doctype html><pre>" + "wide" * 1000 + "</pre><input>", content_type="text/html")
    page.goto("/")
    assert [found for found in looks.sticking_out(page) if found.startswith("<pre>wide")]
    assert [found for found in looks.barriers(page) if found.startswith("label:")]


@pytest.mark.parametrize("javascript", [True], indirect=True)
def test_a_button_of_which_a_part_cannot_be_read_is_noticed(watched: tuple[Page, Watch]) -> None:
    page, _ = watched
    answer(
        page,
        "<!doctype html><button>Save</button><button style='width: 40px'>Unabridged</button>",
        content_type="text/html",
    )
    page.goto("/")
    assert [found for found in looks.cut_off(page) if "Unabridged" in found] == looks.cut_off(page) != []
