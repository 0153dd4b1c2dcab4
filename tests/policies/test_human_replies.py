"""Replies of people: hostile, late and twice ones; and the moves that are heard in what people type."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from eduverse_mesa.policies.human import (
    Act,
    Feedback,
    FeedbackWords,
    LiveSeat,
    Pacing,
    Question,
    Reply,
    ReplyError,
    Requests,
    Turn,
)
from eduverse_mesa.policies.human.outcomes import feedback_words, student_words, teacher_words
from tests.policies.test_human import NAME, played, quiet
from tests.policies.test_waiting import PATIENCE

# --- hostile replies ---


def open_question(form: str) -> tuple[LiveSeat, Question]:
    """A seat with an open question of this form, which was taken from a real lesson."""
    agent = "Teacher" if form in ("turn", "feedback", "pace") else NAME
    found: list[Question] = []
    replies: dict[str, Callable[[Question], Reply]] = {
        "act": quiet,
        "requests": quiet,
        "turn": lambda q: Turn("lecturing", "Listen."),
        "feedback": lambda q: Feedback(),
        "pace": lambda q: Pacing("stay"),
    }

    def note(question: Question) -> Reply:
        if question.form == form:
            found.append(question)
        return replies[question.form](question)

    played(note, agent, steps=6, **{"pacing.mode": "adaptive"})
    seat = LiveSeat(agent, "student")
    seat.sit("p1")
    threading.Thread(target=_ask, args=(seat, found[0]), daemon=True).start()
    while seat.question is None:
        time.sleep(0.0005)
    return seat, seat.question


def _ask(seat: LiveSeat, question: Question) -> None:
    import asyncio

    asyncio.run(seat.ask(question.decisions, PATIENCE))


HOSTILE: dict[str, list[tuple[Any, str]]] = {
    "act": [
        (Act("fly"), "behaviour"),
        (Act(""), "behaviour"),
        (Act("stand_answer", words="x"), "behaviour"),
        (Act("side_talk", "Nobody At All", "hi"), "partner"),
        (Act("side_talk", "", "hi"), "partner"),
        (Act("ask_question", "<script>", "hi"), "partner"),
        (Act("ask_question", "teacher", ""), "words"),
        (Act("ask_question", "teacher", " \u200b\u202e "), "words"),
        (Act("ask_question", "teacher", "x" * 1001), "words"),
        (Act("head_up", mood="ecstatic"), "mood"),
        (Act(["head_up"]), "behaviour"),  # type: ignore[arg-type]
        (Act("head_up", words=None), "words"),  # type: ignore[arg-type]
        (Requests(None), ""),
        (None, ""),
        ("head_up", ""),
    ],
    "requests": [(Requests(99), "accept"), (Requests(True), "accept"), (Requests("1"), "accept"), (Act("head_up"), "")],  # type: ignore[arg-type]
    "turn": [
        (Turn("dancing", "x"), "act"),
        (Turn("lecturing", ""), "words"),
        (Turn("lecturing", "x", ("Nobody",)), "called"),
        (Turn("lecturing", "x", (), ("Nobody",)), "addressed"),
        (Turn("lecturing", "x", "Wang Fang"), "called"),  # type: ignore[arg-type]
        (Turn("lecturing", "x", tone="icy"), "tone"),
        (Turn("lecturing", "x" * 2000), "words"),
    ],
    "feedback": [
        (Feedback((FeedbackWords("Nobody", "positive", "x"),)), "student"),
        (Feedback((FeedbackWords(NAME, "great", "x"),)), "polarity"),
        (Feedback((FeedbackWords(NAME, "positive", ""),)), "words"),
        (Feedback((FeedbackWords(NAME, "positive", "x"), FeedbackWords(NAME, "neutral", "y"))), "student"),
        (Feedback(("x",)), "items"),  # type: ignore[arg-type]
        (Feedback(7), "items"),  # type: ignore[arg-type]
    ],
    "pace": [(Pacing("jump"), "move"), (Pacing("stay", "x" * 1001), "reason")],
}


@pytest.mark.parametrize("form", HOSTILE)
def test_a_reply_that_cannot_be_taken_leaves_the_question_open(form: str) -> None:
    seat, question = open_question(form)
    for reply, field in HOSTILE[form]:
        with pytest.raises(ReplyError) as caught:
            seat.reply(reply)
        assert caught.value.field == field, reply
        assert seat.question is question


def test_a_reply_to_a_question_that_is_over_is_refused() -> None:
    seat, question = open_question("act")
    seat.reply(Act("head_up"), question.id)
    with pytest.raises(ReplyError, match="not asked any more"):
        seat.reply(Act("head_up"), question.id)
    with pytest.raises(ReplyError, match="not asked any more"):
        LiveSeat(NAME, "student").reply(Act("head_up"))


def test_of_many_replies_one_is_taken() -> None:
    seat, question = open_question("act")
    taken: list[int] = []

    def send(number: int) -> None:
        try:
            seat.reply(Act("head_up", thought=str(number)), question.id)
            taken.append(number)
        except ReplyError:
            pass

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(32)))
    assert len(taken) == 1
    act = seat.said(question.place)
    assert act is not None
    assert act.thought == str(taken[0])


# --- moves ---


@pytest.mark.parametrize(
    ("text", "behaviour", "moves"),
    [
        ("What is that?", "ask_question", ["ask"]),
        ("I want to know what that is", "ask_question", ["ask"]),
        ("It is green because of the light. Right?", "answer_question", ["evidence", "ask"]),
        ("I agree with Li. It grows.", "answer_question", ["relate", "claim"]),
        ("Green", "stand_answer", ["claim"]),
        ("I don't know.", "stand_answer", ["none"]),
        ("okay", "group_discussion", ["none"]),
        ("lunch is at twelve", "chat", ["none"]),
        ("因为春天来了。你同意吗？", "answer_question", ["evidence", "ask"]),
        ("Like Wang Fang I think so", "group_discussion", ["relate"]),
    ],
)
def test_moves_of_a_students_words(text: str, behaviour: str, moves: list[str]) -> None:
    assert [said.move for said in student_words(text, behaviour, ("Wang Fang",))] == moves


@pytest.mark.parametrize(
    ("text", "act", "moves"),
    [
        ("What is it? And why?", "asking_question", ["press-accuracy", "press-reasoning"]),
        ("Open your books. Ready?", "giving_directions", ["keep-together", "keep-together"]),
        ("The leaves turn green in spring, you say. Growth, that is.", "adopting_input", ["restate", "revoice"]),
        ("Spring comes.", "lecturing", ["none"]),
        ("Wake up!", "addressing_sleepers", ["keep-together"]),
    ],
)
def test_moves_of_a_teachers_words(text: str, act: str, moves: list[str]) -> None:
    assert [said.move for said in teacher_words(text, act, ["The leaves turn green in spring."])] == moves


def test_moves_of_feedback() -> None:
    said = feedback_words("Leaves turn green, yes. How do you know?", ["leaves turn green"])
    assert [one.move for one in said] == ["restate", "press-reasoning"]
