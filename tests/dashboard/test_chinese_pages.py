"""A Chinese reader finds no English: not in what pages show, and not in their tooltips, labels and hints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import expect

from eduverse_mesa.dashboard.pages import PAGES
from eduverse_mesa.dashboard.shell import address
from eduverse_mesa.runs import record_course
from eduverse_mesa.runs.studies import open_study
from eduverse_mesa.runs.threads import BrokenOffError
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.scenarios.library import find
from eduverse_mesa.scenarios.loader import built_in_problems
from eduverse_mesa.store import Study
from eduverse_mesa.store.classwork import add_assignment
from eduverse_mesa.visualization.words import load_words
from tests.browser import Dashboard, Visitor
from tests.dashboard.test_classroom_page import step_on
from tests.dashboard.test_pages import at_rest
from tests.models.groups import problem, setup
from tests.pupils.mathematics import Client, Here, School, serving

pytestmark = pytest.mark.xdist_group("chinese-pages")

T = load_words("zh")
SAID = """() => {
    const found = [document.title];
    const walk = (root) => {
        const all = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
        for (let node = all.nextNode(); node; node = all.nextNode()) {
            const around = node.parentElement;
            const unread = around?.closest("script, style, noscript, code, math") || around instanceof HTMLTitleElement;
            if (node.nodeType === 3 && !unread) found.push(node.data);
            if (node.nodeType !== 1 || around?.closest("[role=img]")) continue; // of a picture its own label is told
            const told = ["title", "aria-label", "aria-description", "aria-roledescription", "placeholder", "alt"];
            found.push(...told.map((name) => node.getAttribute(name) ?? ""));
            if (node.shadowRoot) walk(node.shadowRoot);
        }
    };
    walk(document.body);
    return found.map((one) => one.replace(/\\s+/g, " ").trim()).filter((one) => /[A-Za-z]{2,}/.test(one));
}"""
"""All that stands on a page or is told of it, where there are Latin letters in it."""
ALLOWED = (
    r"EduVerse(-Mesa)?",
    r"English|\bEN\b",
    r"NGSS|MathVC|SimLearner|Alice|Bob|Ms Li",
    r"[a-z_]+-s\d+-[0-9a-f]{6}|[a-z_]+_zh-\d+|experiment_\d",  # ids of runs and names of folders that were kept
    r"\bIRF\b|HTML|Parquet|GraphML|xAPI",
    r"^No title$",  # Solara's own, in a bar that is never shown
    r"YAML|JSON|CSV|Markdown|UTF-8|GGUF|zip\b",
    r"\bMB\b|Ctrl\+Z|Enter|Shift",
    r"eduverse( [a-z]+)*( --[a-z]+)*|--[a-z]+",
    r"Week 1|Steps and distance: [^”]*|Race fuel: [^”]*",
    r"step: steps|left \+ together == whole",
    r"https?://\S+|[\w./-]*\.(yaml|study)\b|EDUVERSE_\w+",
)
"""The languages' own names, names of people, projects, files, keys, a set in English, formulas, commands, addresses."""


ALL_SAID = SAID.replace(".filter((one) => /[A-Za-z]{2,}/.test(one))", ".filter(Boolean)")
_BEFORE, _SIGNS = "[\u4e00-\u9fff”》）\u2069]", "[。！？；：，、]"
HALF = re.compile(rf"{_BEFORE}[,;:?!](?![\w/])|{_BEFORE} ?\(|\)[\u4e00-\u9fff]|{_SIGNS} (?=\S)")
"""Signs of half width beside Chinese, and blanks behind signs of full width."""


def half_width_on(page: Any) -> list[str]:
    """What is said in Chinese with signs of another language."""
    named = r" – EduVerse$|^步: 步$"  # behind a title, and a noun as it is typed
    return [one for one in page.evaluate(ALL_SAID) if HALF.search(re.sub(named, "", one))]


def english_on(page: Any, *more: str) -> list[str]:
    """What is said in Latin letters and is none of what is allowed."""
    known = "|".join([*ALLOWED, *more])
    return [one for one in page.evaluate(SAID) if re.search(r"[A-Za-z]{2,}", re.sub(known, "", one))]


