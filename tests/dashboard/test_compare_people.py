"""Comparing runs in which people sat: they are no luck of runs in which nobody did. And letting go of them again."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from eduverse_mesa.dashboard.desk import Desk
from eduverse_mesa.dashboard.lessons.host import host
from eduverse_mesa.dashboard.lessons.lesson import ClassroomLesson, classroom_lesson
from eduverse_mesa.dashboard.lessons.sitter import sitting
from eduverse_mesa.dashboard.pages.compare.comparison import (
    Comparison,
    comparison_of,
    forked,
    stored,
    ticked,
    told_people,
)
from eduverse_mesa.dashboard.pages.compare.forms import take_ticked
from eduverse_mesa.dashboard.pages.studies.study import StudyShelf
from eduverse_mesa.dashboard.sessions import Office
from eduverse_mesa.models.classroom import NoChange, SetTrait
from eduverse_mesa.policies.human import Act, Requests
from eduverse_mesa.runs import fork_run, open_study, record_course, replay_run
from eduverse_mesa.runs.classroom import Run, fork
from eduverse_mesa.runs.comparison import people_in, same_but_for_the_seed
from eduverse_mesa.runs.live_lessons import LiveLesson
from eduverse_mesa.runs.player import view_run
from eduverse_mesa.scenarios import Scenario
from eduverse_mesa.visualization.words import LANGUAGES, load_words
from tests.dashboard.studies import SECRET, small_study
from tests.dashboard.test_compare import last, ticket, wait
from tests.dashboard.test_studies import done
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course
from tests.runs.people import SEAT

STEPS = 5
SCENARIO = course(lessons=1, steps=STEPS)
CHANGE = SetTrait(lesson=1, step=3, student="Zhang Tao", trait="motivation", value=0.9)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("people") / "class.study")


@pytest.fixture(scope="module")
def alone(study: str) -> str:
    """A run in which nobody sat."""
    return record_course(study, SCENARIO, SEED).id


@pytest.fixture(scope="module")
def person(study: str, alone: str) -> str:
    """The same with a person in one seat, who never leaves it and says nothing that would be asked for."""
    return sat_in(study, SCENARIO)


def sat_in(study: str, scenario: Scenario) -> str:
    lesson = LiveLesson(study, scenario, SEED)
    place = lesson.join(lesson.invite(SEAT).token, "browser", "Somebody")
    lesson.player.play()
    end = time.monotonic() + PATIENCE
    while lesson.player.status != "complete":
        assert time.monotonic() < end
        question = place.question()
        if question is not None:
            reply = Requests(None) if question.form == "requests" else Act("head_up")
            place.reply(reply, question.id)
        time.sleep(0.002)
    lesson.close()
    return lesson.player.run.id


def read(study: str, run: str) -> Run:
    with open_study(study, read_only=True) as opened:
        return replay_run(opened, run)


def test_people_are_found_by_their_answers(study: str, alone: str, person: str) -> None:
    assert people_in(read(study, alone)) == ()
    run = read(study, person)
    assert people_in(run) == (SEAT,)
    assert people_in(run, (1, STEPS)) == ()
    assert same_but_for_the_seed(run.spec, [SEAT]) != same_but_for_the_seed(run.spec)


def test_a_run_with_a_person_is_a_side_of_its_own(study: str, alone: str, person: str) -> None:
    sides = last(stored(study, [alone, person])(ticket()))
    assert [len(side.arm.runs) for side in sides] == [1, 1]
    assert [SEAT in side.name for side in sides] == [False, True]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_side_says_who_sat(study: str, alone: str, person: str, language: str) -> None:
    t = load_words(language)
    (side,) = last(stored(study, [person], words=t)(ticket()))
    assert told_people([SEAT], t) in side.name
    assert "…" in told_people(["a", "b", "c", "d"], t)
    for key in ("people", "afresh"):
        assert SEAT in t(f"compare.fork.{key}", names=SEAT)


def test_a_fork_of_a_run_with_a_person_differs_by_its_change_alone(study: str, person: str) -> None:
    parent = read(study, person)
    before, after = last(forked(lambda: parent, (1, 2), CHANGE, ("before", "after"))(ticket()))
    assert after.forked is not None
    assert (after.forked.people, after.forked.afresh) == ((SEAT,), False)
    assert before.shown is not None
    assert people_in(before.shown, (1, 2)) == ()
    same = fork(parent, (1, 2), [NoChange(lesson=1, step=3)])
    assert list(before.shown.answers()) == list(same.answers())

    nothing = NoChange(lesson=1, step=3)
    (_, unchanged) = last(forked(lambda: parent, (1, 2), nothing, ("before", "after"))(ticket()))
    assert unchanged.forked is not None
    assert unchanged.forked.first is None


def test_who_got_up_before_the_fork_makes_no_difference_to_it(study: str, alone: str) -> None:
    parent = read(study, alone)
    before, after = last(forked(lambda: parent, (1, 2), CHANGE, ("before", "after"))(ticket()))
    assert before.shown is parent
    assert after.forked is not None
    assert not after.forked.people


def test_over_seeds_nobody_sits_in_any(study: str, person: str) -> None:
    parent = read(study, person)
    before, after = last(forked(lambda: parent, (1, 2), CHANGE, ("before", "after"), [SEED, SEED + 1])(ticket()))
    assert after.forked is not None
    assert after.forked.afresh
    assert before.arm.seeds == after.arm.seeds == tuple(sorted({SEED, SEED + 1}))
    for side in (before, after):
        assert [people_in(run) for run in side.runs.values()] == [(), ()]


# --- what was ticked ---


def test_what_was_ticked_is_compared_once(study: str, alone: str, person: str) -> None:
    desk = Office().desk("a")
    desk.study, desk.to_compare[:] = study, [alone, person]
    comparison = Comparison()
    assert take_ticked(desk, comparison, load_words())
    assert desk.to_compare == []
    assert not take_ticked(desk, comparison, load_words())
    wait(comparison)
    assert len(comparison.sides) == 2
    assert comparison.study == study


def test_runs_that_differ_in_their_seeds_only_are_both_shown(study: str, alone: str) -> None:
    other = record_course(study, SCENARIO, SEED + 7).id
    names = [side.name for side in last(ticked(study, [alone, other])(ticket()))]
    assert [name.rpartition(" · ")[2] for name in names] == [f"seed {SEED}", f"seed {SEED + 7}"]
    with open_study(study) as opened:
        changed = fork_run(opened, alone, (1, 2), [CHANGE]).id
    sides = last(ticked(study, [alone, other, changed])(ticket()))
    assert [len(side.arm.runs) for side in sides] == [2, 1]


# --- letting go ---


def viewing(desk: Desk, study: str, run: str) -> ClassroomLesson:
    lesson = classroom_lesson(desk)
    assert lesson.open(lambda film: view_run(study, run, progress=film.take), kept=run, study=study)
    lesson.player.wait(PATIENCE)
    return lesson


def test_nothing_that_was_rewritten_is_shown_any_longer(study: str, alone: str, person: str, tmp_path: Path) -> None:
    office = Office()
    desk = office.desk("a")
    lesson, comparison = viewing(desk, study, person), comparison_of(desk)
    comparison.begin(stored(study, [alone, person]), study=study)
    wait(comparison)
    begun = lesson.begun.told

    office.forget(str(tmp_path / "another.study"))
    assert lesson.player.run.id == person
    assert len(comparison.sides) == 2

    office.forget(study)
    assert lesson.player.run.id != person
    assert lesson.begun.told == begun + 1
    assert not lesson.kept
    assert not comparison_of(desk).places
    lesson.close()


def test_a_run_without_people_stays(study: str, alone: str) -> None:
    desk = Office().desk("a")
    lesson = viewing(desk, study, alone)
    desk.forget(study)
    assert lesson.player.run.id == alone
    lesson.close()


def test_a_live_lesson_that_is_over_is_closed_and_seen_no_more(tmp_path: Path) -> None:
    office, study = Office(), str(tmp_path / "live.study")
    lessons = [office.lessons.add(LiveLesson(study, course(lessons=1, steps=2), seed)) for seed in (1, 2)]
    over, rests = lessons
    mine, looking = sitting(office.desk("a")), host(office.desk("b"))
    mine.sit(over.invite(SEAT).token, "Somebody")
    place = mine.place
    assert place is not None
    looking.choose(over)
    view = looking.view(over)
    mine.keep(1, {"words": "What nobody shall read."})
    mine.leave()
    over.player.play()
    assert over.player.wait(PATIENCE) == "complete"
    assert mine.see(place) is not None
    heard = len(over.player._listeners._all)

    office.forget(str(tmp_path / "another.study"))
    assert office.lessons.get(over.id) is over

    office.forget(study)
    assert over.closed
    assert not rests.closed
    assert mine.place is None
    assert (mine._seen, mine._drafts) == (None, {})
    assert looking.lesson is None
    assert len(over.player._listeners._all) == heard - 1
    assert view.player is over.player
    rests.close()


def test_who_is_erased_is_on_no_page_any_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDUVERSE_CACHE", str(tmp_path / "cache.sqlite"))
    study = str(tmp_path / "erased.study")
    runs = small_study(study)
    office = Office()
    office.study = study
    shelf, looking = StudyShelf(office.desk("a")), office.desk("b")
    shelf.look()
    lesson, comparison = viewing(looking, study, runs["person"]), comparison_of(looking)
    comparison.begin(stored(study, [runs["whole"], runs["person"]]), study=study)
    wait(comparison)
    assert SECRET in words_of(lesson)

    shelf.erase("p1")
    done(shelf)
    assert shelf.error is None
    assert SECRET not in words_of(lesson)
    assert not comparison.sides
    lesson.close()
    shelf.close()


def words_of(lesson: ClassroomLesson) -> str:
    with lesson.player.still() as run:
        return " ".join(row.text for played in run.lessons for row in played.model.journal.sentences)
