"""Good and bad tutors of the same learners."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.experiments.tutors import (
    Evaluation,
    Practice,
    compare,
    evaluate,
    find,
    make_plan,
    practice_agenda,
    spacing_effect,
)
from eduverse_mesa.models.tutoring import Exam, Pause, Talk
from eduverse_mesa.policies.tutors import FunctionTutor, Tutor
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring
from tests.experiments.tutors.bad_tutors import asking, crashing, doubting, leading, silent, telling

UNITS = ("2-LS2-1", "2-PS1-1")
NAMES: dict[str, Tutor] = {tutor.__name__: tutor for tutor in (telling, silent, crashing, asking, doubting, leading)}


@cache
def setup() -> Tutoring:
    return load_tutoring(learners=12)


@cache
def evaluated(name: str = "", seed: int = 1) -> Evaluation:
    seat = FunctionTutor(NAMES[name]) if name else None
    return evaluate(make_plan(setup().curriculum, 2, UNITS), setup(), seat, seed=seed)


@pytest.mark.parametrize("name", ["telling", "silent", "crashing"])
def test_a_bad_tutor_is_worse_than_the_built_in_one(name: str) -> None:
    compared = {row.outcome: row for row in compare(evaluated(), evaluated(name)).paired}
    assert compared["gain"].difference.high < 0
    assert compared["delayed_gain"].difference.high < 0
    assert compared["left_behind"].difference.mean > 0
    assert compared["pre"].first == compared["pre"].second, "they begin with the same learners and the same luck"


def test_to_ask_whether_one_is_sure_is_no_teaching() -> None:
    compared = {row.outcome: row for row in compare(evaluated(), evaluated("doubting")).paired}
    assert compared["gain"].difference.high < 0


def test_a_tutor_that_asks_in_a_way_of_its_own_teaches() -> None:
    found = find(evaluated("asking"))
    assert found.means["gain"].low > 0
    assert found.evaluation.teaching.failed == 0


def test_who_puts_the_idea_into_a_question_has_told_it() -> None:
    leads = find(evaluated("leading")).means
    assert leads["told"].mean > 0.8
    assert leads["told_first"].mean == 1.0


def test_a_crash_is_counted_and_not_fatal() -> None:
    crashed = evaluated("crashing")
    plan, dialogues = crashed.plan, 12 * 2 * 3
    assert len(crashed.tests) == 12 * len(plan.questions) * 3
    assert crashed.teaching.failed == crashed.teaching.asked - dialogues, "its hellos came through"
    assert list(crashed.teaching.reasons) == ["it crashed: ZeroDivisionError: the slope of a flat line"]
    assert (crashed.lines[crashed.lines["speaker"] == "tutor"]["text"] != "").sum() == dialogues, "nobody stepped in"
    assert crashed.others.failed == 0


def test_telling_is_told_from_teaching() -> None:
    tells, built_in = find(evaluated("telling")).means, find(evaluated()).means
    assert tells["told_first"].mean == 1
    assert built_in["told_first"].mean < 0.2
    assert find(evaluated("silent")).means["told"].mean == 0


def test_who_is_only_told_learns_a_little_and_keeps_little_of_it() -> None:
    told = {row.outcome: row for row in compare(evaluated("silent"), evaluated("telling")).paired}
    taught = {row.outcome: row for row in compare(evaluated("silent"), evaluated()).paired}
    assert told["gain"].difference.low > 0
    assert told["gain"].difference.high < taught["gain"].difference.mean
    assert told["delayed_gain"].difference.mean < taught["delayed_gain"].difference.mean / 2


def test_the_same_seed_gives_the_same_evaluation() -> None:
    plan = make_plan(setup().curriculum, 2, UNITS)
    again = evaluate(plan, setup(), FunctionTutor(asking), seed=1)
    assert again.outcomes.equals(evaluated("asking").outcomes)
    assert find(again).document() == find(evaluated("asking")).document()


def test_a_plan_is_tests_around_rounds_of_dialogues() -> None:
    plan = make_plan(setup().curriculum, 2, UNITS, visits=2, delay=10.0)
    pre, *talks, post, pause, delayed = plan.agenda()
    assert [type(one) for one in (pre, post, pause, delayed)] == [Exam, Exam, Pause, Exam]
    assert [one.unit for one in talks if isinstance(one, Talk)] == [*UNITS, *UNITS]
    assert [one.day for one in talks] == [1, 2, 3, 4]
    assert (post.day, delayed.day) == (5, 15)


@pytest.mark.parametrize(
    ("grade", "units", "given", "said"),
    [
        (9, (), {}, "no units of grade 9"),
        (2, ("nothing",), {}, "no unit 'nothing'"),
        (2, ("2-LS2-1", "2-LS2-1"), {}, "named twice"),
        (2, (), {"visits": 0}, "0 dialogues on each unit cannot"),
        (2, (), {"visits": 100_000_000}, "100000000 dialogues on each unit cannot"),
        (2, (), {"delay": -1.0}, "-1 days cannot"),
        (2, (), {"delay": float("inf")}, "inf days cannot"),
        (2, (), {"days_between": float("nan")}, "nan days cannot"),
        (2, (), {"episodes_a_day": 1e9}, r"1e\+09 episodes a day cannot"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(grade: int, units: tuple[str, ...], given: Any, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        make_plan(setup().curriculum, grade, units, **given)


def test_massed_and_spaced_practice_end_on_one_day_and_have_the_same_test() -> None:
    unit = setup().curriculum.units["2-LS2-1"]
    massed, spaced = (practice_agenda(unit, 2, Practice(3, 7.0, 30.0, 1.0), days) for days in (0.0, 7.0))
    for agenda in (massed, spaced):
        assert sum(one.episodes for one in agenda if isinstance(one, Pause)) == 44
        assert agenda[-1].day == 44.0
    assert [one.day for one in massed if isinstance(one, Talk)] == [14, 14, 14]
    assert [one.day for one in spaced if isinstance(one, Talk)] == [0, 7, 14]


def under(law: str, cohort: Tutoring) -> Tutoring:
    memory = cohort.settings.memory.model_copy(update={"law": law})
    return cohort.model_copy(update={"settings": cohort.settings.model_copy(update={"memory": memory})})


@pytest.mark.parametrize("law", ["episodes", "ebbinghaus"])
def test_spaced_practice_beats_massed_at_a_delayed_test(law: str) -> None:
    found = spacing_effect(under(law, setup()), 2, UNITS, seed=1)
    assert found.law == law
    assert found.difference.mean == pytest.approx(found.spaced - found.massed)
    assert 0.0 < found.effect < 1.5, "twelve learners and two units: the sampling error is large"


@pytest.mark.slow
@pytest.mark.parametrize("law", ["episodes", "ebbinghaus"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_spacing_is_as_strong_as_it_is_with_people(law: str, seed: int) -> None:
    """Cepeda et al. 2006: a medium to large effect."""
    learners = load_tutoring(learners=40)
    units = [unit.id for unit in learners.curriculum.units_of(2)][:8]
    found = spacing_effect(under(law, learners), 2, units, seed=seed)
    assert found.difference.low > 0
    assert 0.4 < found.effect < 1.0
