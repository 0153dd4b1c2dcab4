"""People in one lesson, each in a browser of their own: what they do, what they see, and what they never get to see."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.audience import heard_by
from tests.browser import PATIENCE, Visitor
from tests.dashboard.seats import (
    SEND,
    Visit,
    act,
    begin,
    choose,
    deeds,
    end_lesson,
    form,
    gone,
    join,
    link_for,
    number,
    open_lesson,
    open_lesson_at,
    pause_and_replay,
    sit_student,
    take_part,
    teach,
)

pytestmark = pytest.mark.xdist_group("browser-seat_page")

LISTEN = """() => {
    window.evSent = [];
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (data) {
        window.evSent.push(typeof data === "string" ? data : new TextDecoder().decode(data));
        return send.call(this, data);
    };
}"""
"""Keeps what a page sends from now on: what is typed is sent a little later."""


@pytest.fixture
def overheard(chromium: Any) -> Iterator[Any]:
    """A browser, and everything that the server has sent to it since."""
    received: list[str] = []

    def listen(socket: Any) -> None:
        socket.on(
            "framereceived",
            lambda payload: received.append(
                payload if isinstance(payload, str) else payload.decode("utf-8", "replace")
            ),
        )

    context = chromium.new_context(viewport={"width": 400, "height": 850})
    context.on("page", lambda page: page.on("websocket", listen))
    yield context, received
    context.close()


@pytest.fixture(scope="module")
def shared(stay: Visitor) -> Any:
    """A researcher's page, at which one lesson is held after another."""
    return stay("/seat")


@pytest.fixture
def host(shared: Any, stay: Visitor) -> Iterator[Any]:
    """That page with a new lesson, which is ended after the test unless the test has done so."""
    yield open_lesson_at(shared)
    if shared.locator(".ev-seats").count():
        end_lesson(shared)
    shared.wait_for_selector("text=Open a lesson")
    stay.check()


# --- several people in a lesson ---


def test_a_teacher_and_a_student_see_the_talk_they_may_see_and_nothing_else(
    visit: Visit, host: Any, dashboard: Any, overheard: Any
) -> None:
    context, received = overheard
    teacher = join(visit, link_for(host, "Make a link for Ms Lin"), "Mr T")
    student = sit_student(visit, host, context=context, name="Blue Heron")
    host.wait_for_selector("tr[data-agent='Wang Fang'] >> text=Blue Heron")
    begin(host)
    question, answer = "What colour is spring where you live?", "Green, because the grass comes first."
    teach(teacher, "asking_question", question, call="Wang Fang")
    form(student)
    expect(student.locator(".ev-seat-now")).to_contain_text(question)
    expect(student.locator(".ev-seat-now")).to_contain_text("You were called on")
    act(student, "stand_answer", answer)
    teacher.wait_for_selector("[data-name='tone Wang Fang']")
    expect(teacher.locator(".ev-reply")).to_contain_text(answer)
    choose(teacher, "tone Wang Fang", "positive")
    praise = "Wang Fang, that is well seen."
    teacher.fill("[data-name='say Wang Fang'] textarea", praise)
    teacher.click(SEND)
    teacher.wait_for_selector("[data-name=move]")
    teacher.click(SEND)
    student.wait_for_selector(".ev-seat-came >> text=" + praise)
    for step in range(3):  # the others chat, plan and feel meanwhile
        teach(teacher, "lecturing", f"The meadow wakes up slowly, line {step}.")
        form(student)
        take_part(student, "note_taking")
        for part in ("others", "move"):
            teacher.wait_for_selector(
                f"[data-name={part}], [data-name^='tone ']" if part == "others" else "[data-name=move]"
            )
            before = number(teacher)
            teacher.click(SEND)
            gone(teacher, before)
    student.wait_for_selector(".ev-seat-talk >> text=line 2")
    shown = "\n".join([*received, json.dumps(student.content())])
    run = pause_and_replay(host, dashboard)
    model = run.lessons[-1].model
    heard = {row.text for row in heard_by(model, "Wang Fang")}
    for text in (question, answer, praise):
        assert text in heard
        assert json.dumps(text)[1:-1] in shown, "what may be heard has to be found by this search"
    assert private_texts(model, "Wang Fang", heard)
    assert [text for text in private_texts(model, "Wang Fang", heard) if json.dumps(text)[1:-1] in shown] == []
    assert [row.label for row in people(dashboard, run)] == ["Mr T", "Blue Heron"]


