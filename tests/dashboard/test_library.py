"""The charts' library is made once, beside the server where that can be."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import pytest

from eduverse_mesa.dashboard import server
from eduverse_mesa.dashboard.server import Library
from eduverse_mesa.visualization import vega
from eduverse_mesa.visualization.vega import vega_bundle
from eduverse_mesa.visualization.widgets.chart import ChartWidget


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where nothing is kept yet."""
    place = tmp_path / "cache" / "vega.js"
    monkeypatch.setattr(vega, "_place", lambda: place)
    return place


def test_what_one_process_has_made_the_next_one_takes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Library().text()
    assert place.read_text(encoding="utf-8") == made == vega_bundle()
    assert [*place.parent.iterdir()] == [place]
    monkeypatch.setattr(server, "_made_apart", None)
    assert Library().text() == made


@pytest.mark.parametrize("spoilt", ["cut", "nothing", "bytes"])
def test_what_is_spoilt_is_made_again(place: Path, spoilt: str) -> None:
    place.parent.mkdir()
    script = vega_bundle()
    place.write_bytes({"cut": script[:-3].encode(), "nothing": b"", "bytes": b"(() => {\n\xff\n})();"}[spoilt])
    assert vega.kept_bundle() is None
    vega.keep_bundle(script.removeprefix("(() => {\n").removesuffix("\n})();"))
    assert vega.kept_bundle() == script


@pytest.mark.parametrize("why", ["bytecode", "folder"])
def test_where_nothing_can_be_kept_it_is_there_all_the_same(
    place: Path, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "bytecode":
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
    else:
        place.parent.write_text("no folder")
    assert "a library" in vega.keep_bundle("a library")
    assert vega.kept_bundle() is None


def test_another_version_of_the_tool_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    before = vega._place()
    monkeypatch.setattr(vega, "version", lambda _: "99.0")
    assert vega._place().name.startswith("vega-99.0-")
    assert vega._place().parent == before.parent


def test_where_no_process_can_be_had_the_server_makes_it_and_says_so(
    place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server, "_APART", (sys.executable, "-c", "raise SystemExit(3)"))
    shelf = Library()
    with caplog.at_level(logging.WARNING):
        assert shelf.begin() is shelf.begin(), "it is made once"
        assert shelf.text() == vega_bundle()
    assert "exit status 3" in caplog.text


def test_a_chart_that_is_told_where_the_library_is_does_not_have_it_made() -> None:
    made = vega_bundle.cache_info()
    ChartWidget(source="/eduverse/vega.js")
    assert vega_bundle.cache_info() == made
