"""The studies page in a real browser: runs are found, opened, named, taken away and deleted, people erased."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from eduverse_mesa.runs import open_study
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.studies import rename_run, run_cards
from tests.browser import Dashboard
from tests.dashboard.studies import HOSTILE, SECRET, large_study, small_study
from tests.dashboard.test_pages import fits
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course

pytestmark = pytest.mark.xdist_group("browser-studies_page")

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dashboard]:
    folder = tmp_path_factory.mktemp("studies")
    served = Dashboard(folder, EDUVERSE_CACHE=str(folder / "cache.sqlite"))
    with urlopen(served.address) as answer:  # the first page of a server takes a while
        answer.read()
    yield served
    served.close()
    assert "Traceback" not in served.log()


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return tmp_path / "a.study"


@pytest.fixture
def runs(study: Path) -> dict[str, str]:
    return small_study(study)


def turn_to(page: Any, study: Path | str) -> None:
    page.get_by_label("Path of the study").fill(str(study))
    page.get_by_role("button", name="Open", exact=True).click()


def see(visit: Visit, served: Dashboard, study: Path, **look: Any) -> Any:
    """The page with a test's own study."""
    page = visit("/studies", address=served.address, **look)
    page.get_by_role("button", name="Open another study").click()
    turn_to(page, study)
    page.wait_for_selector(f".ev-path:text-is('{study}')")
    page.wait_for_selector(".ev-runs")
    return page


def choose(page: Any, run: str) -> None:
    page.locator(f".ev-runs tr:has([aria-label$='({run})']) .ev-run-name").click()
    page.wait_for_selector(f".ev-beside dd:text-is('{run}')")


def names(page: Any) -> Any:
    return page.locator(".ev-runs .ev-run-name")


def scrub(page: Any, step: int) -> None:
    """Go to a step, as soon as there is one."""
    page.wait_for_function("step => +document.querySelector('.ev-transport input[type=range]').max >= step", arg=step)
    page.locator(".ev-transport input[type=range]").evaluate(
        """(one, step) => {
            one.value = step;
            for (const what of ["input", "change"]) one.dispatchEvent(new Event(what));
        }""",
        step,
    )
    page.wait_for_selector(f".ev-room[data-step='{step}']")


def test_a_study_that_is_not_there_says_how_runs_come_into_it(visit: Visit, served: Dashboard) -> None:
    page = visit("/studies", address=served.address)
    page.wait_for_selector("text=No runs yet")
    expect(page.locator(".ev-main")).to_contain_text(f"eduverse run --out {served.study}")
    assert page.locator("[role=alert]:visible").count() == 0
    assert not served.study.exists()
    page.get_by_role("button", name="To the classroom").click()
    page.wait_for_selector(".ev-room")
    page.get_by_role("button", name="Keep in the study").click()
    page.wait_for_selector("text=Kept in the study as")
    page.click(".ev-nav >> text=Studies")
    page.wait_for_selector(".ev-runs tbody tr")
    expect(names(page)).to_have_count(1)


def test_runs_are_searched_and_ordered(visit: Visit, served: Dashboard, study: Path, runs: dict[str, str]) -> None:
    with open_study(str(study)) as opened:
        rename_run(opened, runs["half"], "Zebra")
    page = see(visit, served, study)
    expect(page.locator(".ev-run-what")).to_contain_text(["Zebra", *(runs[run] for run in ("person", "fork", "whole"))])
    page.get_by_label("Find runs").fill("zebra")
    expect(names(page)).to_have_count(1)
    expect(page.locator(".ev-main")).to_contain_text("1 of 4 runs")
    page.get_by_label("Find runs").fill("no such run")
    page.wait_for_selector("text=No run fits")
    page.get_by_label("Find runs").fill("")
    page.wait_for_function("document.querySelectorAll('.ev-runs .ev-run-name').length === 4")
    page.get_by_label("Status", exact=True).select_option("interrupted")
    expect(names(page)).to_have_text(["Zebra"])


def test_a_run_gets_a_title(visit: Visit, served: Dashboard, study: Path, runs: dict[str, str]) -> None:
    page = see(visit, served, study)
    choose(page, runs["whole"])
    page.get_by_label("Title", exact=True).fill("The first one")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector(".ev-run-title:has-text('The first one')")
    expect(names(page).filter(has_text="The first one")).to_have_count(1)
    with open_study(str(study), read_only=True) as opened:
        assert run_cards(opened)[0].called == "The first one"


