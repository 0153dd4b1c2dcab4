"""Texts that wish us ill, in every field of every form and in the mouths of peers, seen in a real browser."""

from __future__ import annotations

import re
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import msgspec
from playwright.sync_api import Page, expect

from eduverse_mesa.decisions.groups import Utter, Uttered
from eduverse_mesa.pupils.dialogues import Minds
from eduverse_mesa.runs.studies import OpenStudy, open_study
from eduverse_mesa.scenarios.groups import Collaboration
from eduverse_mesa.store import Study
from eduverse_mesa.store.accounts import add_account, all_accounts
from eduverse_mesa.store.classwork import add_assignment, add_group, find_talks, save_problem, save_survey
from tests.hostile import HUGE, LONG, MARKDOWN, NAMES
from tests.models.groups import STEPS, Instead, problem, setup
from tests.pupils.mathematics import PASSWORD, Client, Here, serving
from tests.pupils.test_in_browser import log_in

TEXTS = (
    *NAMES[:4],
    NAMES[5],
    MARKDOWN,
    "</script><script>window.pwned=10</script>",
    '"><svg/onload=window.pwned=11>',
    "\\(\\href{javascript:window.pwned=12}{x} \\text{<img src=x onerror=window.pwned=13>}\\) 1/2",
    "<math><mtext><img src=x onerror=window.pwned=14></mtext></math> 3/8 <style>*{display:none}</style>",
    "</li></ol></main><base href=//127.0.0.2/><meta http-equiv=refresh content='0;url=//127.0.0.2'>",
    "&lt;script&gt;window.pwned=15&lt;/script&gt; &#x202e; %3Cscript%3E\u202eabc\u2066",
    'data: {"over":true}\n\nevent: x\ndata: y\n\n',
    LONG[:1999],
)
STUDENT, OTHER = "<img src=x onerror=window.pwned=16>", "' onfocus=window.pwned=17 autofocus x='"
TEACHER = "</title><script>window.pwned=18//"
SET = "<svg/onload=window.pwned=19>"
assert max(map(len, (STUDENT, OTHER, TEACHER, SET))) <= 40


class Possessed(Minds):
    """Peers that say what a model might, if somebody has talked it into it."""

    def __init__(self) -> None:
        super().__init__()
        self._texts = cycle(TEXTS)

    def of(self, setup: Collaboration) -> Instead:
        return Instead(utter=self._utter)

    def _utter(self, decision: Utter) -> Uttered:
        return Uttered(next(self._texts))


def fill(opened: OpenStudy) -> dict[str, str]:
    """A school in which everything that can be named is hostile; gives ids."""
    study = opened.study
    teacher = add_account(study, TEACHER, "teacher", PASSWORD)
    students = [add_account(study, name, "student", PASSWORD, made_by=teacher.id) for name in (STUDENT, OTHER)]
    one = problem(STEPS)
    evil = one.model_copy(
        update={
            "title": TEXTS[0][:60],
            "question": f"{one.question} {TEXTS[7]} {TEXTS[9]}",
            "statement": f"{one.statement} {TEXTS[1]} {TEXTS[2]}",
        }
    )
    plan = setup("multiplies", (), wait_alone=0.2, wait_shared=0.1, goes_on=3).model_copy(update={"problems": (evil,)})
    text = msgspec.json.encode(plan.model_dump(mode="json", by_alias=True)).decode()
    work = add_assignment(study, SET, text, [one.id for one in students], teacher.id)
    group = add_group(study, SET, [students[0].id], teacher.id)
    own = save_problem(study, TEXTS[6], "\n".join(TEXTS), teacher.id)
    save_survey(study, students[0].id, work.id, {"fun": 5})
    return {"student": students[0].id, "work": work.id, "group": group.id, "own": own.id}


def watched(page: Page, here: Here) -> list[str]:
    """What a page does that it must not: asks another host, opens a dialog, fails, or breaks its policy."""
    done: list[str] = []

    def dismiss(dialog: Any) -> None:
        done.append(dialog.message)
        dialog.dismiss()

    page.on("request", lambda one: None if one.url.startswith((here.address, "data:")) else done.append(one.url))
    page.on("dialog", dismiss)
    page.on("console", lambda one: done.append(one.text) if "Content Security Policy" in one.text else None)
    return done


