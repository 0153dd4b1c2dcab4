"""Learners and their tutors in a study: whole or not at all, resumed, replayed, taken out again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import EduverseError, ScenarioError, StudyError
from eduverse_mesa.models.tutoring import Exam, Pause, Question, Saved, Session, Talk, TutoringModel, write_saved
from eduverse_mesa.runs.classroom import replay_run
from eduverse_mesa.runs.studies import OpenStudy, delete_run, open_study, rename_run, run_cards
from eduverse_mesa.runs.tutoring import (
    Tutored,
    begin_tutoring,
    choose_tutoring,
    enter_and_play,
    keep_tutoring,
    learners_after,
    play_tutoring,
    record_tutoring,
    replay_tutoring,
    resume_tutoring,
)
from eduverse_mesa.scenarios.loader import load_tutoring
from eduverse_mesa.scenarios.tutoring import Tutoring
from tests.models.learners import document, taught

SETUP: Tutoring = load_tutoring(document())
MIXED: tuple[Session, ...] = (
    Exam(0.0, 1, "before", (Question("cork", "a"), Question("raft", "b"))),
    Talk(1.0, 1),
    Pause(30.0, 1, 3),
    Talk(31.0, 2, "raft"),
    Exam(32.0, 2, "after", (Question("cork", "a"), Question("raft", "b"))),
)


class Breaking:
    """Answers as the embedded policy does, until it breaks."""

    name = "embedded"

    def __init__(self, after: int) -> None:
        self._own: Any = TutoringModel(SETUP, seed=1).policy
        self.left = after

    def answer(self, decisions: Sequence[Decision]) -> Sequence[Answer]:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self._own.answer(decisions)


def log(opened: OpenStudy, run: str) -> list[str]:
    return list(opened.study.export_log(run))


def everybody(played: Tutored) -> list[bytes]:
    return [write_saved(saved) for saved in played.model.save().values()]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Tutored]:
    path = str(tmp_path_factory.mktemp("taught") / "a.study")
    return path, record_tutoring(path, SETUP, 1, agenda=MIXED)


def test_keeping_abreast_changes_nothing_for_anybody() -> None:
    own = taught()
    kept = play_tutoring("a", begin_tutoring(SETUP, 1).spec, policy=own.policy)
    assert everybody(kept) == [write_saved(saved) for saved in own.save().values()]
    assert sorted(kept.model.journal.lines) == sorted(own.journal.lines)
    assert sorted(kept.model.journal.concepts) == sorted(own.journal.concepts)
    assert [part.number for part in kept.parts if part.complete] == list(range(1, len(own.enrolments[0].agenda) + 1))
    assert sum(part.steps for part in kept.parts) == len(kept.digests)


def test_a_run_is_kept_and_played_again_the_same_to_the_bit(recorded: tuple[str, Tutored]) -> None:
    path, played = recorded
    with open_study(path, read_only=True) as opened:
        again = replay_tutoring(opened, played.id)
        stored = choose_tutoring(opened)
        assert (stored.status, stored.spec.agenda, stored.spec.setup) == ("complete", MIXED, SETUP)
        assert [row.status for row in opened.study.lessons(played.id)] == ["complete"] * len(MIXED)
        assert opened.study.digests(played.id) == played.digests
        kept = [entry for _, entry in opened.study.memories(played.id, "Ann")]
    assert everybody(again) == everybody(played)
    assert again.digests == played.digests
    for rows in ("answers", "lines", "episodes", "tests", "concepts"):
        assert getattr(again.model.journal, rows) == getattr(played.model.journal, rows), rows
    assert [(row.event, row.content) for row in kept] == [
        (row.unit, row.summary) for row in played.model.journal.episodes if row.learner == "Ann"
    ]


def test_every_turn_changes_the_fingerprint(recorded: tuple[str, Tutored]) -> None:
    played = recorded[1]
    other = play_tutoring("a", begin_tutoring(SETUP, 2, agenda=MIXED).spec, policy=played.model.policy)
    talked = {place: digest for place, digest in played.digests.items() if place[0] in (2, 4)}
    assert talked
    assert not any(other.digests.get(place) == digest for place, digest in talked.items())


@pytest.mark.parametrize("after", [0, 1, 4, 11, 25])
def test_a_run_that_was_broken_off_goes_on_as_if_it_had_not_been(
    after: int, recorded: tuple[str, Tutored], tmp_path: Path
) -> None:
    path, whole = str(tmp_path / "b.study"), recorded[1]
    with pytest.raises(KeyboardInterrupt):
        record_tutoring(path, SETUP, 1, Breaking(after), agenda=MIXED)
    with open_study(path) as opened:
        (run,) = opened.runs()
        assert opened.study.run(run).status == "interrupted"
        assert opened.unfinished() == run
        before = len(opened.study.digests(run))
        played = resume_tutoring(opened, run)
        assert before < len(opened.study.digests(run))
        assert opened.study.run(run).status == "complete"
        kept = log(opened, run)
    assert everybody(played) == everybody(whole)
    with open_study(recorded[0]) as opened:
        assert kept == log(opened, whole.id)


_KILLED = """
import os, sys
from eduverse_mesa.runs.tutoring import record_tutoring
from tests.runs.test_tutoring import MIXED, SETUP

def told(done, total):
    if done == 3:
        os.kill(os.getpid(), 9)