def test_a_complete_run_opens_in_the_classroom(
    visit: Visit, served: Dashboard, study: Path, runs: dict[str, str]
) -> None:
    page = see(visit, served, study)
    choose(page, runs["whole"])
    page.get_by_role("button", name="Open in the classroom").click()
    page.wait_for_selector(".ev-room")
    page.wait_for_selector(f"text=Kept in the study as {runs['whole']}")
    page.wait_for_function("document.querySelector('.ev-standing').textContent === 'The lesson is over'")
    page.wait_for_function("location.pathname === '/'")
    expect(page.get_by_role("button", name="Keep in the study")).to_have_count(0)
    scrub(page, 3)
    page.wait_for_selector(".ev-told:has-text('step 3')")


def test_an_unfinished_run_is_gone_on_with(visit: Visit, served: Dashboard, study: Path, runs: dict[str, str]) -> None:
    page = see(visit, served, study)
    choose(page, runs["half"])
    expect(page.get_by_role("button", name="See what was recorded")).to_have_count(1)
    page.get_by_role("button", name="Go on with it").click()
    page.wait_for_selector(f"text=Kept in the study as {runs['half']}")
    page.wait_for_selector(".ev-transport")
    scrub(page, 2)
    page.click("[aria-label^='One step on']")
    page.wait_for_selector(".ev-told:has-text('step 3')")
    page.click(".ev-nav >> text=Studies")
    row = page.locator(".ev-runs tr", has_text=runs["half"])
    row.locator("text=3 of 6").wait_for()
    expect(row.locator(".ev-chip").first).to_have_text("running")


def test_runs_are_chosen_for_comparing(visit: Visit, served: Dashboard, study: Path, runs: dict[str, str]) -> None:
    page = see(visit, served, study)
    page.get_by_role("checkbox", name=f"({runs['whole']})").click()
    page.wait_for_selector("text=1 run chosen")
    expect(page.get_by_role("button", name="Compare")).to_be_disabled()
    page.get_by_role("checkbox", name=f"({runs['fork']})").click()
    page.wait_for_selector("text=2 runs chosen")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_selector(".ev-page.here:has-text('Compare')")
    page.wait_for_function("location.pathname === '/compare'")


def test_a_run_is_taken_away_as_a_file(
    visit: Visit, served: Dashboard, study: Path, runs: dict[str, str], tmp_path: Path
) -> None:
    page = see(visit, served, study)
    choose(page, runs["whole"])
    with page.expect_download() as report:
        page.get_by_role("button", name="Download").click()
    assert report.value.suggested_filename == f"{runs['whole']}.html"
    assert b"<!doctype" in Path(report.value.path()).read_bytes()[:20].lower()
    page.locator(".ev-exporting select").select_option("csv")
    with page.expect_download() as tables:
        page.get_by_role("button", name="Download").click()
    assert tables.value.suggested_filename == f"{runs['whole']}-csv.zip"
    with ZipFile(tables.value.path()) as archive:
        assert "sentences.csv" in archive.namelist()


def test_deleting_is_asked_about_and_takes_the_forks(
    visit: Visit, served: Dashboard, study: Path, runs: dict[str, str]
) -> None:
    page = see(visit, served, study)
    choose(page, runs["whole"])
    page.get_by_role("button", name="Delete this run").click()
    page.wait_for_selector("text=It has 1 fork, which goes with it")
    page.get_by_role("button", name="Leave it as it is").click()
    expect(page.get_by_role("button", name="Delete for good")).to_have_count(0)
    page.get_by_role("button", name="Delete this run").click()
    page.get_by_role("button", name="Delete for good").click()
    page.wait_for_function("document.querySelectorAll('.ev-runs .ev-run-name').length === 2")
    with open_study(str(study), read_only=True) as opened:
        assert opened.runs() == [runs["person"], runs["half"]]


def test_what_another_program_plays_is_seen_as_it_goes_on(
    visit: Visit, served: Dashboard, study: Path, runs: dict[str, str]
) -> None:
    page = see(visit, served, study)
    player = LessonPlayer(course(lessons=1, steps=8), SEED + 7, study=str(study))
    player.play(until=(1, 3))
    assert player.wait(PATIENCE) == "paused"
    row = page.locator(".ev-runs tr", has_text=player.run.id)
    row.locator("text=3 of 8").wait_for()
    expect(row.locator(".ev-chip").first).to_have_text("running")
    row.locator(".ev-run-name").click()
    page.get_by_role("button", name="Delete this run").click()
    page.get_by_role("button", name="Delete for good").click()
    page.wait_for_selector("[role=alert]:has-text('is being played')")
    player.play()
    assert player.wait(PATIENCE) == "complete"
    row.locator("text=complete").wait_for()


