"""Pacing, interventions, memory between lessons, and the model as Mesa sees it."""

from __future__ import annotations

from typing import Any

import mesa
import pytest

from eduverse_mesa.decisions import Pace, Paced, Plan
from eduverse_mesa.errors import EduverseError
from eduverse_mesa.models.classroom import ClassroomModel, Move, NoChange, SetAct, SetTrait
from tests.models.lessons import Asked, lesson, log, played, scripted


def test_a_fixed_pace_keeps_to_its_steps() -> None:
    for steps in (1, 3, 7, 36):
        model = played(steps=steps)
        assert model.state.step == steps
        assert {row.pacing_reason for row in model.journal.teacher} == {"the pace is fixed"}


def test_an_adaptive_pace_stays_within_its_stretch() -> None:
    for seed in range(6):
        model = played(seed=seed, steps=30, settings={"pacing.mode": "adaptive"})
        assert 15 <= model.state.step <= 42
        assert all(row.pacing_reason for row in model.journal.teacher)


def test_a_hurried_teacher_moves_on_and_a_slow_one_extends() -> None:
    def always(move: Any) -> Any:
        script = scripted(lambda d: Paced(move, "because") if isinstance(d, Pace) else None)
        return played(script, steps=30, settings={"pacing.mode": "adaptive"})

    hurried, slow = always("advance"), always("extend")
    assert hurried.state.step == 5
    assert [row.phase for row in hurried.journal.teacher] == [phase.name for phase in hurried.lesson.phases]
    assert slow.state.step == 42
    assert "extend" in {row.wanted for row in slow.journal.rejections}


def test_a_move_changes_distances_and_neighbours() -> None:
    model = lesson(steps=4, interventions=[Move(lesson=1, step=2, student="Wang Fang", to=(28, 18))])
    model.step()
    before = model.classmates["Wang Fang"].to_board
    model.step()
    student = model.classmates["Wang Fang"]
    assert student.place == (28, 18)
    assert student.to_board > before
    assert student.links == ()


def test_a_move_onto_a_classmate_is_a_swap() -> None:
    model = lesson(steps=3)
    one, other = model.students[0], model.students[1]
    places = one.place, other.place
    swapped = lesson(steps=3, interventions=[Move(lesson=1, step=1, student=one.name, to=places[1])])
    swapped.step()
    assert (swapped.students[0].place, swapped.students[1].place) == places[::-1]


def test_a_move_onto_furniture_is_refused_and_logged() -> None:
    model = lesson(steps=3)
    board = next(thing.at for sector in model.layout.sectors for arena in sector.arenas for thing in arena.objects)
    refused = lesson(steps=3, interventions=[Move(lesson=1, step=1, student="Wang Fang", to=board)])
    refused.step()
    assert refused.classmates["Wang Fang"].place == model.classmates["Wang Fang"].place
    assert any(row.wanted.startswith("move to") and row.reason for row in refused.journal.rejections)


def test_a_trait_and_an_act_can_be_set() -> None:
    changes = [
        SetTrait(lesson=1, step=2, student="Liu Li", trait="openness", value=0.9),
        SetTrait(lesson=1, step=2, student="Liu Li", trait="motivation", value=1.0),
        SetAct(lesson=1, step=3, act="organising_discussion"),
    ]
    model = played(steps=4, interventions=changes)
    person = model.classmates["Liu Li"].person
    assert (person.traits.openness, person.motivation) == (0.9, 1.0)
    assert model.journal.teacher[2].act == "organising_discussion"


def test_a_change_changes_only_what_can_follow_from_it() -> None:
    plain = Asked()
    moved = Asked()
    step = 5
    one = played(plain, steps=10)
    other = played(moved, steps=10, interventions=[Move(lesson=1, step=step, student="Wang Fang", to=(28, 18))])
    before = [entry for entry in log(one) if entry.step < step]
    assert before == [entry for entry in log(other) if entry.step < step]
    # The teacher decides before it could see anything of the move but where she sits.
    asked_one = {(d.at, d.kind): d for d in plain.decisions if d.at.step == step and isinstance(d, Plan)}
    asked_other = {(d.at, d.kind): d for d in moved.decisions if d.at.step == step and isinstance(d, Plan)}
    answers_one = {(e.agent, e.kind): e.answer for e in log(one) if e.step == step}
    answers_other = {(e.agent, e.kind): e.answer for e in log(other) if e.step == step}
    same_turn = answers_one[one.teacher.name, "take_turn"] == answers_other[other.teacher.name, "take_turn"]
    untouched = 0
    for key, decision in asked_one.items():
        twin = asked_other[key]
        same = (
            same_turn
            and decision.view.neighbours == twin.view.neighbours
            and decision.partners == twin.partners
            and decision.permitted == twin.permitted
            and decision.view.to_board == twin.view.to_board
        )
        if same:
            untouched += 1
            assert answers_one[key[0].agent, "plan"] == answers_other[key[0].agent, "plan"]
    if same_turn:
        assert untouched >= 1
    assert log(one) != log(other)


