"""What holds for every page: it fits, it can be read by everybody, and it speaks both languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from eduverse_mesa.dashboard.pages import PAGES
from eduverse_mesa.dashboard.shell import address
from eduverse_mesa.visualization.words import load_words
from tests.browser import Visitor

pytestmark = pytest.mark.xdist_group("browser-pages")

DESK, PHONE = {"width": 1440, "height": 900}, {"width": 400, "height": 900}
LOCALES = {"en": "en-US", "zh": "zh-CN"}
_PAGES = "app|codes|charts|classroom|design|advice|compare|experiments|groups|learner|seat|studies|settings"
KEYS = rf"\b(?:{_PAGES})\.[a-z_]+\b"


def violations(page: Any, **options: Any) -> list[Any]:
    """All that axe finds. A page that it has looked at has its script already; what a page passes in is not told."""
    script = Axe("0") if page.evaluate("'axe' in window") else Axe()
    found: list[Any] = script.run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    return found


def serious(page: Any) -> list[str]:
    """What axe holds against a page: serious and critical findings, with the places."""
    return [
        f"{one['id']}: {node['html'][:160]}"
        for one in violations(page)
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def settled(page: Any) -> None:
    """Colours fade in; what is to be read is looked at when they have. A bar that counts down is never at rest."""
    page.wait_for_function(
        "document.getAnimations().every(one => one.playState !== 'running' || one.transitionProperty === 'width')"
    )


def at_rest(page: Any) -> None:
    """A form that is just coming may be drawn twice: nobody writes into it so soon."""
    page.locator(".ev-main").evaluate(
        """node => new Promise((done) => {
            let timer = setTimeout(done, 250);
            const seen = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, 250); });
            seen.observe(node, { subtree: true, childList: true, attributes: true });
        })"""
    )


def fits(page: Any, width: int) -> None:
    """Nothing of it lies beside the page; charts take a moment to follow its width."""
    page.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width)


def all_named(page: Any, width: int) -> None:
    """Every page's name is in sight: none has to be looked for beside the bar's end."""
    page.wait_for_function(
        """width => [...document.querySelectorAll('.ev-nav a')].every((one) => {
            const box = one.getBoundingClientRect();
            return box.width > 0 && box.left >= 0 && box.right <= width;
        })""",
        arg=width,
    )


def dress(page: Any, scheme: str) -> None:
    """Put the light on or off, as the system would."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_selector(f".theme--{scheme} .ev-app")
    settled(page)


@pytest.fixture(scope="module", params=LOCALES)
def browser(request: pytest.FixtureRequest, stay: Visitor) -> tuple[Any, str]:
    """A page in this language; its bar leads to the others."""
    return stay("/studies", language=LOCALES[request.param]), request.param


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, browser: tuple[Any, str], stay: Visitor) -> Iterator[tuple[Any, str, str]]:
    """A page, its name and its language: whoever clicks on a name in the bar gets there."""
    opened, language = browser
    name = load_words(language)(f"app.nav.{request.param}")
    opened.set_viewport_size(DESK)
    opened.locator(".ev-nav").get_by_text(name, exact=True).click()
    opened.wait_for_url(f"**{address(request.param)}")
    opened.wait_for_function(
        "name => document.querySelector('.ev-page.here')?.innerText === name && document.querySelector('.ev-card')",
        arg=name,
    )
    yield opened, request.param, language
    stay.check()


def test_it_is_for_everybody(page: tuple[Any, str, str]) -> None:
    opened, name, language = page
    t = load_words(language)
    expect(opened.locator("html")).to_have_attribute("lang", language)
    expect(opened).to_have_title(f"{t('app.nav.' + name)} · {t('app.brand')}")
    shown = opened.inner_text(".ev-app")
    assert not re.search(KEYS, shown)
    assert not re.search(r"\bNone\b|\bnan\b|<[a-z]+ |\{[a-z_]+\}", shown)
    for look, scheme in ((DESK, "light"), (PHONE, "dark")):
        opened.set_viewport_size(look)
        dress(opened, scheme)
        fits(opened, look["width"])
        all_named(opened, look["width"])
        assert serious(opened) == []