def private_texts(model: Any, agent: str, heard: set[str]) -> set[str]:
    """What the others have thought, and said among themselves."""
    rows = [row for row in model.journal.students if row.student != agent]
    own = {
        text
        for row in model.journal.students
        if row.student == agent
        for text in (row.plan, row.monitoring, row.regulation)
    }
    texts = {text for row in rows for text in (row.plan, row.monitoring, row.regulation)}
    texts |= {row.text for row in model.journal.sentences} - heard
    public = "\n".join([*heard, *own])
    return {text for text in texts if len(text) > 15 and text not in public}


def people(dashboard: Any, run: Any) -> list[Any]:
    with open_study(str(dashboard.study), read_only=True) as study:
        sat = {row.participant for row in study.study.sittings(run.id)}
        return [row for row in study.study.participants() if row.id in sat]


def test_a_link_lets_in_one_browser_and_looking_at_it_does_not_use_it_up(visit: Visit, host: Any) -> None:
    link = link_for(host, "Make a link for Wang Fang")
    door = visit(link).locator("main")
    expect(door).to_contain_text("as a student")
    expect(door).to_contain_text("Is something wrong, or are you worried about somebody? You can talk to your teacher")
    mine = join(visit, link, "Blue Heron")
    other = host.context.browser.new_context()
    refused = other.request.get(mine.url.replace("/seat", link), timeout=PATIENCE)
    assert refused.status == 410
    assert "used in another browser" in refused.text()
    assert "<form" not in refused.text()
    other.close()
    mine.goto(mine.url.replace("/seat", link))
    mine.click("button")
    mine.wait_for_selector(".ev-seat-name >> text=Wang Fang")
    host.get_by_role("button", name="Take back").click()
    mine.wait_for_selector("text=This lesson is closed")


def test_a_browser_that_has_joined_gets_its_seat_at_every_address(visit: Visit, host: Any, dashboard: Any) -> None:
    student = sit_student(visit, host)
    for path in ("/", "/studies"):
        student.goto(dashboard.address + path)
        student.wait_for_selector(".ev-seat-name >> text=Wang Fang")
        assert student.locator(".ev-page").count() == 0


def test_a_reload_and_a_second_tab_find_the_place_and_what_was_typed(visit: Visit, host: Any) -> None:
    student = sit_student(visit, host)
    begin(host)
    form(student)
    choose(student, "behaviour", "ask_teacher")
    student.evaluate(LISTEN)
    student.fill("textarea", "Why does the meadow wake")
    student.wait_for_function("window.evSent.some(text => text.includes('Why does the meadow wake'))")
    student.reload()
    expect(student.locator("textarea:visible")).to_have_value("Why does the meadow wake")
    second = visit("/seat", context=student.context)
    expect(second.locator("textarea:visible")).to_have_value("Why does the meadow wake")
    before = number(second)
    second.fill("textarea", "Why does the meadow wake up?")
    second.click(SEND)
    gone(second, before)
    student.wait_for_selector(".ev-seat-talk >> text=Why does the meadow wake up?")


def test_who_leaves_is_acted_for_and_may_come_back(visit: Visit, host: Any, dashboard: Any) -> None:
    student = sit_student(visit, host)
    begin(host)
    form(student)
    student.get_by_role("button", name="Leave the seat").click()
    student.wait_for_selector("text=You have left your seat")
    host.wait_for_selector("tr[data-agent='Wang Fang'] >> text=acts by itself")
    host.wait_for_function("Number(document.querySelector('.ev-told').textContent.match(/\\d+/)?.[0]) >= 2")
    student.get_by_role("button", name="Sit down again").click()
    take_part(student)
    student.wait_for_selector(".ev-seat-came")
    run = pause_and_replay(host, dashboard)
    rows = [entry for entry in run.answers() if entry.agent == "Wang Fang" and entry.kind == "plan"]
    assert rows[0].answer.source == "embedded"
    assert "human" in {entry.answer.source for entry in rows}


