"""A seat in the hands of people: hostile, too long, twice, too late, by keyboard, in Chinese, on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.visualization.words import load_words
from eduverse_mesa.vocabulary import BEHAVIOURS
from tests.browser import Visitor
from tests.dashboard.seats import (
    SEND,
    Visit,
    act,
    begin,
    choose,
    deeds,
    form,
    gone,
    join,
    link_for,
    number,
    open_lesson,
    plan,
    replayed,
    run_of,
    sit_student,
    take_part,
    teach,
)
from tests.dashboard.test_pages import DESK, PHONE, dress, fits, serious

pytestmark = pytest.mark.xdist_group("browser-seat_use")

WORDS = load_words("en")
HOSTILE = "<img src=x onerror=alert(1)> {{7*7}} [x](javascript:alert(2)) \u202eevil <script>alert(3)</script>"


@pytest.fixture(scope="module")
def seated(stay: Visitor) -> tuple[Any, Any]:
    """The researcher's page and a student's, in a lesson that goes on from test to test."""
    host = open_lesson(stay)
    student = sit_student(stay, host)
    begin(host)
    return host, student


@pytest.fixture
def student(seated: tuple[Any, Any], stay: Visitor) -> Iterator[Any]:
    """The student's page, which asks what to do next; a step in which there is no choice is got over with."""
    plan(seated[1])
    while "note_taking" not in deeds(seated[1]):
        take_part(seated[1])
        plan(seated[1])
    yield seated[1]
    stay.check()


# --- what may not go wrong ---


def test_hostile_words_and_names_are_text_everywhere(visit: Visit) -> None:
    host = open_lesson(visit)
    student = sit_student(visit, host, name=HOSTILE)
    expect(student.locator(".ev-seat-head")).to_contain_text("<img src=x")
    host.wait_for_selector("tr[data-agent='Wang Fang'] >> text=<img src=x")
    teacher = join(visit, link_for(host, "Make a link for Ms Lin"), "{{constructor}}")
    begin(host)
    teach(teacher, "asking_question", HOSTILE, call="Wang Fang")
    form(student)
    expect(student.locator(".ev-seat-now")).to_contain_text("onerror=alert")
    act(student, "stand_answer", HOSTILE)
    teacher.wait_for_selector("[data-name='tone Wang Fang']")
    expect(teacher.locator(".ev-reply")).to_contain_text("javascript:alert")
    for part in ("[data-name='tone Wang Fang']", "[data-name=move]"):
        teacher.wait_for_selector(part)
        teacher.click(SEND)
    host.wait_for_selector(".ev-talk >> text=onerror=alert")
    expect(student.locator(".ev-seat-talk")).to_contain_text("{{7*7}}")  # not 49: nothing in it was run
    for page in (host, teacher, student):
        assert page.locator("img[src=x]").count() == 0
        assert page.locator("a[href^=javascript]").count() == 0


def test_words_that_are_too_long_are_refused_beside_their_field_and_kept(student: Any) -> None:
    choose(student, "behaviour", "ask_teacher")
    student.click(SEND)
    student.get_by_text("Type what you say.").wait_for()
    for length, told in (
        (100_000, "This has 100000 characters; 1000 are the most."),
        (300_000, "This is far too long."),
    ):
        student.fill("textarea", "x" * length)
        student.click(SEND)
        student.locator("[data-name=words]").get_by_text(told).wait_for()
        expect(student.locator("textarea")).to_have_attribute("aria-invalid", "true")
        assert len(student.input_value("textarea")) == length
    before = number(student)
    student.fill("textarea", "Why?")
    student.click(SEND)
    gone(student, before)


def test_clicking_twice_answers_once(student: Any, seated: tuple[Any, Any], dashboard: Any) -> None:
    before = number(student)
    choose(student, "behaviour", "note_taking")
    student.evaluate("() => [1, 2, 3].forEach(() => document.querySelector('.ev-reply').requestSubmit())")
    gone(student, before)
    plan(student)  # so the step is over, and what was done in it is written
    assert student.get_by_text("went on without you").count() == 0
    steps = [
        entry.step
        for entry in replayed(dashboard, run_of(seated[0])).answers()
        if (entry.agent, entry.kind, entry.answer.source) == ("Wang Fang", "plan", "human")
    ]
    assert len(steps) == len(set(steps)) >= 1


def test_an_answer_that_comes_too_late_is_said_to(student: Any, visit: Visit) -> None:
    choose(student, "behaviour", "note_taking")
    second = visit("/seat", context=student.context)
    form(second)
    choose(second, "behaviour", "head_down")
    late = second.evaluate_handle("() => document.querySelector('.ev-reply')")
    before = number(student)
    student.click(SEND)
    late.evaluate("form => form.requestSubmit()")
    gone(student, before)
    gone(second, before)
    take_part(second)


# --- the teacher's form ---


