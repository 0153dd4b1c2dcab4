"""Opens the pages of the dashboard or of a class in a browser, and writes what is read on them.

`python tools/corpus/pages.py dashboard STUDY`, or `python tools/corpus/pages.py class STUDY NAME PASSWORDS`: a file a
page.
"""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_DASHBOARD = (
    *("/", "/design", "/studies", "/compare", "/experiments", "/learner", "/mathematics", "/seat", "/settings"),
)
_PATIENCE = 90_000
_CALM = 1200  # milliseconds in which nothing changes on a page that is complete
_CLOCK = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?)?|\b\d\d:\d\d\b")


@contextmanager
def _served(*words: str) -> Iterator[str]:
    """The address at which the command serves."""
    command = [sys.executable, "-u", "-m", "eduverse_mesa", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if found := re.search(r"https?://127\.0\.0\.1:\d+\S*", line):
                    yield found[0]
                    break
            else:
                raise RuntimeError(f"{' '.join(words)} has told no address")
        finally:
            process.terminate()
            process.stdout.close()


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_context(locale="en-US", viewport={"width": 1440, "height": 900}).new_page()
        page.set_default_timeout(_PATIENCE)
        yield page
        browser.close()


def _read(page: Any, name: str) -> None:
    """Write the text of a page once it stays as it is."""
    page.locator("main, [role=main]").first.wait_for()
    before, calm = "", 0
    for _ in range(_PATIENCE // 300):
        page.wait_for_timeout(300)
        now = page.inner_text("body")
        calm = calm + 300 if now == before and now.strip() else 0
        if calm >= _CALM:
            placeless = now.replace(urlsplit(page.url).netloc, "ADDRESS")
            Path(f"{name}.page").write_text(_CLOCK.sub(" ", placeless), encoding="utf-8")
            return
        before = now
    raise RuntimeError(f"the page {name} does not come to rest")


def read_dashboard(study: str) -> None:
    """Every page of the dashboard as it opens."""
    with _served("app", "--no-open", "--port", "0", "--study", study) as address, _browser() as page:
        page.goto(address)
        for path in _DASHBOARD:
            page.goto(urljoin(address, path))
            _read(page, path.strip("/") or "classroom")


def read_class(study: str, name: str, passwords: str) -> None:
    """The page that somebody comes to, and those that it leads to."""
    with Path(passwords).open(encoding="utf-8-sig", newline="") as file:
        [password] = [row["password"] for row in csv.DictReader(file) if row["name"] == name]
    with _served("mathvc", "serve", "--port", "0", "--study", study) as address, _browser() as page:
        page.goto(address)
        page.locator("input[type=text], input:not([type])").first.fill(name)
        page.locator("input[type=password]").first.fill(password)
        page.locator("input[type=password]").first.press("Enter")
        page.wait_for_load_state("networkidle")
        _read(page, "first")
        links = [urljoin(page.url, one.get_attribute("href") or "") for one in page.locator("a[href]").all()]
        for link in sorted({one for one in links if urlsplit(one).netloc == urlsplit(page.url).netloc}):
            page.goto(link)
            _read(page, re.sub(r"\W+", "_", urlsplit(link).path.strip("/")) or "root")


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    if kind == "dashboard":
        read_dashboard(*rest)
    else:
        read_class(*rest)
