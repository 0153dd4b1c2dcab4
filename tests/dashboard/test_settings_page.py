"""The settings page in a real browser: choices, a test call to servers that do well and badly, no key anywhere."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from tests.browser import Dashboard
from tests.policies.llm.fake_server import FakeServer, completion, fails, says
from tests.runs.model_servers import KEY, answers, serving

pytestmark = pytest.mark.xdist_group("browser-settings_page")

Visit = Callable[..., Any]
HOSTILE = "<img src=x onerror=window.pwned=1>{{7*7}}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    """A dashboard with a key, which is for servers on this machine's address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    served = Dashboard(
        tmp_path_factory.mktemp("settings"),
        OPENAI_API_KEY=KEY,
        OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1",
        EDUVERSE_CACHE="none",
        EDUVERSE_MODEL="",
    )
    with urlopen(served.address) as answer:
        answer.read()
    yield served
    served.close()
    assert "Traceback" not in served.log()
    assert KEY not in served.log()


def see(visit: Visit, served: Dashboard, choice: str = "", **look: Any) -> Any:
    page = visit("/settings", address=served.address, **look)
    page.wait_for_selector(".ev-choice")
    if choice:
        page.locator(f".ev-choice:has(b:text-is('{choice}'))").click()
        page.wait_for_selector(f".ev-choice.on:has(b:text-is('{choice}'))")
    return page


def fill(page: Any, label: str, text: str) -> None:
    page.get_by_label(label, exact=True).fill(text)
    page.get_by_label(label, exact=True).press("Enter")


def ask(page: Any, server: FakeServer | str, model: str = "small") -> None:
    fill(page, "Server", server if isinstance(server, str) else server.url)
    fill(page, "Model", model)
    page.locator("button:has-text('Test'):not([disabled])").click()


def test_a_model_that_answers_is_shown_with_its_time(visit: Visit, served: Dashboard) -> None:
    with serving(FakeServer(usual=says(f"Good morning! {HOSTILE}", usage=(14, 5, 0)))) as server:
        page = see(visit, served, "A language model")
        ask(page, server)
        page.wait_for_selector("text=/It answers, in \\d+\\.\\d+ seconds/")
        assert len(server.requests) == 1
        assert server.requests[0]["model"] == "small"
    shown = page.locator(".ev-main")
    expect(shown).to_contain_text(f"Good morning! {HOSTILE}")
    expect(shown).to_contain_text(f"small · at 127.0.0.1:{server.port} · 14 tokens read, 5 written")
    assert page.evaluate("window.pwned") is None
    fill(page, "Temperature", "0.9")
    page.wait_for_selector("text=found with other choices")


def test_a_key_that_is_for_another_address_is_neither_sent_nor_shown(visit: Visit, served: Dashboard) -> None:
    with serving(FakeServer(usual=fails(401, f"Incorrect API key provided: {KEY}"))) as server:
        page = see(visit, served, "A language model")
        page.wait_for_selector("text=There is a key in the environment")
        ask(page, server)
        page.wait_for_selector("[role=alert]:has-text('wants a key, and none was sent')")
    assert KEY not in page.content()
    expect(page.locator(".ev-main")).to_contain_text(
        "only to the address that it is for, such as that in OPENAI_BASE_URL"
    )


