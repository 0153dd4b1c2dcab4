"""What holds for every page: it fits, it can be read by everybody, and it speaks both languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from eduverse_mesa.visualization.app.pages import PAGES
from eduverse_mesa.visualization.app.shell import address
from eduverse_mesa.visualization.words import load_words

pytestmark = pytest.mark.xdist_group("browser-pages")

Visit = Callable[..., Any]


def open_page(visit: Visit, name: str, **look: Any) -> Any:
    page = visit(address(name), **look)
    page.wait_for_selector(".ev-main .ev-card")
    return page


def serious(page: Any) -> list[str]:
    """What axe holds against a page: serious and critical findings, with the places."""
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("name", PAGES)
def test_nobody_is_shut_out(visit: Visit, name: str) -> None:
    for scheme in ("light", "dark"):
        page = open_page(visit, name, scheme=scheme)
        page.wait_for_timeout(600)  # colours fade in
        assert serious(page) == []


@pytest.mark.parametrize("name", PAGES)
def test_it_fits_a_phone(visit: Visit, name: str) -> None:
    page = open_page(visit, name, width=400)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


@pytest.mark.parametrize("name", PAGES)
def test_it_is_found_by_its_name_in_both_languages(visit: Visit, name: str) -> None:
    for code, language in (("en", "en-US"), ("zh", "zh-CN")):
        t = load_words(code)
        page = open_page(visit, name, language=language)
        assert page.inner_text(".ev-page.here") == t(f"app.nav.{name}")
        assert page.get_attribute("html", "lang") == code
        assert page.title() == f"{t('app.nav.' + name)} · {t('app.brand')}"
        shown = page.inner_text(".ev-app")
        assert not re.search(r"\b(?:app|codes|charts|classroom|design|compare|seat|studies|settings)\.[a-z_]+\b", shown)
        assert not re.search(r"\bNone\b|\bnan\b|<[a-z]+ |\{[a-z_]+\}", shown)


def test_the_bar_leads_everywhere(visit: Visit) -> None:
    page = open_page(visit, "classroom")
    for name in PAGES:
        page.locator(".ev-nav").get_by_text(load_words()(f"app.nav.{name}"), exact=True).click()
        page.wait_for_url(f"**{address(name)}")
        page.wait_for_function(
            "name => document.querySelector('.ev-page.here')?.innerText === name && document.querySelector('.ev-card')",
            arg=load_words()(f"app.nav.{name}"),
        )