@pytest.fixture(scope="module")
def teaching(stay: Visitor) -> Any:
    """The page of somebody who holds a lesson, as it is offered, and teaches in it."""
    page = stay("/seat")
    page.get_by_role("button", name="Open the lesson").click()
    expect(page.locator(".ev-headline")).to_contain_text("waits for people as long as it takes")
    page.get_by_role("button", name="Sit down as Ms Lin").click()
    page.wait_for_selector(".ev-seat-name >> text=Ms Lin")
    page.get_by_role("button", name="Start the lesson").click()
    page.wait_for_selector("[data-name=act]")
    return page


@pytest.mark.parametrize("size", [(1440, 900), (900, 900), (400, 900), (1440, 560)])
def test_nothing_lies_over_what_can_be_chosen(teaching: Any, size: tuple[int, int]) -> None:
    width, height = size
    teaching.set_viewport_size({"width": width, "height": height})
    fits(teaching, width)
    for share in (0, 0.25, 0.5, 0.75, 1):
        teaching.evaluate("share => scrollTo(0, share * document.documentElement.scrollHeight)", share)
        assert covered(teaching) == []
    teaching.set_viewport_size(DESK)


def covered(page: Any) -> list[str]:
    """What is in the window, below the page's bar, and would not be hit by a click at its middle."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('.ev-reply :is(.ev-r-option, textarea, button)')].filter((one) => {
            const box = one.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
            const bar = Math.max(0, document.querySelector('.ev-topbar').getBoundingClientRect().bottom);
            return box.width && y > bar && y < innerHeight - 1 && !one.contains(document.elementFromPoint(x, y));
        }).map((one) => one.innerText)"""
    )
    return found


def test_the_plans_words_are_said_and_the_room_is_the_one_that_is_asked_about(teaching: Any) -> None:
    before = number(teaching)
    teaching.click(SEND)
    expect(teaching.locator("[data-name=act].is-wrong")).to_have_count(1)
    teaching.get_by_role("button", name="Use these words").click()
    expect(teaching.locator(".ev-reply .is-wrong")).to_have_count(0)
    words = teaching.input_value("[data-name=words] textarea")
    teaching.click(SEND)
    gone(teaching, before)
    teaching.wait_for_selector("[data-name=others], [data-name^='tone ']")
    expect(teaching.locator(".ev-seat-drawing")).to_contain_text(words[:30])
    expect(teaching.locator(".ev-seat-talk")).to_contain_text(words)
    told = teaching.locator("[data-name=others] .ev-r-option").evaluate_all(
        "all => all.map(one => [one.dataset.value, one.querySelector('small').textContent])"
    )
    assert told
    names = {WORDS.code(behaviour): behaviour for behaviour in BEHAVIOURS}
    for name, shown in told:
        deed = names[shown.partition(", looks")[0]]
        drawn = teaching.locator(f".ev-seat-drawing [data-behaviour='{deed}']").filter(has_text=name)
        expect(drawn).to_have_count(1)


# --- for everybody ---


def test_everything_can_be_done_with_the_keyboard(student: Any) -> None:
    before, second = number(student), deeds(student)[1]
    student.wait_for_function("document.activeElement.matches('.ev-r-title')")
    student.keyboard.press("Tab")
    student.keyboard.press("Space")
    student.keyboard.press("ArrowRight")
    expect(student.locator(".ev-r-option:has(input:checked)")).to_have_attribute("data-value", second)
    student.keyboard.press("Tab")
    student.keyboard.press("Space")
    student.keyboard.press("Tab")
    student.keyboard.press("Enter")
    gone(student, before)


def test_it_speaks_chinese(visit: Visit) -> None:
    host = open_lesson(visit)
    student = join(visit, link_for(host, "Make a link for Wang Fang"), "小鹭", language="zh-CN")
    begin(host)
    form(student)
    choose(student, "behaviour", "ask_teacher")
    student.click(SEND)
    student.get_by_text("请输入要说的话。").wait_for()
    labels = student.locator(
        ".ev-reply legend, .ev-reply label, .ev-r-send, .ev-r-title, .ev-r-group"
    ).all_inner_texts()
    said = " ".join([*labels, student.inner_text(".ev-seat-notice")])
    for name in ("Liu Li", "Zhang Jie", "Zhang Tao", "Zhang Yan", "Li Wei"):
        said = said.replace(name, "")
    assert not re.search(r"[A-Za-z]{3,}", said)


def test_it_fits_and_everybody_can_use_it(visit: Visit) -> None:
    host = open_lesson(visit)
    teacher = join(visit, link_for(host, "Make a link for Ms Lin"))
    student = sit_student(visit, host)
    begin(host)
    form(teacher)
    can_be_used(host, "light")
    can_be_used(teacher, "dark")
    teach(teacher, "asking_question", "Which word tells you so?")
    form(student)
    choose(student, "behaviour", "ask_peer")
    can_be_used(student, "light", "dark")
    teacher.wait_for_selector(".ev-seat-wait")
    can_be_used(teacher, "light")


def can_be_used(page: Any, *schemes: str) -> None:
    """On a desk in the light and on a phone in the dark; axe, which takes its time, looks in these lights."""
    for look, scheme in ((DESK, "light"), (PHONE, "dark")):
        page.set_viewport_size(look)
        dress(page, scheme)
        fits(page, look["width"])
        if scheme in schemes:
            assert serious(page) == []
