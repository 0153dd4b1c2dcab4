"""Constraints on seating plans: what each asks for, plans that keep them, and what cannot be kept."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.seating import Constraint, ImpossibleError, SeatingPlan, present_plan, read_constraint
from eduverse_mesa.experiments.seating import plans as constraints_of
from eduverse_mesa.experiments.seating.plans import Demand, Hall, Rules, SeatName, with_plan
from eduverse_mesa.runs import run_course
from eduverse_mesa.scenarios import load_scenario

SIX = load_scenario("first_lesson", steps=2)
LECTURE = Hall(SIX.layout)
NAMES = [student.name for student in SIX.roll.students]
A, B, C, D, E, F = NAMES


def rules(*constraints: Constraint) -> Rules:
    return Rules(SIX.roll.students, constraints, present_plan(SIX))


THIRTY = load_scenario("mathematics_30")


def thirty_with(*constraints: Constraint) -> Rules:
    return Rules(THIRTY.roll.students, constraints, present_plan(THIRTY))


def plan(*seats: SeatName) -> SeatingPlan:
    return SeatingPlan("lecture", seats)


PRESENT = present_plan(SIX)


def test_the_present_plan_is_that_of_the_lesson() -> None:
    model = run_course(SIX, 1).lessons[0].model
    cells = [LECTURE.seats[seat].at for seat in PRESENT.seats]
    assert [student.place for student in model.students] == cells


def test_seats_that_are_linked_are_those_whose_students_can_turn_to_each_other() -> None:
    model = run_course(SIX, 1).lessons[0].model
    for one, here in PRESENT.of(SIX.roll.students).items():
        links = {other for other, there in PRESENT.of(SIX.roll.students).items() if LECTURE.linked(here, there)}
        assert links - {one} == set(model.placing.graph.neighbors(one))


def test_a_students_own_group_counts_before_the_seats() -> None:
    pods = Hall(load_scenario("pods_science").layout)
    assert pods.linked("a1", "a2")
    assert not pods.linked("a1", "b1")
    assert pods.linked("a1", "b1", ("B", None))


def test_what_each_demand_asks_for() -> None:
    seated = plan("r1_1", "r1_2", "r1_3", "r2_1", "r2_2", "r2_3")
    broken = {
        constraint: bool(rules(constraint).broken(seated, LECTURE))
        for constraint in (
            Constraint("apart", (A, B)),
            Constraint("apart", (A, D)),  # behind each other: rows cannot turn to one another
            Constraint("together", (A, B)),
            Constraint("together", (A, D)),
            Constraint("together", (A, B, C)),
            Constraint("front", (A,)),
            Constraint("front", (D,)),
            Constraint("fixed", (A,)),
        )
    }
    assert list(broken.values()) == [True, False, False, True, False, False, True, False]
    assert rules(Constraint("fixed", (A,))).broken(plan("r1_2", "r1_1", *seated.seats[2:]), LECTURE)


@given(st.integers(0, 10_000))
def test_every_plan_that_is_drawn_and_all_its_neighbours_keep_the_constraints(seed: int) -> None:
    asked = rules(
        Constraint("apart", (A, B)),
        Constraint("together", (C, D)),
        Constraint("front", (A,)),
        Constraint("fixed", (F,)),
    )
    luck = Random(seed)
    drawn = asked.draw(LECTURE, luck)
    for _ in range(4):
        assert sorted(drawn.seats, key=str) == sorted(set(drawn.seats), key=str)
        assert not asked.broken(drawn, LECTURE)
        found = asked.neighbour(drawn, LECTURE, luck)
        if found is None:
            break
        assert sum(one != other for one, other in zip(found.seats, drawn.seats, strict=True)) == 2
        drawn = found


def test_free_seats_are_used_and_nobody_sits_twice() -> None:
    thirty = Hall(load_scenario("mathematics_30").layout)
    asked = Rules(SIX.roll.students, (), PRESENT)
    drawn = {asked.draw(thirty, Random(seed)).seats for seed in range(20)}
    assert len({seat for seats in drawn for seat in seats}) > 20
    one = asked.neighbour(asked.draw(thirty, Random(1)), thirty, Random(3))
    assert one is not None
    assert len(set(one.seats)) == 6


def test_a_student_beside_all_seats_keeps_a_cell() -> None:
    scenario = load_scenario("first_lesson", steps=2, settings={f"seating.{A}": "[20, 12]"})
    present = present_plan(scenario)
    assert present.seats[0] == (20, 12)
    hall = Hall(scenario.layout, [(20, 12)])
    again = with_plan(scenario, present, {"lecture": hall})
    model = run_course(again, 1).lessons[0].model
    assert model.students[0].place == (20, 12)


@pytest.mark.parametrize(
    ("constraints", "named"),
    [
        (
            [Constraint("apart", (A, B)), Constraint("together", (A, B)), Constraint("front", (C,))],
            {"apart", "together"},
        ),
        ([Constraint("front", tuple(NAMES))], {"front"}),
        ([Constraint("fixed", (D,)), Constraint("front", (D,)), Constraint("apart", (A, B))], {"fixed", "front"}),
    ],
    ids=["apart and together", "a crowd in front", "fixed at the back"],
)
def test_what_cannot_be_kept_is_named_and_nothing_else(constraints: list[Constraint], named: set[str]) -> None:
    with pytest.raises(ImpossibleError) as refused:
        rules(*constraints).draw(LECTURE, Random(1))
    assert {one.demand for one in refused.value.those} == named
    assert refused.value.proven
    assert str(refused.value).startswith("layout 'lecture': no seating plan keeps: ")


@pytest.mark.parametrize("size", [4, 5, 8, 30])
def test_a_group_that_the_class_keeps_already_is_not_called_impossible(size: int) -> None:
    asked = thirty_with(Constraint("together", tuple(student.name for student in THIRTY.roll.students[:size])))
    hall = Hall(THIRTY.layout)
    assert not asked.broken(present_plan(THIRTY), hall)
    drawn = {asked.draw(hall, Random(seed)) for seed in range(3)}
    assert len(drawn) == 3
    assert not any(asked.broken(one, hall) for one in drawn)


def test_where_no_other_plan_is_found_in_time_the_present_one_is_taken_if_it_keeps_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(constraints_of, "_MOST_TRIES", 20)
    names = [student.name for student in THIRTY.roll.students]
    pairs = [Constraint("together", (names[place], names[place + 1])) for place in range(0, 30, 2)]
    assert thirty_with(*pairs).draw(Hall(THIRTY.layout), Random(1)) == present_plan(THIRTY)


def test_what_was_only_not_found_is_not_said_to_be_impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constraints_of, "_MOST_TRIES", 1000)
    names = [student.name for student in THIRTY.roll.students]
    hall = Hall(THIRTY.layout)
    with pytest.raises(ImpossibleError, match=r"was found in 1,000 tries .*; there may be one") as refused:
        thirty_with(Constraint("apart", tuple(names[:20]))).draw(hall, Random(1))
    assert not refused.value.proven
    pair = (names[0], names[1])
    with pytest.raises(ImpossibleError, match="no seating plan keeps: ") as refused:
        thirty_with(Constraint("apart", pair), Constraint("together", pair)).draw(hall, Random(1))
    assert refused.value.proven


def test_more_than_there_are_seats_for_is_known_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constraints_of, "_MOST_TRIES", 0)
    hall = Hall(THIRTY.layout)
    crowd = tuple(student.name for student in THIRTY.roll.students[: len(hall.front) + 1])
    with pytest.raises(ImpossibleError) as refused:
        thirty_with(Constraint("front", crowd)).draw(hall, Random(1))
    assert refused.value.proven


def test_fixed_students_hold_the_class_in_its_room() -> None:
    other = Hall(load_scenario("collab_talk").layout)
    with pytest.raises(ImpossibleError, match="fixed"):
        rules(Constraint("fixed", (A,))).draw(other, Random(1))


@pytest.mark.parametrize(
    ("demand", "text", "said"),
    [
        ("apart", "Zhang Jie", "two names"),
        ("apart", f"{A},{A}", "two names"),
        ("front", "", "a name"),
        ("front", "Zhang Ji", "Did you mean"),
    ],
)
def test_mistakes_in_constraints_are_told(demand: Demand, text: str, said: str) -> None:
    with pytest.raises(EduverseError, match=said):
        read_constraint(demand, text, SIX)