record_tutoring(sys.argv[1], SETUP, 1, agenda=MIXED, progress=told)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_program_that_is_killed_loses_no_turn(recorded: tuple[str, Tutored], tmp_path: Path) -> None:
    path = str(tmp_path / "killed.study")
    ended = subprocess.run([sys.executable, "-c", _KILLED, path], check=False, cwd=Path(__file__).parents[2], env={
        **os.environ, "PYTHONPATH": str(Path(__file__).parents[2]),
    })  # fmt: skip
    assert ended.returncode == -signal.SIGKILL
    with open_study(path) as opened:
        (run,) = opened.runs()
        assert [row.lesson for row in opened.study.lessons(run) if row.status == "complete"] == [1, 2, 3]
        assert everybody(resume_tutoring(opened, run)) == everybody(recorded[1])


def test_a_recording_that_goes_another_way_is_refused(recorded: tuple[str, Tutored], tmp_path: Path) -> None:
    path = str(tmp_path / "c.study")
    with open_study(path, create=True) as opened:
        run = keep_tutoring(opened, recorded[1])
        with opened.study.transaction() as connection:
            connection.exec_driver_sql("update steps set digest = 'other' where lesson = 4 and step = 2")
        with pytest.raises(StudyError, match=r"session 4 goes another way.*turn 2"):
            replay_tutoring(opened, run)
        assert replay_tutoring(opened, run, until=(4, 1)).head == (4, 1)
        with pytest.raises(StudyError, match="no turn 99 in session 4"):
            replay_tutoring(opened, run, until=(4, 99))


def test_a_learner_can_be_taken_out_after_any_session(recorded: tuple[str, Tutored]) -> None:
    path, played = recorded
    with open_study(path, read_only=True) as opened:
        found = [learners_after(opened, played.id, session) for session in (2, 4, None)]
        with pytest.raises(StudyError, match=r"session 9 of run .* is not complete\. Name one from 1 to 5"):
            learners_after(opened, played.id, 9)
    assert [one["Bo"].memory.lived for one in found] == [1, 5, 5]
    assert [one["Bo"].session for one in found] == [3, 5, 6]
    assert [write_saved(saved) for saved in found[2].values()] == everybody(played)


def test_copies_of_learners_go_on_in_runs_of_their_own(recorded: tuple[str, Tutored], tmp_path: Path) -> None:
    path = str(tmp_path / "d.study")
    with open_study(path, create=True) as opened:
        first = keep_tutoring(opened, recorded[1])
        middle = learners_after(opened, first, 3)
        start = begin_tutoring(SETUP, 1, agenda=MIXED, began=middle, parent=first, forked_at=(3, 1))
        second = enter_and_play(opened, start)
        assert start.spec.before == 3
        assert [part.number for part in second.parts if part.complete] == [1, 2]
        assert everybody(second) == everybody(recorded[1])
        assert everybody(replay_tutoring(opened, second.id)) == everybody(second)
        assert choose_tutoring(opened, second.id).spec.began == middle
        assert opened.newest() == first
        with pytest.raises(StudyError, match="has 1 fork"):
            delete_run(opened, first)
        assert delete_run(opened, first, with_forks=True) == [first, second.id]
        assert opened.runs() == []


def test_a_stranger_is_not_taught() -> None:
    with pytest.raises(ScenarioError, match="'Zoe' is none of the cohort"):
        begin_tutoring(SETUP, 1, began={"Zoe": Saved("Zoe")})


def test_stopped_between_two_sessions_it_can_be_gone_on_with(recorded: tuple[str, Tutored], tmp_path: Path) -> None:
    path, asked = str(tmp_path / "e.study"), []

    def stop() -> bool:
        asked.append(True)
        return len(asked) == 3

    with open_study(path, create=True) as opened:
        played = enter_and_play(opened, begin_tutoring(SETUP, 1, agenda=MIXED), stop=stop)
        assert (played.complete, played.head) == (False, (2, played.parts[-1].steps))
        assert opened.study.run(played.id).status == "interrupted"
        assert everybody(resume_tutoring(opened, played.id)) == everybody(recorded[1])


def test_a_list_knows_what_is_taught_and_lessons_say_what_they_are_not(
    recorded: tuple[str, Tutored], tmp_path: Path
) -> None:
    path, played = recorded
    with open_study(path) as opened:
        assert rename_run(opened, played.id, "By  the pond") == "By the pond"
        (card,) = run_cards(opened)
        (row,) = opened.overview()
        with pytest.raises(EduverseError, match=r"of learners and their tutors.*eduverse learner"):
            replay_run(opened, played.id)
    assert (card.row.kind, card.plan.curriculum.name, card.plan.cohort.name) == ("tutoring", "ponds", "pair")
    assert (row["kind"], row["curriculum"], row["title"]) == ("tutoring", "ponds", "By the pond")


def test_what_cannot_be_read_is_said_with_its_place(recorded: tuple[str, Tutored], tmp_path: Path) -> None:
    with open_study(str(tmp_path / "f.study"), create=True) as opened:
        run = keep_tutoring(opened, recorded[1])
        with opened.study.transaction() as connection:
            connection.exec_driver_sql("update runs set scenario = 'torn'")
        for read in (opened.overview, lambda: choose_tutoring(opened, run)):
            with pytest.raises(StudyError, match=rf"the cohort and agenda of run {run} cannot be read"):
                read()
