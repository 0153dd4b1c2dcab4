"""Outcomes of the decisions that a person's reply answers, and the moves of the person's words."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import cast

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
    Said,
    ScoreRequest,
    Scores,
    TakeTurn,
    Turned,
)
from eduverse_mesa.policies.embedded.classroom.words.student import split_passages
from eduverse_mesa.policies.human.questions import Act, Feedback, Pacing, Reply, Requests, Turn
from eduverse_mesa.vocabulary import ACT_CATEGORY, Polarity, is_brief

_QUESTION = ("?", "？")
_BECAUSE = re.compile(r"\b(because|since|so that|therefore|that's why|due to)\b|因为|所以|由于", re.IGNORECASE)
_RELATING = re.compile(r"\b(i (dis)?agree|like (he|she|they) said|adding to)\b|同意|补充", re.IGNORECASE)
_WHY = re.compile(r"\b(why|how do you know|how come|explain|reason)\b|为什么|怎么知道|理由|原因", re.IGNORECASE)
_RELATE = re.compile(
    r"\b(agree|disagree|add to|in your own words|what (do|does) .* think of)\b|同意|补充|怎么看", re.IGNORECASE
)
_LOST = re.compile(r"\b(i (don't|do not) know|no idea|not sure)\b|不知道|不清楚", re.IGNORECASE)
_TALK = frozenset({"stand_answer", "answer_question", "group_discussion", "side_talk", "ask_question"})
_ASKING = frozenset({"asking_question", "organising_discussion", "adopting_input", "expressing_emotion", "praising"})
_REPEATED = 12
"""Characters that a teacher repeats of what was said before it counts as repeating (5 in Chinese)."""
_CJK = re.compile("[\u3400-\u9fff]")


def student_words(text: str, behaviour: str, classmates: Collection[str]) -> tuple[Said, ...]:
    """Sentences of a student, each with its move: ask, evidence, relate, claim, or none of these."""
    sentences = split_passages(text)
    said = [Said(sentence, _student_move(sentence, behaviour, classmates)) for sentence in sentences]
    if behaviour == "ask_question" and said and all(one.move != "ask" for one in said):
        said[-1] = Said(said[-1].text, "ask")  # not everybody types question marks
    return tuple(said)


def _student_move(sentence: str, behaviour: str, classmates: Collection[str]) -> str:
    if behaviour not in _TALK:
        return "none"
    if sentence.endswith(_QUESTION):
        return "ask"
    if _BECAUSE.search(sentence):
        return "evidence"
    if _RELATING.search(sentence) or any(name in sentence for name in classmates):
        return "relate"
    if behaviour == "ask_question" or _LOST.search(sentence):
        return "none"
    # A word or two answer a question; beside the lesson they are noises of agreement.
    return "claim" if behaviour in ("stand_answer", "answer_question") or not is_brief(sentence) else "none"


def teacher_words(text: str, act: str, heard: Collection[str]) -> tuple[Said, ...]:
    """Sentences of the teacher, each with its move: press, relate, restate, revoice, keep together, or none."""
    return tuple(Said(sentence, _teacher_move(sentence, act, heard)) for sentence in split_passages(text))


def _teacher_move(sentence: str, act: str, heard: Collection[str]) -> str:
    asks = sentence.endswith(_QUESTION)
    if asks and act in _ASKING:
        return _press(sentence)
    if repeats(sentence, heard):
        return "restate"
    if act == "adopting_input":
        return "revoice"
    if asks or act == "giving_directions" or ACT_CATEGORY[act] == "management" or act == "organising_discussion":
        return "keep-together"
    return "none"


def feedback_words(text: str, heard: Collection[str]) -> tuple[Said, ...]:
    """Sentences of the teacher to one student, each with its move."""
    return tuple(
        Said(
            sentence,
            _press(sentence) if sentence.endswith(_QUESTION) else "restate" if repeats(sentence, heard) else "none",
        )
        for sentence in split_passages(text)
    )


def _press(sentence: str) -> str:
    if _RELATE.search(sentence):
        return "get-to-relate"
    return "press-reasoning" if _WHY.search(sentence) else "press-accuracy"


def repeats(sentence: str, heard: Collection[str]) -> bool:
    """Return True if a sentence repeats a good piece of what was said."""
    mine = sentence.casefold()
    for theirs in heard:
        bare = theirs.casefold().strip(" .!?。！？…")
        length = len(bare)
        if length >= (_REPEATED if not _CJK.search(bare) else 5) and bare in mine:
            return True
    return False


_EVEN = (0.2, 0.2, 0.2, 0.2, 0.2)


def outcome_of(decision: Decision, reply: Reply) -> Outcome | None:
    """The outcome; None if a reply of this form says nothing about this decision."""
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
    """Act without deliberation: the person's deed and mood; the depth of their thinking is appraised."""
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
