"""Learners and their tutors as what a sweep plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eduverse_mesa.errors import EduverseError
from eduverse_mesa.experiments.engines import Serial
from eduverse_mesa.experiments.subjects import Learners, concepts, subject_of
from eduverse_mesa.experiments.sweeps.execution import run_sweep
from eduverse_mesa.experiments.sweeps.folder import read_sweep
from eduverse_mesa.experiments.sweeps.plan import plan_sweep
from eduverse_mesa.runs.tutoring import taught_results

TEXT = """
kind: sweep
name: arms
tutoring: growing_up
factors:
  arm: [full, base]
  learners: [2]
  grades: [[1, 2]]
  visits: [1]
seeds: 1
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "arms.yaml"
    file.write_text(text)
    return file


def test_a_cohort_is_taught_and_measured_as_its_own_document_says(tmp_path: Path) -> None:
    file = write(tmp_path, TEXT)
    plan = plan_sweep(file)
    assert plan.facts.measure == ("years",)
    run_sweep(file, tmp_path / "out", Serial())
    table = read_sweep(tmp_path / "out")
    full = table[table["arm"] == "full"]
    trial = next(trial for _, trial in plan.trials() if trial.factors["arm"] == "full")
    subject = subject_of(trial.scenario)
    played = subject.play(subject.read(trial.scenario), trial.seed, None)
    told = taught_results(played)
    covered = full[(full["measure"] == "learning.coverage") & (full["student"] != "")]
    found = {(row["student"], row["lesson"]): row["value"] for row in covered.to_dict("records")}
    assert found == {(row["learner"], row["grade"]): row["coverage"] for row in told["coverage"]}
    whole = full[full["lesson"] == 0].set_index("measure")["value"]
    assert whole["learning.leaks"] == told["leaks"]
    assert whole["outcomes.ok"] == told["outcomes"]["ok"]
    base = table[(table["arm"] == "base") & (table["lesson"] == 0)].set_index("measure")["value"]
    assert base["learning.leaks"] > whole["learning.leaks"], "who has no memory tells what it cannot know"
    mastery = [row.value for row in concepts(played)]
    assert mastery
    assert all(0 <= value <= 1 for value in mastery)


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ("arm: [full, base]", "curriculum: [nowhere]", "there is no built-in curriculum 'nowhere'"),
        ("learners: [2]", "learners: [two]", "factors.learners.0: this is no learners. Write a number of learners"),
        ("visits: [1]", "visits: [99]", "factors.visits.0: settings.visits: expected"),
        ("tutoring: growing_up", "tutoring: growing_down", "there is no built-in tutoring 'growing_down'"),
        ("seeds: 1", "measure: [dialogue]", "Take one of years, concepts"),
    ],
)
def test_what_cannot_be_taught_is_told(tmp_path: Path, before: str, after: str, wanted: str) -> None:
    with pytest.raises(EduverseError) as caught:
        plan_sweep(write(tmp_path, TEXT.replace(before, after)))
    assert wanted in str(caught.value)


def test_a_cohort_of_ones_own_lies_beside_the_sweep(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text("kind: cohort\nname: two\nlearners: [{name: Ada}, {name: Bo}]\n")
    plan = plan_sweep(write(tmp_path, TEXT.replace("learners: [2]", "cohort: [two, three_profiles]")))
    people = [[one["name"] for one in json.loads(trial.scenario)["cohort"]["learners"]] for _, trial in plan.trials()]
    assert people[0] == ["Ada", "Bo"]
    assert len(people[1]) == 3
    [first, *_] = [trial for _, trial in plan.trials()]
    assert isinstance(subject_of(first.scenario), Learners)
