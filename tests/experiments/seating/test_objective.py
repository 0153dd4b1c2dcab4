"""Objectives: read from words, and measured as their formulas say."""

from __future__ import annotations

import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.seating import read_objective
from eduverse_mesa.experiments.seating.search import OF_PLAN, measure_goals
from eduverse_mesa.experiments.trials import play_trial, trial_of
from eduverse_mesa.measures import gini, participation
from eduverse_mesa.runs import run_course, run_tables
from eduverse_mesa.scenarios import load_scenario
from eduverse_mesa.vocabulary import BEHAVIOUR_LEVEL

SHORT = load_scenario("first_lesson", steps=6)


def test_weights_add_up_to_one() -> None:
    assert read_objective("calm").weights == {"calm": 1.0}
    assert read_objective("engagement=3, equity=1").weights == {"engagement": 0.75, "equity": 0.25}
    assert read_objective("calm,equity").weights == {"calm": 0.5, "equity": 0.5}
    assert read_objective("calm=2,equity=2").value({"calm": 0.8, "equity": 0.4}) == pytest.approx(0.6)
    assert str(read_objective("engagement=0.6,equity=0.4")) == "engagement 60%, equity 40%"


@pytest.mark.parametrize("text", ["", "joy", "calm=", "calm=-1", "calm,calm", "calm=nan", "calm=inf", "calm;equity"])
def test_what_is_no_objective_is_refused(text: str) -> None:
    with pytest.raises(EduverseError, match="is no goal"):
        read_objective(text)


def test_goals_are_what_their_formulas_say() -> None:
    made = run_tables(run_course(SHORT, 2))
    levels = [BEHAVIOUR_LEVEL[code] for code in made.student_steps["behaviour"]]
    goals = measure_goals(made)
    assert goals["engagement"] == pytest.approx(sum(level >= 2 for level in levels) / len(levels))
    assert goals["calm"] == pytest.approx(sum(level > 0 for level in levels) / len(levels))
    rates = participation(made.student_steps, made.teacher_steps)
    assert goals["equity"] == pytest.approx(1 - gini(rates.values()))
    rows = {row.measure: row.value for row in play_trial(trial_of(SHORT, 2, measure=(OF_PLAN,)))}
    assert rows == pytest.approx(goals)


def test_where_nobody_takes_part_there_is_no_equity() -> None:
    made = run_tables(run_course(SHORT, 2))
    silent = made.student_steps.assign(behaviour="head_down", addressee="")
    goals = measure_goals(made._replace(student_steps=silent))
    assert goals == {"engagement": 0.0, "equity": 0.0, "calm": 1.0}