def look(page: Page, address: str, *texts: str) -> None:
    """The page stands, shows the texts as texts, and nothing of them has become anything else."""
    page.goto(address)
    expect(page.locator("header .ev-brand, header a").first).to_be_visible()
    expect(page.locator("main")).to_have_count(1)
    for text in texts:
        expect(page.locator("body")).to_contain_text(" ".join(text.split()))
    assert page.evaluate("window.pwned") is None, address
    unknown = "main :is(script, style, svg:not([class]), base, meta, iframe, object), main img, [onerror], [onload]"
    expect(page.locator(f":is({unknown}, [onfocus], [onmouseover])")).to_have_count(0)


def send_all(client: Client, path: str, text: str) -> None:
    """Every form of a page, with this in every field that takes a text."""
    for action, inside in re.findall(r'<form[^>]*action="([^"]+)"[^>]*>(.*?)</form>', client.get(path).text, re.DOTALL):
        if action == "/logout" or action.endswith(("/erase", "/delete", "/end", "/password", "/passwords")):
            continue
        fields: list[tuple[str, str]] = []
        for tag in re.findall(r"<(?:input|textarea|select)[^>]*>", inside):
            given = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
            kept = given.get("type") in ("hidden", "checkbox", "radio") or tag.startswith("<select")
            if "name" in given:
                fields.append((given["name"], unescape(given.get("value", "")) if kept else text))
        reply = client.ask("POST", unescape(action), urlencode([("csrf", client.csrf), *fields]))
        assert reply.status < 500, (path, action, reply.text)
        for escaped in ("<script>window", "<img src=x", "<svg/onload", "' onfocus=window"):
            assert escaped not in reply.text, (action, text)


def test_no_text_is_ever_more_than_a_text(chromium: Any, tmp_path: Path) -> None:
    with open_study(str(tmp_path / "a.study"), create=True) as opened:
        ids = fill(opened)
        with serving(opened, Possessed()) as here:
            page = log_in(chromium, here, STUDENT, PASSWORD)  # type: ignore[arg-type]
            done = watched(page, here)
            talk(page, here, ids)
            teacher = Client(here.port)
            assert teacher.post("/login", name=TEACHER, password=PASSWORD).status == 303
            teacher.csrf = teacher.get("/class").csrf
            forms = ["/class", "/sets", "/sets/new", "/data", f"/sets/{ids['work']}", f"/sets/{ids['work']}/edit"]
            forms += ["/problems", "/problems/edit?from=steps_and_distance", f"/problems/edit?own={ids['own']}"]
            forms += [f"/groups/{ids['group']}"]
            for number, form in enumerate(forms):
                for text in (TEXTS[number % len(TEXTS)], HUGE[:5000], NAMES[4]):
                    send_all(teacher, form, text)
            pages = log_in(chromium, here, TEACHER, PASSWORD)  # type: ignore[arg-type]
            done += watched(pages, here)
            run = find_talks(opened.study, account=ids["student"])[0].run
            look(pages, f"{here.address}/class", STUDENT, TEACHER)
            for path in (*forms[1:], f"/sets/{ids['work']}/counted", f"/class/{ids['student']}/erase"):
                look(pages, here.address + path)
            look(pages, f"{here.address}/transcripts/{run}", TEXTS[0], TEXTS[7])
            assert done == []
    with Study.open(str(tmp_path / "a.study"), read_only=True) as study:
        assert {STUDENT, OTHER, TEACHER} <= {one.name for one in all_accounts(study)}


def talk(page: Page, here: Here, ids: dict[str, str]) -> None:
    """A student says all of it, and hears as much from its peers."""
    look(page, f"{here.address}/work", SET, STUDENT)
    look(page, f"{here.address}/work/{ids['work']}/1")
    page.get_by_role("button", name="I have understood this and agree").click()
    expect(page.locator("#said")).to_have_count(1)
    page.wait_for_load_state()  # the page's script has run by then: a key that was struck before would be lost
    mine = page.locator("#said li.is-me")
    for number, text in enumerate(TEXTS):
        page.get_by_label("Your message").fill(text)
        page.get_by_label("Your message").press("Enter")
        expect(mine).to_have_count(number + 1)
        assert page.evaluate("window.pwned") is None, text
    expect(page.locator("#said li:not(.is-me)").nth(5)).to_be_visible()
    look(page, f"{here.address}/work/{ids['work']}/1", TEXTS[0], TEXTS[1], TEXTS[6], TEXTS[7])
    expect(mine).to_have_count(len(TEXTS))
    look(page, f"{here.address}/survey/{ids['work']}")
    page.goto(f"{here.address}/work/{TEXTS[6]}/1")
    assert page.evaluate("window.pwned") is None
