"""Lessons held against real ones: which are played, what is measured, and what is said of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from eduverse_mesa.errors import EduverseError, TableError
from eduverse_mesa.experiments.calibration.targets import targets
from eduverse_mesa.experiments.realism import (
    Design,
    Realism,
    compare_with_real,
    from_transcripts,
    play_lessons,
    published,
    read_range,
    report_on,
)
from eduverse_mesa.experiments.realism.design import PLANS, draw_plan, semicircle
from eduverse_mesa.experiments.realism.measures import achievement, top_share
from eduverse_mesa.experiments.realism.regularities import REGULARITIES, judge
from eduverse_mesa.experiments.subjects import scenario_of
from eduverse_mesa.measures import REAL_CLASS_MEASURES
from eduverse_mesa.randomness import Address
from eduverse_mesa.runs import run_course
from eduverse_mesa.runs.tables import run_tables
from eduverse_mesa.scenarios.layout import expand_seats
from eduverse_mesa.scenarios.people import TeacherStyle
from eduverse_mesa.visualization.reports.realism import realism_report
from eduverse_mesa.visualization.reports.text import render_text

pytestmark = pytest.mark.xdist_group("realism")  # what they share is played once

SMALL = Design(lessons=6, smallest=8, largest=12, per_teacher=2)


@pytest.fixture(scope="module")
def report() -> Realism:
    return compare_with_real(SMALL)


def test_every_lesson_has_a_class_of_its_own_and_teachers_give_several() -> None:
    trials = [trial for trial in Design(lessons=9, per_teacher=3).trials() if not trial.factors["pair"]]
    rolls = [scenario_of(trial.scenario).roll for trial in trials]
    assert len({roll.students for roll in rolls}) == 9
    assert [trial.factors["layout"] for trial in trials[:3]] == ["rows", "pods", "semicircle"]
    styles = [roll.teacher.style for roll in rolls if roll.teacher]
    assert styles[0] == styles[2] != styles[3]
    assert len(set(styles)) == 3
    sizes = {len(roll.students) for roll in rolls}
    assert len(sizes) > 2
    assert 20 <= min(sizes) <= max(sizes) <= 30


def test_lessons_in_rows_are_given_again_elsewhere_with_the_same_class_and_luck() -> None:
    trials = [trial for trial in SMALL.trials() if trial.factors["class"] == 0]
    assert [trial.factors["layout"] for trial in trials] == ["rows", "pods", "semicircle"]
    assert len({trial.seed for trial in trials}) == 1
    rolls = {scenario_of(trial.scenario).roll for trial in trials}
    assert len(rolls) == 1
    assert len(list(SMALL.trials())) == SMALL.plays == 10


def test_teachers_draw_plans_that_suit_their_style_and_keep_to_one_in_a_pair() -> None:
    talker = TeacherStyle(talkativeness=0.7, questioning=0.3)
    asker = TeacherStyle(questioning=0.75, pressing=0.3)
    for style, own in ((talker, "mathematics_integers"), (asker, "mathematics_functions")):
        drawn = Counter(draw_plan(Address(seed, 0, 0, "realism"), style) for seed in range(60))
        assert drawn.most_common(1)[0][0] == own
        assert len(drawn) > 1  # nobody gives the same lesson every day
    taught: dict[object, set[str]] = {}
    for trial in Design(lessons=12, per_teacher=3).trials():
        taught.setdefault(trial.factors["class"], set()).add(scenario_of(trial.scenario).lessons[0].name)
    assert all(len(names) == 1 for names in taught.values())
    assert len(set.union(*taught.values())) > 2
    assert {name for names in taught.values() for name in names} <= set(PLANS)


def test_one_lesson_can_be_asked_for() -> None:
    trials = replace(SMALL, lesson="science").trials()
    assert {scenario_of(trial.scenario).lessons[0].name for trial in trials} == {"science"}
    assert replace(SMALL, lesson="science").taught == "science"


def test_thirty_fit_into_the_semicircle() -> None:
    assert len(expand_seats(semicircle())) == 30


def test_settings_hold_in_every_lesson() -> None:
    changed = replace(SMALL, settings={"parameters.attention.base": 1.0})
    assert scenario_of(next(changed.trials()).scenario).settings.parameters == {"attention.base": 1.0}


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: Design(lessons=0),
        lambda: Design(smallest=30, largest=20),
        lambda: Design(largest=31),
        lambda: Design(lessons=600_001),
        lambda: read_range("many"),
        lambda: read_range("20-"),
    ],
    ids=["no lesson", "upside down", "too large", "too many", "no number", "half a range"],
)
def test_a_design_that_cannot_be_played_is_refused(mistake: Callable[[], object]) -> None:
    with pytest.raises(EduverseError, match=r"^(lessons|students): "):
        mistake()


def test_ranges() -> None:
    assert read_range("20-30") == (20, 30)
    assert read_range(" 25 ") == (25, 25)


def test_the_most_active_take_their_share_of_turns() -> None:
    turns = dict.fromkeys("abcdefghijklmnopqrst", 1)  # of twenty, 15 % are three
    assert top_share(turns) == pytest.approx(0.15)
    assert top_share({**turns, "a": 10, "b": 10, "c": 11}) == pytest.approx(31 / 48)
    assert top_share({"a": 3, "b": 0, "c": 0, "d": 0}) == pytest.approx(0.6)  # 15 % of four are 0.6 of one
    assert top_share({"a": 0}) != top_share({"a": 0})


def test_achievement_goes_with_a_trait_as_far_as_the_class_says() -> None:
    model = run_course(scenario_of(next(SMALL.trials()).scenario), 1).lessons[0].model
    traits = [student.person.traits.conscientiousness for student in model.students]
    known = [float(np.mean(student.mind.understanding)) for student in model.students]
    assert achievement(model, "conscientiousness") == pytest.approx(float(np.corrcoef(traits, known)[0, 1]))
    for student in model.students:
        student.mind.understanding[:] = [0.5] * len(student.mind.understanding)
    assert achievement(model, "conscientiousness") != achievement(model, "conscientiousness")


def test_every_measure_stands_beside_the_real_one(report: Realism) -> None:
    assert list(report.measures["measure"]) == list(REAL_CLASS_MEASURES)
    known = published().known
    row = report.measures.set_index("measure").loc["I_rate"]
    ours = report.lessons.loc[~report.lessons["pair"] & ~report.lessons["talk.short"], "talk.I_rate"]
    assert row["mean"] == pytest.approx(ours.mean())
    assert row["sd_ratio"] == pytest.approx(ours.std() / known["I_rate"].sd)
    exact = [
        abs((ours <= value).mean() - share) for share, value in known["I_rate"].quantiles.items() if 0.1 < share < 0.9
    ]
    assert row["ks"] >= max(exact) > 0  # at the published quantiles themselves the difference is certain
    assert (report.measures["ks_low"] <= report.measures["ks"]).all()
    assert (report.measures["ks"] <= report.measures["ks_high"]).all()
    assert row["real_q50"] == known["I_rate"].quantiles[0.5] == 0.540


def test_verdicts_follow_from_the_tables(report: Realism) -> None:
    gaps, distances, spreads, _ = report.verdicts
    assert gaps.reached == bool(report.gaps["within"].all())
    close = int((report.measures["ks"] <= 0.30).sum())
    surely = int((report.measures["ks_high"] <= 0.30).sum())
    assert distances.found == f"{close} of 27 by the estimate, {surely} whatever lies between the quantiles"
    assert distances.reached == (close > 20)
    assert spreads.reached == bool(report.measures["sd_ratio"].between(1 / 1.5, 1.5).all())


def test_what_the_defaults_were_fitted_to_is_said(report: Realism) -> None:
    names = {target.name for target in targets()}
    fitted = {name for name in REAL_CLASS_MEASURES if f"talk.{name}" in names}
    assert set(report.measures.query("basis == 'fitted'")["measure"]) == fitted != set()
    assert set(report.gaps["basis"]) == {"fitted"}
    judged = {one.regularity.key for one in report.regularities if one.basis == "fitted"}
    assert judged == {"teacher_words", "on_task", "target_students"}
    text = render_text(realism_report(report))
    assert "is no test of the model" in text
    assert any(line.startswith("on-task share") and " fitted " in line for line in text.splitlines())
    assert any(line.startswith("I_rate") and " fitted " in line for line in text.splitlines())


def test_nothing_was_fitted_for_another_policy(report: Realism) -> None:
    other = report_on(replace(SMALL, policy="llm"), report.lessons, published())
    found = [*other.measures["basis"], *other.gaps["basis"], *(one.basis for one in other.regularities)]
    assert set(found) == {"predicted"}
    mixed = report_on(replace(SMALL, policy="words=llm,rest=embedded"), report.lessons, published())
    assert set(mixed.gaps["basis"]) == {"fitted"}


def test_the_document_is_plain_and_the_same_again(report: Realism) -> None:
    text = json.dumps(report.document(), allow_nan=False)
    assert json.loads(text)["design"]["lessons"] == 6
    assert json.dumps(compare_with_real(SMALL).document()) == text


def test_real_lessons_against_themselves_reach_every_aim_that_can_be_told(report: Realism) -> None:
    known = {name: published().known[name] for name in REAL_CLASS_MEASURES}
    ours = {f"talk.{name}": [known[name].quantiles[share / 100] for share in (10, 25, 50, 75, 90)] for name in known}
    table = report.lessons[~report.lessons["pair"]].head(5).assign(**ours)
    table["talk.short"] = False
    again = report_on(SMALL, table, published())
    assert again.measures["ks"].max() <= 0.16  # a sample of five against its own quantiles
    assert again.verdicts[1].reached


def test_transcripts_of_ones_own_are_compared_lesson_by_lesson(tmp_path: Path, report: Realism) -> None:
    files = []
    for trial in SMALL.trials():
        if trial.factors["pair"]:
            continue
        sentences = run_tables(run_course(scenario_of(trial.scenario), trial.seed)).sentences
        files.append(tmp_path / f"{trial.factors['class']}.csv")
        sentences.assign(lesson=f"lesson {trial.factors['class']}").to_csv(files[-1], index=False)
    reference = from_transcripts(files)
    again = report_on(SMALL, report.lessons, reference)
    assert reference.exact
    assert again.measures["ks"].max() == 0
    assert again.measures["ks_high"].max() == 0  # single lessons on both sides: nothing is left open
    assert set(again.measures["basis"]) == {"predicted"}  # nothing was fitted to lessons of one's own
    assert again.measures["sd_ratio"].dropna().unique() == pytest.approx([1.0])


def test_aims_are_about_what_the_real_lessons_can_tell(tmp_path: Path, report: Realism) -> None:
    rows = [("T", "T", f"Well, what is {turn} and why?") for turn in range(25)]
    said = [("S", f"S{turn % 6}", f"It is {turn} because of this.") for turn in range(25)]
    lines = [row for pair in zip(rows, said, strict=True) for row in pair]
    file = tmp_path / "uncoded.csv"
    pd.DataFrame(lines, columns=["role", "speaker", "text"]).to_csv(file, index=False)
    again = report_on(SMALL, report.lessons, from_transcripts([file]))
    gaps, distances, spreads, _ = again.verdicts
    assert gaps.found == "0 of 0"  # nobody has coded moves
    assert not gaps.reached
    told = int(again.measures["real_mean"].notna().sum())
    assert 0 < told < 27
    assert distances.found.endswith(f"of {told}")
    assert spreads.found == "0 of 0"  # one lesson has no spread
    json.dumps(again.document(), allow_nan=False)
    assert "1 lesson of your own" in render_text(realism_report(again))


def test_transcripts_without_a_whole_lesson_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "short.csv"
    file.write_text("role,speaker,text\nT,T,Why?\nS,Ann,Because.\n", encoding="utf-8")
    with pytest.raises(TableError, match="fewer than 20 turns"):
        from_transcripts([file])


def planted(**columns: list[float]) -> pd.DataFrame:
    count = len(next(iter(columns.values())))
    facts = {"class": range(count), "teacher": [place % 5 for place in range(count)], "layout": "rows", "pair": False}
    measures = {regularity.measure: 0.5 for regularity in REGULARITIES}
    return pd.DataFrame({**facts, **measures, **columns})


def test_a_figure_fits_where_the_mean_lies_in_the_published_range() -> None:
    fits = {one.regularity.key: one.fit for one in judge(planted(on_task=[0.72, 0.73, 0.74, 0.72, 0.74]))}
    assert fits["on_task"] == "fits"
    fits = {one.regularity.key: one.fit for one in judge(planted(on_task=[0.9, 0.91, 0.9, 0.9, 0.91]))}
    assert fits["on_task"] == "does not fit"
    fits = {one.regularity.key: one.fit for one in judge(planted(on_task=[0.6, 0.7, 0.8, 0.6, 0.7]))}
    assert fits["on_task"] == "near"


def test_a_sign_fits_only_where_the_interval_is_clear_of_zero() -> None:
    for front, fit in (
        ([0.1, 0.12, 0.1, 0.11, 0.1], "fits"),
        ([0.1, -0.12, 0.1, -0.11, 0.1], "near"),
        ([-0.1, -0.12, -0.1, -0.11, -0.1], "does not fit"),
        ([float("nan")] * 5, "cannot be told"),
    ):
        fits = {one.regularity.key: one.fit for one in judge(planted(front_minus_back=front))}
        assert fits["front"] == fit


def test_layouts_are_compared_pair_by_pair() -> None:
    rows = planted(questions=[0.01, 0.02, 0.03, 0.04, 0.05])
    arcs = rows.assign(layout="semicircle", pair=True, questions=rows["questions"] + 0.02)
    found = {one.regularity.key: one for one in judge(pd.concat([rows, arcs], ignore_index=True))}
    assert found["questions"].ours.mean == pytest.approx(0.02)
    assert found["questions"].fit == "fits"
    assert found["individual_work"].fit == "cannot be told"  # nothing was given again in pods


def test_lessons_of_another_policy_are_played_by_it() -> None:
    found = play_lessons(replace(SMALL, lessons=1, policy="embedded"))
    assert list(found["layout"]) == ["rows", "pods", "semicircle"]
