"""Numbers by the cells of the paper's tables."""

from __future__ import annotations

import pandas as pd
import pytest

from eduverse_mesa.errors import TableError
from eduverse_mesa.experiments.papers.eduverse import Cells, cell
from eduverse_mesa.experiments.papers.eduverse.designs import ATTEMPTS, CHINESE, SESSIONS
from eduverse_mesa.experiments.papers.eduverse.published import stability
from eduverse_mesa.measures import student_stability
from eduverse_mesa.measures.evolution import gain
from eduverse_mesa.runs import run_course
from eduverse_mesa.runs.tables import run_tables
from eduverse_mesa.scenarios import load_scenario
from tests.experiments.papers.trials import STEPS, played

pytestmark = pytest.mark.xdist_group("papers")  # they share what was played


def test_a_cell_holds_a_number_for_each_seed() -> None:
    cells = Cells(played())
    found = cells.of(cell("collab", "foreign_fiction", "bec.e_positive"))
    assert set(found) == {1, 2}
    alone = run_course(
        load_scenario(None, layout="collab", lessons=[CHINESE["foreign_fiction"]], students="six", steps=STEPS), 2
    )
    steps = run_tables(alone).student_steps
    assert found[2] == pytest.approx((steps["emotion"] == "positive").mean())


def test_gains_over_sessions_are_those_of_the_measures() -> None:
    rows = played()
    own = rows[(rows["genre"] == SESSIONS) & (rows["variant"] == "full") & (rows["seed"] == 1)]
    wide = own[own["measure"].str.startswith("evolution.") & (own["student"] != "")].pivot_table(
        index=["lesson", "student"], columns="measure", values="value"
    )
    wide.columns = [name.removeprefix("evolution.") for name in wide.columns]
    expected = gain(wide.reset_index())
    cells = Cells(rows)
    for state in ("b_pos", "e_pos", "c_pos", "overall"):
        found = cells.of(cell("lecture", SESSIONS, f"delta_{state}", session=0))
        assert found[1] == pytest.approx(expected[f"delta_{state}"])


def test_stability_is_the_measures_own() -> None:
    runs = [
        run_tables(run_course(load_scenario(None, lessons=[lesson], steps=8), 1)).student_steps.assign(lesson=number)
        for number, lesson in enumerate(CHINESE.values())
    ]
    steps = pd.concat(runs, ignore_index=True)
    expected = student_stability(steps).set_index("student")
    profiles: dict[tuple[str, str], dict[str, float]] = {}
    for key, part in steps.groupby(["lesson", "student"]):
        lesson, student = map(str, key)
        shares = part["emotion"].value_counts(normalize=True)
        profiles[lesson, student] = {
            name: float(shares.get(name, 0.0)) for name in ("positive", "confused", "negative")
        }
    for student, (own, others) in stability(profiles).items():
        assert own == pytest.approx(expected.loc[student, "e"])
        assert others == pytest.approx(expected.loc[student, "e_others"])


def test_attempts_count_in_whole_batches() -> None:
    rows = played()
    tried = rows[(rows["task"] == "ask_teacher") & (rows["layout"] == "round") & (rows["measure"] == "done")]
    place = cell("round", "lyrical_prose", "task.ask_teacher", session=0)
    found = Cells(rows).of(place)
    assert set(found) == {1, 2}
    assert found[1] == pytest.approx(tried[tried["seed"] <= ATTEMPTS]["value"].mean())
    broken_off = rows[~((rows["task"] == "ask_teacher") & (rows["seed"] == ATTEMPTS + 3))]
    assert set(Cells(broken_off).of(place)) == {1}


def test_the_mean_of_cells_is_over_seeds_that_all_have() -> None:
    rows = played()
    one, other = (cell("lecture", genre, "irf.i") for genre in ("lyrical_prose", "foreign_fiction"))
    less = rows[~((rows["genre"] == "foreign_fiction") & (rows["seed"] == 2))]
    cells = Cells(less)
    assert set(cells.mean([one])) == {1, 2}
    assert cells.mean([one, other]) == {1: (cells.of(one)[1] + cells.of(other)[1]) / 2}
    assert cells.mean([one, cell("moon", "lyrical_prose", "irf.i")]) == {}


def test_an_empty_table_has_no_cells_and_a_wrong_one_is_told() -> None:
    assert Cells(pd.DataFrame()).of(cell("lecture", "lyrical_prose", "irf.i")) == {}
    with pytest.raises(TableError, match="variant"):
        Cells(pd.DataFrame({"seed": [1]}))
