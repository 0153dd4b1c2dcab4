"""Forks: the same past, the same luck, one difference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.errors import EduverseError, PolicyError, StudyError
from eduverse_mesa.models.classroom import Intervention, Move, NoChange, SetTrait
from eduverse_mesa.policies import ScriptedPolicy, make_policy
from eduverse_mesa.runs import Run, fork, fork_run, open_study, record_course, replay_run, results, run_course
from eduverse_mesa.runs.classroom import refused_moves, tell_refused
from eduverse_mesa.runs.comparison import first_difference, paired_difference
from eduverse_mesa.runs.studies import OpenStudy
from eduverse_mesa.scenarios.layout import all_things, expand_seats
from tests.runs.courses import SEED, course

STEPS = 6
AT = (1, 3)
_, _TABLE = next(iter(all_things(course().layout)))
TABLE, TEACHER = _TABLE.at, course().layout.teacher
MOVED = Move(lesson=1, step=4, student="Wang Fang", to=(28, 18))


@pytest.fixture(scope="module")
def parent() -> Run:
    """The run that all forks in memory branch off."""
    return run_course(course(lessons=2, steps=STEPS), SEED)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenStudy]:
    path = str(tmp_path / "forks.study")
    record_course(path, course(lessons=2, steps=STEPS), SEED)
    with open_study(path) as study:
        yield study


def past(run: Run, upto: tuple[int, int] = AT) -> list[object]:
    return [entry for entry in run.answers() if (entry.lesson, entry.step) <= upto]


@pytest.mark.parametrize("at", [(1, 0), AT, (1, STEPS), (2, 0), (2, 1), (2, STEPS)], ids=str)
def test_a_fork_that_changes_nothing_is_its_parent(parent: Run, at: tuple[int, int]) -> None:
    twin = fork(parent, at, [NoChange(lesson=at[0], step=at[1] + 1)])
    assert list(twin.answers()) == list(parent.answers())
    assert first_difference(parent, twin) is None
    assert set(paired_difference(parent, twin)["difference"].dropna()) == {0.0}
    assert (twin.spec.parent, twin.spec.forked_at) == (parent.id, at)
    assert twin.id != parent.id
    assert {**results(twin), "run": parent.id} == results(parent)


def test_a_moved_seat_leaves_the_past_and_changes_what_follows(parent: Run) -> None:
    child = fork(parent, AT, [MOVED])
    assert past(child) == past(parent)
    difference = first_difference(parent, child)
    assert difference is not None
    assert difference[:2] > AT
    assert child.complete


def test_a_fork_stands_on_its_own(opened: OpenStudy) -> None:
    parent = opened.choose(None)
    child = fork_run(opened, parent.id, AT, [MOVED])
    stored = opened.choose(child.id)
    assert (stored.spec.parent, stored.spec.forked_at) == (parent.id, AT)
    assert stored.spec.changes == (MOVED,)
    assert stored.status == "complete"
    assert results(replay_run(opened, child.id)) == results(child)
    assert list(replay_run(opened, child.id).answers()) == list(child.answers())
    before = replay_run(opened, parent.id)
    assert past(child) == past(before)
    # In memory it is the same.
    assert list(fork(before, AT, [MOVED]).answers()) == list(child.answers())


def test_a_fork_of_a_fork(opened: OpenStudy) -> None:
    first = fork_run(opened, opened.choose(None).id, AT, [MOVED])
    trait = SetTrait(lesson=2, step=3, student="Liu Li", trait="motivation", value=0.0)
    second = fork_run(opened, first.id, (2, 2), [trait])
    assert second.spec.changes == (MOVED, trait)
    assert second.spec.parent == first.id
    assert past(second, (2, 2)) == past(first, (2, 2))
    assert results(replay_run(opened, second.id)) == results(second)
    twin = fork_run(opened, second.id, (2, 4), [NoChange(lesson=2, step=5)])
    assert list(twin.answers()) == list(second.answers())
    assert len(opened.runs()) == len(set(opened.runs())) == 4


def test_the_same_fork_twice_has_two_names(opened: OpenStudy) -> None:
    parent = opened.choose(None).id
    one, other = (fork_run(opened, parent, AT, [MOVED]) for _ in range(2))
    assert one.id != other.id
    assert list(one.answers()) == list(other.answers())


WRONG: list[tuple[tuple[int, int], Intervention, str]] = [
    ((1, STEPS + 1), NoChange(lesson=1, step=STEPS + 2), "no step"),
    ((3, 1), NoChange(lesson=3, step=2), "no step"),
    ((3, 0), NoChange(lesson=3, step=1), "no step"),
    ((0, 0), NoChange(lesson=1, step=1), "no step"),
    ((1, -1), NoChange(lesson=1, step=1), "no step"),
    (AT, MOVED.model_copy(update={"step": 3}), "too early"),
    ((1, STEPS), MOVED.model_copy(update={"step": STEPS + 1}), "nothing follows"),
    ((2, STEPS), MOVED.model_copy(update={"lesson": 2, "step": STEPS + 1}), "nothing follows"),
    (AT, MOVED.model_copy(update={"student": "Nobody"}), "no student 'Nobody'.*Liu Li"),
    (AT, MOVED.model_copy(update={"to": "nowhere"}), "no seat 'nowhere'"),
    (AT, MOVED.model_copy(update={"to": TABLE}), "cannot go to .*stands there and does not move"),
    (AT, MOVED.model_copy(update={"to": TEACHER}), "cannot go to .*Ms Lin is there"),
    (AT, MOVED.model_copy(update={"to": (900, 900)}), "cannot go to .*outside the room"),
]


@pytest.mark.parametrize(("at", "change", "message"), WRONG, ids=range(len(WRONG)))
def test_a_fork_that_cannot_be_is_refused(at: tuple[int, int], change: Intervention, message: str, parent: Run) -> None:
    with pytest.raises(EduverseError, match=message) as caught:
        fork(parent, at, [change])
    assert caught.value.where
    assert caught.value.mend


def test_a_run_with_a_change_that_cannot_be_is_refused_before_it_is_played() -> None:
    for to in (TABLE, "nowhere"):
        with pytest.raises(EduverseError, match=r"nowhere|cannot go to"):
            run_course(course(steps=STEPS), SEED, changes=[MOVED.model_copy(update={"to": to})])


def test_who_is_moved_to_the_own_seat_is_told_not_to_have_moved(parent: Run) -> None:
    row = next(row for row in parent.lessons[0].model.journal.students if row.student == "Wang Fang" and row.step == 3)
    for to in ((row.x, row.y), next(seat.id for seat in expand_seats(course().layout) if seat.at == (row.x, row.y))):
        child = fork(parent, AT, [MOVED.model_copy(update={"to": to})])
        told = tell_refused(*refused_moves(child))
        assert told.startswith("Wang Fang was not moved in step 4")
        assert "sits there already" in told
    assert refused_moves(fork(parent, AT, [MOVED])) == []


def test_a_refused_fork_leaves_no_run(opened: OpenStudy) -> None:
    parent = opened.choose(None).id
    for at, change, message in WRONG:
        with pytest.raises(EduverseError, match=message):
            fork_run(opened, parent, at, [change])
    assert opened.runs() == [parent]
    with pytest.raises(StudyError, match="no run 'none'"):
        fork_run(opened, "none", AT, [MOVED])


def test_who_answered_the_parent_answers_the_fork() -> None:
    """A policy object that cannot be made again from its name is asked for, not exchanged for another."""
    scripted = ScriptedPolicy(lambda decision: None, rest=make_policy("embedded"), name="mine")  # type: ignore[arg-type]
    parent = run_course(course(lessons=1, steps=2), SEED, scripted)
    with pytest.raises(PolicyError, match="no policy 'mine'"):
        fork(parent, (1, 1), [NoChange(lesson=1, step=2)])
    assert fork(parent, (1, 1), [NoChange(lesson=1, step=2)], scripted).complete


def test_a_change_lasts_until_its_lesson_ends(parent: Run) -> None:
    child = fork(parent, AT, [MOVED, SetTrait(lesson=1, step=4, student=MOVED.student, trait="openness", value=0.0)])
    first, second = (lesson.model.classmates[MOVED.student] for lesson in child.lessons)
    before = parent.lessons[1].model.classmates[MOVED.student]
    assert (first.place, first.person.traits.openness) == (MOVED.to, 0.0)
    assert (second.place, second.person.traits.openness) == (before.place, before.person.traits.openness)
    assert before.place != MOVED.to
    assert before.person.traits.openness > 0.0


def test_a_move_for_each_lesson_lasts_for_the_course(parent: Run) -> None:
    child = fork(parent, AT, [MOVED, MOVED.model_copy(update={"lesson": 2, "step": 1})])
    assert [lesson.model.classmates[MOVED.student].place for lesson in child.lessons] == [MOVED.to, MOVED.to]
