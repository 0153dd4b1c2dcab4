"""Questions to people as forms, and what is entered in them as replies, without a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from eduverse_mesa.dashboard.lessons.question_form import (
    Unfinished,
    behaviour_of,
    parts_of,
    plan_of,
    reply_of,
    told,
    usual,
)
from eduverse_mesa.decisions import Focus
from eduverse_mesa.policies.human import Act, Feedback, LiveSeat, Pacing, Question, ReplyError, Requests, Turn
from eduverse_mesa.policies.human.questions import LONGEST, check
from eduverse_mesa.runs.player import LessonPlayer
from eduverse_mesa.runs.seats_for_people import seats_of, with_people
from eduverse_mesa.visualization.widgets.form import LONGEST_REPLY as MOST
from eduverse_mesa.visualization.widgets.form import ReplyWidget, entered
from eduverse_mesa.visualization.words import load_words
from eduverse_mesa.vocabulary import BEHAVIOURS, SPOKEN
from tests.runs.courses import course

WORDS = load_words("en")
KINDS = {"choice", "words", "quote", "hint", "head"}


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    """Everything that a student and a teacher are asked in some steps of a lesson."""
    asked: list[Question] = []

    def hear(seat: LiveSeat) -> None:
        question = seat.question
        if question is not None and seat.occupant is not None:
            asked.append(question)
            seat.reply(easiest(question), question.id)

    scenario = course(lessons=1, steps=12, **{"pacing.mode": "adaptive"})
    seats = seats_of(scenario, hear)
    for name in ("Wang Fang", "Ms Lin"):
        seats[name].sit("somebody")
    player = LessonPlayer(scenario, 3, wrap=with_people(scenario, seats))
    player.play()
    assert player.wait(60) == "complete"
    return asked


def easiest(question: Question) -> Any:
    """What costs a person least."""
    if question.form == "requests":
        return Requests(question.requests[0].id)
    if question.form == "act":
        return Act(question.permitted[0], question.partners[0] if question.partners else "", "Well.")
    if question.form == "turn":
        return Turn("asking_question", "Why?", question.names[:1])
    return Feedback() if question.form == "feedback" else Pacing("stay")


def options(parts: list[dict[str, Any]]) -> Iterator[tuple[str, list[str], bool]]:
    for part in parts:
        if part["kind"] == "choice":
            yield part["name"], [option["value"] for option in part["options"]], bool(part.get("many"))


def test_all_forms_are_asked(questions: list[Question]) -> None:
    assert {question.form for question in questions} == {"requests", "act", "turn", "feedback", "pace"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_question_makes_a_form_that_can_be_sent(questions: list[Question], language: str) -> None:
    t = load_words(language)
    for question in questions:
        parts = parts_of(question, t)
        assert {part["kind"] for part in parts} <= KINDS
        names = [part["name"] for part in parts if "name" in part]
        assert len(names) == len(set(names))
        for part in parts:
            assert set(part.get("when") or {}) <= set(names)
        values = {**first_choices(parts), **usual(question)}
        check(question, reply_of(question, values, t))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_plans_words_come_with_the_act_that_says_them(questions: list[Question], language: str) -> None:
    """Whoever uses them needs to choose nothing more."""
    t, filled = load_words(language), []
    for question in questions:
        for part in parts_of(question, t) if question.form == "turn" else []:
            if part["kind"] != "hint":
                continue
            focus = question.decision.view.focus  # type: ignore[attr-defined]
            assert part["text"] not in (focus.do, "")
            filled.append((focus.do, part["fill"]["act"]))
            values = {**usual(question), **part["fill"]}
            turn = check(question, reply_of(question, values, t))
            assert isinstance(turn, Turn)
            assert (turn.words, turn.act) == (part["text"], part["fill"]["act"])
    assert {"explain": "lecturing", "ask": "asking_question"}.items() <= dict(filled).items()
    assert len(set(filled)) == len(dict(filled)), "one act for each thing to do"


def test_what_a_plan_does_without_words_is_told_and_not_said() -> None:
    """An activity may have no text of its own: its name is no sentence for a class."""
    focus = Focus("manage", 0)
    assert plan_of(focus) == ("giving_directions", "")
    assert plan_of(replace(focus, do="explain", idea="It is green.", question="Why?")) == ("lecturing", "It is green.")
    assert plan_of(replace(focus, do="ask", idea="It is green.", question="Why?")) == ("asking_question", "Why?")
    assert plan_of(replace(focus, do="discuss", question="Why?")) == ("organising_discussion", "Why?")
    assert plan_of(replace(focus, question="Why?")) == ("asking_question", "Why?")
    assert plan_of(replace(focus, idea="It is green.", question="Why?")) == ("lecturing", "It is green.")


def test_where_one_act_is_open_it_is_chosen(questions: list[Question]) -> None:
    question = next(one for one in questions if one.form == "turn")
    decision = replace(question.decision, permitted=("praising",))
    forced = Question(question.id, "turn", (decision,), question.asked, None)
    assert usual(forced)["act"] == "praising"
    fills = [part.get("fill") for part in parts_of(forced, WORDS) if part["kind"] == "hint"]
    assert all(set(fill or {"words": ""}) == {"words"} for fill in fills)


def first_choices(parts: list[dict[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {name: [] if many else given[0] for name, given, many in options(parts)}
    return values | {part["name"]: "I say so." for part in parts if part["kind"] == "words"}


def test_what_can_be_chosen_is_what_is_permitted(questions: list[Question]) -> None:
    for question in questions:
        if question.form != "act":
            continue
        shown = {
            behaviour_of(deed)
            for name, given_deeds, _ in options(parts_of(question, WORDS))
            if name == "behaviour"
            for deed in given_deeds
        }
        peerless = {"side_talk", "chat"} if not question.partners and question.request is None else set()
        assert shown == set(question.permitted) - peerless
        assert shown <= set(BEHAVIOURS)


def test_words_are_asked_for_where_something_is_said(questions: list[Question]) -> None:
    for question in questions:
        if question.form == "act":
            parts = parts_of(question, WORDS)
            asked = [part for part in parts if part["kind"] == "words"]
            assert bool(asked) == bool(set(question.permitted) & SPOKEN)


anything = st.dictionaries(
    st.sampled_from(
        ["behaviour", "partner", "words", "mood", "act", "tone", "called", "addressed", "others", "accept", "move"]
    ),
    st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from(["Wang Fang", "Zhang Jie", "Nobody", "\u202e"]), max_size=3),
        st.sampled_from(
            ["ask_teacher", "ask_peer", "chat", "Zhang Jie", "none", "asking_question", "x" * 1500, "stay"]
        ),
    ),
)


@given(values=anything, place=st.integers(0, 200))
def test_whatever_is_entered_is_taken_or_refused_with_a_reason(
    questions: list[Question], values: dict[str, Any], place: int
) -> None:
    question = questions[place % len(questions)]
    names = {part["name"] for part in parts_of(question, WORDS) if "name" in part}
    errors = refused(question, values)
    assert set(errors) <= names | {"partner"}
    assert all(errors.values())


def refused(question: Question, values: dict[str, Any]) -> dict[str, str]:
    """What is held against it, by the names of fields."""
    try:
        check(question, reply_of(question, values, WORDS))
    except Unfinished as unfinished:
        return unfinished.errors or {"": ""}
    except ReplyError as error:
        return told(error, WORDS)
    return {}


def test_what_is_too_long_is_told_with_its_length(questions: list[Question]) -> None:
    question = next(one for one in questions if one.form == "turn")
    errors = refused(question, {"act": "lecturing", "words": "x" * (LONGEST + 1)})
    assert set(errors) == {"words"}
    assert str(LONGEST + 1) in errors["words"]


@pytest.mark.parametrize(
    "values",
    [
        *(None, [], "x", 3, {1: "x"}, {"words": 3}, {"words": None}, {"words": {"a": "b"}}, {"words": ["x", 3]}),
        {"words": "x" * (MOST + 1)},
        {str(n): "" for n in range(1001)},
        {"called": [""] * 1001},
    ],
)
def test_what_is_no_form_is_not_heard(values: Any) -> None:
    heard: list[Any] = []
    widget = ReplyWidget(on_reply=lambda *what: heard.append(what), on_draft=lambda *what: heard.append(what))
    assert entered(values) is None
    for do in ("reply", "draft"):
        widget._hear(widget, {"do": do, "id": 1, "values": values}, [])
    messages: tuple[Any, ...] = (
        None,
        [],
        {"do": "reply"},
        {"do": "reply", "id": True, "values": {}},
        {"do": "x", "id": 1, "values": {}},
    )
    for message in messages:
        widget._hear(widget, message, [])
    assert heard == []
    widget._hear(widget, {"do": "reply", "id": 1, "values": {"words": "Well."}}, [])
    assert heard == [(1, {"words": "Well."})]
