"""A teacher's outline becomes a lesson that can be played, with an account of every line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.scenarios import load_document
from eduverse_mesa.scenarios.drafting import Draft
from eduverse_mesa.scenarios.drafting.outlines import read_outline

MARKDOWN = """\
# Why we have seasons
## Objectives
- Explain why summer is warmer than winter
## Warm-up (5 min)
- What month is the hottest here?
- Answer: July is the hottest month.
## New content (15 min)
- The earth's axis is tilted by 23 degrees.
- Misconception: In summer we are closer to the sun.
- Why are days longer in summer?
## Something of our own
- Discuss in pairs what a planet without tilt is like
## Wrap-up (5 min)
- Summarise the three causes
"""
CHINESE = """\
课题：春
一、导入（5分钟）
  你最喜欢哪个季节？
二、新授
  朗读课文第一段
  作者用拟人的手法写出了春风的温柔
三、小结
  总结全文
"""
TABLE = """\
phase,activity,minutes,question
Starter,Look at the picture,5,What do you see?
Main part,Photosynthesis turns light into sugar,20,"Where does the sugar go, and why?"
,Plants need water and light,,
Plenary,Sum up,5,
"""


def activities(lesson: Any) -> list[list[str]]:
    return [[activity["do"] for activity in phase["activities"]] for phase in lesson["phases"]]


def test_headings_are_phases_and_lines_are_activities() -> None:
    outline = read_outline(MARKDOWN, "seasons")
    lesson: Any = outline.lesson
    assert lesson["title"] == "Why we have seasons"
    assert [goal["text"] for goal in lesson["goals"]] == ["Explain why summer is warmer than winter"]
    assert [phase["name"] for phase in lesson["phases"]] == ["introduction", "instruction", "consolidation", "summary"]
    assert activities(lesson) == [["ask"], ["explain", "ask"], ["discuss"], ["summarise"]]
    assert lesson["questions"][0]["answer"] == "July is the hottest month."
    assert lesson["questions"][1]["press"] == "reasoning"
    assert lesson["ideas"][0]["misconception"] == "In summer we are closer to the sun."
    assert [phase["share"] for phase in lesson["phases"]] == pytest.approx([0.15, 0.45, 0.25, 0.15], abs=0.01)


def test_every_line_says_what_it_was_taken_for() -> None:
    lines = read_outline(MARKDOWN).lines
    assert [line.number for line in lines] == list(range(1, 15))
    taken = {line.number: (line.taken_for, line.note) for line in lines}
    assert taken[1] == ("title", "")
    assert taken[2] == ("goals", "")
    assert taken[6] == ("answer", "")
    assert taken[11] == ("phase_consolidation", "by_position")
    assert taken[12] == ("discuss", "")


def test_what_was_not_said_is_listed() -> None:
    made_up = read_outline(MARKDOWN).made_up
    assert ("ideas", 0, "because") in made_up
    assert ("ideas", 0, "misconception") not in made_up
    assert ("questions", 0, "answer") not in made_up
    assert ("questions", 1, "answer") in made_up


def test_a_chinese_outline() -> None:
    lesson: Any = read_outline(CHINESE).lesson
    assert (lesson["language"], lesson["title"]) == ("zh", "春")
    assert [phase["name"] for phase in lesson["phases"]] == ["introduction", "instruction", "summary"]
    assert activities(lesson) == [["ask"], ["read", "explain"], ["summarise"]]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table(separator: str) -> None:
    text = (
        TABLE
        if separator == ","
        else TABLE.replace('"Where does the sugar go, and why?"', "Why?").replace(",", separator)
    )
    lesson: Any = read_outline(text).lesson
    assert activities(lesson) == [["read", "ask"], ["explain", "ask", "explain"], ["summarise"]]
    assert [phase["share"] for phase in lesson["phases"]] == pytest.approx([1 / 6, 4 / 6, 1 / 6], abs=0.01)


@pytest.mark.parametrize("text", ["", " \n\n", "## Practice\n## Summary\n", "Goal: learn something"])
def test_nothing_to_do_is_said(text: str) -> None:
    with pytest.raises(ScenarioError, match="no activity"):
        read_outline(text)


def test_an_endless_outline_is_refused() -> None:
    with pytest.raises(ScenarioError, match="shorten"):
        read_outline("a line\n" * 401)
    with pytest.raises(ScenarioError, match="shorten"):
        read_outline("x" * 100_001)


pieces = st.sampled_from(
    [
        "# ",
        "## ",
        "- ",
        "1. ",
        "Goal: ",
        "Answer: ",
        "目标：",
        "because: ",
        "?",
        "\n",
        "  ",
        "（",
        "phase,activity\n",
        ":",
    ]
)


@given(
    st.lists(
        pieces | st.text(max_size=30) | st.sampled_from(["Warm-up", "小结", "read page 3", "x" * 700]), max_size=30
    )
)
def test_any_outline_becomes_a_lesson_or_is_refused(parts: list[str]) -> None:
    try:
        outline = read_outline("".join(parts))
    except ScenarioError:
        return
    assert load_document("lesson", outline.lesson).name == "outline"
    draft = Draft.of_name()
    draft.lessons.replace(0, outline.lesson)
    assert draft.scenario is not None
    for trail in outline.made_up:
        assert draft.get("lessons", 0, *trail)
