"""The frame of reports: sections with charts and tables, in one file that asks nobody for anything."""

from __future__ import annotations

import json
import re

import altair as alt
import pytest

from eduverse_mesa.visualization.reports.page import Section, Table, plain_number, render_page

HOSTILE = "<script>alert(1)</script>"
CHART = alt.Chart(alt.InlineData(values=[{"x": 1, "name": HOSTILE}])).mark_point().encode(x="x:Q", tooltip="name:N")


@pytest.fixture(scope="module")
def page() -> str:
    table = Table(("what", "number"), [(HOSTILE, 0.5), ("@@body@@", float("nan"))], ["yes", "no"])
    sections = [
        Section("A table", "Said before.", table=table, note="Said after."),
        Section(HOSTILE, HOSTILE, CHART),
        Section("Another chart", "", CHART),
    ]
    return render_page(HOSTILE, {"what": HOSTILE}, sections, warning=HOSTILE)


def test_what_comes_from_data_is_text(page: str) -> None:
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 6
    assert "@@body@@" in page  # no mark of ours, once it came from data


def test_each_chart_has_its_place(page: str) -> None:
    places = re.findall(r'id="chart-(\d)"', page)
    assert places == ["0", "1"]
    charts = json.loads(re.search(r"const charts = (\[.*\]);", page)[1])  # type: ignore[index] # it is there
    assert len(charts) == 2
    assert HOSTILE in json.dumps(charts)


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    head = page.partition('<script type="module">')[0]
    assert re.findall(r'(?:src|href)="(?!data:)', head) == []


def test_rows_are_marked_and_numbers_stand_below_each_other(page: str) -> None:
    assert '<tr class="yes">' in page
    assert '<td class="number">0.500</td>' in page
    assert '<td class="number">-</td>' in page
    assert plain_number(float("nan")) == "-"
