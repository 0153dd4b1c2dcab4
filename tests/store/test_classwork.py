"""Classes of several teachers: what is changed, how far dialogues are, and what goes with a set."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import MessageRow, PlayedStep, Study, TalkRow
from eduverse_mesa.store import classwork as work
from eduverse_mesa.store.accounts import add_account, students_of
from eduverse_mesa.store.classwork import all_problems, delete_problem, save_problem
from eduverse_mesa.store.dialogues import begin_dialogue
from tests.store.rows import run_row

PASSWORD = "correct horse"


@pytest.fixture
def study(place: str) -> Iterator[Study]:
    with Study.open(place, create=True) as opened:
        yield opened


def test_each_teacher_has_a_class_and_what_belongs_to_it(study: Study) -> None:
    imported = add_account(study, "imported", "student", PASSWORD)
    first = add_account(study, "first", "teacher", PASSWORD)
    second = add_account(study, "second", "teacher", PASSWORD, made_by=first.id)
    ann = add_account(study, "ann", "student", PASSWORD, made_by=first.id)
    ben = add_account(study, "ben", "student", PASSWORD, made_by=second.id)
    assert [one.name for one in students_of(study, first.id)] == ["imported", "ann"]
    assert [one.name for one in students_of(study, second.id)] == ["ben"]
    mine = work.add_group(study, "6a", [ann.id], first.id)
    theirs = work.add_group(study, "6b", [ben.id], second.id)
    assert [one.id for one in work.all_groups(study, second.id)] == [theirs.id]
    work.change_group(study, mine.id, "6c", [imported.id, ann.id])
    assert [(one.name, one.members) for one in work.all_groups(study, first.id)] == [("6c", (imported.id, ann.id))]
    with pytest.raises(StudyError, match="no student"):
        work.change_group(study, mine.id, "6c", [second.id])
    work.delete_group(study, mine.id)
    assert [one.id for one in work.all_groups(study)] == [theirs.id]
    given = work.add_assignment(study, "week 1", "{}", [ann.id], first.id)
    assert work.all_assignments(study, second.id) == []
    assert [row.id for row, _ in work.all_assignments(study, first.id)] == [given.id]
    one = save_problem(study, "p", "kind: problem", first.id)
    assert all_problems(study, second.id) == []
    delete_problem(study, one.id)
    assert all_problems(study) == []


def test_how_far_a_dialogue_is_and_what_goes_with_its_set(study: Study) -> None:
    teacher = add_account(study, "Ms Li", "teacher", PASSWORD)
    ann, ben = (add_account(study, name, "student", PASSWORD, made_by=teacher.id) for name in ("ann", "ben"))
    given = work.add_assignment(study, "week 1", "{}", [ann.id, ben.id], teacher.id)
    other = work.add_assignment(study, "week 2", "{}", [ann.id], teacher.id)
    for run, of in (("talk", given.id), ("kept", other.id)):
        begin_dialogue(study, run_row(run, kind="collaboration"), TalkRow(run, ann.id, of, "steps"))
    (before,) = work.progress_of(study, given.id)
    assert before == work.Progress(TalkRow("talk", ann.id, given.id, "steps"), False, 0, "", "", "", "", "")
    said = [("ann", "hi", "understand", "key-of-ann-1"), ("Bob", "hello", "understand", None), ("", "", "plan", None)]
    for step, (who, text, stage, key) in enumerate(said, 1):
        row = MessageRow(step, who, text, stage, 0.0, at=f"2026-01-01T00:00:0{step}+00:00", key=key)
        study.commit("talk", PlayedStep(1, step, f"d{step}", message=row))
    (now,) = work.progress_of(study, given.id)
    assert (now.messages, now.stage, now.speaker, now.text, now.over) == (2, "understand", "Bob", "hello", False)
    assert (now.at[17:19], now.spoke[17:19]) == ("02", "01"), "the last word, and the student's own"
    assert work.how_far(study, ann.id, given.id) == {"steps": False}
    study.set_status("talk", "complete")
    assert work.how_far(study, ann.id, given.id) == {"steps": True}
    assert work.how_far(study, ben.id, given.id) == {}
    assert work.progress_of(study, given.id)[0].over
    work.withdraw(study, given.id, [ann.id, ben.id])
    assert dict(work.all_assignments(study))[given] == (ann.id,), "whoever has begun keeps it"
    work.change_assignment(study, given.id, "week one", '{"a":1}')
    assert work.assignment_row(study, given.id)[1:3] == ("week one", '{"a":1}')
    work.save_survey(study, ann.id, given.id, {"fun": 3})
    assert work.erase_assignment(study, given.id) == ["talk"]
    assert [row.run for row in work.find_talks(study)] == ["kept"]
    assert [row.id for row, _ in work.all_assignments(study)] == [other.id]
    with pytest.raises(StudyError, match="no such set"):
        work.assignment_row(study, given.id)
