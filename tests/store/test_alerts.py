"""Calls for help as a study keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from eduverse_mesa.errors import StudyError
from eduverse_mesa.store import AlertRow, MessageRow, PlayedStep, Study, TalkRow, Verdict
from eduverse_mesa.store.accounts import add_account
from eduverse_mesa.store.alerts import (
    LONGEST,
    Adult,
    add_alert,
    adult_for,
    adult_in,
    alert_at,
    alerts_for,
    alerts_of,
    all_alerts,
    cleared_in,
    name_adult,
    read_adult,
    settle_alert,
    verdicts_on,
)
from eduverse_mesa.store.classwork import add_assignment, erase_student
from eduverse_mesa.store.dialogues import begin_dialogue, messages_of
from eduverse_mesa.store.migrations import MIGRATIONS
from eduverse_mesa.store.run_list import delete_run
from tests.store.rows import run_row

WORDS = "my dad hits me"


@pytest.fixture
def study(place: str) -> Iterator[Study]:
    with Study.open(place, create=True) as opened:
        yield opened


def a_class(study: Study, teacher: str, pupil: str, made_by: str | None = None) -> tuple[str, str]:
    """A teacher and a pupil of hers, who has a dialogue of the pupil's name."""
    her = add_account(study, teacher, "teacher", "correct horse", made_by=made_by)
    ann = add_account(study, pupil, "student", "correct horse", made_by=her.id)
    work = add_assignment(study, f"of {teacher}", "{}", [ann.id], her.id)
    row = run_row(f"run of {pupil}", kind="collaboration")
    begin_dialogue(study, row, TalkRow(row.id, ann.id, work.id, "steps"))
    return her.id, ann.id


def said(study: Study, run: str, step: int, text: str, *, alarming: bool) -> None:
    study.commit(
        run, PlayedStep(1, step, str(step), message=MessageRow(step, "ann", text, "plan", 1.0), alarming=alarming)
    )


def test_an_alert_comes_with_its_message_or_not_at_all(study: Study) -> None:
    her, _ = a_class(study, "Ms Li", "ann")
    said(study, "run of ann", 1, "hello", alarming=False)
    said(study, "run of ann", 2, WORDS, alarming=True)
    with pytest.raises(StudyError):
        said(study, "run of ann", 2, "again", alarming=True)
    [one] = alerts_for(study, her)
    kept = messages_of(study, "run of ann")[-1]
    assert (one.name, one.talk.run, one.alert.step) == ("ann", "run of ann", 2)
    assert (one.alert.text, one.alert.at, one.alert.verdict) == (WORDS, kept.at, "")
    assert all_alerts(study) == [one.alert]


def test_only_whoever_is_responsible_has_it(study: Study) -> None:
    first, _ = a_class(study, "Ms Li", "ann")
    second, _ = a_class(study, "Mr Wu", "ben", first)
    said(study, "run of ann", 1, WORDS, alarming=True)
    said(study, "run of ben", 1, "i want to die", alarming=True)
    assert [one.name for one in alerts_for(study, first)] == ["ann"]
    assert [one.name for one in alerts_for(study, second)] == ["ben"]


def test_the_first_who_settles_it_stays(study: Study) -> None:
    her, _ = a_class(study, "Ms Li", "ann")
    said(study, "run of ann", 1, WORDS, alarming=True)
    [one] = alerts_for(study, her)
    assert settle_alert(study, one.alert.id, "seen", "Ms Li")
    assert not settle_alert(study, one.alert.id, "false", "Mr Wu")
    [settled] = all_alerts(study)
    assert (settled.verdict, settled.settled_by) == ("seen", "Ms Li")
    assert settled.settled_at >= settled.at
    assert not settle_alert(study, "nobody's", "seen", "Ms Li")


@pytest.mark.parametrize("how", ["the pupil is erased", "the run is deleted"])
def test_it_goes_with_what_it_was_typed_into(how: str, study: Study) -> None:
    _, ann = a_class(study, "Ms Li", "ann")
    said(study, "run of ann", 1, WORDS, alarming=True)
    assert len(all_alerts(study)) == 1
    if how == "the pupil is erased":
        erase_student(study, ann)
    else:
        delete_run(study, "run of ann", abandoned=True)
    assert all_alerts(study) == []


