"""People who really sat in a lesson are erased from it."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from pathlib import Path

from eduverse_mesa.errors import LessonError
from eduverse_mesa.policies.human import Act, Question, Reply, ReplyError, Turn
from eduverse_mesa.runs import open_study, replay_run
from eduverse_mesa.runs.erasure import erase_participant, participant_document
from eduverse_mesa.runs.live_lessons import LiveLesson, Place
from tests.policies.test_waiting import PATIENCE
from tests.runs.courses import SEED, course
from tests.runs.test_erasing import left
from tests.runs.test_live import sensible

WORDS = {"student": "The narwhal of my uncle Ludmil sings.", "teacher": "Who of you has met my cousin Wilfrieda?"}
THOUGHT = "I miss the harbour of Ystad badly."


def reply_of(question: Question) -> Reply:
    """What an ordinary person would reply, in words that nobody else would use."""
    reply = sensible(question)
    if isinstance(reply, Act):
        spoken = next((one for one in ("answer_question", "chat") if one in question.permitted), reply.behaviour)
        return replace(reply, behaviour=spoken, words=WORDS["student"], thought=THOUGHT)
    return replace(reply, words=WORDS["teacher"]) if isinstance(reply, Turn) else reply


def attend(place: Place, over: threading.Event) -> threading.Thread:
    def live() -> None:
        while not over.is_set():
            question = place.question()
            if question is None:
                time.sleep(0.001)
                continue
            try:
                place.reply(reply_of(question), question.id)
            except (ReplyError, LessonError):
                continue

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    return thread


def test_people_of_a_live_lesson_are_erased_one_by_one(tmp_path: Path) -> None:
    path = str(tmp_path / "live.study")
    lesson = LiveLesson(path, course(lessons=2, steps=4, **{"people.wait": 20.0}), SEED)
    over = threading.Event()
    student = lesson.join(lesson.invite(label="Ottoline Frink").token, "s")
    teacher = lesson.join(lesson.invite(role="teacher", label="Ms Ptarmigan").token, "t")
    threads = [attend(place, over) for place in (student, teacher)]
    lesson.player.play()
    assert lesson.player.wait(PATIENCE * 2) == "complete"
    over.set()
    for thread in threads:
        thread.join(PATIENCE)
    run = lesson.player.run.id
    lesson.close()

    with open_study(path, read_only=True) as opened:
        ids = {row.label: row.id for row in opened.study.participants()}
        kept = participant_document(opened, ids["Ottoline Frink"])
        human = sum(row.source == "human" and row.agent == student.agent for row in opened.study.answers(run))
    assert len(kept["runs"][0]["answers"]) == human > 8
    spoken, thought = WORDS["student"].rstrip("."), THOUGHT.rstrip(".")
    assert left(tmp_path, "Ottoline Frink", spoken, thought, WORDS["teacher"]) == [
        "Ottoline Frink",
        spoken,
        thought,
        WORDS["teacher"],
    ]
    for label, gone, still in (
        ("Ottoline Frink", (spoken, thought, "Ludmil"), [WORDS["teacher"], "Ms Ptarmigan"]),
        ("Ms Ptarmigan", (WORDS["teacher"], "Wilfrieda"), []),
    ):
        done = erase_participant(path, ids[label])
        assert done.complete
        assert (done.lost_answers, done.not_replayed) == (0, ())
        assert left(tmp_path, label, *gone) == []
        assert left(tmp_path, WORDS["teacher"], "Ms Ptarmigan") == still
        with open_study(path, read_only=True) as opened:
            assert replay_run(opened, run).complete
