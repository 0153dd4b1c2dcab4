"""What a student is asked in words, and what its answers mean: one pair of functions for each stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eduverse_mesa.codes import COGNITION_LEVEL, EMOTIONS, PEER_REQUESTS, SPOKEN, TO_CLASS
from eduverse_mesa.decisions import (
    STRATEGIES,
    Draft,
    Drafted,
    Monitor,
    Monitored,
    Plan,
    Planned,
    React,
    Reacted,
    Regulate,
    Regulated,
    Said,
    ScoreRequest,
    Scores,
    Style,
    Styled,
    Summarise,
    Summarised,
)
from eduverse_mesa.policies.cleaning import name_of, quote
from eduverse_mesa.policies.llm.asking import Question
from eduverse_mesa.policies.llm.prompter import Prompter
from eduverse_mesa.policies.llm.prompts.scene_blocks import addressee, ten
from eduverse_mesa.policies.llm.prompts.student_blocks import accepted_request, refusals
from eduverse_mesa.policies.llm.shape import Many, Number, OneOf, Record, Shape, Words

GROUNDS = ("personality", "confidence", "relevance", "history", "closeness")
MOVES = ("none", "relate", "ask", "claim", "evidence")

_THOUGHT = Words(140)
_REASON = Words(60)
_SPOKEN = Words(160)
_EMOTION = OneOf(EMOTIONS)
_COGNITION = OneOf(tuple(COGNITION_LEVEL))
_STRATEGY = OneOf(STRATEGIES)
_GROUND = Record({"reason": _REASON, "score": Number(0, 100), "weight": Number(0, 10)})
_SENTENCE = Record({"text": _SPOKEN, "move": OneOf(MOVES)})


def said(sentences: Sequence[Mapping[str, Any]]) -> tuple[Said, ...]:
    """Sentences of an answer as they are spoken; who writes the same one twice has said it once."""
    once = {sentence["text"]: sentence["move"] for sentence in reversed(sentences)}
    return tuple(Said(text, once[text]) for text in dict.fromkeys(sentence["text"] for sentence in sentences))


def _spoken(sentences: Sequence[Said]) -> str:
    return quote(" ".join(sentence.text for sentence in sentences))


def ask_score(prompter: Prompter, decision: ScoreRequest) -> Question:
    """How willing are you to take up this request?"""
    view, request = decision.view, decision.request
    words = prompter.words(view.scene.lesson)
    blocks = {
        "sender": name_of(request.sender),
        "request": f"{words['codes'][request.kind]}. {quote(request.text)}",
        "history": words["history"].format(
            exchanges=decision.exchanges, asked=decision.asked_before, closeness=ten(decision.closeness)
        ),
    }
    fields: dict[str, Shape] = dict.fromkeys(GROUNDS, _GROUND)
    return prompter.to_student(decision.kind, decision.at, view, None, fields, blocks)


def read_score(value: Mapping[str, Any], _: ScoreRequest) -> Scores:
    """Scores, and the weights as shares of their sum (Eq. 4)."""
    grounds = [value[ground] for ground in GROUNDS]
    total = sum(ground["weight"] for ground in grounds)
    weights = [ground["weight"] / total if total else 1 / len(GROUNDS) for ground in grounds]
    scores: Any = tuple(float(ground["score"]) for ground in grounds)
    reasons: Any = tuple(ground["reason"] for ground in grounds)
    shares: Any = tuple(weights)
    return Scores(scores, shares, reasons)


def _options(decision: Plan | React) -> dict[str, tuple[str, str]]:
    """What is open to the student now, behaviour and partner in one: no answer can name one that needs the other."""
    request = decision.request
    options: dict[str, tuple[str, str]] = {}
    for behaviour in decision.permitted:
        if behaviour in TO_CLASS:
            options[behaviour] = behaviour, "teacher"
        elif behaviour not in PEER_REQUESTS:
            options[behaviour] = behaviour, ""
        elif request is not None:
            options[behaviour] = behaviour, request.sender
        else:
            teacher = ("teacher",) if behaviour == "ask_question" else ()
            options |= {f"{behaviour}:{name}": (behaviour, name) for name in (*teacher, *decision.partners)}
    return options


def _choice_blocks(prompter: Prompter, decision: Plan | React) -> dict[str, str]:
    words = prompter.words(decision.view.scene.lesson)
    return {
        "behaviours": ", ".join(map(name_of, _options(decision))),
        "request": accepted_request(words, decision.request),
    }


def ask_plan(prompter: Prompter, decision: Plan) -> Question:
    """What do you do?"""
    words = prompter.words(decision.view.scene.lesson)
    blocks = {**_choice_blocks(prompter, decision), "refused": refusals(words, decision.refused_by)}
    fields: dict[str, Shape] = {"thought": _THOUGHT, "behaviour": OneOf(tuple(_options(decision)))}
    return prompter.to_student(decision.kind, decision.at, decision.view, decision.recall, fields, blocks)


def behaviour_of(value: Mapping[str, Any]) -> str:
    """The behaviour of an answer without the partner."""
    return str(value["behaviour"]).partition(":")[0]


def read_plan(value: Mapping[str, Any], decision: Plan) -> Planned:
    """One sentence, one behaviour, towards somebody."""
    return Planned(value["thought"], *_options(decision)[value["behaviour"]])


def ask_react(prompter: Prompter, decision: React) -> Question:
    """What do you do without thinking?"""
    blocks = _choice_blocks(prompter, decision)
    fields: dict[str, Shape] = {
        "behaviour": OneOf(tuple(_options(decision))),
        "emotion": _EMOTION,
        "cognition": _COGNITION,
    }
    return prompter.to_student(decision.kind, decision.at, decision.view, decision.recall, fields, blocks)


def read_react(value: Mapping[str, Any], decision: React) -> Reacted:
    """Behaviour, emotion, cognition."""
    behaviour, partner = _options(decision)[value["behaviour"]]
    return Reacted(behaviour, value["emotion"], value["cognition"], partner)


def ask_words(prompter: Prompter, decision: Draft, template: str) -> Question:
    """What do you say? As `draft` the content, as `say` the very words."""
    view = decision.view
    words = prompter.words(view.scene.lesson)
    blocks = {
        "behaviour": words["codes"][decision.behaviour],
        "addressee": addressee(words, decision.addressee),
        "replying": words["replying"].format(text=quote(decision.replying_to)) if decision.replying_to else "",
    }
    fields: dict[str, Shape] = {"sentences": Many(_SENTENCE, 1, 3)}
    return prompter.to_student(template, decision.at, view, decision.recall, fields, blocks)


def read_words(value: Mapping[str, Any], _: Draft) -> Drafted:
    """Sentences with their moves."""
    return Drafted(said(value["sentences"]))


def ask_style(prompter: Prompter, decision: Style, model: str) -> Question:
    """Say it your way."""
    view = decision.view
    words = prompter.words(view.scene.lesson)
    blocks = {
        "plan": quote(decision.plan),
        "addressee": addressee(words, decision.addressee),
        "sentences": "\n".join(f"{place}. {quote(one.text)}" for place, one in enumerate(decision.sentences, 1)),
    }
    count = len(decision.sentences)
    fields: dict[str, Shape] = {"sentences": Many(_SPOKEN, count, count)}
    return prompter.to_student(decision.kind, decision.at, view, None, fields, blocks, model)


def read_style(value: Mapping[str, Any], decision: Style) -> Styled:
    """The same sentences, the moves kept."""
    pairs = zip(value["sentences"], decision.sentences, strict=True)
    return Styled(tuple(Said(text, meant.move) for text, meant in pairs))


def ask_monitor(prompter: Prompter, decision: Monitor) -> Question:
    """How is it going for you?"""
    view = decision.view
    words = prompter.words(view.scene.lesson)
    heard = [
        words["heard_aloud"].format(speaker=name_of(spoken.speaker), text=_spoken(spoken.sentences))
        for spoken in decision.heard
        if spoken.speaker != view.person.name
    ]
    blocks = {
        "plan": quote(decision.plan),
        "behaviour": words["codes"][decision.behaviour],
        "words": words["you_said"].format(text=_spoken(decision.words)) if decision.words else "",
        "heard": "\n".join(heard),
    }
    fields: dict[str, Shape] = {"noticed": _THOUGHT, "emotion": _EMOTION, "cognition": _COGNITION}
    return prompter.to_student(decision.kind, decision.at, view, decision.recall, fields, blocks)


def read_monitor(value: Mapping[str, Any], _: Monitor) -> Monitored:
    """A sentence, an emotion, a level."""
    return Monitored(value["noticed"], value["emotion"], value["cognition"])


def ask_regulate(prompter: Prompter, decision: Regulate) -> Question:
    """What will you do differently?"""
    view = decision.view
    words = prompter.words(view.scene.lesson)
    codes = words["codes"]
    feedback = words["regulate_feedback"].format(text=quote(view.feedback.text)) if view.feedback is not None else ""
    blocks = {
        "behaviour": codes[decision.behaviour],
        "emotion": codes.get(decision.emotion, words["unknown"]),
        "monitored": quote(decision.monitored),
        "feedback": feedback,
        "refused": refusals(words, decision.refused_by),
    }
    fields: dict[str, Shape] = {"resolution": _THOUGHT, "strategy": _STRATEGY}
    return prompter.to_student(decision.kind, decision.at, view, None, fields, blocks)


def read_regulate(value: Mapping[str, Any], _: Regulate) -> Regulated:
    """A resolution and its strategy."""
    return Regulated(value["resolution"], value["strategy"])


def ask_turn(prompter: Prompter, decision: Plan) -> Question:
    """A whole step in one answer."""
    words = prompter.words(decision.view.scene.lesson)
    blocks = {
        **_choice_blocks(prompter, decision),
        "refused": refusals(words, decision.refused_by),
    }
    speaks = bool(SPOKEN.intersection(decision.permitted))
    must_speak = SPOKEN.issuperset(decision.permitted)
    fields: dict[str, Shape] = {"thought": _THOUGHT, "behaviour": OneOf(tuple(_options(decision)))}
    if speaks:
        fields["words"] = Many(_SENTENCE, int(must_speak), 3)
    fields |= {
        "noticed": _THOUGHT,
        "emotion": _EMOTION,
        "cognition": _COGNITION,
        "resolution": _THOUGHT,
        "strategy": _STRATEGY,
    }
    return prompter.to_student("student_turn", decision.at, decision.view, decision.recall, fields, blocks)


def ask_summary(prompter: Prompter, decision: Summarise) -> Question:
    """How was this lesson for you?"""
    view = decision.view
    words = prompter.words(view.scene.lesson)

    def shares(of: Mapping[str, float]) -> str:
        return ", ".join(f"{words['codes'][code]} {share:.0%}" for code, share in of.items() if share)

    feedback = ", ".join(f"{words['codes'][code]} {count}" for code, count in decision.feedback.items())
    blocks = {
        "record": words["record"].format(
            behaviours=shares(decision.behaviours),
            emotions=shares(decision.emotions),
            spoke=decision.spoke,
            feedback=feedback or words["unknown"],
        ),
    }
    fields: dict[str, Shape] = {
        "summary": _THOUGHT,
        "portrait": _THOUGHT,
        "regulation": _THOUGHT,
        "strategy": _STRATEGY,
    }
    return prompter.to_student(decision.kind, decision.at, view, None, fields, blocks)


def read_summary(value: Mapping[str, Any], _: Summarise) -> Summarised:
    """What is written to long-term memory."""
    return Summarised(value["summary"], value["portrait"], value["regulation"], value["strategy"])
