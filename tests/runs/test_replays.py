"""A recorded run plays again without anybody who answers, up to any step, and notices when it was changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from eduverse_mesa.decisions import Answer, Decision
from eduverse_mesa.errors import EduverseError, StudyError
from eduverse_mesa.policies import make_policy
from eduverse_mesa.runs import Run, open_study, record_course, replay_run, results, run_course, run_tables
from tests.runs.courses import SEED, course

STEPS = 4


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Run]:
    path = tmp_path_factory.mktemp("replays") / "course.study"
    return path, record_course(str(path), course(lessons=2, steps=STEPS), SEED)


@pytest.fixture
def copy(study: tuple[Path, Run], tmp_path: Path) -> Path:
    """A study that a test may damage."""
    target = tmp_path / "copy.study"
    with closing(sqlite3.connect(study[0])) as source, closing(sqlite3.connect(target)) as to:
        source.backup(to)
    return target


def replayed(path: Path, **named: Any) -> Run:
    with open_study(str(path), read_only=True) as opened:
        return replay_run(opened, opened.choose(None).id, **named)


def change(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql, values).rowcount > 0


def forbid(_policy: object, decisions: Sequence[Decision]) -> list[Answer]:
    raise AssertionError(f"somebody was asked: {decisions[0].kind}")


def test_nobody_is_asked_and_everything_is_there(study: tuple[Path, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    path, played = study
    monkeypatch.setattr(type(make_policy("embedded")), "answer", forbid)
    with pytest.raises(AssertionError, match="somebody was asked"):
        run_course(course(lessons=1, steps=1), SEED)
    again = replayed(path)
    assert again.complete
    assert results(again) == results(played)
    for name, mine, theirs in zip(run_tables(again)._fields, run_tables(again), run_tables(played), strict=True):
        pd.testing.assert_frame_equal(mine, theirs, obj=name)
    assert list(again.answers()) == list(played.answers())
    assert [lesson.digests for lesson in again.lessons] == [lesson.digests for lesson in played.lessons]


@pytest.mark.parametrize("until", [(1, 1), (1, STEPS), (2, 2)], ids=str)
def test_a_step_back_is_the_state_at_that_step(study: tuple[Path, Run], until: tuple[int, int]) -> None:
    path, played = study
    back = replayed(path, until=until)
    lesson, step = until
    assert [one.model.state.step for one in back.lessons if one.model.state.step] == [STEPS] * (lesson - 1) + [step]
    digests = {place: digest for one in played.lessons for place, digest in one.digests.items()}
    assert back.lessons[lesson - 1].model.digest() == digests[until]
    before = run_tables(played).student_steps
    done = {one.model.lesson.name for one in played.lessons[: lesson - 1]}
    name = played.lessons[lesson - 1].model.lesson.name
    expected = before[before["lesson"].isin(done) | ((before["lesson"] == name) & (before["step"] <= step))]
    pd.testing.assert_frame_equal(run_tables(back).student_steps, expected.reset_index(drop=True))


@pytest.mark.parametrize("until", [(1, STEPS + 1), (3, 1), (99, 99)], ids=str)
def test_a_step_that_was_not_recorded_is_refused(study: tuple[Path, Run], until: tuple[int, int]) -> None:
    with pytest.raises(StudyError, match=f"no step {until[1]} in lesson {until[0]}") as caught:
        replayed(study[0], until=until)
    assert caught.value.mend


def test_another_digest_is_noticed_at_its_step(copy: Path) -> None:
    change(copy, "update steps set digest = 'x' || digest where lesson = 2 and step = 3")
    with pytest.raises(StudyError, match="lesson 2 goes another way than the recording at step 3"):
        replayed(copy)
    assert replayed(copy, until=(2, 2)).steps == STEPS + 2


def test_another_answer_is_noticed(copy: Path) -> None:
    change(copy, "update answers set content = replace(content, 'lecturing', 'praising') where kind = 'take_turn'")
    with pytest.raises(EduverseError) as caught:
        replayed(copy)
    assert caught.value.mend


@pytest.mark.parametrize("kind", ["plan", "take_turn"])
def test_a_missing_answer_is_noticed(copy: Path, kind: str) -> None:
    change(copy, "delete from answers where lesson = 1 and step = 2 and kind = ?", kind)
    with pytest.raises(EduverseError, match=f"no answer to '{kind}'"):
        replayed(copy)


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("update answers set content = '{' where step = 2", "answers"),
        ("update answers set content = '[1, 2]' where step = 2", "answers"),
        ("update answers set kind = 'yodel' where step = 2", "answers"),
        ("update runs set scenario = 'spring'", "scenario"),
        ("update runs set scenario = '{}'", "scenario"),
        ("update runs set changes = '[{}]'", "scenario and changes"),
    ],
    ids=["no-json", "another-form", "unknown-kind", "no-scenario", "empty-scenario", "no-changes"],
)
def test_what_cannot_be_read_is_said(copy: Path, sql: str, what: str) -> None:
    change(copy, sql)
    with pytest.raises(StudyError, match=f"the {what}.* cannot be read") as caught:
        replayed(copy)
    assert str(copy) in str(caught.value)
    assert caught.value.mend


def test_no_change_of_any_answer_ends_in_a_traceback(copy: Path) -> None:
    """Each name in the answers is exchanged for one that nobody has."""
    change(copy, "update answers set content = replace(content, 'Wang Fang', 'Nobody At All')")
    with pytest.raises(EduverseError):
        replayed(copy)


def test_an_unfinished_run_replays_as_far_as_it_goes(copy: Path) -> None:
    change(copy, "delete from answers where lesson = 2")
    change(copy, "delete from steps where lesson = 2")
    change(copy, "delete from lessons where lesson = 2")
    again = replayed(copy)
    assert (again.steps, again.complete) == (STEPS, False)


def test_a_run_without_any_step_is_an_empty_one(copy: Path) -> None:
    change(copy, "delete from answers")
    change(copy, "delete from steps")
    again = replayed(copy)
    assert (again.steps, again.complete) == (0, False)
    assert results(again)["steps"] == 0
