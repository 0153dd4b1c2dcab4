"""Trials: what is played, what is measured of it, and that it is the same wherever it is played."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.errors import EduverseError, LessonError, ScenarioError
from eduverse_mesa.experiments.engines import Processes, Serial
from eduverse_mesa.experiments.measurers import MOVED, Row, measurer
from eduverse_mesa.experiments.papers.eduverse.designs import EXCHANGES, exchanges
from eduverse_mesa.experiments.subjects import Courses
from eduverse_mesa.experiments.trials import (
    Trial,
    count_slots,
    measure_trials,
    play_trial,
    play_trials,
    trial_of,
    trials_over,
    with_parameters,
)
from eduverse_mesa.runs import results, run_course
from eduverse_mesa.runs.classroom import Run
from eduverse_mesa.scenarios import load_scenario

SHORT = load_scenario("first_lesson", steps=6)


def count_lessons(run: Run) -> Iterator[Row]:
    """A measurer as a user would write it."""
    yield Row(0, 0, "", "lessons", float(len(run.lessons)))


def test_a_trial_gives_the_numbers_of_the_runs_own_document() -> None:
    table = measure_trials([trial_of(SHORT, 3)])
    document = results(run_course(SHORT, 3))
    of_class = table[(table["student"] == "") & (table["lesson"] == 1)].set_index("measure")["value"]
    assert of_class["irf.irf"] == document["irf"]["irf"]
    assert of_class["bec.b_active"] == document["bec"]["b_active"]
    assert of_class["steps"] == document["steps"]
    whole = table[table["lesson"] == 0].set_index("measure")["value"]
    assert whole["outcomes.ok"] == document["outcomes"]["ok"]


def test_each_student_has_its_own_rows() -> None:
    table = measure_trials([trial_of(SHORT, 3)])
    names = {student.name for student in SHORT.roll.students}
    shares = table[table["measure"] == "bec.e_positive"].set_index("student")["value"]
    assert set(shares.index) == names | {""}
    assert shares[sorted(names)].mean() == pytest.approx(shares[""])


def test_factors_become_columns_and_keys_tell_trials_apart() -> None:
    trials = list(trials_over([({"layout": "a"}, SHORT), ({"layout": "b"}, SHORT)], [1, 2]))
    assert len({trial.key for trial in trials}) == 4
    table = measure_trials(trials)
    assert list(table.columns[:3]) == ["trial", "layout", "seed"]
    assert table.groupby("layout")["value"].sum().nunique() == 1


def test_a_trials_key_is_the_same_in_every_process() -> None:
    one = Trial(scenario="{}", seed=1, factors={"b": 1, "a": 2.5})
    assert one.key == Trial(scenario="{}", seed=1, factors={"a": 2.5, "b": 1}).key == "s1-2ba7964aca8e237d"


def test_talk_and_steps_are_measured_when_asked_for() -> None:
    table = measure_trials([trial_of(SHORT, 1, measure=("talk", "steps"))])
    assert {"talk.I_rate", "bec.b_active"} <= set(table["measure"])
    assert set(table.loc[table["measure"] == "bec.b_active", "step"]) == set(range(1, table["step"].max() + 1))


def test_a_measurer_of_ones_own() -> None:
    rows = play_trial(trial_of(SHORT, 1, measure=(f"{__name__}:count_lessons",)))
    assert rows == [Row(0, 0, "", "lessons", 1.0)]


@pytest.mark.parametrize("name", ["nothing", "no.such.module:f", "math:pi", "math:nothing", ":f", "..x:f"])
def test_a_measurer_that_is_none_is_told(name: str) -> None:
    with pytest.raises(EduverseError, match=re.escape(f"'{name}'")):
        measurer(name, Courses.measurers)


@pytest.mark.parametrize("code", ["raise ValueError('no data')", "import sys; sys.exit()", "1 +"])
def test_a_measurer_whose_module_fails_is_told(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = f"of_{tmp_path.name}"  # a name that no other test of this process has imported
    (tmp_path / f"{module}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    said = rf"^measure: '{module}:f' cannot be loaded \((ValueError|SystemExit|Syntax)"
    with pytest.raises(EduverseError, match=said):
        measurer(f"{module}:f", Courses.measurers)


def leave_quietly(run: Run) -> Iterator[Row]:
    """A measurer that was written as a script."""
    raise SystemExit


def test_a_measurer_that_calls_sys_exit_is_an_error_of_its_run() -> None:
    [played] = play_trials([trial_of(SHORT, 1, measure=(f"{__name__}:leave_quietly",))], Serial())
    assert played.error == "it called sys.exit(None)"


@pytest.mark.parametrize("policy", ["", "words=llm,rest=embedded"])
def test_workers_that_a_models_server_does_not_allow_are_refused(policy: str) -> None:
    """Wherever trials are played: as a sweep, an experiment, or a search."""
    settings = {"llm.concurrency": 1} | ({} if policy else {"policy": "llm"})
    asking = trial_of(load_scenario("first_lesson", steps=2, settings=settings), 1, policy=policy)
    with pytest.raises(EduverseError, match="4 workers cannot share a model's server that may be asked 1 at once"):
        list(play_trials([trial_of(SHORT, 1), asking], Processes(4)))
    assert count_slots(asking) == 1
    assert count_slots(trial_of(SHORT, 1)) is None
    assert count_slots(Trial(scenario=asking.scenario, seed=1, policy="embedded")) is None


def test_a_human_task_is_a_trial_too() -> None:
    rows = play_trial(trial_of(load_scenario("first_lesson"), 1, task="ask_teacher"))
    assert [row.measure for row in rows] == ["done", "steps"]
    assert rows[0].value in (0.0, 1.0)


def test_parameters_are_changed_within_their_ranges() -> None:
    assert with_parameters(SHORT, {"attention.base": 1.0}).settings.parameters == {"attention.base": 1.0}
    with pytest.raises(ScenarioError, match="out of range"):
        with_parameters(SHORT, {"attention.base": 99.0})


def test_a_trial_that_fails_is_told_with_its_factors() -> None:
    bad = trial_of(SHORT, 1, task="fly", factors={"layout": "moon"})
    [played] = play_trials([bad], Serial())
    assert "there is no task 'fly'" in played.error
    assert not played.rows
    with pytest.raises(LessonError, match="moon"):
        measure_trials([bad])


def test_a_measurer_that_has_moved_keeps_the_name_that_keys_of_kept_trials_rest_on() -> None:
    assert EXCHANGES == "eduverse_mesa.experiments.papers.measuring:exchanges"
    assert measurer(EXCHANGES, Courses.measurers) is exchanges
    for name in MOVED:
        assert callable(measurer(name, Courses.measurers))
