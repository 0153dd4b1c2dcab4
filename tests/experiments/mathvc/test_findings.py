"""Dialogues in both arms, their numbers beside the paper's, and what stages and schemas are for."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import pytest

from eduverse_mesa.errors import ScenarioError
from eduverse_mesa.experiments.papers.mathvc import (
    STATEMENTS,
    Findings,
    document,
    find,
    judged_table,
    numbers_table,
    plays_of,
    published,
)
from eduverse_mesa.experiments.papers.mathvc.dialogues import PAPER, SEAT, Plan, run_play, tables_of
from eduverse_mesa.experiments.papers.mathvc.findings import Cell, basis_of, basis_of_statement
from tests.models.groups import setup


@cache
def found() -> Findings:
    """Three problems, two seeds, all arms."""
    group = setup(None)
    few = group.model_copy(update={"problems": tuple(group.problems[:9:4])})
    plays = plays_of(2, source=few)
    with PAPER.open(Plan(plays)) as record:
        record.play()
    return find(tables_of(plays, record.results))


def test_the_papers_numbers_are_those_of_its_study() -> None:
    known = published()
    assert known["turns_per_problem"] == 15.5
    assert known["student_messages"] + known["alice_messages"] + known["bob_messages"] < known["messages"]


def test_every_dialogue_is_played_once_in_each_arm() -> None:
    plays = plays_of(3)
    assert len(plays) == 3 * 9 * 3
    assert len({play.key for play in plays}) == len(plays)


def test_what_stages_and_schemas_are_for_shows() -> None:
    verdicts = {one.statement.id: one for one in found().judged}
    assert set(verdicts) == {one.id for one in STATEMENTS}
    for name in ("order", "fresh", "flawless"):
        assert verdicts[name].verdict == "holds"
    assert verdicts["shorter"].found[0].value.mean > 10
    assert verdicts["wordy"].found[0].value.mean < 0
    assert verdicts["errs"].found[0].value.mean >= 0.8


def test_the_papers_number_stands_beside_ours_only_where_there_is_one() -> None:
    ours = found().numbers
    assert ours[Cell("full", "turns")].published.paper == 15.5
    assert ours[Cell("full", "limited share")].published.paper == pytest.approx(166 / 299)
    assert math.isnan(ours[Cell("vanilla", "stages")].value.mean)
    assert ours[Cell("student", "person share")].published.paper == pytest.approx(295 / 695)
    assert numbers_table(found().compared)["paper"].notna().sum() == 5
    told = judged_table(found()).set_index("statement")["paper"]
    assert told[told.notna()].to_dict() == {"turns": 15.5}


def test_what_was_brought_about_is_told_from_what_was_found() -> None:
    based: dict[Any, Any] = {one.published.cell: one.published.basis for one in found().compared}
    assert based["student", "person share"] == "fitted"
    assert based["student", "turns"] == based["full", "limited share"] == "predicted"
    assert based["full", "acts"] is None
    judged = judged_table(found())
    assert set(judged["statement"][judged["basis"] == "by construction"]) == {"shorter", "flawless", "wordy"}
    assert set(judged["basis"]) == {"by construction", "simulated"}
    assert {one["basis"] for one in document(found())["numbers"]} == {"fitted", "predicted", None}


@pytest.mark.parametrize(
    ("policy", "canned", "fitted"),
    [
        ("embedded", True, True),
        ("llm", False, False),
        ("peers=llm,rest=embedded", False, True),
        ("group=local,rest=embedded", True, False),
        ("chat=llm,peers=embedded", False, True),
        ("@Alice=embedded,rest=llm", True, True),
    ],
)
def test_it_counts_who_was_asked(policy: str, canned: bool, fitted: bool) -> None:
    assert (basis_of_statement("shorter", policy) == "by construction") is canned
    assert (basis_of("student", "person share", 0.42, policy) == "fitted") is fitted
    assert basis_of_statement("errs", policy) == "simulated"


def test_a_scripted_student_speaks_for_itself_and_is_read() -> None:
    numbers: dict[Any, float] = {one.published.cell: one.value.mean for one in found().compared}
    assert 0.35 < numbers["student", "person share"] < 0.65
    assert numbers["full", "person share"] == numbers["vanilla", "person share"] == 0
    one = next(play for play in plays_of(1) if play.arm == "student")
    said = [row for row in run_play(one).journal.messages if row.speaker == SEAT]
    assert {row.role for row in said} == {"person"}
    assert sum(row.clear for row in said) > 0.8 * len(said) > 0


def test_findings_are_plain_data_and_tables() -> None:
    told = document(found())
    assert told["dialogues"] == len(found().table) == 2 * 3 * 3
    assert set(told["answers"]) == {"ok"}
    assert [one["id"] for one in told["statements"]] == judged_table(found())["statement"].tolist()
    assert all(one["mean"] is None or math.isfinite(one["mean"]) for one in told["numbers"])


def test_settings_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ScenarioError, match="nonsense"):
        plays_of(1, settings={"nonsense": 1})