# --- the dashboard ---


@pytest.fixture(scope="module")
def opened(stay: Visitor) -> Any:
    return stay("/", language="zh-CN")


def go(page: Any, name: str) -> None:
    label = T(f"app.nav.{name}")
    page.locator(".ev-nav").get_by_text(label, exact=True).click()
    page.wait_for_url(f"**{address(name)}")
    page.wait_for_function(
        "name => document.querySelector('.ev-page.here')?.innerText === name && document.querySelector('.ev-card')",
        arg=label,
    )
    at_rest(page)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_nothing_in_english(opened: Any, stay: Visitor, name: str) -> None:
    go(opened, name)
    assert english_on(opened) == []
    stay.check()


def test_a_lesson_that_is_played_says_nothing_in_english(opened: Any) -> None:
    """With what is told of things in the room, of requests and of charts."""
    go(opened, "classroom")
    step_on(opened, 4)
    opened.wait_for_selector(".ev-chart[data-drawn] svg")
    opened.wait_for_selector(".ev-r-piece title", state="attached")
    opened.get_by_label(T("classroom.person.choose"), exact=True).select_option(label="王芳")
    opened.wait_for_selector(".ev-chain")
    assert english_on(opened) == []
    assert half_width_on(opened) == []


def test_every_tab_of_the_design_says_nothing_in_english(opened: Any) -> None:
    go(opened, "design")
    tabs = opened.locator(".ev-tabs [role=tab]")
    tabs.nth(4).wait_for()  # all of them come at once, later than the page
    for number in range(tabs.count()):
        tabs.nth(number).click()
        opened.wait_for_function(
            "n => document.querySelectorAll('.ev-tabs [role=tab]')[n].getAttribute('aria-selected') === 'true'",
            arg=number,
        )
        at_rest(opened)
        assert english_on(opened) == []


@pytest.fixture(scope="module")
def kept(dashboard: Dashboard) -> None:
    """Lessons of two layouts in the dashboard's study: of each two that are complete and one that was interrupted."""

    def stop(model: Any) -> None:
        if model.state.step >= 3:
            raise BrokenOffError

    for layout in ("lecture", "collab"):
        for seed in (31, 32, 33):
            with suppress(BrokenOffError):
                scenario = load_scenario("chinese_lesson", layout=layout, steps=6)
                record_course(str(dashboard.study), scenario, seed, "embedded", progress=stop if seed == 33 else None)


@pytest.mark.usefixtures("kept")
def test_runs_that_are_kept_say_nothing_in_english(opened: Any, stay: Visitor) -> None:
    """Their list, an interrupted one with how it is deleted, and what becomes of all of them side by side."""
    go(opened, "studies")
    rows = opened.locator("tbody tr").filter(has_text="chinese_lesson-s3")
    expect(rows).to_have_count(6)
    rows.filter(has_text="chinese_lesson-s33").first.locator("button.ev-run-name").click()
    opened.get_by_role("button", name=T("studies.run.delete")).click()
    expect(opened.get_by_text(T("studies.run.delete_now"), exact=True)).to_be_visible()
    assert english_on(opened) == []
    assert half_width_on(opened) == []
    opened.get_by_role("button", name=T("studies.keep"), exact=True).click()
    go(opened, "compare")
    opened.get_by_role("button", name=T("compare.way.study"), exact=True).click()
    opened.get_by_label(T("compare.study.search")).fill("chinese_lesson-s3")
    opened.get_by_role("button", name=T("compare.study.all")).click()
    opened.get_by_role("button", name=T("compare.study.compare", n=6), exact=True).click()
    expect(opened.get_by_text(T("compare.note.left_out", n=2))).to_be_visible()
    expect(opened.locator(".ev-side-name .ev-chip").first).to_have_text(T("compare.rooms.of_seed", n=31))
    opened.get_by_label(T("compare.note.count_all")).check()
    expect(opened.get_by_text(T("compare.note.counted_in", n=2))).to_be_visible()
    opened.get_by_label(T("compare.table.group")).last.select_option("all")  # the rooms have one, too
    expect(opened.locator("tr.group")).to_have_count(6)
    assert english_on(opened) == []
    assert half_width_on(opened) == []
    stay.check()


