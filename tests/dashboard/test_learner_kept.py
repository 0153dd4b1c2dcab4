"""Learners of the page in a study: kept with what was typed to them, taken up again, erased. Without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from eduverse_mesa.dashboard.answerers import Answering
from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.pages.learner.school import SAMPLED, School, SchoolPlan, open_run
from eduverse_mesa.dashboard.pages.learner.work import Bench, bench_of
from eduverse_mesa.dashboard.pages.studies.run import run_tree
from eduverse_mesa.dashboard.run_names import run_name, run_place
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.models.tutoring import write_saved
from eduverse_mesa.runs.erasure import erase_participant
from eduverse_mesa.runs.studies import open_study, run_cards
from eduverse_mesa.runs.tutoring import Dialogues, enter_and_play, go_on_from_run, replay_tutoring, resume_tutoring
from eduverse_mesa.visualization.words import load_words
from tests.dashboard.test_learner_bench import resting
from tests.runs.test_erasing import left

TWO = SchoolPlan(cohort=SAMPLED, learners=2, first=1, last=1, visits=1)
FREE = Answering()
TYPED = "Xylophones remind me of my grandmother's harbour."


def everybody(school: School) -> list[bytes]:
    return [write_saved(school.keep(name)) for name in school.names]


def the_school(bench: Bench) -> School:
    resting(bench)
    assert bench.error is None
    assert bench.school is not None
    return bench.school


def talk(bench: Bench) -> None:
    bench.sit_down(the_school(bench).setup.curriculum.units_of(1)[0].id, 2, FREE)
    resting(bench)
    bench.typed = TYPED
    bench.say()
    resting(bench)
    bench.typed = "Bye."
    bench.say(last=True)


def expect_kept(study: str, school: School) -> None:
    with open_study(study) as opened:
        runs = [chapter.run for chapter in school.chapters]
        assert opened.runs() == runs
        assert [opened.study.run(run).parent for run in runs] == [None, *runs[:-1]]
        assert {opened.study.run(run).status for run in runs} == {"complete"}
        assert [person.label for person in opened.study.participants()] == ["Guest 1"]
        assert [row.run for row in opened.study.sittings(participant="p1")] == [runs[1], runs[3]]
        for chapter in school.chapters:
            assert replay_tutoring(opened, chapter.run).digests == chapter.played.digests
        cards, t = run_cards(opened), load_words("en")
        assert run_name(cards[0], t) == "Science, grades 1 to 5 (after NGSS)"
        assert run_place(cards[0], t)
        assert "Science, grades 1 to 5" in str(run_tree(cards[0], t))


@pytest.fixture
def study(tmp_path: Path) -> str:
    return str(tmp_path / "page.study")


def test_what_is_taught_on_the_page_is_kept_taken_up_again_and_erased(study: str, tmp_path: Path) -> None:
    desk = Desk("somebody", Office())
    bench = bench_of(desk)
    bench.begin(TWO, FREE)
    the_school(bench)
    talk(bench)
    assert [chapter.run for chapter in the_school(bench).chapters] == ["", ""]
    bench.keep(study)
    first, aside = (chapter.run for chapter in the_school(bench).chapters)
    bench.go_on(2, FREE)
    the_school(bench)
    talk(bench)
    school = the_school(bench)
    runs = [chapter.run for chapter in school.chapters]
    assert runs[:2] == [first, aside]
    expect_kept(study, school)
    again = open_run(study, runs[3])
    assert everybody(again) == everybody(school)
    assert again.records == school.records
    assert again.years == school.years
    assert [record.own for record in again.records[again.names[0]]].count(True) == 2
    assert len(open_run(study, runs[0]).records[again.names[0]]) < len(again.records[again.names[0]])

    assert left(tmp_path, TYPED) == [TYPED]
    done = erase_participant(study, "p1")
    bench.go_on(3, FREE)  # as if the program had not heard of it
    resting(bench)
    assert "was changed since these learners were opened" in str(bench.error)
    desk.forget(study)
    assert bench.school is None
    assert (done.complete, done.lost_answers, done.not_replayed) == (True, 0, ())
    assert left(tmp_path, TYPED, "Guest 1") == []
    bench.open_run(study, runs[3])
    assert TYPED not in str(the_school(bench).records)
    talk(bench)
    the_school(bench)
    with open_study(study, read_only=True) as opened:
        assert [person.label for person in opened.study.participants()] == ["", "Guest 2"]


def test_what_is_taught_in_a_study_is_there_turn_by_turn_and_its_learners_open_after_their_last_session(
    study: str,
) -> None:
    bench = Bench()
    bench.begin(TWO, FREE)
    the_school(bench)
    bench.keep(study)
    the_school(bench)
    told: list[int] = []

    def stop_soon() -> None:
        if bench.progress is not None and bench.progress.done >= 4 and not bench.stopping:
            told.append(bench.progress.done)
            bench.stop()

    forget = bench.told.listen(stop_soon)
    bench.go_on(2, FREE)
    school = the_school(bench)
    forget()
    assert told
    run = school.chapters[-1].run
    opened_again = open_run(study, run)
    assert everybody(opened_again) == everybody(school)
    with open_study(study) as opened:
        assert opened.study.run(run).status == "interrupted"
        resume_tutoring(opened, run)
        start = go_on_from_run(opened, run, 1, dialogues=Dialogues(next(iter(school.setup.curriculum.units)), 2))
        side = enter_and_play(opened, start)
    name = school.names[0]
    beside = open_run(study, side.id)
    assert beside.keep(name).session == opened_again.keep(name).session - 1
    assert not beside.records[name][-1].own
