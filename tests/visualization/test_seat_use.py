"""A seat in the hands of people: hostile, too long, twice, too late, by keyboard, in Chinese, on a phone."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.visualization.seats import (
    SEND,
    Visit,
    act,
    begin,
    choose,
    form,
    gone,
    join,
    link_for,
    number,
    open_lesson,
    pause_and_replay,
    sit_student,
    take_part,
    teach,
)
from tests.visualization.test_pages import DESK, PHONE, dress, serious

pytestmark = pytest.mark.xdist_group("browser-seat_use")

HOSTILE = "<img src=x onerror=alert(1)> {{7*7}} [x](javascript:alert(2)) \u202eevil <script>alert(3)</script>"


# --- what may not go wrong ---


def test_hostile_words_and_names_are_text_everywhere(visit: Visit) -> None:
    host = open_lesson(visit)
    student = sit_student(visit, host, name=HOSTILE)
    assert "<img src=x" in student.inner_text(".ev-seat-head")
    host.wait_for_selector("tr[data-agent='Wang Fang'] >> text=<img src=x")
    teacher = join(visit, link_for(host, "Make a link for Ms Lin"), "{{constructor}}")
    begin(host)
    teach(teacher, "asking_question", HOSTILE, call="Wang Fang")
    form(student)
    assert "onerror=alert" in student.inner_text(".ev-seat-now")
    act(student, "stand_answer", HOSTILE)
    teacher.wait_for_selector("[data-name='tone Wang Fang']")
    assert "javascript:alert" in teacher.inner_text(".ev-reply")
    for part in ("[data-name='tone Wang Fang']", "[data-name=move]"):
        teacher.wait_for_selector(part)
        teacher.click(SEND)
    host.wait_for_selector(".ev-talk >> text=onerror=alert")
    assert "{{7*7}}" in student.inner_text(".ev-seat-talk"), "not 49: nothing in it was run"
    for page in (host, teacher, student):
        assert page.locator("img[src=x]").count() == 0
        assert page.locator("a[href^=javascript]").count() == 0


def test_words_that_are_too_long_are_refused_beside_their_field_and_kept(visit: Visit) -> None:
    host = open_lesson(visit)
    student = sit_student(visit, host)
    begin(host)
    form(student)
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
        assert len(student.input_value("textarea")) == length
        assert student.get_attribute("textarea", "aria-invalid") == "true"
    before = number(student)
    student.fill("textarea", "Why?")
    student.click(SEND)
    gone(student, before)


def test_clicking_twice_answers_once(visit: Visit, dashboard: Any) -> None:
    host = open_lesson(visit)
    student = sit_student(visit, host)
    begin(host)
    form(student)
    before = number(student)
    choose(student, "behaviour", "note_taking")
    student.evaluate("() => [1, 2, 3].forEach(() => document.querySelector('.ev-reply').requestSubmit())")
    gone(student, before)
    form(student)
    assert student.get_by_text("went on without you").count() == 0
    run = pause_and_replay(host, dashboard)
    plans = [
        entry
        for entry in run.answers()
        if (entry.agent, entry.kind, entry.answer.source) == ("Wang Fang", "plan", "human")
    ]
    assert len(plans) == 1


def test_an_answer_that_comes_too_late_is_said_to(visit: Visit) -> None:
    host = open_lesson(visit)
    student = sit_student(visit, host)
    begin(host)
    form(student)
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


# --- for everybody ---


def test_everything_can_be_done_with_the_keyboard(visit: Visit) -> None:
    host = open_lesson(visit)
    student = sit_student(visit, host)
    begin(host)
    form(student)
    before = number(student)
    student.wait_for_function("document.activeElement.matches('.ev-r-title')")
    student.keyboard.press("Tab")
    student.keyboard.press("Space")
    student.keyboard.press("ArrowRight")
    assert student.locator(".ev-r-option:has(input:checked)").get_attribute("data-value") == "note_taking"
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
    for page in (host, teacher):
        fits(page)
    teach(teacher, "asking_question", "Which word tells you so?")
    form(student)
    choose(student, "behaviour", "ask_peer")
    fits(student)
    teacher.wait_for_selector(".ev-seat-wait")
    fits(teacher)


def fits(page: Any) -> None:
    """On a desk in the light and on a phone in the dark."""
    for look, scheme in ((DESK, "light"), (PHONE, "dark")):
        page.set_viewport_size(look)
        dress(page, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= look["width"]
        assert serious(page) == []
