"""Who gets individual feedback, of which polarity and in which form (F of IRF)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from eduverse_mesa.decisions import GiveFeedback, Heard
from eduverse_mesa.policies.embedded.linear import Parameters
from eduverse_mesa.randomness import Address, uniform
from eduverse_mesa.scenarios.people import TeacherStyle

Form = str
Polarity = Literal["positive", "neutral", "negative"]

ANSWERING = frozenset({"answer_question", "take_up"})
"""Forms of feedback that answer a student's question."""
_ANSWERS = frozenset({"answer_question", "stand_answer"})


class Responder:
    """Chooses feedback: whom, polarity, form."""

    def __init__(self, p: Parameters) -> None:
        self._p = p

    def choose(self, decision: GiveFeedback) -> list[tuple[Heard, Polarity, Form]]:
        """Whom the teacher turns to, in the order in which they are noticed; speakers come first."""
        chosen = [
            (heard, self._polarity(decision, heard), self._form(decision, heard))
            for heard in decision.heard
            if uniform(decision.at, f"feedback/{heard.student}") < self._attention(decision, heard)
        ]
        chosen.sort(key=lambda item: not item[0].sentences)
        return chosen[: int(self._p["feedback.most"])]

    def passed_on(self, at: Address, heard: Sequence[Heard]) -> frozenset[str]:
        """After whom the question goes on to the next, who has an answer too. Who was called speaks first."""
        aloud = [one for one in heard if one.sentences and one.addressee == "teacher"]
        aloud.sort(key=lambda one: not one.called)
        return frozenset(
            one.student
            for one, following in pairwise(aloud)
            if following.behaviour in _ANSWERS
            and following.quality != "none"
            and uniform(at, f"pass/{one.student}") < self._p["feedback.pass"]
        )

    def _attention(self, decision: GiveFeedback, heard: Heard) -> float:
        p, style = self._p, decision.view.person.style
        if heard.sentences and heard.addressee == "teacher":
            if _nodded(decision, heard):
                return p["feedback.nod"]
            # Who favours discussion leaves more of what is said to the class, without a word of its own.
            return p["feedback.answer"] - p["feedback.discussion"] * (style.discussion - 0.5)
        crowd = len(decision.heard)
        # A teacher sees so many at once: in a large class the silent are noticed less.
        share = min(1.0, p["feedback.crowd"] / crowd)
        if heard.behaviour in ("chat", "sleep"):
            return p["feedback.off_task"] * (0.5 + style.vigilance) * share
        if heard.behaviour == "hand_raise":
            return p["feedback.hand"] * share
        if heard.behaviour in ("side_talk", "group_discussion"):
            return p["feedback.talk"] * share
        return p["feedback.silent"] * (0.5 + style.warmth) * share

    def _polarity(self, decision: GiveFeedback, heard: Heard) -> Polarity:
        p, warmth = self._p, decision.view.person.style.warmth
        at, name = decision.at, heard.student
        if heard.sentences and heard.addressee == "teacher":
            if heard.quality == "right" or heard.behaviour in ("ask_question", "read_aloud"):
                return "positive"
            if heard.quality == "partial":
                return "positive" if uniform(at, f"polarity/{name}") < warmth else "neutral"
            harsh = p["feedback.harsh"] * (1.2 - warmth)
            return "negative" if uniform(at, f"polarity/{name}") < harsh else "neutral"
        if heard.behaviour in ("chat", "sleep"):
            harsh = p["feedback.harsh_off_task"] * (1.2 - warmth)
            return "negative" if uniform(at, f"polarity/{name}") < harsh else "neutral"
        return "positive" if uniform(at, f"polarity/{name}") < p["feedback.praise"] + 0.3 * warmth else "neutral"

    def _form(self, decision: GiveFeedback, heard: Heard) -> Form:
        return "nod" if _nodded(decision, heard) else self.form(decision.at, decision.view.person.style, heard)

    def form(self, at: Address, style: TeacherStyle, heard: Heard) -> Form:
        """In which form somebody gets feedback."""
        p, name = self._p, heard.student
        if not heard.sentences or heard.addressee != "teacher":
            return "notice"
        if heard.behaviour == "read_aloud":
            return "reading"
        if heard.behaviour == "ask_question":
            # A question is put to everybody before it is answered, as an answer is repeated for everybody.
            takes_up = p["feedback.take_up"] * (0.5 + style.revoicing)
            return "take_up" if uniform(at, f"take_up/{name}") < takes_up else "answer_question"
        if heard.behaviour == "refuse_reply" or heard.quality == "none":
            return "thank"
        if heard.quality == "wrong":
            return "correct" if uniform(at, f"correct/{name}") < p["feedback.correct"] else "evaluate"
        claimed = any(said.move in ("claim", "evidence", "relate") for said in heard.sentences)
        revoicing = p["feedback.revoice"] * (0.5 + style.revoicing) * (1.0 if claimed else 0.3)
        u = uniform(at, f"form/{name}")
        if u < revoicing / 2:
            return "restate"
        if u < revoicing:
            return "revoice"
        if u < revoicing + p["feedback.press"]:
            return "press"
        judging = p["feedback.evaluate_right"] if heard.quality == "right" else p["feedback.evaluate"]
        return "evaluate" if uniform(at, f"evaluate/{name}") < judging else "acknowledge"


def _nodded(decision: GiveFeedback, heard: Heard) -> bool:
    """Only an "okay" in return for an "okay?": there is nothing to judge, and a teacher at most says so and goes on."""
    return not decision.asked and heard.behaviour == "answer_question" and heard.quality == "none"
