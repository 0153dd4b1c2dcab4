"""The dashboard in a real browser: how long until something is seen, and until a step is."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from tests.browser import CHROMIUM, FLAGS, Dashboard

_STEPS = 20
_VISITS = 5
_CHOICES = (("Layout", "rows_30"), ("Class", "thirty"))

# From the key to the first drawing after the room has taken the step, measured in the page itself: the words below the
# room follow a hand at once, and show nothing yet.
_STEP = """() => new Promise((done) => {
  const room = document.querySelector('[data-step]'), before = room.dataset.step, start = performance.now();
  const watch = new MutationObserver(() => {
    if (room.dataset.step === before) return;
    watch.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - start)));
  });
  watch.observe(room, { attributes: true });
  document.querySelector('.ev-transport > button:nth-of-type(4)').click();
})"""

# A hand drags over all steps in two seconds; what counts is how many of them the room has shown.
_SCRUB = """() => new Promise((done) => {
  const slider = document.querySelector('.ev-transport input'), last = Number(slider.max), seen = new Set();
  const room = document.querySelector('.ev-room'), times = [];
  const watch = new MutationObserver(() => { seen.add(slider.value); times.push(performance.now()); });
  watch.observe(room, { childList: true, attributes: true, characterData: true, subtree: true });
  const start = performance.now();
  const move = () => {
    const share = Math.min(1, (performance.now() - start) / 2000);
    slider.value = Math.round(last * (1 - share));
    slider.dispatchEvent(new Event('input'));
    if (share < 1) return requestAnimationFrame(move);
    setTimeout(() => {
      watch.disconnect();
      let longest = 0;
      times.forEach((time, place) => { if (place) longest = Math.max(longest, time - times[place - 1]); });
      done([seen.size, longest]);
    }, 600);
  };
  slider.focus();
  move();
})"""


def _first_paint(browser: Any, address: str) -> float:
    page = browser.new_page()
    start = perf_counter()
    page.goto(address)
    page.wait_for_selector(".ev-room [role=button]")
    seconds = perf_counter() - start
    page.close()
    return seconds


def _step_times(page: Any, steps: int) -> list[float]:
    times = []
    for _ in range(steps):
        times.append(page.evaluate(_STEP))
        page.wait_for_timeout(120)  # nobody clicks faster than this; charts are drawn meanwhile
    return times


def bench_dashboard() -> list[str]:
    """The server's start, first paint, steps of six and of thirty students, and scrubbing."""
    if CHROMIUM is None:
        return ["Dashboard: no Chromium here, nothing measured"]
    from playwright.sync_api import sync_playwright

    folder = Path(tempfile.mkdtemp())
    begun = perf_counter()
    served = Dashboard(folder)
    up = perf_counter() - begun
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            first = _first_paint(browser, served.address)
            again = [_first_paint(browser, served.address) for _ in range(_VISITS)]
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(served.address)
            page.wait_for_selector(".ev-chart[data-drawn]")
            six = _step_times(page, _STEPS)
            shown, longest = page.evaluate(_SCRUB)
            page.get_by_role("button", name="Change the lesson").click()
            for label, value in _CHOICES:
                page.get_by_label(label, exact=True).select_option(value)
            page.get_by_role("button", name="Begin this lesson").click()
            page.wait_for_function("document.querySelectorAll('.ev-room [role=button]').length === 31")
            thirty = _step_times(page, _STEPS)
            many, slowest = page.evaluate(_SCRUB)
            browser.close()
    finally:
        served.close()
        shutil.rmtree(folder)
    return [
        f"Dashboard: it is up after {up:.2f} s; then the room is seen after {first:.2f} s at the first visit (bar 2), "
        f"{median(again):.2f} s later",
        f"  a step of  6 students is seen after {median(six):4.0f} ms, at worst {max(six):4.0f}   (bar 150)",
        f"  a step of 30 students is seen after {median(thirty):4.0f} ms, at worst {max(thirty):4.0f}   (bar 400)",
        f"  scrubbing {_STEPS} steps of  6 students in 2 s shows {shown}, longest standstill {longest:.0f} ms",
        f"  scrubbing {_STEPS} steps of 30 students in 2 s shows {many}, longest standstill {slowest:.0f} ms",
    ]


if __name__ == "__main__":
    for line in bench_dashboard():
        print(line)
