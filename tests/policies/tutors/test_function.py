"""A Python function as a tutor: what it is given, and what becomes of it when it misbehaves."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from eduverse_mesa.decisions.tutoring import Reply, Taught
from eduverse_mesa.errors import PolicyError
from eduverse_mesa.policies.embedded.tutoring import EmbeddedTutoringPolicy
from eduverse_mesa.policies.tutors import LONGEST, FunctionTutor, with_tutor
from eduverse_mesa.policies.tutors.function import takes_task
from tests.policies.tutors.asked import ITEMS, UNIT, teach

History = list[dict[str, str]]


def test_a_tutor_hears_the_dialogue_after_a_line_that_says_what_is_to_be_learned() -> None:
    heard: list[History] = []

    def tutor(history: History) -> str:
        heard.append(list(history))
        history.clear()  # it is the tutor's own copy
        return "And  why?\n"

    asked = teach("Ann", "Hello!", "Um, hello.")
    (answer,) = FunctionTutor(tutor).answer([asked])
    assert (answer.outcome, answer.source, answer.status) == (Taught("And why?", "other"), "tutor", "ok")
    opening, *said = heard[0]
    assert opening["role"] == "learner"
    assert UNIT.outcome in opening["text"]
    assert UNIT.idea not in opening["text"]
    assert said == [{"role": "tutor", "text": "Hello!"}, {"role": "learner", "text": "Um, hello."}]
    assert len(asked.dialogue) == 2


def test_a_tutor_with_two_arguments_is_told_the_task_and_nothing_hidden() -> None:
    told: list[dict[str, Any]] = []

    def tutor(history: History, task: dict[str, Any]) -> str:
        told.append(task)
        return "x"

    FunctionTutor(tutor).answer([teach("Ann", "Hello!", "Hm.")])
    assert told == [
        {
            "learner": "Ann", "grade": 1, "unit": "cork", "outcome": UNIT.outcome, "idea": UNIT.idea, "hint": UNIT.hint,
            "questions": [item.ask for item in ITEMS], "builds_on": [], "turn": 2, "turns_left": 6, "language": "en",
        }
    ]  # fmt: skip


async def waits_a_little(history: History) -> str:
    return str(len(history))


def test_a_tutor_may_be_asynchronous_and_ends_a_dialogue_by_a_mark_nobody_hears() -> None:
    assert FunctionTutor(waits_a_little).answer([teach()])[0].outcome.text == "1"
    (answer,) = FunctionTutor(lambda history: "Goodbye. [end]\n").answer([teach()])
    assert answer.outcome == Taught("Goodbye.", "other", True)


def raises(history: History) -> str:
    raise ValueError("no\nidea")


def leaves(history: History) -> str:
    raise SystemExit(3)


class OwnText(str):
    """Text that falls over where anybody touches it."""

    __slots__ = ()

    def strip(self, *signs: Any) -> str:
        raise RuntimeError("strip")

    def __str__(self) -> str:
        raise RuntimeError("str")


class UntoldError(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("again")


def raises_untold(history: History) -> str:
    raise UntoldError


def test_a_text_of_a_kind_of_its_own_is_heard_as_plain_text() -> None:
    (answer,) = FunctionTutor(lambda history: OwnText("And why?")).answer([teach()])
    assert answer.outcome == Taught("And why?", "other")
    assert type(answer.outcome.text) is str


@pytest.mark.parametrize(
    ("tutor", "reason"),
    [
        (raises_untold, "it crashed: with an exception that cannot be read"),
        (raises, "it crashed: ValueError: no idea"),
        (leaves, "it crashed: SystemExit: 3"),
        (lambda history: None, "it gave NoneType, not text"),
        (lambda history: 5, "it gave int, not text"),
        (lambda history: " \u200b\n[end]", "it said nothing"),
        (lambda history: "a" * (LONGEST + 1), f"it said more than {LONGEST} characters"),
    ],
)
def test_what_is_no_answer_fails_with_its_reason(tutor: Any, reason: str) -> None:
    (answer,) = FunctionTutor(tutor, "mine").answer([teach()])
    assert (answer.outcome, answer.status, answer.source, answer.reason) == (None, "failed", "mine", reason)


def test_a_tutor_that_hangs_is_left_behind_and_after_a_while_not_asked_any_more() -> None:
    asked = []
    never = threading.Event()

    def tutor(history: History) -> str:
        asked.append(1)
        never.wait(90)
        return ""

    answers = FunctionTutor(tutor, deadline=0.02).answer([teach(name) for name in "ABCDE"])
    assert not never.is_set(), "nobody has waited for it"
    never.set()
    assert [answer.reason for answer in answers[:3]] == ["it did not answer within 0.02 s"] * 3
    assert {answer.reason for answer in answers[3:]} == {
        "it did not answer 3 times in a row, and is not asked any more"
    }
    end = time.monotonic() + 90
    while len(asked) < 3 and time.monotonic() < end:  # the thread of one that was given up may begin later
        time.sleep(0.01)
    assert len(asked) == 3


def test_learners_are_asked_side_by_side_and_get_their_own_answers() -> None:
    together = threading.Barrier(3, timeout=90)

    def tutor(history: History, task: dict[str, Any]) -> str:
        together.wait()
        return str(task["learner"])

    answers = FunctionTutor(tutor, at_once=3).answer([teach(name) for name in ("A", "B", "C", "D", "E", "F")])
    assert [answer.outcome.text for answer in answers] == ["A", "B", "C", "D", "E", "F"]


def test_a_tutor_speaks_the_language_of_the_curriculum() -> None:
    (answer,) = FunctionTutor(lambda history: history[0]["text"]).answer([teach(language="zh-CN")])
    assert answer.outcome.text.startswith("你好")


def test_a_tutor_only_teaches() -> None:
    together = with_tutor(FunctionTutor(lambda history: "x", "mine"), EmbeddedTutoringPolicy())
    assert together.name == "teach=mine,rest=embedded"
    with pytest.raises(PolicyError, match=r"no answer to Reply"):
        FunctionTutor(lambda history: "x").answer([Reply(teach().at, None)])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tutor", "wants"),
    [
        (lambda history: "", False),
        (lambda history, temperature=0.5: "", False),
        (lambda history, task=None: "", True),
        (lambda history, what: "", True),
        (lambda *said: "", False),
        (print, False),
    ],
    ids=range(6),
)
def test_a_function_is_told_the_task_if_it_wants_it(tutor: Any, wants: bool) -> None:
    assert takes_task(tutor) is wants


@pytest.mark.parametrize("tutor", [lambda: "", lambda a, b, c: "", lambda history, *, key: ""], ids=range(3))
def test_a_function_that_cannot_be_asked_is_refused(tutor: Any) -> None:
    with pytest.raises(PolicyError, match=r"has to take \(history\)"):
        FunctionTutor(tutor)
    with pytest.raises(PolicyError, match="this is int"):
        FunctionTutor(5)  # type: ignore[arg-type]