def test_a_deadline_that_passes_is_counted_and_shown(visit: Visit, dashboard: Any) -> None:
    host = open_lesson(visit, wait=5)  # as long as two cores that others keep busy may need to type that
    student = sit_student(visit, host)
    begin(host)
    form(student)
    choose(student, "behaviour", "ask_teacher")
    student.fill("textarea", "This takes me too lon")
    student.wait_for_selector("text=The lesson went on without you")
    host.wait_for_selector(".ev-now >> text=no answer within 5 s")
    host.wait_for_selector(".ev-now >> text=answered by a stand-in")
    form(student)
    if "ask_teacher" in deeds(student):
        choose(student, "behaviour", "ask_teacher")
        expect(student.locator("textarea")).to_have_value("This takes me too lon")  # what was typed is kept
    run = pause_and_replay(host, dashboard)
    missed = [entry.answer for entry in run.answers() if entry.agent == "Wang Fang" and entry.kind == "plan"]
    assert missed[0].status == "fallback"


def test_the_room_goes_on_in_the_same_way_without_the_people(visit: Visit, host: Any, dashboard: Any) -> None:
    student = sit_student(visit, host)
    begin(host)
    for words in ("The grass is green.", "Spring is warm, so the flowers open."):
        take_part(student, "stand_answer", "answer_question", "ask_teacher", words=words)
    student.wait_for_selector(".ev-seat-talk >> text=" + "The grass is green.")
    run = pause_and_replay(host, dashboard)
    said = {row.text for row in run.lessons[-1].model.journal.sentences if row.speaker == "Wang Fang"}
    assert said & {"The grass is green.", "Spring is warm, so the flowers open."}
    assert "human" in {entry.answer.source for entry in run.answers()}


# --- the four tasks of a human agent, by hand ---


def live_through(
    page: Any,
    want: Callable[[Any, list[str]], tuple[str, str, str]],
    until: str,
    called: str = "I am not sure about that.",
    steps: int = 14,
) -> None:
    """Do what is wanted in every step, politely, until something is seen."""
    for _ in range(steps):
        page.wait_for_selector(f".ev-reply, {until}")
        if page.locator(until).count():
            return
        if page.locator("[data-name=accept]").count() or "stand_answer" in deeds(page):
            take_part(page, "stand_answer", words=called)
            continue
        deed, words, partner = want(page, deeds(page))
        act(page, deed, words, partner)
    page.wait_for_selector(until)


def sit_alone(visit: Visit) -> tuple[Any, Any]:
    host = open_lesson(visit, fast=True)
    student = sit_student(visit, host)
    begin(host)
    return host, student


@pytest.mark.parametrize("deed", [pytest.param("chat", marks=pytest.mark.slow), "ask_peer"])
def test_a_classmate_is_talked_to_and_takes_it_up(visit: Visit, deed: str) -> None:
    _, student = sit_alone(visit)
    words = "Did you see the game last night?" if deed == "chat" else "Can you explain the last part to me?"
    tried: list[str] = []

    def want(page: Any, able: list[str]) -> tuple[str, str, str]:
        if deed not in able or len(tried) % 2:
            tried.append("")
            return able[0], "", ""
        names = page.locator("[data-name=partner] .ev-r-option").evaluate_all(
            "all => all.map(one => one.dataset.value)"
        )
        name = names[len([one for one in tried if one]) % len(names)]
        whispers = deed == "chat" and any(tried)  # hardly anybody drops the lesson altogether for a chat
        tried.append(name)
        return "side_talk" if whispers else deed, words, name

    # A step that is missed on a busy machine meets other luck: there are enough for somebody to say yes.
    live_through(student, want, ".ev-seat-came .ev-chip:text-is('accepted')", steps=26)
    name = next(one for one in reversed(tried) if one)
    student.locator(".ev-seat-line", has_text="only the two of you").filter(has_text=name).first.wait_for()


