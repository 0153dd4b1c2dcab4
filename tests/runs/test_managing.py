"""Runs as a person manages them: titles, deletion, and a list that says how each stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.decisions import Bill
from eduverse_mesa.errors import StudyError
from eduverse_mesa.models.classroom import Move
from eduverse_mesa.runs import fork_run, open_study, record_course, replay_run
from eduverse_mesa.runs.studies import Named, RunDocuments, delete_run, rename_run, run_cards
from tests.runs.courses import SEED, course


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A run and its fork."""
    study = str(tmp_path / "a.study")
    record_course(study, course(lessons=2, steps=3), SEED)
    with open_study(study) as opened:
        (run,) = opened.runs()
        fork_run(opened, run, (1, 2), [Move(lesson=1, step=3, student="Zhang Tao", to="r1_1")])
    return study


def test_cards_say_what_replays_say(path: str) -> None:
    with open_study(path) as opened:
        cards = run_cards(opened)
        assert [card.id for card in cards] == opened.runs()
        for card in cards:
            played = replay_run(opened, card.id)
            assert (card.row.steps, card.row.planned) == (played.steps, 6)
            assert sum(card.row.outcomes.values()) == len(list(played.answers()))
            assert card.bill == Bill()
            assert card.row.status == "complete"
        assert cards[1].row.parent == cards[0].id
        given = course(lessons=2, steps=3)
        assert cards[0].plan == cards[1].plan
        assert (cards[0].plan.seed, cards[0].plan.scenario.name) == (SEED, given.name)
        assert cards[0].plan.layout == Named(given.layout.name, given.layout.title)
        assert [one.name for one in cards[0].plan.lessons] == [one.name for one in given.lessons]
        taken = Bill(requests=2, tokens_in=7, usd=0.5)
        opened.study.set_spent(cards[0].id, taken.write())
        assert run_cards(opened)[0].bill == taken


def test_a_plan_that_is_known_is_not_read_again(path: str) -> None:
    with open_study(path) as opened:
        known = {run: RunDocuments(seed=7) for run in opened.runs()[:1]}
        assert [card.plan.seed for card in run_cards(opened, known)] == [7, SEED]


def test_a_title_is_one_line_and_the_id_stays(path: str) -> None:
    with open_study(path) as opened:
        run, fork = opened.runs()
        assert rename_run(opened, run, "  Group\nwork,  first try ") == "Group work, first try"
        assert [card.called for card in run_cards(opened)] == ["Group work, first try", fork]
        assert opened.runs() == [run, fork]
        rename_run(opened, run, "")
        assert run_cards(opened)[0].called == run


def test_a_study_goes_on_without_a_deleted_run(path: str) -> None:
    with open_study(path) as opened:
        run, fork = opened.runs()
        with pytest.raises(StudyError, match="fork"):
            delete_run(opened, run)
        assert delete_run(opened, fork) == [fork]
        assert replay_run(opened, run).complete
        assert delete_run(opened, run) == [run]
        assert run_cards(opened) == []
    record_course(path, course(lessons=1, steps=2), SEED)
    with open_study(path) as opened:
        assert replay_run(opened, opened.newest()).complete
