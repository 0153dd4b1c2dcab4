"""The paper's tables beside ours, errors, and the noise floor."""

from __future__ import annotations

import math
from random import Random
from statistics import NormalDist, fmean

import numpy as np
import pytest

from eduverse_mesa.experiments.papers.eduverse import (
    EXPERIMENTS,
    TABLES,
    Cells,
    beside_real,
    cell,
    compare,
    compared_table,
    errors,
    noise_floor,
    notes,
    published,
    real_errors,
)
from eduverse_mesa.experiments.papers.eduverse.findings import expected_within, repeats
from eduverse_mesa.experiments.papers.eduverse.published import paper_values
from tests.experiments.papers.trials import played

pytestmark = pytest.mark.xdist_group("papers")  # they share what was played


def test_every_number_of_the_papers_tables_is_there() -> None:
    rows = published()
    counted = {table: sum(row.table == table for row in rows) for table in TABLES}
    assert counted == {
        "irf": 9 * 5 + 3 * 4,
        "bec": 9 * 9,
        "ablations": 6 * 9,
        "networks": 12 * 4,
        "centralities": 50 * 4,
        "tasks": 12,
        "evolution": 24 * 4,
        "sessions": 16,
        "regulate": 8,
    }
    assert len({row.cell for row in rows}) == len(rows)
    assert all(math.isfinite(row.paper) for row in rows)


def test_fitted_are_chinese_lectures_collabs_and_the_four_sessions_and_nothing_else() -> None:
    for row in published():
        single = row.table in ("irf", "bec") and row.cell.layout != "round" and row.cell.genre != "world_history"
        sessions = row.table in ("evolution", "sessions", "regulate") and row.cell.variant == "full"
        assert (row.basis == "fitted") == (single or sessions), row


def test_every_number_of_the_paper_is_measured_here() -> None:
    found = {row.published.cell for row in compare(Cells(played()))}
    missing = {row.table for row in published() if row.cell not in found}
    # In six steps somebody may talk with nobody, and then is in no network, or nobody with anybody, and there is none;
    # three tasks are tried in one layout only.
    assert missing <= {"centralities", "networks", "tasks"}
    for table in missing:
        measures = {row.cell.measure for row in published() if row.table == table}
        assert {row.cell.measure for row in published() if row.table == table and row.cell in found} == measures


def test_a_row_says_how_far_we_are_and_whether_the_papers_lesson_is_one_of_ours() -> None:
    [row] = [row for row in published() if row.cell == cell("round", "lyrical_prose", "irf.irf")]
    cells = Cells(played())
    [found] = compare(cells, [row])
    values = list(cells.of(row.cell).values())
    assert found.value.mean == pytest.approx(fmean(values))
    assert found.difference == pytest.approx(fmean(values) - 0.282)
    assert found.within == float(min(values) <= 0.282 <= max(values))
    assert row.real == 0.486
    table = compared_table([found])
    assert table[["paper", "basis", "n"]].to_numpy().tolist() == [[0.282, "predicted", 2]]


def test_errors_of_fitted_and_predicted_cells_are_never_put_together() -> None:
    rows = compare(Cells(played()))
    found = errors(rows)
    for basis in ("fitted", "predicted"):
        [whole] = [error for error in found if (error.table, error.basis) == ("all", basis)]
        own = [row for row in rows if row.published.basis == basis and row.published.table != "sessions"]
        shares = [
            row
            for row in own
            if row.published.cell.measure.split(".")[-1] not in ("steps", "nodes", "edges", "average_degree")
        ]
        assert whole.cells == len(shares)
        assert whole.error == pytest.approx(fmean(abs(row.value.mean - row.published.paper) for row in shares))


def test_the_noise_floor_is_what_a_model_without_fault_would_show() -> None:
    luck = Random(5)
    sd, cells = 0.04, [{seed: luck.gauss(0.3, 0.04) for seed in range(200)} for _ in range(60)]
    floor, floor_to = noise_floor(cells)
    # The mean distance of a normal draw from its mean is sd * sqrt(2/pi).
    assert floor == pytest.approx(sd * math.sqrt(2 / math.pi), rel=0.03)
    of_mean = sd * math.sqrt(1 - 2 / math.pi) / math.sqrt(len(cells))
    assert floor_to == pytest.approx(floor + NormalDist().inv_cdf(0.95) * of_mean, rel=0.05)
    assert math.isnan(noise_floor([{1: 0.5}])[0])


@pytest.mark.parametrize("seeds", [2, 10, 50])
def test_the_share_expected_among_ours_is_what_a_model_without_fault_has(seeds: int) -> None:
    luck = Random(seeds)
    inside = []
    for _ in range(4000):
        low, high = np.quantile([luck.random() for _ in range(seeds)], (0.025, 0.975))
        inside.append(low <= luck.random() <= high)
    assert expected_within(seeds) == pytest.approx(fmean(inside), abs=0.025)


def test_errors_carry_the_share_that_was_to_be_expected() -> None:
    for one in errors(compare(Cells(played()))):
        if math.isfinite(one.within):
            assert one.expected == pytest.approx(0.95 / 3)  # two seeds


def test_real_lessons_are_held_against_the_mean_of_our_layouts_as_in_the_paper() -> None:
    found = beside_real(Cells(played()))
    papers = {row.genre: row.paper for row in found if row.measure == "irf.irf"}
    assert papers == {
        "lyrical_prose": pytest.approx(0.336, abs=0.001),
        "argumentative_essay": pytest.approx(0.554, abs=0.001),
        "foreign_fiction": pytest.approx(0.379, abs=0.001),
        "world_history": pytest.approx(0.226, abs=0.001),
    }
    assert real_errors(found)["irf.irf"][1] == pytest.approx(0.1015, abs=0.0005)
    assert {row.measure for row in found} == {"irf.i", "irf.f", "irf.irf"}


def test_each_experiment_shows_its_own_tables() -> None:
    rows = compare(Cells(played()))
    for experiment in EXPERIMENTS.values():
        shown = [row for row in rows if experiment.shows(row.published)]
        assert {row.published.table for row in shown} == set(experiment.tables)
    assert {row.published.cell.genre for row in rows if EXPERIMENTS[4].shows(row.published)} == {"world_history"}


def test_impossible_cells_are_counted_from_the_papers_own_numbers() -> None:
    found = notes()
    [impossible] = [note for note in found if note.table == "irf" and note.cells]
    papers = paper_values()
    above = [
        place
        for place in papers
        if place.measure == "irf.irf" and papers[place] > papers[place._replace(measure="irf.i")]
    ]
    assert impossible.cells == len(above) == 8
    assert "8 of the 12" in impossible.text


def test_the_paper_has_two_lessons_twice_and_they_are_far_apart() -> None:
    found = {(row.lesson, row.share): row for row in repeats()}
    prose = found["lyrical_prose", "b_interactive"]
    assert prose.alone == 0.398
    assert prose.in_course == pytest.approx(0.2125)
    assert len(found) == 6
