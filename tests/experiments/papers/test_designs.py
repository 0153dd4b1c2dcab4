"""What the four experiments play."""

from __future__ import annotations

from collections import Counter

import pytest

from eduverse_mesa.errors import EduverseError, ScenarioError
from eduverse_mesa.experiments.papers.eduverse import EXPERIMENTS, all_trials, experiments
from eduverse_mesa.experiments.papers.eduverse.designs import ATTEMPTS, batches
from eduverse_mesa.experiments.subjects import scenario_of
from eduverse_mesa.experiments.trials import Trial


def cells(trials: list[Trial]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(str(trial.factors[name]) for name in ("variant", "layout", "genre")) for trial in trials)


def test_experiment_one_is_three_genres_in_three_layouts_and_two_ablations_in_lecture() -> None:
    found = cells(EXPERIMENTS[1].trials(seeds=4))
    assert len(found) == 15
    assert set(found.values()) == {4}
    assert {layout for variant, layout, _ in found if variant != "full"} == {"lecture"}
    assert {variant for variant, _, _ in found} == {"full", "nolocal", "nocog"}


def test_the_scenario_of_a_trial_is_what_its_factors_say() -> None:
    for trial in EXPERIMENTS[1].trials(seeds=1):
        scenario = scenario_of(trial.scenario)
        assert scenario.layout.name == trial.factors["layout"]
        assert [lesson.genre for lesson in scenario.lessons] == [trial.factors["genre"]]
        assert scenario.settings.ablation == (() if trial.factors["variant"] == "full" else (trial.factors["variant"],))
        assert scenario.roll.name == "six"


def test_a_person_tries_each_task_in_batches_as_large_as_the_papers() -> None:
    tasks = Counter((trial.task, trial.factors["layout"]) for trial in EXPERIMENTS[2].trials(seeds=20) if trial.task)
    assert len(tasks) == 12
    assert set(tasks.values()) == {ATTEMPTS * 4}
    assert (batches(1), batches(2), batches(50)) == (1, 2, 10)


def test_experiment_three_is_four_lessons_with_memory_with_and_without_regulation() -> None:
    trials = EXPERIMENTS[3].trials(seeds=1)
    assert [trial.factors["variant"] for trial in trials] == ["full", "noregulate"]
    for trial in trials:
        scenario = scenario_of(trial.scenario)
        assert len(scenario.lessons) == 4
        assert scenario.settings.memory.carry
    assert scenario_of(trials[1].scenario).settings.ablation == ("noregulate",)


def test_history_is_played_by_the_same_class_with_nothing_retuned() -> None:
    trials = {str(trial.factors["genre"]): scenario_of(trial.scenario) for trial in EXPERIMENTS[4].trials(seeds=1)}
    history, prose = trials["world_history"], trials["lyrical_prose"]
    assert history.lessons[0].name == "renaissance"
    assert (history.roll, history.settings) == (prose.roll, prose.settings)


def test_a_lesson_that_several_experiments_need_is_played_once() -> None:
    everything = all_trials(experiments("all"), 2)
    assert len({trial.key for trial in everything}) == len(everything)
    assert len(everything) < sum(len(one.trials(2)) for one in experiments("all"))


def test_settings_and_policy_reach_every_trial() -> None:
    for trial in all_trials(experiments("all"), 1, "scripted", {"gate.threshold": 0.5}):
        assert trial.policy == "scripted"
        assert scenario_of(trial.scenario).settings.gate.threshold == 0.5


@pytest.mark.parametrize("name", ["5", "0", "one", "", "²"])
def test_an_experiment_that_is_none_is_told(name: str) -> None:
    with pytest.raises(EduverseError, match="no experiment"):
        experiments(name)


def test_no_seeds_and_wrong_settings_are_told() -> None:
    with pytest.raises(EduverseError, match="0 seeds"):
        EXPERIMENTS[1].trials(0)
    with pytest.raises(ScenarioError, match="gate"):
        EXPERIMENTS[1].trials(1, settings={"gate.treshold": 0.5})