def test_the_teacher_notices_who_sleeps_and_answers_who_asks(visit: Visit) -> None:
    _, student = sit_alone(visit)
    live_through(student, lambda _, able: ("sleep", "", ""), ".ev-seat-line.teacher:has-text('Wang Fang')")
    question = "Why does the writer say it twice?"

    def want(_: Any, able: list[str]) -> tuple[str, str, str]:
        return ("ask_teacher", question, "") if "ask_teacher" in able else (able[0], "", "")

    # Who is called has the floor, and can as well ask what it wanted to know.
    live_through(student, want, ".ev-seat-line.teacher:has-text('to you')", called=question)
    student.locator(".ev-seat-line.mine", has_text=question).first.wait_for()


# --- who looks on, and who sits down oneself ---


def test_somebody_who_looks_on_sees_all_and_touches_nothing(visit: Visit, host: Any) -> None:
    looking = visit(link_for(host, "To look on"))
    looking.click("button")
    looking.wait_for_selector(".ev-room")
    student = sit_student(visit, host)
    expect(looking.locator("[aria-label^='Play']")).to_be_hidden()
    overlay = looking.locator(".ev-overlays button").first
    shown = overlay.get_attribute("aria-pressed")
    overlay.click()
    expect(overlay).not_to_have_attribute("aria-pressed", str(shown))  # what it sees is its own
    expect(host.get_by_role("button", name="Start the lesson")).to_have_count(1)
    begin(host)
    take_part(student)
    looking.wait_for_selector(".ev-talk li")
    expect(looking.locator("[aria-label^='Pause']")).to_be_hidden()
    form(student)
    assert looking.locator("text=Join links").count() == 0


def test_a_researcher_sits_down_starts_and_gets_up_again(visit: Visit) -> None:
    page = open_lesson(visit)
    page.get_by_role("button", name="Sit down as Li Wei").click()
    page.wait_for_selector(".ev-seat-name >> text=Li Wei")
    page.get_by_role("button", name="Start the lesson").click()
    take_part(page)
    expect(page.get_by_role("heading", name="The lesson that you hold")).to_be_visible()
    page.get_by_role("button", name="For any student").click()
    page.get_by_text("These links work on this machine only").wait_for()
    page.get_by_role("button", name="Leave the seat").click()
    expect(page.locator(".ev-seat-name")).to_have_count(0)
    page.get_by_role("button", name="Sit down as Ms Lin").click()
    page.wait_for_selector(".ev-seat-name >> text=Ms Lin")
    teach(page, "lecturing", "Now I teach.")
    assert page.locator(".ev-page").count() > 0, "who has all rights keeps them"


def test_a_lesson_that_is_ended_says_goodbye(visit: Visit) -> None:
    host = open_lesson(visit)
    student = sit_student(visit, host)
    begin(host)
    form(student)
    host.get_by_role("button", name="End the lesson").click()
    host.get_by_role("button", name="Do not end it").click()
    expect(host.get_by_role("button", name="Do not end it")).to_have_count(0)
    expect(student.locator(".ev-reply")).to_be_visible()
    end_lesson(host)
    student.wait_for_selector("text=This lesson is closed")
    expect(student.get_by_role("button", name="To the dashboard")).to_have_count(0)
    host.get_by_text("has ended for everybody").wait_for()
    host.get_by_role("button", name="Look at the run").click()
    expect(host.locator(".ev-run-title")).to_be_visible()


def test_numbers_that_are_none_are_refused(visit: Visit) -> None:
    page = visit("/seat")
    page.get_by_label("Seed").fill("")
    page.get_by_label("Seed").press("Tab")
    page.get_by_role("button", name="Open the lesson").click()
    page.get_by_text("Seed and seconds have to be numbers").wait_for()