def test_what_somebody_typed_in_a_lesson_is_theirs(study: Study) -> None:
    study.add_run(run_row("a"))
    person = study.add_participant("Ann", "student").id
    alert = alert_at("a", (1, 3), "Liu Li", WORDS, participant=person)
    add_alert(study, alert)
    assert alerts_of(study, person) == [alert]
    assert alerts_of(study, study.add_participant("Ben", "student").id) == []
    with pytest.raises(StudyError):
        add_alert(study, AlertRow("x", "no such run", 1, 1, "Liu Li", WORDS, "now"))


def test_an_older_study_gets_the_table_and_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    with Study.open(str(path), create=True) as study, study.transaction() as connection:
        connection.exec_driver_sql("drop table alerts")
        connection.exec_driver_sql("update meta set value = '6' where key = 'schema'")
    with Study.open(str(path)) as study:
        assert all_alerts(study) == []
        with study.transaction() as connection:
            kept = connection.exec_driver_sql("select value from meta where key = 'schema'").scalar()
        assert kept == str(len(MIGRATIONS) + 1)


def test_what_was_made_of_an_alert_in_format_8_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.study"
    with Study.open(str(path), create=True) as study:
        a_class(study, "Ms Li", "ann")
        for step in (1, 2):
            said(study, "run of ann", step, WORDS, alarming=True)
        waiting, settled = all_alerts(study)
        settle_alert(study, settled.id, "false", "Ms Li")
        with study.transaction() as connection:
            connection.exec_driver_sql("alter table alerts drop column verdicts")
            connection.exec_driver_sql("update meta set value = '8' where key = 'schema'")
    with Study.open(str(path)) as study:
        kept = {one.id: [each[:2] for each in verdicts_on(one)] for one in all_alerts(study)}
    assert kept == {waiting.id: [], settled.id: [("false", "Ms Li")]}


# --- the adult ---


def test_each_teacher_names_an_adult_and_the_study_has_one_for_the_others(study: Study) -> None:
    her, _ = a_class(study, "Ms Li", "ann")
    assert read_adult(study, her) == Adult() == adult_in(study, "run of ann")
    name_adult(study, Adult("the head", "office"))
    assert adult_in(study, "run of ann").name == "the head"
    name_adult(study, Adult(" Ms \n Lee ", "room 12", "116 111"), her)
    assert adult_in(study, "run of ann") == Adult("Ms Lee", "room 12", "116 111") == read_adult(study, her)
    imported = add_account(study, "carl", "student", "correct horse")
    assert adult_for(study, imported).name == "Ms Lee"  # nobody made it: it is in the first teacher's class
    name_adult(study, Adult(), her)
    assert adult_in(study, "run of ann").name == "the head"


def test_an_adult_is_a_few_short_lines_of_text(study: Study) -> None:
    for wrong in (Adult("x" * (LONGEST + 1)), Adult("", "room 12"), Adult("a", "b", "1" * (LONGEST + 1))):
        with pytest.raises(StudyError):
            name_adult(study, wrong)
    assert read_adult(study) == Adult()
    assert name_adult(study, Adult("<b>\u202eLee</b>\x00\n{name}")).name == "<b> Lee</b> {name}"


def test_a_verdict_is_taken_back_and_every_one_is_kept(study: Study) -> None:
    a_class(study, "Ms Li", "ann")
    said(study, "run of ann", 1, WORDS, alarming=True)
    [alert] = all_alerts(study)
    assert not settle_alert(study, alert.id, "", "Ms Li")  # nothing is there to be taken back
    given: tuple[tuple[Verdict, str], ...] = (("false", "Ms Li"), ("", "Ms Li"), ("seen", "Mr Wu"))
    for verdict, by in given:
        assert settle_alert(study, alert.id, verdict, by)
        assert cleared_in(study, "run of ann") == (frozenset({1}) if verdict == "false" else frozenset())
    [alert] = all_alerts(study)
    assert (alert.verdict, alert.settled_by) == ("seen", "Mr Wu")
    assert tuple(one[:2] for one in verdicts_on(alert)) == given
    assert all(at for _, _, at in verdicts_on(alert))
