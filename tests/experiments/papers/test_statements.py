"""The paper's statements, judged."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd
import pytest

from eduverse_mesa.experiments.papers.eduverse import STATEMENTS, Cell, Cells, judge, judged_table
from eduverse_mesa.experiments.papers.eduverse.published import paper_values
from eduverse_mesa.experiments.papers.eduverse.statements import paper_sides
from tests.experiments.papers.trials import played

pytestmark = pytest.mark.xdist_group("papers")  # they share what was played

LAYOUTS = ("lecture", "collab", "round")


def lessons(value: Callable[[str, int], float], measure: str = "bec.e_positive") -> Cells:
    """Lessons of three genres in each layout, ten seeds, with a made-up share."""
    rows = [
        (variant, layout, genre, "", seed, 1, 0, "", measure, value(layout, seed))
        for variant in ("full",)
        for layout in LAYOUTS
        for genre in ("lyrical_prose", "argumentative_essay", "foreign_fiction")
        for seed in range(1, 11)
    ]
    columns = ["variant", "layout", "genre", "task", "seed", "lesson", "step", "student", "measure", "value"]
    return Cells(pd.DataFrame(rows, columns=columns))


def verdict(cells: Cells, statement: str) -> str:
    [found] = [one for one in judge(cells) if one.statement.id == statement]
    return found.verdict


def test_most_is_more_than_each_of_the_others() -> None:
    assert (
        verdict(lessons(lambda layout, seed: 0.5 + 0.1 * (layout == "collab") + 0.001 * seed), "collab_positive")
        == "holds"
    )
    # More than the mean of the others, and yet not the most.
    second = {"lecture": 0.1, "collab": 0.5, "round": 0.6}
    assert verdict(lessons(lambda layout, seed: second[layout] + 0.001 * seed), "collab_positive") == "fails"


def test_a_difference_that_luck_can_make_is_not_certain() -> None:
    wobbly = lessons(lambda layout, seed: 0.5 + (layout == "collab") * (0.1 if seed % 2 else -0.09))
    assert verdict(wobbly, "collab_positive") == "uncertain"


def test_seeds_are_paired() -> None:
    """What varies from seed to seed alike on both sides does not blur the difference."""
    together = lessons(
        lambda layout, seed: 0.05 * seed + 0.01 * (layout == "collab") + 0.0001 * seed * (layout == "round")
    )
    assert verdict(together, "collab_positive") == "holds"


def test_what_was_not_played_cannot_be_told() -> None:
    assert verdict(lessons(lambda _, seed: 0.5), "history_sparser") == "unknown"
    one = pd.DataFrame(played()[lambda rows: rows["seed"] == 1])
    assert verdict(Cells(one), "collab_high") == "unknown"


def test_the_papers_own_numbers_make_every_statement_true() -> None:
    for one in STATEMENTS:
        for check in one.checks:
            difference = paper_sides(check)[-1]
            if math.isfinite(difference):
                assert difference > 0, check.name
    drawn_only = {
        one.statement.id for one in judge(Cells(pd.DataFrame())) if math.isnan(paper_sides(one.found[0].check)[0])
    }
    assert drawn_only == {"stable"}


def test_the_papers_sides_are_those_of_its_text() -> None:
    sides = {
        found.check.name: paper_sides(found.check)[:2] for one in judge(Cells(pd.DataFrame())) for found in one.found
    }
    assert sides["bec.e_positive: collab > lecture"][0] == pytest.approx(0.546, abs=0.0005)
    assert sides["bec.c_high: collab > round"] == pytest.approx((0.261, 0.179), abs=0.0005)
    assert sides["bec.b_offtask: round > lecture"][0] == pytest.approx(0.254, abs=0.0005)
    assert sides["bec.b_interactive: collab > round"][1] == pytest.approx(0.357, abs=0.0005)
    assert sides["irf.irf: Chinese > history"] == pytest.approx((0.423, 0.226), abs=0.0005)
    assert sides["gain overall: full > noregulate"] == (0.117, 0.098)


def test_every_contrast_is_measured_by_the_experiment_that_it_belongs_to() -> None:
    cells = Cells(played())
    for one in judge(cells):
        for found in one.found:
            assert found.value.n == 2, found.check.name
            assert math.isfinite(found.value.mean), found.check.name
            if found.single in (0, 1):  # both seeds on one side, and so is their mean
                assert (found.value.mean > 0) == bool(found.single), found.check.name


@pytest.mark.parametrize("right", [0, 3, 10])
def test_single_is_the_share_of_seeds_with_the_right_sign(right: int) -> None:
    wobbly = lessons(lambda layout, seed: 0.5 + (layout == "collab") * (0.1 if seed <= right else -0.1))
    [found] = [one for one in judge(wobbly) if one.statement.id == "collab_positive"]
    assert [one.single for one in found.found] == [right / 10] * 2


def test_a_statement_names_cells_that_exist_in_the_paper_or_in_its_figures() -> None:
    papers = paper_values()

    def known(place: Cell) -> bool:
        return place in papers or place.measure.startswith("stability.")

    for statement in STATEMENTS:
        for check in statement.checks:
            assert all(known(place) for place in (*check.cells, *check.minus)), check.name
    assert len({statement.id for statement in STATEMENTS}) == len(STATEMENTS)


def test_judgements_of_one_experiment_as_a_table() -> None:
    table = judged_table(judge(Cells(played()), [3]))
    assert set(table["statement"]) == {"faster", "regulate_gain"}
    assert set(table["verdict"]) <= {"holds", "uncertain", "fails", "unknown"}
