"""Choices of the embedded teacher: lesson plan, act, tone, calls, pace and feedback (C.2 appendix, Algorithm A.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from eduverse_mesa.curves import clamp
from eduverse_mesa.decisions import (
    GiveFeedback,
    Heard,
    Pace,
    PlannedPhase,
    Prepare,
    Prepared,
    Pupil,
    TakeTurn,
    TeacherView,
)
from eduverse_mesa.policies.embedded.linear import Linear, Parameters
from eduverse_mesa.randomness import Address, choose_softmax, uniform
from eduverse_mesa.scenarios.people import TeacherStyle
from eduverse_mesa.vocabulary import ACTS, TONES, PaceMove, Polarity, share_of_level

FEATURES = (
    "explain",
    "ask",
    "discuss",
    "read",
    "practise",
    "summarise",
    "manage",
    "sleepers",
    "chatters",
    "confused",
    "negative",
    "positive",
    "hands",
    "open_question",
    "has_question",
    "has_input",
    "repeated",
    "lectured",
    "questioning",
    "discussion",
    "warmth",
    "vigilance",
    "grouped",
)


def prepare(decision: Prepare) -> Prepared:
    """Shares of the plan become whole steps (largest remainder); a phase's activities are spread over its steps."""
    phases = decision.lesson.phases
    exact = [phase.share * decision.steps for phase in phases]
    steps = [int(share) for share in exact]
    order = sorted(range(len(phases)), key=lambda i: (steps[i] - exact[i], i))
    for place in order[: decision.steps - sum(steps)]:
        steps[place] += 1
    while 0 in steps and max(steps) > 1:
        steps[steps.index(max(steps))] -= 1
        steps[steps.index(0)] += 1
    return Prepared(
        tuple(
            PlannedPhase(phase.name, tuple(step * len(phase.activities) // count for step in range(count)))
            for phase, count in zip(phases, steps, strict=True)
            if count
        )
    )


class Conductor:
    """Chooses the teacher's act, tone and calls."""

    def __init__(self, p: Parameters) -> None:
        self._p = p
        self._acts = Linear("teach", ACTS, FEATURES, p)
        self._tones = Linear("tone", TONES, FEATURES, p)

    def features(self, view: TeacherView) -> list[float]:
        """Return the features of the choice of an act, in the order of FEATURES."""
        group, focus, style = view.group, view.focus, view.person.style
        pupils = group.pupils
        count = len(pupils)
        last = view.last_acts[-1] if view.last_acts else ""
        do = focus.do
        return [
            *[1.0 if do == name else 0.0 for name in FEATURES[:7]],
            sum(1 for pupil in pupils if pupil.behaviour == "sleep") / count,
            sum(1 for pupil in pupils if pupil.behaviour == "chat") / count,
            share_of_level(group.emotion, "confused"),
            share_of_level(group.emotion, "negative"),
            share_of_level(group.emotion, "positive"),
            sum(1 for pupil in pupils if pupil.hand_up) / count,
            1.0 if view.open_question is not None else 0.0,
            1.0 if focus.question else 0.0,
            1.0 if view.group.took_part > 0 else 0.0,
            0.0,  # repeated: set for each act
            1.0 if last == "lecturing" else 0.0,
            style.questioning - 0.5,
            style.discussion - 0.5,
            style.warmth - 0.5,
            style.vigilance - 0.5,
            group.grouped,
        ]

    def choose_act(self, decision: TakeTurn, x: list[float]) -> str:
        """One act by softmax; doing the same again is less likely (the paper's teacher varies its strategy)."""
        last = decision.view.last_acts[-1] if decision.view.last_acts else ""
        repeated = FEATURES.index("repeated")
        utilities = []
        for act in decision.permitted:
            x[repeated] = 1.0 if act == last else 0.0
            utilities.append(self._acts.utility(act, x))
        return choose_softmax(decision.at, "act", decision.permitted, utilities)

    def choose_tone(self, at: Address, act: str, x: list[float]) -> str:
        """Encouraging, neutral or critical; criticism is critical and praise encouraging by nature."""
        if act == "criticising":
            return "critical"
        if act == "praising":
            return "encouraging"
        return self._tones.choose(at, "tone", TONES, x)

    def choose_press(self, at: Address, view: TeacherView) -> str:
        """Choose what a question asks for: facts, reasons, or relating to what others said."""
        press = view.focus.press or "accuracy"
        if press == "accuracy" and view.focus.idea:
            lean = self._p["press.reasoning"] + self._p["press.style"] * (view.person.style.pressing - 0.5)
            if uniform(at, "press") < lean:
                press = "reasoning"
        if press != "relate" and view.group.took_part > 0 and uniform(at, "press/relate") < self._p["press.relate"]:
            press = "relate"
        return press

    def choose_called(self, at: Address, view: TeacherView) -> tuple[str, ...]:
        """Choose the students that a question goes to: nobody by name, one student, now and then two."""
        p, pupils = self._p, view.group.pupils
        wanted = p["call.share"]
        if view.open_question is not None:
            wanted += p["call.open_question"]
        if any(pupil.hand_up for pupil in pupils):
            wanted += p["call.hands"]
        if uniform(at, "call") >= wanted:
            return ()
        first = self._pick(at, "call/first", view, pupils)
        if len(pupils) > 2 and uniform(at, "call/again") < p["call.second"]:
            rest = [pupil for pupil in pupils if pupil.name != first]
            return first, self._pick(at, "call/second", view, rest)
        return (first,)

    def _pick(self, at: Address, purpose: str, view: TeacherView, pupils: Sequence[Pupil]) -> str:
        # The action zone: near seats and raised hands are called on more; a fair teacher evens it out (Adams 1969).
        p, fairness = self._p, view.person.style.fairness
        turns = sum(pupil.calls + pupil.spoke for pupil in pupils) / len(pupils)
        utilities = [
            p["call.hand_up"] * pupil.hand_up
            - p["call.distance"] * (1.0 - fairness) * (pupil.distance - 6.0) / 10.0
            - p["call.turns"] * fairness * (pupil.calls + pupil.spoke - turns)
            + p["call.inattentive"] * view.person.style.vigilance * (pupil.behaviour in ("chat", "sleep"))
            + p["call.trust"] * pupil.evaluation
            for pupil in pupils
        ]
        return choose_softmax(at, purpose, [pupil.name for pupil in pupils], utilities)

    def addressed(self, view: TeacherView, act: str) -> tuple[str, ...]:
        """Return the students whom an act is about; they need not answer."""
        pupils = view.group.pupils
        if act == "addressing_sleepers":
            return tuple(pupil.name for pupil in pupils if pupil.behaviour == "sleep")[:2]
        if act == "addressing_chatters":
            return tuple(pupil.name for pupil in pupils if pupil.behaviour == "chat")[:2]
        if act == "criticising":
            return tuple(pupil.name for pupil in pupils if pupil.behaviour in ("sleep", "chat", "refuse_reply"))[:1]
        return ()


def pace(decision: Pace, p: Parameters) -> tuple[PaceMove, float]:
    """Stay, extend or move on, and the readiness that decided it (Algorithm A.2)."""
    group = decision.view.group
    ready = (
        p["pace.understanding"] * decision.understanding
        + p["pace.took_part"] * group.took_part
        + p["pace.positive"] * (share_of_level(group.emotion, "positive") - share_of_level(group.emotion, "confused"))
        - p["pace.off_task"] * group.behaviour.get("off_task", 0.0)
    )
    ready = clamp(ready)
    if decision.completion >= 1.0:
        if decision.may_extend and ready < p["pace.extend_below"]:
            return "extend", ready
        return "advance", ready
    if decision.completion >= p["pace.earliest"] and ready > p["pace.advance_above"]:
        return "advance", ready
    return "stay", ready


Form = str

ANSWERING = frozenset({"answer_question", "take_up"})
"""Forms of feedback that answer a student's question."""
_ANSWERS = frozenset({"answer_question", "stand_answer"})


class Responder:
    """Chooses feedback: students, polarity and form."""

    def __init__(self, p: Parameters) -> None:
        self._p = p

    def choose(self, decision: GiveFeedback) -> list[tuple[Heard, Polarity, Form]]:
        """Choose the students who get feedback, in the order in which they are noticed; speakers come first."""
        chosen = [
            (heard, self._polarity(decision, heard), self._form(decision, heard))
            for heard in decision.heard
            if uniform(decision.at, f"feedback/{heard.student}") < self._attention(decision, heard)
        ]
        chosen.sort(key=lambda item: not item[0].sentences)
        return chosen[: int(self._p["feedback.most"])]

    def passed_on(self, at: Address, heard: Sequence[Heard]) -> frozenset[str]:
        """Students after whom the question goes on to another with an answer. Those called speak first."""
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
        """Return the form of the feedback to a student."""
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
    """Return True for a mere "okay" in return for an "okay?": there is nothing to judge, and a teacher at most nods."""
    return not decision.asked and heard.behaviour == "answer_question" and heard.quality == "none"
