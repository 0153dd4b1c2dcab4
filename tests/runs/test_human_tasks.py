"""The four tasks of a human agent succeed by what happens in the lesson, in every layout, and fail when they should."""

from __future__ import annotations

import pytest

from eduverse_mesa.errors import LessonError
from eduverse_mesa.policies.embedded.classroom.words import load_grammar
from eduverse_mesa.runs.human_tasks import PATIENCE, TASKS, Task, TaskResult, attempt
from eduverse_mesa.scenarios import Scenario, load_scenario

ATTEMPTS = range(1, 7)
LAYOUTS = ("lecture", "round", "collab")


def tried(task: Task, layout: str, **parameters: float) -> list[TaskResult]:
    scenario = scenario_of(layout, **parameters)
    return [attempt(task, scenario, seed) for seed in ATTEMPTS]


def scenario_of(layout: str, **parameters: float) -> Scenario:
    return load_scenario(
        layout=layout, settings={f"parameters.{key.replace('__', '.')}": value for key, value in parameters.items()}
    )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("task", TASKS)
def test_each_task_can_be_done_in_each_layout(task: Task, layout: str) -> None:
    results = tried(task, layout)
    assert sum(one.done for one in results) >= 2
    for one in results:
        assert 1 <= one.steps <= PATIENCE
        assert one.done or one.steps == PATIENCE
        last = one.what_happened[-1]
        assert ("wants to" not in last) == one.done
        if one.done:
            assert last.startswith(f"step {one.steps}: ")


def test_the_seat_goes_round_the_class() -> None:
    assert len({one.agent for one in tried("be_noticed", "lecture")}) == 6


def test_an_attempt_is_the_same_again() -> None:
    scenario = load_scenario(layout="round")
    assert attempt("ask_peer", scenario, 3) == attempt("ask_peer", scenario, 3)


def test_who_teaches_without_looking_notices_nobody() -> None:
    blind = {
        "feedback__off_task": 0.0,
        "teach__addressing_sleepers__base": -6.0,
        "teach__addressing_sleepers__sleepers": -12.0,
        "teach__criticising__base": -6.0,
        "teach__criticising__sleepers": -6.0,
    }
    assert not any(one.done for one in tried("be_noticed", "lecture", **blind))


def test_a_teacher_who_takes_no_questions_answers_only_who_is_called() -> None:
    results = tried(
        "ask_teacher", "lecture", floor__question=0.0, call__share=0.0, call__hands=0.0, call__open_question=0.0
    )
    assert not any(one.done for one in results)


def test_classmates_who_refuse_all_are_asked_in_vain() -> None:
    scenario = load_scenario(layout="collab", settings={"gate.threshold": 1.0})
    results = [attempt("chat_with_peer", scenario, seed) for seed in ATTEMPTS]
    assert not any(one.done for one in results)
    assert any("side talk" in line for one in results for line in one.what_happened)


def test_a_named_seat_is_taken_and_what_is_unknown_is_refused() -> None:
    scenario = load_scenario(layout="lecture")
    assert attempt("be_noticed", scenario, 1, agent="Wang Fang", patience=1).agent == "Wang Fang"
    with pytest.raises(LessonError, match="no student 'Nobody'"):
        attempt("be_noticed", scenario, 1, agent="Nobody")
    with pytest.raises(LessonError, match="no task"):
        attempt("fly", scenario, 1)  # type: ignore[arg-type]


def test_a_classmate_answers_a_question_with_more_than_a_nod() -> None:
    last = [one.what_happened[-1] for layout in LAYOUTS for one in tried("ask_peer", layout) if one.done]
    assert last
    nods = {load_grammar("en").say("student.okay", place / 50) for place in range(50)}
    assert len(nods) > 3
    assert not any(line.endswith(tuple(f'"{nod}"' for nod in nods)) for line in last), last


def test_it_works_in_chinese() -> None:
    scenario = load_scenario(lesson="spring_1_zh")
    result = attempt("ask_peer", scenario, 1)
    assert any("讲讲" in line for line in result.what_happened)