def test_another_study_is_opened_by_its_path(
    visit: Visit, served: Dashboard, study: Path, runs: dict[str, str], tmp_path: Path
) -> None:
    other = tmp_path / "other.study"
    large_study(other, 2)
    page = see(visit, served, study)
    page.get_by_role("button", name="Open another study").click()
    turn_to(page, tmp_path / HOSTILE.replace("/", ""))
    page.wait_for_selector("[role=alert]:has-text('there is no such study')")
    turn_to(page, other)
    page.wait_for_selector(".ev-run-name:has-text('run-001')")
    expect(page.locator("[role=alert]")).to_have_count(0)
    page.get_by_role("button", name="Back to this dashboard").click()
    page.wait_for_selector(f".ev-path:has-text('{served.study}')")
    assert page.evaluate("window.pwned") is None


def test_a_person_is_shown_and_erased_with_a_proof(
    visit: Visit, served: Dashboard, study: Path, runs: dict[str, str]
) -> None:
    with open_study(str(study)) as opened:
        rename_run(opened, runs["fork"], HOSTILE)
    page = see(visit, served, study)
    expect(page.locator(".ev-people")).to_contain_text(HOSTILE)
    page.locator(".ev-runs .ev-run-name", has_text=HOSTILE).first.click()
    page.wait_for_selector(".ev-run-title:has-text('window.pwned')")
    page.locator(".ev-people .ev-run-name").click()
    with page.expect_download() as kept:
        page.get_by_role("button", name="Download what is kept").click()
    assert SECRET in Path(kept.value.path()).read_text(encoding="utf-8")
    page.get_by_role("button", name="Erase", exact=True).click()
    page.get_by_role("button", name="Erase for good").click()
    page.wait_for_selector("text=Nothing of what was searched for was found")
    page.wait_for_selector(".ev-people >> text=erased")
    with page.expect_download() as proof:
        page.get_by_role("button", name="Download the proof").click()
    assert '"complete": true' in Path(proof.value.path()).read_text(encoding="utf-8")
    assert page.evaluate("window.pwned") is None
    assert not any(SECRET.encode() in file.read_bytes() for file in study.parent.glob("a.study*"))


def test_five_hundred_runs_are_no_burden(visit: Visit, served: Dashboard, study: Path) -> None:
    large_study(study, 500)
    page = see(visit, served, study)
    page.wait_for_selector("text=500 of 500 runs")
    page.wait_for_function("document.querySelectorAll('.ev-runs .ev-run-name').length === 60")
    page.get_by_label("Find runs").fill("run-499")
    page.wait_for_function("document.querySelectorAll('.ev-runs .ev-run-name').length === 1", polling=20)
    page.get_by_label("Find runs").fill("")
    page.wait_for_function("document.querySelectorAll('.ev-runs .ev-run-name').length === 60")
    page.get_by_role("button", name="Show 440 more").click()
    page.wait_for_function("document.querySelectorAll('.ev-runs .ev-run-name').length === 260")


def test_on_a_phone_a_run_opens_over_the_list_and_is_closed(
    visit: Visit, served: Dashboard, study: Path, runs: dict[str, str]
) -> None:
    page = see(visit, served, study, width=400, scheme="dark")
    choose(page, runs["whole"])
    page.wait_for_function("document.querySelector('.ev-beside').getBoundingClientRect().y > 300")
    delete = page.get_by_role("button", name="Delete this run")
    delete.click()
    page.get_by_role("button", name="Delete for good").focus()
    page.keyboard.press("Escape")  # the innermost first
    expect(page.get_by_role("button", name="Delete for good")).to_have_count(0)
    expect(delete).to_be_focused()
    page.keyboard.press("Escape")
    page.wait_for_selector(".ev-beside", state="hidden")
    expect(page.locator(".ev-run-name[aria-expanded]:focus")).to_have_count(1)
    choose(page, runs["whole"])
    page.get_by_role("button", name="Close").click()
    page.wait_for_selector(".ev-beside", state="hidden")
    fits(page, 400)
