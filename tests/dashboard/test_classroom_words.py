"""What the classroom page says of a step is what it was."""

from __future__ import annotations

import json

import msgspec
import pytest

from eduverse_mesa.dashboard.lessons.lesson import ClassroomLesson
from eduverse_mesa.dashboard.lessons.view import name_of, pace_of
from eduverse_mesa.dashboard.pages.classroom import chain_tree
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.visualization.frames import frame, last_step
from eduverse_mesa.visualization.words import load_words
from tests.policies.test_waiting import PATIENCE
from tests.visualization.rooms import played


@pytest.fixture(scope="module")
def whole() -> ClassroomLesson:
    """A lesson that was played to its end, which its pace has put off."""
    lesson = ClassroomLesson()
    lesson.begin(load_scenario(settings={"steps": 8, "pacing.stretch": 1.5}), 2)
    lesson.set_pace(None)
    lesson.play()
    assert lesson.player.wait(PATIENCE) == "complete"
    lesson.look_at_end()
    return lesson


def test_only_what_is_said_of_the_lesson_is_marked_as_known() -> None:
    t, model = load_words("en"), played()
    marked = {True: 0, False: 0}
    for step in range(1, last_step(model) + 1):
        shown = frame(model, step)
        for seen in shown.students:
            moves = {said.move for said in shown.sentences if said.speaker == seen.name}
            known = t.code(seen.recall) if seen.recall not in ("", "none") and seen.words else ""
            if not known or seen.behaviour not in ("chat", "answer_question", "stand_answer"):
                continue
            said = json.dumps(chain_tree(shown, seen, t)).partition(t("classroom.person.words"))[2]
            of_it = json.dumps(known) in said.partition(t("classroom.person.monitor"))[0]
            assert of_it is (seen.behaviour != "chat"), (step, seen.name, moves)
            marked[of_it] += 1
    assert all(marked.values()), "both kinds were looked at"


def test_things_are_named_in_the_reader_s_language_and_people_as_they_are_called() -> None:
    t, model = load_words("zh"), played()
    shown = frame(model, last_step(model))
    seen = shown.students[0]
    seen = msgspec.structs.replace(seen, perceived=("table", "lectern", "side table A", seen.name, "Liu Li A", "globe"))
    called = msgspec.structs.replace(shown, students=(seen, msgspec.structs.replace(seen, name="table")))
    said = json.dumps(chain_tree(called, seen, t), ensure_ascii=False)
    assert f"table、讲台、边桌 A、{seen.name}、Liu Li A、globe" in said


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_student_s_model_is_called_as_its_server_calls_it(language: str) -> None:
    t, model = load_words(language), played()
    shown = frame(model, last_step(model))
    seen = msgspec.structs.replace(shown.students[0], source="llm", model="horizon-2026")
    name = t("classroom.person.model")
    assert t.told(name, "horizon-2026") in json.dumps(chain_tree(shown, seen, t), ensure_ascii=False)
    assert name not in json.dumps(chain_tree(shown, shown.students[0], t), ensure_ascii=False)


def test_the_last_step_ends_the_lesson_and_no_other_does(whole: ClassroomLesson) -> None:
    t = load_words("en")
    paces = [pace_of(whole, place, shot.frame, t)[0] for place, shot in enumerate(whole.film.shots) if shot.step]
    assert paces[-1] == "ends the lesson"
    assert "ends the lesson" not in paces[:-1]


def test_a_lesson_that_takes_longer_is_not_told_as_a_part_of_its_plan(whole: ClassroomLesson) -> None:
    t, shots = load_words("en"), whole.film.shots
    planned = shots[0].frame.steps
    assert whole.last > planned, "it takes longer than planned"
    assert name_of(t, shots[planned], several=False) == f"step {planned} of about {planned}"
    assert name_of(t, shots[planned + 1], several=False) == f"step {planned + 1}"
    assert name_of(t, shots[2], several=False, took=whole.last) == f"step 2 of {whole.last}"
