"""Reports: sections with charts and tables, on a page that asks nobody for anything, and in a terminal."""

from __future__ import annotations

import json
import re

import altair as alt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from eduverse_mesa.measures.intervals import Interval
from eduverse_mesa.visualization.reports.document import (
    BAR,
    NUMBER,
    SHARE,
    SIGNED,
    Code,
    Column,
    Facts,
    Figure,
    Report,
    Section,
    Table,
    columns,
    write,
)
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.text import left, render_text, wrap

HOSTILE = "<script>alert(1)</script>\x1b[2J"
CHART = alt.Chart(alt.InlineData(values=[{"x": 1, "name": HOSTILE}])).mark_point().encode(x="x:Q", tooltip="name:N")
NAN = float("nan")


@pytest.fixture(scope="module")
def report() -> Report:
    heads = [*columns("what", ("number", NUMBER), ("95 % interval", SIGNED), ("", BAR)), Column(HOSTILE, detail=True)]
    rows = [
        (HOSTILE, 0.5, Interval(0.5, -0.25, 0.75, 3), 0.5, "room"),
        ("a whole statement", "holds"),
        ("@@body@@", NAN, Interval(1.0, NAN, NAN, 1), NAN, ""),
        ("last", -0.0001, None, 0.0, ""),
    ]
    folded = Table(columns("of a page"), [("only there",)], most=0, folded=HOSTILE)
    sections = [
        Section("A table", ["Said after.", Table(heads, rows, ["yes", "unsure", "no", ""], most=3)], "Said before."),
        Section(HOSTILE, [Figure(lambda: CHART, HOSTILE)], HOSTILE),
        Section("Another chart", [Figure(lambda: CHART), Code("eduverse run")]),
        Section("Folded", [folded], "There is more."),
        Section("", [Facts({HOSTILE: HOSTILE})]),
    ]
    return Report(HOSTILE, sections, {"what": HOSTILE}, [HOSTILE])


@pytest.fixture(scope="module")
def page(report: Report) -> str:
    return render_page(report)


def test_what_comes_from_data_is_text(page: str) -> None:
    assert "<script>alert" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 6
    assert "@@body@@" in page  # no mark of ours, once it came from data


def test_each_chart_has_its_place(page: str) -> None:
    places = re.findall(r'id="chart-(\d)"', page)
    assert places == ["0", "1"]
    charts = json.loads(re.search(r"const charts = (\[.*\]);", page)[1])  # type: ignore[index] # it is there
    assert len(charts) == 2
    assert "<script>alert(1)</script>" in json.dumps(charts)


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    head = page.partition('<script type="module">')[0]
    assert re.findall(r'(?:src|href)="(?!data:)', head) == []


def test_a_table_on_a_page_has_a_name_marks_and_scopes(page: str) -> None:
    assert '<tr class="yes"><th scope="row">' in page
    assert '<td class="number">0.500</td><td class="number">−0.250 … +0.750</td>' in page
    assert '<td class="number">–</td>' in page
    assert '<tr class="unsure"><th scope="rowgroup" colspan="3">a whole statement</th><td>holds</td></tr>' in page
    assert '<table aria-label="A table">' in page
    assert "<caption>&lt;script&gt;" in page, "the words under which it is folded"
    assert page.count('scope="col"') == 5, "no bar, which a chart shows"


def test_a_terminal_shows_what_it_can(report: Report) -> None:
    text = render_text(report)
    assert "\x1b" not in text, "foreign text does not steer the terminal"
    table = text.split("\nA table\n-------\n")[1].split("\n\n")
    assert table[:2] == ["Said before.", "Said after."]
    head, first, statement, second, more, *_ = table[2].splitlines()
    assert head.split() == ["what", "number", "95", "%", "interval"]
    assert first.endswith("   0.500  −0.250 … +0.750  ############")
    assert statement == "HOLDS: a whole statement"
    assert second.split() == ["@@body@@", "–", "–"]
    assert more.startswith("... and 1 more")
    assert "Another chart\n-------------\n  eduverse run" in text
    for only_drawn in ("Folded", "only there", "There is more", "room"):
        assert only_drawn not in text


def test_numbers_are_written_in_the_form_of_their_column() -> None:
    assert [write(0.1926, SHARE), write(-0.5, SIGNED), write(-0.0001, NUMBER), write(NAN, NUMBER)] == [
        "19.3%",
        "−0.500",
        "0.000",
        "–",
    ]
    assert (write("as it is", NUMBER), write(None), write(7)) == ("as it is", "–", "7")


@given(st.text(alphabet="ab 中文，。（", max_size=60), st.integers(2, 30))
def test_a_paragraph_keeps_its_letters_and_its_width(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert [cell_len(left(line, width)) for line in lines] == [width] * len(lines)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_table_fits_where_its_words_can_give_way(width: int) -> None:
    rows = [("很长的一句话，" * 20, "word " * 30, 0.5, Interval(0.5, 0.25, 0.75, 3))] * 3
    table = Table(columns("words", "others", ("a number with a long head", NUMBER), ("interval", NUMBER)), rows)
    text = render_text(Report("Title", [Section("Table", [table])]), width)
    assert max(map(cell_len, text.splitlines())) == width
    assert text.count("0.250 … 0.750") == 3
