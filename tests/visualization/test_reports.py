"""Reports and charts of real runs, and of runs that somebody wishes us ill with."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pandas as pd
import pytest
from rich.cells import cell_len

from eduverse_mesa.decisions import Answer
from eduverse_mesa.policies import ScriptedPolicy, make_policy
from eduverse_mesa.runs import Run, fork, run_course
from eduverse_mesa.runs.comparison import first_difference, paired_difference
from eduverse_mesa.scenarios import Scenario, load_scenario
from eduverse_mesa.visualization import charts
from eduverse_mesa.visualization.charts.room import furniture_name
from eduverse_mesa.visualization.reports.page import render_page
from eduverse_mesa.visualization.reports.run import fork_report, report_tables, run_report
from eduverse_mesa.visualization.reports.tables import Room, RunTables
from eduverse_mesa.visualization.reports.text import render_text


def text_of(run: RunTables, width: int = 100) -> str:
    return render_text(run_report(run), width)


def page_of(run: RunTables) -> str:
    return render_page(run_report(run))


HOSTILE = '</script><img src=x onerror="alert(1)">{{ 7*7 }}@@body@@'


@cache
def played(scenario: str = "first_lesson", steps: int = 12) -> Run:
    return run_course(load_scenario(scenario, steps=steps), seed=1)


@cache
def view() -> RunTables:
    return report_tables(played())


def renamed(scenario: Scenario, name: str) -> Scenario:
    """The same class, but the first student is called this, and the lesson says it."""
    lesson, roll = scenario.lessons[0], scenario.roll
    ideas = tuple(idea.model_copy(update={"text": name}) for idea in lesson.ideas)
    first = roll.students[0].model_copy(update={"name": name})
    return scenario.model_copy(
        update={
            "lessons": (lesson.model_copy(update={"ideas": ideas, "title": name}),),
            "roll": roll.model_copy(update={"students": (first, *roll.students[1:])}),
        }
    )


def test_the_text_says_who_did_what() -> None:
    text = text_of(view())
    for student in played().lessons[0].model.students:
        assert student.name in text
    for part in ("States", "Discourse", "Who was how", "Who talked with whom", "Equity", "The lesson", "Answers"):
        assert f"\n{part}\n---" in text
    for width in (80, 100):
        assert max(len(line) for line in text_of(view(), width).splitlines()) <= width
    shares = re.findall(r"behaviour +\D+(\d+\.\d)%", text)
    assert len(shares) == 4
    assert sum(map(float, shares)) == pytest.approx(100, abs=0.2)


@cache
def chinese() -> RunTables:
    return report_tables(run_course(load_scenario("chinese_lesson", steps=6), seed=1))


def test_the_room_of_a_chinese_report_is_chinese() -> None:
    page = page_of(chinese())
    for name in ("board", "lectern", "desk A", "side table B", "cupboard", "water dispenser"):
        assert f'"{name}"' not in page
    for name in ("黑板", "讲台", "课桌 A", "边桌 B", "柜子", "饮水机"):
        assert f'"{name}"' in page


def test_furniture_of_one_s_own_keeps_its_name() -> None:
    say = charts.frame.saying(charts.chart_words("zh"))
    assert [furniture_name(name, say) for name in ("table 12", "my table A", "A", "board game")] == [
        "桌子 12",
        "my table A",
        "A",
        "board game",
    ]


def test_the_transcript_of_a_course_names_one_lesson() -> None:
    text = text_of(report_tables(played("four_sessions", 6)))
    lessons = {lesson.name for lesson in load_scenario("four_sessions").lessons}
    part = text.split("\nTranscript\n----------\n")[1].split("\n\n")[0].splitlines()
    assert part[0] in lessons
    steps = [int(line.split()[0]) for line in part[1:] if line.split()[0].isdecimal()]
    assert steps == sorted(steps)
    assert "....\n" not in text


def test_the_page_of_a_course_names_the_lesson_of_each_line() -> None:
    run = report_tables(played("four_sessions", 6))
    page = page_of(run)
    heads = re.findall(r'<li class="lesson"><h3>([^<]+)</h3></li>', page)
    assert heads == list(dict.fromkeys(run.sentences["lesson"]))
    assert '<li class="lesson">' not in page_of(view())


NAMES = {"EduVerse", "Mesa", "IRF", "eduverse", "run", "replay", "STUDY", "seed", "policy", "embedded"}
"""What is called so in every language, and codes that are typed."""


def english_in(text: str) -> set[str]:
    """Words that are neither Chinese nor a name."""
    shown = re.sub(r"chinese_lesson[\w-]*|spring_1_zh|six_zh|\b[0-9a-f]{16}\b", "", text)
    return {word for word in re.findall(r"[A-Za-z][A-Za-z-]+", shown) if word not in NAMES} - {"EduVerse-Mesa"}


def test_the_text_of_a_chinese_lesson_is_chinese_and_keeps_its_columns() -> None:
    text = text_of(chinese())
    assert english_in(text) == set()
    _, *block = text.split("\n每位学生的状态\n")[1].split("\n\n")[0].splitlines()
    assert len(block) == 7
    assert len({cell_len(line) for line in block}) == 1, "a Chinese character takes two columns"


def test_the_page_of_a_chinese_lesson_is_chinese() -> None:
    page = page_of(chinese())
    assert '<html lang="zh">' in page
    bare = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)
    told = re.findall(r'(?:aria-label|placeholder|data-told)="([^"]*)"', bare)
    assert english_in(" ".join(told).replace("{shown}", "").replace("{all}", "")) == set()
    assert english_in(re.sub(r"<[^>]+>", " ", bare)) == set()
    assert '<html lang="en">' in page_of(view())


def test_failures_are_said_aloud() -> None:
    broken = ScriptedPolicy(
        lambda decision: Answer.failed("x", "down") if decision.kind == "monitor" else None,
        rest=make_policy("embedded"),  # type: ignore[arg-type]
    )
    run = run_course(load_scenario(steps=4, settings={"pacing.mode": "fixed"}), seed=1, policy=broken)
    shown = report_tables(run)
    assert "!! 24 answers failed" in text_of(shown)
    assert "24 answers failed" in page_of(shown)


def test_a_run_without_a_step_has_a_report() -> None:
    empty = report_tables(played())
    nothing = RunTables(
        **{
            **vars(empty),
            **{name: getattr(empty, name).iloc[:0] for name in ("sentences", "student_steps", "teacher_steps")},
            "requests": empty.requests.iloc[:0],
            "rejections": empty.rejections.iloc[:0],
            "room": Room(1, 1),
        }
    )
    assert "Nothing has happened yet" in text_of(nothing)
    assert "Nothing has happened yet" in page_of(nothing)


def all_charts(run: RunTables) -> dict[str, Any]:
    steps = run.student_steps
    return {
        "room": charts.room_plan(run.room),
        "network": charts.interaction_network(run.room, run.requests),
        "shares": charts.bec_shares_chart(steps),
        "students": charts.bec_by_student(steps, "cognition"),
        "time": charts.bec_over_time(steps, "emotion"),
        "ribbon": charts.irf_ribbon(steps, run.teacher_steps),
        "state": charts.state_over_time(steps, "affect"),
    }


@pytest.mark.parametrize("name", list(all_charts(view())))
def test_each_chart_is_valid_and_has_data(name: str) -> None:
    spec = all_charts(view())[name].to_dict(validate=True)
    assert any(spec["datasets"].values())
    assert "http" not in json.dumps({key: value for key, value in spec.items() if key != "$schema"})


def test_the_shares_of_the_chart_are_those_of_the_table() -> None:
    spec = charts.bec_by_student(view().student_steps).to_dict()
    rows = pd.DataFrame(next(iter(spec["datasets"].values())))
    assert rows.groupby("student")["share"].sum().to_numpy() == pytest.approx(1)


def test_the_report_is_one_file_that_asks_for_nothing() -> None:
    page = page_of(view())
    outside = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//", outside)
    assert page.count("<script") == 1
    assert page.count("</script>") == 1


def test_hostile_text_stays_text() -> None:
    run = run_course(renamed(load_scenario(steps=6), HOSTILE), seed=1)
    page = page_of(report_tables(run))
    assert "<img" not in re.sub(r"<script.*?</script>", "", page, flags=re.S)
    assert page.count("</script>") == 1
    assert "&lt;/script&gt;&lt;img" in page
    assert HOSTILE in text_of(report_tables(run), 1000)


def test_a_fork_is_told_with_its_change() -> None:
    from eduverse_mesa.models.classroom import Move, NoChange

    run = played()
    move = Move(lesson=1, step=5, student="Liu Li", to=(28, 12))
    moved = fork(run, (1, 4), [move])
    told = render_text(fork_report(run.id, moved.id, [move], paired_difference(run, moved)))
    assert "Liu Li" in told
    assert "one sample" in told
    place = first_difference(run, moved)
    assert place is not None
    assert place[:2] >= (1, 5)
    same = fork(run, (1, 4), [NoChange(lesson=1, step=5)])
    assert first_difference(run, same) is None
    assert "Nothing differs" in render_text(fork_report(run.id, same.id, [], paired_difference(run, same)))
