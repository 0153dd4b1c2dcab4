"""The charts' library is made once, beside the server where that can be."""

from __future__ import annotations

import logging
import sys

import pytest

from eduverse_mesa.dashboard import server
from eduverse_mesa.dashboard.server import Library
from eduverse_mesa.visualization.widgets.chart import ChartWidget, vega_bundle


def test_where_no_process_can_be_had_the_server_makes_it_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
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
