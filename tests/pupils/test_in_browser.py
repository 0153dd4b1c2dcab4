"""A teacher, two students and a problem, in three browsers at once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Dialog, Page, expect
from playwright.sync_api import Error as PlaywrightError

from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import account_named
from eduverse_mesa.store.classwork import all_assignments, find_talks, surveys_of
from eduverse_mesa.store.dialogues import messages_of
from eduverse_mesa.visualization.words import load_words
from tests.browser import PATIENCE
from tests.pupils.mathematics import PASSWORD, School, Served, served

REASON = "No, one step has to be much shorter than the line, so we divide: 60 / 20 = 3 feet."
SAYS = (
    "Hi! We look for one step.",
    "ok",
    "I divide 60 by 20",
    "one step is 60 / 20 = 3 feet",
    "I agree, 3 feet per step",
)
MOST = 30


def log_in(browser: Any, server: Served, name: str, password: str) -> Page:
    page: Page = browser.new_context(locale="en").new_page()
    page.on("pageerror", lambda error: (_ for _ in ()).throw(AssertionError(error)))
    page.goto(server.address)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    return page


def set_up(page: Page) -> dict[str, str]:
    """The teacher makes two students and gives them a problem, in which Alice multiplies; gives the passwords."""
    page.get_by_label("Names, one a line").fill("kiwi\nmango")
    page.locator("form[action='/class'] button").click()
    slips = page.locator("#passwords li")
    expect(slips).to_have_count(2)
    passwords = {slip.locator("b").inner_text(): slip.locator("code").inner_text() for slip in slips.all()}
    page.get_by_role("link", name="Sets of problems").click()
    page.get_by_role("link", name="Give a set of problems").click()
    page.get_by_label("Title").fill("Week 2")
    card = page.locator(".ev-pick", has_text="Steps and distance")
    card.get_by_role("checkbox").check()
    card.get_by_text("Read it").click()
    card.get_by_role("radio", name="1,200 feet per step").check()
    page.locator("input[name=wait]").fill("1")
    for name in passwords:
        page.get_by_label(name).check()
    page.get_by_role("button", name="Give to these students").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Week 2")
    return passwords


def say(page: Page, text: str) -> None:
    mine = page.locator("#said li.is-me")
    over = page.locator("#over")
    expect(page.locator("[data-live]")).to_be_attached()  # before, Enter is only a line's end
    before = mine.count()
    field = page.get_by_label("Your message")
    for _ in range(PATIENCE // 10_000):
        try:
            field.fill(text, timeout=10_000)
            field.press("Enter", timeout=10_000)
            break
        except PlaywrightError:  # the machine is busy, or a peer has said the last word in the meantime
            if over.is_visible():
                return
    expect(mine.nth(before).or_(over).filter(visible=True).first).to_be_visible()


def take_turn(page: Page, turn: int) -> None:
    """A peer says something, and the student answers: with a reason, where it is the mistake."""
    last = page.locator("#said li:last-child:not(.is-me)")
    over = page.locator("#over")
    expect(last.or_(over).filter(visible=True).first).to_be_visible()
    if over.is_visible():
        return
    heard = last.inner_text() if last.count() else ""
    wrong = re.search(r"multipl|1,200", heard) is not None and heard.startswith("Alice")
    if over.is_visible():
        return
    say(page, REASON if wrong else SAYS[min(turn, len(SAYS) - 1)])


def answer_survey(page: Page) -> None:
    page.get_by_role("link", name="Questions at the end").first.click()
    for item in page.locator("fieldset").all():
        item.get_by_label("4").check()
    page.get_by_role("button", name="Save my answers").click()
    expect(page.get_by_role("status")).to_contain_text("Thank you")


def step_through(page: Page) -> None:
    """The teacher goes back to where Alice still holds her mistake, and on to where she changes her mind."""
    expect(page.locator("#revisions")).to_contain_text("1,200 feet per step")
    expect(page.locator("#minds")).not_to_contain_text("✗")
    page.wait_for_load_state()  # by then the script listens
    page.keyboard.press("Home")
    expect(page.locator("#transcript [data-step]")).to_have_count(1)
    expect(page.locator("#minds")).to_contain_text("✗ 1,200 feet per step")
    page.get_by_role("link", name="▶|").click()
    expect(page.locator("#transcript .is-mind").first).to_contain_text("Alice now holds")


def write_in_the_form(page: Page) -> None:
    """What is wrong is said beside its field while the teacher writes, and no longer once it is right."""
    page.get_by_role("link", name="Problems", exact=True).click()
    page.wait_for_load_state()  # by then the script listens
    file = page.locator("[name=file]")
    file.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": b"x" * 300_000})
    expect(file).to_have_js_property("validationMessage", load_words()["problem_form.no_file"])
    page.get_by_role("row", name="Steps and distance").get_by_role("link", name="Copy it and change it").click()
    page.locator("summary", has_text="the length of the line").click()
    field, said = page.locator("[name='f.givens.0.value']"), page.locator("[data-at='givens.0.value']")
    field.fill("soon")
    expect(said).to_contain_text("“soon”")
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("60 feet")
    expect(page.locator("#verdict")).to_have_text("It holds together.")
    expect(said).to_be_empty()
    is_asked_before_it_is_lost(page)
    page.locator("[id='f.misconceptions']").get_by_role("button", name="Add one").last.click()
    thinks = page.locator("[name='f.misconceptions.5.thinks']")
    expect(thinks).to_be_visible()
    expect(page.locator("[data-count='misconceptions.5']")).to_contain_text("to fill in")
    page.wait_for_load_state()  # by then the script listens
    thinks.focus()
    thinks.blur()
    expect(page.locator("[data-at='misconceptions.5.thinks']")).to_have_text("Fill this in.")
    expect(page.locator("[data-at='misconceptions.5.cue']")).to_be_empty()
    is_asked_before_it_is_lost(page)


def is_asked_before_it_is_lost(page: Page) -> None:
    """Whoever leaves a problem that is not saved may stay."""
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", stay)
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Class", exact=True).click(no_wait_after=True)
    assert asked == ["beforeunload"]
    expect(page.locator("#editor")).to_be_visible()


def test_two_students_solve_what_their_teacher_has_given_them(chromium: Any, tmp_path: Path) -> None:
    school = School(tmp_path / "a.study")
    with served(school.path) as server:
        teacher = log_in(chromium, server, "Ms Li", PASSWORD)
        passwords = set_up(teacher)
        pages = {name: log_in(chromium, server, name, password) for name, password in passwords.items()}
        for page in pages.values():
            page.get_by_role("link", name=re.compile("Steps and distance")).click()
            page.get_by_role("button", name="I have understood this and agree").click()
        for turn in range(MOST):
            going = [page for page in pages.values() if not page.locator("#over").is_visible()]
            for page in going:
                take_turn(page, turn)
            if turn == 2:
                said = pages["kiwi"].locator("#said li.is-me").all_inner_texts()
                pages["kiwi"].reload()
                expect(pages["kiwi"].locator("#said li.is-me")).to_have_text(said, use_inner_text=True)
            if not going:
                break
        for page in pages.values():
            expect(page.locator("#over")).to_be_visible()
            answer_survey(page)
        expect(teacher.locator("#live .is-done")).to_have_count(2)
        teacher.locator("#live a").first.click()
        step_through(teacher)
        write_in_the_form(teacher)
    with Study.open(str(school.path), read_only=True) as study:
        (work,) = [row for row, _ in all_assignments(study) if row.title == "Week 2"]
        for name in passwords:
            found = account_named(study, name)
            assert found is not None
            (talk,) = find_talks(study, account=found[0].id)
            rows = messages_of(study, talk.run)
            assert [row.step for row in rows] == list(range(1, len(rows) + 1))
            assert {row.speaker for row in rows} - {""} == {name, "Alice", "Bob"}
            assert list(dict.fromkeys(row.stage for row in rows)) == [
                "understand",
                "organise",
                "plan",
                "execute",
                "validate",
            ]
            assert len(surveys_of(study, work.id)[found[0].id]) == 7