def test_no_change_is_no_change() -> None:
    assert log(played()) == log(played(interventions=[NoChange(lesson=1, step=3)]))


@pytest.mark.parametrize(
    "change",
    [
        Move(lesson=1, step=1, student="Nobody", to="r1_1"),
        Move(lesson=1, step=1, student="Wang Fang", to="no such seat"),
        SetTrait(lesson=1, step=1, student="Nobody", trait="openness", value=1),
    ],
    ids=["student", "seat", "trait"],
)
def test_a_change_of_what_is_not_there_is_refused(change: Any) -> None:
    with pytest.raises(EduverseError, match="there is no"):
        played(steps=2, interventions=[change])


# --- memory ---


def test_a_lesson_leaves_something_and_the_next_begins_with_it() -> None:
    first = played(steps=20)
    assert first.memory is not None
    assert {event.event for event in first.memory.student_events} == {"plan", "monitoring", "regulation", "behaviour"}
    assert {event.event for event in first.memory.teacher_events} == {"planning", "feedback"}
    fresh, carried = lesson(), lesson(memory=first.memory)
    for before, after, record in zip(fresh.students, carried.students, first.memory.records, strict=True):
        assert after.remembered == record.remembered
        assert record.remembered.summary
        assert record.remembered.evaluation
        assert -1 <= record.remembered.rating <= 1
        assert after.mind.habit == record.mind.habit
        assert after.understanding >= before.understanding
    while fresh.running:
        fresh.step()
    while carried.running:
        carried.step()
    assert log(fresh) != log(carried)


def test_without_carrying_every_lesson_is_the_first() -> None:
    first = played(steps=10)
    again = played(memory=first.memory, settings={"memory.carry": False})
    assert log(again) == log(played())


def test_more_days_leave_less() -> None:
    first = played(steps=30)
    soon = lesson(memory=first.memory, settings={"memory.days_between": 0.1})
    late = lesson(memory=first.memory, settings={"memory.days_between": 90})
    for one, other in zip(soon.students, late.students, strict=True):
        assert one.understanding >= other.understanding
    assert sum(s.understanding for s in soon.students) > sum(s.understanding for s in late.students)


# --- Mesa ---


def test_the_data_collector_is_tidy() -> None:
    model = played(steps=6)
    of_model = model.datacollector.get_model_vars_dataframe()
    assert len(of_model) == 6
    shares = of_model[["off_task", "passive", "active", "interactive"]].sum(axis=1)
    assert shares.to_numpy() == pytest.approx(1)
    of_agents = model.datacollector.get_agent_vars_dataframe()
    assert len(of_agents) == 6 * 7
    assert set(of_agents["name"]) == {*model.classmates, model.teacher.name}


def test_a_finished_lesson_stays_finished() -> None:
    model = played(steps=3)
    before = log(model)
    model.step()
    assert log(model) == before


def test_it_runs_in_a_batch_on_several_processes() -> None:
    repeats: dict[str, Any] = {"rng": [1, 2]} if _newest_mesa() else {"iterations": 2}
    rows = mesa.batch_run(
        ClassroomModel,
        {"layout": ["lecture", "round"], "steps": 3, "lesson": "spring_1"},
        number_processes=2,
        **repeats,
        data_collection_period=-1,
        display_progress=False,
    )
    assert {row["layout"] for row in rows} == {"lecture", "round"}
    assert all(0 <= row["off_task"] <= 1 for row in rows)
    assert len({row["RunId"] for row in rows}) == 4


def _newest_mesa() -> bool:
    import inspect

    return "rng" in inspect.signature(mesa.batch_run).parameters
