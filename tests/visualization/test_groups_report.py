"""A problem as a teacher reads it."""

from __future__ import annotations

import re

from eduverse_mesa.scenarios.loader import built_in_problems, load_problem
from eduverse_mesa.scenarios.yaml_text import parse
from eduverse_mesa.visualization.reports.groups import problem_report
from eduverse_mesa.visualization.reports.text import render_text
from tests.scenarios.documents import PROBLEM


def test_the_report_shows_the_solution_and_where_each_misconception_leads() -> None:
    text = render_text(problem_report(load_problem(parse(PROBLEM, "F").data)))  # type: ignore[arg-type]
    lines = [line.strip() for line in text.splitlines()]
    assert "price  $0.50 per pen  divide $6 by 12 pens" in lines
    assert "leads to: price $0.50 per pen -> $2 per pen; back $6 -> $24; chosen none" in lines
    assert "leads to: chosen A, B" in lines
    assert "against it: That is for 12 pens." in lines
    assert any(re.match(r"A +4 for \$2 +right\b", line) for line in lines)


def test_every_built_in_problem_can_be_read_whole() -> None:
    for problem in built_in_problems():
        text = render_text(problem_report(problem))
        assert problem.title in text
        assert all(one.id in text for one in problem.misconceptions)
        assert not set("{}") & set(text)
        assert max(map(len, text.splitlines())) <= 100


def test_a_chinese_problem_is_read_in_chinese() -> None:
    for problem in built_in_problems("zh"):
        text = render_text(problem_report(problem))
        assert "常见错误" in text
        codes = {*re.findall(r"[A-Za-z_]{2,}", problem.model_dump_json()), "zh"}
        assert set(re.findall(r"[A-Za-z_]{2,}", text)) <= codes