# --- the pages for mathematics ---


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> School:
    """With a set of all Chinese problems."""
    made = School(tmp_path_factory.mktemp("school") / "a.study", "小明", "小红")
    problems = tuple(problem(one.name) for one in built_in_problems("zh"))
    plan = setup("multiplies", (), wait_alone=0.5, wait_shared=0.1, goes_on=1).model_copy(update={"problems": problems})
    text = msgspec.json.encode(plan.model_dump(mode="json", by_alias=True)).decode()
    with Study.open(str(made.path)) as study:
        made.work = add_assignment(study, "第一周", text, [made.students["小明"].id], made.teacher.id)
    return made


@pytest.fixture(scope="module")
def server(school: School) -> Iterator[Here]:
    with open_study(str(school.path)) as opened, serving(opened) as here:
        yield here


def look(chromium: Any, client: Client, width: int = 1440) -> Any:
    """A page of who is logged in there."""
    context = chromium.new_context(locale="zh-CN", viewport={"width": width, "height": 900})
    name, _, value = client.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": f"http://127.0.0.1:{client.port}"}])
    return context.new_page()


def reading_chinese(port: int, name: str) -> Client:
    client = Client(port, name)
    client.post("/language", language="zh", then="/")
    return client


def test_pupils_read_nothing_in_english(chromium: Any, server: Here, school: School) -> None:
    pupil = reading_chinese(server.port, "小明")
    page, work = look(chromium, pupil), school.work.id
    seen = {}
    page.goto(f"{server.address}/work/{work}/1")
    seen["consent"] = english_on(page)
    pupil.say(pupil.begin(work).run, "你好", "a" * 12)
    for path in ("/work", f"/work/{work}/1", f"/survey/{work}", "/nowhere"):
        page.goto(server.address + path)
        seen[path] = english_on(page) + half_width_on(page)
    page.context.close()
    assert {path: found for path, found in seen.items() if found} == {}


def test_teachers_read_nothing_in_english_and_no_column_is_cut(chromium: Any, server: Here, school: School) -> None:
    teacher, work = reading_chinese(server.port, "Ms Li"), f"/sets/{school.work.id}"
    teacher.post("/class", names="小刚", language="zh")
    page = look(chromium, teacher)
    written = " ".join(
        Path(str(find("problem", one.name).file)).read_text(encoding="utf-8") for one in built_in_problems("zh")
    )
    names = sorted(set(re.findall(r"[A-Za-z_]{2,}", written)), key=len, reverse=True)
    words = "|".join(names)
    paths = ("/class", "/class/slips", "/sets", work, f"{work}/counted", f"{work}/edit", "/problems", "/problems/edit")
    more = (f"{work}/delete", f"/class/{school.students['小红'].id}/erase", "/alerts", "/data")
    seen = {}
    for path in (*paths, *more):
        page.goto(server.address + path)
        seen[path] = english_on(page, rf"\b({words})\b" if path == "/problems/edit" else "EduVerse") + half_width_on(
            page
        )
        wide = page.evaluate("[...document.querySelectorAll('.ev-scroll')].map(e => e.scrollWidth - e.clientWidth)")
        assert not any(cut > 1 for cut in wide), path
    page.context.close()
    seen.pop("/problems")  # it offers the English problems, too
    assert {path: found for path, found in seen.items() if found} == {}


def test_what_a_teacher_is_refused_for_is_said_in_chinese(server: Here, school: School) -> None:
    teacher = reading_chinese(server.port, "Ms Li")
    text = "kind: problem\nname: x\ncolour: 3\ngivens: 4\nlanguage: zh\n"
    for document in (text, "a: [", "a: 1\na: 2\n", "&x"):
        page = teacher.post("/problems/edit", document=document, do="save", tab="text").text
        shown = re.search(r'<pre[^>]*id="verdict"[^>]*>(.*?)</pre>', page, re.S)
        assert shown is None or re.search(r"[\u4e00-\u9fff]", shown[1]), document
        assert "Write for example" not in page
        assert "is missing" not in page
        assert "not YAML" not in page
        assert "while parsing" not in page
