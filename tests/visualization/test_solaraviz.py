"""The components inside Mesa's own page, as the guide shows it, in a real browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from tests.browser import free_port

pytestmark = pytest.mark.mesa

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "mesa.md"


def example() -> str:
    """The example of the guide."""
    (found,) = [
        body for body in re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.M | re.S) if "SolaraViz" in body
    ]
    return str(found)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("solaraviz")
    app = folder / "app.py"
    app.write_text(example(), encoding="utf-8")
    port = free_port()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "solara",
                "run",
                str(app),
                "--production",
                "--no-open",
                "--no-check-version",
                "--port",
                str(port),
            ],
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, "SOLARA_TELEMETRY_MIXPANEL_ENABLE": "False", "MPLCONFIGDIR": str(folder)},
        )
        where = f"http://127.0.0.1:{port}/"
        try:
            _wait_for(where, process)
            yield where
        finally:
            process.terminate()
            process.wait(120)
    assert "Traceback" not in (folder / "log").read_text(encoding="utf-8", errors="replace")


def _wait_for(where: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(900):
        assert process.poll() is None
        try:
            with urlopen(where, timeout=60):
                return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    raise AssertionError("the server did not come up")


def test_the_guides_example_is_stepped_in_mesas_own_page(chromium: Any, address: str) -> None:
    page = chromium.new_page(viewport={"width": 1440, "height": 1000})
    trouble: list[str] = []
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)
    page.on(
        "request",
        lambda request: (
            trouble.append(request.url)
            if urlsplit(request.url).scheme.startswith("http") and urlsplit(request.url).hostname != "127.0.0.1"
            else None
        ),
    )
    page.goto(address)
    room = page.locator(".ev-room").first
    expect(room).to_contain_text("The Renaissance")
    before = room.inner_text()
    _step(page, 1)
    _step(page, 2)
    expect(room).not_to_have_text(before, use_inner_text=True)
    for side_by_side in ("Behaviour of the class", "Who asked whom", "Turns and the teacher's attention"):
        page.locator(f'[role=img][aria-label^="{side_by_side}"] svg').wait_for()
    cells = "document.querySelectorAll(\"[aria-label^='Behaviour of the class'] .mark-rect path\").length"
    page.wait_for_function(f"{cells} >= 2")
    seen = page.evaluate(cells)
    _step(page, 3)
    page.wait_for_function(f"{cells} > {seen}")
    page.get_by_role("tab", name="Page 1").click()
    expect(page.get_by_text(re.compile(r"Step 3 of \d+"))).to_be_visible()
    expect(page.get_by_role("list", name="Transcript")).to_contain_text("Ms Lin")
    page.get_by_label("Search in words, names and moves").fill("Ms Lin")
    lines = "[...document.querySelectorAll('ol[aria-label=Transcript] li')]"
    page.wait_for_function(f"{lines}.length && {lines}.every((line) => line.innerText.includes('Ms Lin'))")
    # Another lesson, by a control of the page: it is played from its beginning.
    page.locator(".v-select", has_text="renaissance").click()
    page.get_by_role("option", name="emperors_new_clothes").click()
    page.get_by_role("button", name="Reset").click()
    _counted(page, 0)
    page.get_by_role("tab", name="Page 0").click()
    expect(room).to_contain_text("The emperor's new")
    assert trouble == []
    page.close()


def _step(page: Any, number: int) -> None:
    """Take a step by Mesa's own button, and wait until its page has counted it."""
    page.get_by_role("button", name="Step", exact=True).click()
    _counted(page, number)


def _counted(page: Any, number: int) -> None:
    """Mesa 3.3 counts steps on its page, Mesa 3.5 the time."""
    expect(page.get_by_text(re.compile(rf"^(Step: {number}|Time: {number}(\.0)?)$"))).to_be_visible()
