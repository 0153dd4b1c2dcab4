"""What is there on a desk before anybody has chosen anything."""

from __future__ import annotations

import pytest

from eduverse_mesa.dashboard.desk import FIRST_SCENARIOS
from eduverse_mesa.dashboard.lessons.draft import use_workshop
from eduverse_mesa.dashboard.lessons.lesson import classroom_lesson
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.visualization.words import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_lesson_is_taught_in_the_language_of_the_page(language: str) -> None:
    desk = Office().desk("somebody")
    desk.spoken = language
    lesson = classroom_lesson(desk)
    assert {one.language for one in lesson.scenario.lessons} == {language}
    assert lesson.scenario == load_scenario(FIRST_SCENARIOS[language])
    assert use_workshop(desk).draft.get("name") == lesson.scenario.name
    desk.clear()