def test_a_model_without_a_name_is_told_where_it_matters_and_nobody_there_is_told(
    visit: Visit, served: Dashboard
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
    page = see(visit, served, "A language model")
    page.get_by_text("No model is named yet").wait_for()
    page.get_by_role("link", name="Classroom").click()
    page.get_by_role("alert").get_by_text("Write the model's name on the page Settings").wait_for()
    page.get_by_role("button", name="Play the lesson below all the same").wait_for()
    page.get_by_role("link", name="To the settings").click()
    page.wait_for_selector(".ev-choice.on:has(b:text-is('A language model'))")
    ask(page, url)
    page.wait_for_selector("[role=alert]:has-text('cannot be reached')")


def test_the_page_goes_on_while_a_slow_server_thinks(visit: Visit, served: Dashboard) -> None:
    released = threading.Event()

    async def slow(exchange: Any) -> None:
        while not released.is_set():
            await asyncio.sleep(0.02)
        await exchange.send(completion("At last."))

    with serving(FakeServer(usual=slow)) as server:
        page = see(visit, served, "A language model")
        ask(page, server)
        page.wait_for_selector("text=Waiting for the answer")
        fill(page, "Temperature", "9")
        page.wait_for_selector("text=A number from 0 to 2")
        assert page.locator("text=Waiting for the answer").count() == 1
        page.wait_for_timeout(300)  # a server that is slow, and how slow is told
        released.set()
        page.wait_for_selector("text=At last.")
        told = page.inner_text("text=/It answers, in/")
    assert float(re.findall(r"[\d.]+\d", told)[0]) >= 0.3


def test_what_is_half_typed_stays_while_the_page_changes(visit: Visit, served: Dashboard) -> None:
    with serving(FakeServer(usual=says("Hello."))) as server:
        page = see(visit, served, "A language model")
        ask(page, server)
        page.get_by_label("Calls at once", exact=True).fill("12")  # and no Enter yet
        page.wait_for_selector("text=/It answers, in/")
        page.locator(
            ".ev-choice:has(b:text-is('The embedded model decides, a language model finds the words'))"
        ).hover()
        expect(page.get_by_label("Calls at once", exact=True)).to_have_value("12")
        fill(page, "Temperature", "0.2")
        page.wait_for_selector("text=found with other choices")
        expect(page.get_by_label("Calls at once", exact=True)).to_have_value("12")


def test_bad_values_are_told_beside_the_field_and_not_taken(visit: Visit, served: Dashboard) -> None:
    page = see(visit, served, "A language model")
    for label, wrong, said in (
        ("Calls at once", "0", "A whole number from 1 to 4096"),
        ("At most, in US dollars", "lots", "An amount from 0"),
        ("Server", "https://elsewhere.example/v1", "may not be sent to elsewhere.example"),
        ("Server", "http://me:secret@localhost/v1", "carries a user name"),
        ("Model", "sk-a1b2c3d4e5f6g7h8i9", "looks like a key"),
    ):
        fill(page, label, wrong)
        page.wait_for_selector(f".error--text:has-text('{said}')")
        fill(page, label, "")
        page.wait_for_selector(f".error--text:has-text('{said}')", state="detached")
    page.get_by_role("radio", name="A mixture of these").click()
    fill(page, "Mixture", HOSTILE)
    page.wait_for_selector(".error--text:has-text('no kind of decision')")
    fill(page, "Mixture", "teacher=llm,rest=embedded")
    page.wait_for_selector(".error--text", state="detached")
    assert page.evaluate("window.pwned") is None


def test_a_key_that_is_pasted_does_not_stay_in_its_field(visit: Visit, served: Dashboard) -> None:
    page = see(visit, served, "A language model")
    fill(page, "Model", KEY)
    page.wait_for_selector(".error--text:has-text('looks like a key')")
    page.wait_for_function("![...document.querySelectorAll('input')].some(one => one.value.startsWith('sk-'))")
    assert KEY not in page.content()


def test_a_lesson_is_begun_anew_with_what_was_chosen(visit: Visit, served: Dashboard) -> None:
    with serving(FakeServer(usual=answers())) as server:
        page = see(visit, served, "The embedded model decides, a language model finds the words")
        fill(page, "Server", server.url)
        fill(page, "Model", "small")
        page.click(".ev-nav >> text=Classroom")
        page.wait_for_selector(".ev-room")
        expect(page.locator(".ev-headline")).to_contain_text("embedded model")
        page.get_by_role("button", name="Begin anew").click()
        page.wait_for_selector(".ev-headline:has-text('words of a language model')")
        page.click("[aria-label^='One step on']")
        page.wait_for_selector(".ev-told:has-text('step 1')")
        assert server.requests
        page.click(".ev-nav >> text=Settings")
        page.wait_for_selector(".ev-choice.on:has-text('a language model finds the words')")
        expect(page.get_by_label("Model", exact=True)).to_have_value("small")


def test_a_lesson_is_estimated(visit: Visit, served: Dashboard) -> None:
    page = see(visit, served, "A language model")
    expect(page.get_by_role("button", name="Test")).to_be_disabled()
    expect(page.locator(".ev-main")).to_contain_text("Say first which model is meant")
    fill(page, "Model", "gpt-4o-mini")
    page.get_by_role("button", name="Estimate").click()
    page.wait_for_selector("text=Tokens read")
    shown = page.locator(".ev-main")
    expect(shown).to_contain_text(re.compile(r"Calls\s+\d\d+"), use_inner_text=True)
    expect(shown).to_contain_text(re.compile(r"\$\d+\.\d\d \(\$\d+\.\d\d to \$\d+\.\d\d\)"), use_inner_text=True)


def test_language_and_light_are_chosen_here_too(visit: Visit, served: Dashboard) -> None:
    page = see(visit, served)
    page.locator(".ev-house").get_by_role("button", name="Dark").click()
    page.wait_for_selector(".theme--dark .ev-app")
    page.locator(".ev-house").get_by_role("button", name="Light", exact=True).click()
    page.wait_for_selector(".theme--light .ev-app")
    expect(page.locator(".ev-main")).to_contain_text(str(served.study))
    expect(page.locator(".ev-main")).to_contain_text("Only this machine can reach it.")
    page.locator(".ev-house").get_by_role("button", name="中文").click()
    page.wait_for_function("document.documentElement.lang === 'zh'")
    page.wait_for_selector("h1:has-text('设置')")
    page.wait_for_selector(".ev-choice:has-text('内置模型')")


def test_it_says_how_to_give_a_key_where_there_is_none(visit: Visit) -> None:
    if os.environ.get("OPENAI_API_KEY"):
        pytest.skip("there is one")
    page = visit("/settings")
    page.locator(".ev-choice:has(b:text-is('A language model'))").click()
    page.wait_for_selector("text=There is no key in the environment")
    assert page.locator("input[type=password]").count() == 0
