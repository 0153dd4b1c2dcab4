"""Pictures of every page of the dashboard, at the width of a desk and of a phone: make screenshots.

`python -m tools.screenshots FOLDER` takes all of them, `python -m tools.screenshots FOLDER studies seat` two pages'.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eduverse_mesa.runs import record_course
from eduverse_mesa.scenarios import load_scenario
from tests.browser import CHROMIUM, FLAGS, Dashboard
from tools.fonts import need_chinese

WIDTHS = {"desk": 1440, "phone": 400}
HEIGHT = 960
STEPS = 12
_QUALITY = 82


def _classroom(page: Any) -> None:
    for step in range(1, STEPS + 1):  # a step that is asked for while another is taken would be none
        page.get_by_role("button", name="One step on").click()
        page.locator(".ev-told", has_text=re.compile(rf"^step {step} ")).wait_for()
    page.locator(".ev-room [role=button]", has_text="Zhang Tao").first.click()
    page.wait_for_selector(".ev-chain")


def _wait(page: Any) -> None:
    page.wait_for_selector(".ev-main .ev-card")


def _compare(page: Any) -> None:
    page.get_by_role("button", name=re.compile(r"^Play \d+ runs")).click()
    page.wait_for_function("document.querySelectorAll('.ev-room').length >= 2", timeout=60_000)
    page.wait_for_selector(".ev-chart[data-drawn]")


def _learner(page: Any) -> None:
    page.get_by_role("button", name="Teach", exact=True).click()
    page.get_by_role("tab", name="Pictures").click()
    page.wait_for_selector(".ev-chart[data-drawn]")
    page.locator(".ev-figure").evaluate("figure => figure.scrollIntoView({ block: 'end' })")


def _mathematics(page: Any) -> None:
    page.get_by_label("Begins with").first.select_option("reads_twelve")
    page.get_by_role("button", name="Bring them together").click()
    page.wait_for_selector(".ev-mind")
    page.get_by_label("Pace", exact=True).select_option("fast")
    page.get_by_role("button", name="Play (space)").click()
    page.get_by_text("and the answer is right").wait_for()
    # The message with which a peer changes its mind is shown, and what that changes is lit up.
    back = page.get_by_role("button", name="One step back")
    while not page.locator("tr.is-changed").count():
        at = page.locator(".ev-told").inner_text()
        back.click()
        page.wait_for_function("at => document.querySelector('.ev-told').textContent !== at", arg=at)
        page.wait_for_timeout(300)


def _seat(page: Any) -> None:
    page.get_by_role("button", name="Open the lesson").click()
    page.wait_for_selector(".ev-room")


def _studies(page: Any) -> None:
    page.locator(".ev-main .ev-run-name").first.click()
    page.get_by_role("button", name="Open in the classroom").wait_for()


PAGES: dict[str, tuple[str, Callable[[Any], None]]] = {
    "classroom": ("/", _classroom),
    "design": ("/design", _wait),
    "studies": ("/studies", _studies),  # before other pages put runs of theirs on top
    "compare": ("/compare", _compare),
    "experiments": ("/experiments", _wait),
    "learner": ("/learner", _learner),
    "mathematics": ("/mathematics", _mathematics),
    "seat": ("/seat", _seat),
    "settings": ("/settings", _wait),
}


def _study(path: Path) -> None:
    """Some runs, so that there is something to see."""
    for layout in ("lecture", "round", "collab"):
        for seed in (1, 2):
            record_course(str(path), load_scenario(layout=layout), seed)


def main(folder: Path, wanted: list[str]) -> None:
    """Take pictures of these pages, or of all."""
    from playwright.sync_api import sync_playwright

    need_chinese()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as room:
        _study(Path(room) / "class.study")
        served = Dashboard(Path(room))
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
                for name, (address, prepare) in PAGES.items():
                    if wanted and name not in wanted:
                        continue
                    for kind, width in WIDTHS.items():
                        page = browser.new_page(viewport={"width": width, "height": HEIGHT})
                        page.set_default_timeout(90_000)  # a busy machine takes its time
                        page.goto(served.address + address)
                        prepare(page)
                        page.wait_for_timeout(1500)
                        picture = folder / f"{name}-{kind}.jpg"
                        page.screenshot(path=picture, type="jpeg", quality=_QUALITY)
                        page.close()
                browser.close()
        finally:
            served.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
