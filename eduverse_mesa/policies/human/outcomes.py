"""What a person's reply comes to: the outcomes of the decisions that it answers."""

from __future__ import annotations

from typing import Literal, TypeAlias, cast

from eduverse_mesa.codes import ACT_CATEGORY
from eduverse_mesa.decisions import (
    Decision,
    FedBack,
    FeedbackItem,
    GiveFeedback,
    Outcome,
    Pace,
    Paced,
    Plan,
    Planned,
    React,
    Reacted,
    ScoreRequest,
    Scores,
    TakeTurn,
    Turned,
)
from eduverse_mesa.policies.human.questions import Act, Feedback, Pacing, Reply, Requests, Turn
from eduverse_mesa.policies.human.words import feedback_words, teacher_words

Polarity: TypeAlias = Literal["positive", "neutral", "negative"]
_EVEN = (0.2, 0.2, 0.2, 0.2, 0.2)


def outcome_of(decision: Decision, reply: Reply) -> Outcome | None:
    """The outcome; None where a reply of this form says nothing about this decision."""
    if isinstance(decision, ScoreRequest) and isinstance(reply, Requests):
        return _scores(decision, reply)
    if isinstance(decision, Plan) and isinstance(reply, Act):
        return Planned(reply.thought, reply.behaviour, reply.partner)
    if isinstance(decision, TakeTurn) and isinstance(reply, Turn):
        return _turned(decision, reply)
    if isinstance(decision, GiveFeedback) and isinstance(reply, Feedback):
        return _fed_back(decision, reply)
    if isinstance(decision, Pace) and isinstance(reply, Pacing):
        return Paced(reply.move, reply.reason)  # type: ignore[arg-type]
    return None


def reacted(appraised: Reacted, reply: Act) -> Reacted:
    """Act without deliberation: the person's deed and mood; how deep it thought is appraised."""
    return Reacted(reply.behaviour, reply.mood or appraised.emotion, appraised.cognition, reply.partner)


def as_react(decision: React, reply: Act) -> React:
    """The same moment with nothing left to choose, for appraising what the person did."""
    return React(decision.at, decision.view, (reply.behaviour,), decision.partners, None, decision.recall)


def _scores(decision: ScoreRequest, reply: Requests) -> Scores:
    accepted = reply.accept == decision.request.id
    reason = reply.reason or ("a person took it up" if accepted else "a person turned it down")
    score = 100.0 if accepted else 0.0
    return Scores((score,) * 5, _EVEN, (reason,) * 5)


def _turned(decision: TakeTurn, reply: Turn) -> Turned:
    heard = [said.text for spoken in decision.view.heard for said in spoken.sentences]
    said = teacher_words(reply.words, reply.act, heard)
    addressed = tuple(name for name in reply.addressed if name not in reply.called)
    return Turned(ACT_CATEGORY[reply.act], reply.act, reply.tone, said, reply.called, addressed, decision.view.focus.do)


def _fed_back(decision: GiveFeedback, reply: Feedback) -> FedBack:
    heard = {one.student: one for one in decision.heard}
    items = []
    for item in reply.items:
        theirs = heard.get(item.student)
        sentences = [said.text for said in theirs.sentences] if theirs is not None else []
        asked = theirs is not None and theirs.behaviour == "ask_question" and theirs.addressee == "teacher"
        polarity = cast(Polarity, item.polarity)  # checked before
        items.append(FeedbackItem(item.student, polarity, feedback_words(item.words, sentences), asked))
    return FedBack(tuple(items))
