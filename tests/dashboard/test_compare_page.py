"""The compare page in a real browser: arms, the study, forks; in step, searched, sorted, broken off."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.dashboard.studies import small_study
from tests.dashboard.test_pages import DESK, PHONE, fits, serious, settled
from tests.dashboard.test_studies_page import see

pytestmark = pytest.mark.xdist_group("browser-compare_page")

Visit = Callable[..., Any]


def open_page(visit: Visit, **look: Any) -> Any:
    page = visit("/compare", **look)
    page.wait_for_selector(".ev-compare .ev-card")
    return page


def play(page: Any, seeds: int = 2, name: str = "Play") -> None:
    """Fill in how many seeds, and play."""
    page.get_by_label("Seeds (how many)").fill(str(seeds))
    page.get_by_label("Seeds (how many)").blur()
    page.get_by_role("button", name=f"{name} {2 * seeds} runs").click()
    finished(page, seeds)


def finished(page: Any, seeds: int) -> None:
    page.get_by_text(f"2 sides · {seeds} seed{'s' if seeds != 1 else ''}", exact=True).wait_for()
    page.wait_for_function("!document.querySelector('.ev-working')")


def expect_step(page: Any, told: str) -> None:
    expect(page.locator(".ev-told")).to_have_text(told)


def measures(page: Any) -> Any:
    return page.locator("table[aria-label=Measures] td:first-child")


def test_two_layouts_are_played_and_stand_side_by_side(visit: Visit) -> None:
    page = open_page(visit)
    play(page, 3)
    expect(page.locator(".ev-side")).to_have_count(2)
    expect(page.locator(".ev-side-name")).to_have_text(["Lecture # 1", "Round table # 1"], use_inner_text=True)
    page.get_by_text(re.compile(r"3 pairs with the same luck")).wait_for()
    page.wait_for_selector("table[aria-label=Measures] .ev-iv .span")
    page.wait_for_selector(".ev-figure svg")


def test_the_rooms_are_played_in_step(visit: Visit) -> None:
    page = open_page(visit)
    play(page, 1)
    expect_step(page, "before it begins")
    before = page.locator(".ev-side").all_inner_texts()
    page.click("[aria-label^='One step on']")
    expect_step(page, "step 1")
    page.wait_for_function(
        "before => [...document.querySelectorAll('.ev-side')].every((one, place) => one.innerText !== before[place])",
        arg=before,
    )
    slider = page.locator(".ev-transport input[type=range]")
    slider.fill("5")
    expect_step(page, "step 5")
    page.click("[aria-label^='Play']")
    page.wait_for_function("+document.querySelector('.ev-told').textContent.match(/\\d+/)[0] >= 7")
    page.click("[aria-label^='Pause']")
    page.get_by_text("One pair of runs is one sample").first.wait_for()


def test_measures_are_searched_grouped_sorted_and_looked_at_and_another_seed_is_shown(visit: Visit) -> None:
    page = open_page(visit)
    play(page, 2)
    page.wait_for_selector("table[aria-label=Measures] .ev-iv")
    for place, name in enumerate(("active", "passive", "interactive")):
        expect(measures(page).nth(place)).to_have_text(name)
    page.get_by_label("Find measures").fill("gini")
    expect(measures(page)).to_have_text(["Gini of turns", "Gini of the teacher's attention"])
    page.get_by_label("Find measures").fill("")
    page.wait_for_function("document.querySelectorAll('table[aria-label=Measures] td:first-child').length > 5")
    page.locator("th button", has_text="Difference").click()
    page.wait_for_selector("th[aria-sort=descending]")
    numbers = [
        float(text.replace("−", "-"))
        for text in page.locator("table[aria-label=Measures] tbody td:nth-child(4)").all_inner_texts()
    ]
    assert numbers == sorted(numbers, reverse=True)
    page.locator("td button", has_text="interactive").click()
    page.wait_for_selector("tr.chosen")
    page.wait_for_function("document.querySelectorAll('.ev-detail .ev-figure svg .mark-symbol path').length >= 2")
    page.get_by_label("Shown").select_option("seed 2")
    page.wait_for_function(
        "[...document.querySelectorAll('.ev-side-name')].every((one) => one.innerText.includes('# 2'))"
    )


def test_a_fork_that_cannot_be_says_why_and_another_is_played_and_then_repeated_over_seeds(visit: Visit) -> None:
    page = open_page(visit)
    play(page, 1)
    page.get_by_role("button", name="What if").click()
    page.get_by_label("Before step").fill("900")
    page.get_by_label("Before step").blur()
    page.get_by_role("button", name="Play the fork").click()
    page.get_by_role("alert").get_by_text("there is no step 899 in lesson 1").wait_for()
    page.get_by_label("Before step").fill("")
    page.get_by_label("Before step").blur()
    page.get_by_text("The step is a whole number").wait_for()
    expect(page.get_by_role("button", name="Play the fork")).to_be_disabled()
    page.get_by_label("Before step").fill("8")
    page.get_by_label("Before step").blur()
    page.get_by_role("button", name="Play the fork").click()
    page.get_by_text(re.compile(r"Before step 8: .* goes to")).wait_for()
    finished(page, 1)
    page.get_by_text("One pair of runs is one sample").first.wait_for()
    expect_step(page, "step 8")
    expect(page.locator(".ev-side-name")).to_contain_text(["As it was", "Changed"])
    page.get_by_role("button", name="Play it over 10 seeds").click()
    page.get_by_text(re.compile(r"[2-9] pairs with the same luck")).wait_for()
    page.get_by_role("button", name="Stop").click()  # the rest of them is more of the same
    page.wait_for_function("!document.querySelector('.ev-working')")


def test_runs_are_kept_in_the_study_and_found_there(visit: Visit) -> None:
    page = open_page(visit)
    page.get_by_text("Keep the runs in the study").click()
    play(page, 2)
    page.reload()
    page.wait_for_selector(".ev-side")  # the desk outlives a reload
    page.get_by_role("button", name="Runs of the study").click()
    page.wait_for_selector(".ev-runs tbody tr")
    page.get_by_label("Find runs").fill("first_lesson")
    page.locator(".ev-runs th button").click()
    page.wait_for_selector(".ev-runs tr.on")
    page.locator(".ev-runs th button").click()
    expect(page.locator(".ev-runs tr.on")).to_have_count(0)
    for place in range(1, 5):  # the newest; tests before this one may have kept runs, too
        page.locator(f".ev-runs tbody tr:nth-child({place}) button").click()
        expect(page.locator(".ev-runs tr.on")).to_have_count(place)
    page.get_by_role("button", name="Compare 4 runs").click()
    names = page.locator(".ev-side-name bdi")
    expect(names).to_have_count(2)
    expect(names.filter(has_text=re.compile("^(Round table|Lecture)$"))).to_have_count(2)
    finished(page, 2)


def test_runs_that_were_ticked_on_the_studies_page_are_shown(visit: Visit, dashboard: Any, tmp_path: Path) -> None:
    study = tmp_path / "ticked.study"
    runs = small_study(study)
    page = see(visit, dashboard, study)
    for run, chosen in ((runs["whole"], "1 run chosen"), (runs["person"], "2 runs chosen")):
        page.get_by_role("checkbox", name=f"({run})").click()
        page.wait_for_selector(f"text={chosen}")  # it comes above the list, which moves away below the next click
    page.get_by_role("button", name="Compare").click()
    page.wait_for_selector(".ev-compare .ev-side:nth-child(2)")
    names = page.locator(".ev-side-name bdi")
    expect(names).to_have_count(2)
    expect(names.nth(1)).to_contain_text("with Liu Li")
    expect(names.nth(0)).not_to_contain_text("with Liu Li")
    page.get_by_role("button", name="Runs of the study").click()
    expect(page.locator(".ev-runs tbody tr")).to_have_count(len(runs))
    page.reload()
    page.wait_for_selector(".ev-side:nth-child(2)")
    page.click(".ev-page:has-text('Studies')")
    page.wait_for_selector(".ev-studies .ev-runs")
    expect(page.locator("text=runs chosen")).to_have_count(0)


def test_too_many_sides_are_refused_in_the_form(visit: Visit) -> None:
    page = open_page(visit)
    for name in ("Two tables of three", "Eight pods of four", "Five rows of six"):
        page.get_by_role("button", name=name).click()
    page.get_by_text("These are 5 sides, and 4 fit side by side").wait_for()
    expect(page.get_by_role("button", name=re.compile(r"Play \d+ runs"))).to_be_disabled()


def test_work_can_be_stopped(visit: Visit) -> None:
    page = open_page(visit)
    page.get_by_label("Seeds (how many)").fill("200")
    page.get_by_label("Seeds (how many)").blur()
    page.get_by_role("button", name="Play 400 runs").click()
    page.get_by_role("button", name="Stop").click()
    page.wait_for_function("!document.querySelector('.ev-working')")


def test_a_model_that_is_not_there_is_told_with_a_mend(visit: Visit) -> None:
    page = open_page(visit)
    page.get_by_role("button", name="embedded model").click()
    page.get_by_role("button", name="language model").click()
    page.get_by_label("Seeds (how many)").fill("1")
    page.get_by_label("Seeds (how many)").blur()
    page.get_by_role("button", name="Play 2 runs").click()
    expect(page.get_by_role("alert").first).to_contain_text("model")


def test_what_was_played_fits_and_can_be_read_in_chinese(visit: Visit) -> None:
    page = open_page(visit, language="zh-CN")
    page.get_by_label("种子数量").fill("2")
    page.get_by_label("种子数量").blur()
    page.get_by_role("button", name="运行 4 节").click()
    page.get_by_text("2 组 · 2 个种子").wait_for()
    page.wait_for_function("!document.querySelector('.ev-working')")
    page.wait_for_selector("table[aria-label=各项指标] td")
    page.wait_for_selector(".ev-figure svg")
    shown = page.inner_text(".ev-compare")
    assert not re.search(r"\b(?:compare|codes|charts)\.[a-z_]+|\bNone\b|\bnan\b|\{[a-z]+\}", shown)
    for look in (DESK, PHONE):
        page.set_viewport_size(look)
        fits(page, look["width"])
        settled(page)
        assert serious(page) == []
