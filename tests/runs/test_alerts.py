"""What people type in a lesson that tells of harm: kept for an adult, and said to nobody else."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from eduverse_mesa.errors import LessonError, StudyError
from eduverse_mesa.policies.human import Act, Feedback, FeedbackWords, Question, Reply, ReplyError, Requests, Turn
from eduverse_mesa.policies.human.questions import texts_of
from eduverse_mesa.runs import open_study, replay_run
from eduverse_mesa.runs.erasure import erase_participant, participant_document
from eduverse_mesa.runs.events import Event
from eduverse_mesa.runs.links import calls_for_help
from eduverse_mesa.runs.live_lessons import LiveLesson, LiveLessons, Place
from eduverse_mesa.store import AlertRow
from eduverse_mesa.store.alerts import alerts_of_lessons, all_alerts, settle_alert
from tests.policies.llm.rehearsal import Rehearsal, policy_with
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course
from tests.runs.test_erasing import left
from tests.runs.test_live import sensible, until

TOLD = "My uncle Ludmil hits me every evening."
THOUGHT = "I want to die, said the narwhal."


def harmful(question: Question) -> Reply:
    """Whatever is asked, somebody writes about harm."""
    reply = sensible(question)
    if isinstance(reply, Act):
        spoken = next((one for one in ("answer_question", "chat") if one in question.permitted), reply.behaviour)
        return replace(reply, behaviour=spoken, words=TOLD, thought=THOUGHT)
    if isinstance(reply, Turn):
        return replace(reply, words=TOLD)
    if isinstance(reply, Requests):
        return replace(reply, reason=TOLD)
    return reply


def attend(place: Place, over: threading.Event) -> threading.Thread:
    def live() -> None:
        while not over.wait(0.001):
            question = place.question()
            if question is not None:
                try:
                    place.reply(harmful(question), question.id)
                except (ReplyError, LessonError):
                    continue

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    return thread


def played(path: str, rehearsal: Rehearsal, **settings: object) -> tuple[LiveLesson, list[Event]]:
    """A lesson in which a language model answers for all but a student and the teacher, who write about harm."""
    events: list[Event] = []
    lesson = LiveLesson(
        path, course(lessons=1, steps=3, **{"people.wait": 20.0, **settings}), SEED, policy_with(rehearsal, "fused")
    )
    lesson.listen(events.append)
    over = threading.Event()
    places = [
        lesson.join(lesson.invite(label="Ottoline Frink").token, "s"),
        lesson.join(lesson.invite(role="teacher", label="Ms Ptarmigan").token, "t"),
    ]
    threads = [attend(place, over) for place in places]
    lesson.player.play()
    assert lesson.player.wait(PATIENCE * 2) == "complete"
    over.set()
    for thread in threads:
        thread.join()
    return lesson, events


def asked(rehearsal: Rehearsal) -> str:
    return " ".join(message.content for call in rehearsal.calls for message in call.messages)


def test_no_model_and_no_classmate_ever_reads_what_tells_of_harm(tmp_path: Path) -> None:
    path, rehearsal = str(tmp_path / "live.study"), Rehearsal()
    lesson, events = played(path, rehearsal)
    heard = " ".join(row.text for row in lesson.player.run.lessons[-1].model.journal.sentences)
    lesson.close()
    assert rehearsal.calls
    for text in ("Ludmil", "narwhal"):
        assert text not in asked(rehearsal)
        assert text not in heard
    assert [event.kind for event in events].count("alert") >= 2
    with open_study(path) as opened:
        [row] = opened.study.runs()
        assert replay_run(opened, row.id).complete
        assert not any("Ludmil" in answer.content for answer in opened.study.answers(row.id))
        kept = [one for one in opened.study.answers(row.id) if "kept out of the lesson" in one.reason]
        assert kept
        assert {one.status for one in kept} <= {"fallback", "failed"}  # a request waits; all else is stood in for
        found = alerts_of_lessons(opened.study)
        assert {one.text for one in found} >= {TOLD, THOUGHT}
        assert all(one.run == row.id and one.participant and one.step >= 1 for one in found)
        assert len({(one.speaker, one.text) for one in found}) == len(found)  # the same is not told again


def test_where_the_teacher_allows_it_the_words_are_said_and_the_alert_is_raised_all_the_same(tmp_path: Path) -> None:
    path, rehearsal = str(tmp_path / "live.study"), Rehearsal()
    lesson, _ = played(path, rehearsal, **{"llm.told_of_harm": True})
    lesson.close()
    assert "Ludmil" in asked(rehearsal)
    with open_study(path) as opened:
        assert TOLD in {one.text for one in all_alerts(opened.study)}


@pytest.fixture
def quiet(tmp_path: Path) -> LiveLesson:
    return LiveLesson(str(tmp_path / "quiet.study"), course(lessons=1, steps=2, **{"people.wait": 20.0}), SEED)


def test_a_name_given_at_the_door_is_read_too_and_nobody_is_called_by_it(quiet: LiveLesson) -> None:
    place = quiet.join(quiet.invite().token, "s", "please help he hits me")
    assert place.label == "Guest 1"
    [alert] = _alerts(quiet)
    assert (alert.text, alert.speaker) == ("please help he hits me", place.agent)
    assert place.calls == (alert.id,)
    quiet.close()


def test_words_that_come_too_late_are_read_too_and_once(quiet: LiveLesson) -> None:
    place = quiet.join(quiet.invite(label="Ann").token, "s")
    for _ in range(2):
        with pytest.raises(ReplyError):
            place.reply(Act("chat", words=TOLD), 999)
    place.overhear([TOLD, "hello"])
    assert [one.text for one in _alerts(quiet)] == [TOLD]
    quiet.close()


def test_what_the_study_cannot_take_is_not_lost(quiet: LiveLesson, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StudyError("the disk is full.")

    place = quiet.join(quiet.invite(label="Ann").token, "s")
    monkeypatch.setattr("eduverse_mesa.runs.seats_for_people.add_alert", full)
    place.overhear([TOLD])
    assert [one.text for one in quiet.unwritten] == [TOLD]
    quiet.close()


def test_all_lessons_of_a_process_are_listened_to(quiet: LiveLesson) -> None:
    lessons, events = LiveLessons(), list[Event]()
    stop = lessons.listen(events.append)
    lessons.add(quiet)
    place = quiet.join(quiet.invite(label="Ann").token, "s")
    place.overhear([TOLD])
    until(lambda: any(one.kind == "alert" for one in events))
    stop()
    lessons.close()


def test_long_texts_are_read_piece_by_piece_and_in_good_time() -> None:
    for before in (0, 1990, 1995, 5000):
        assert calls_for_help("ha " * (before // 3) + TOLD + " ha" * 1000)
    began = time.process_time()
    assert not calls_for_help("x" * 300_000)
    assert time.process_time() - began < 20


def test_every_text_of_a_reply_is_read_whatever_it_is_for() -> None:
    assert texts_of(Requests(None, "why")) == ["why"]
    assert set(texts_of(Act("chat", "Bob", "words", "mood", "thought"))) >= {"words", "thought"}
    items = (FeedbackWords("Bob", "positive", "well done"), FeedbackWords("Ann", "negative", TOLD))
    assert TOLD in texts_of(Feedback(items))


def test_they_are_handed_out_and_erased_with_the_person(tmp_path: Path) -> None:
    path = str(tmp_path / "live.study")
    lesson, _ = played(path, Rehearsal())
    lesson.close()
    with open_study(path) as opened:
        people = {one.label: one.id for one in opened.study.participants()}
        mine = participant_document(opened, people["Ottoline Frink"])["alerts"]
        assert TOLD in {one["text"] for one in mine}
        settle_alert(opened.study, mine[0]["id"], "seen", "host")
    for label in ("Ottoline Frink", "Ms Ptarmigan"):
        erasure = erase_participant(path, people[label])
        assert erasure.complete, erasure.found
    with open_study(path) as opened:
        assert all_alerts(opened.study) == []
    assert left(tmp_path, TOLD, THOUGHT, "Ludmil") == []


def _alerts(lesson: LiveLesson) -> list[AlertRow]:
    assert lesson.player.study
    with open_study(lesson.player.study) as opened:
        return alerts_of_lessons(opened.study)
