"""Choices of embedded students: feeling and thinking, gate, plan, evaluation, reflection, regulation and speech."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from eduverse_mesa.curves import clamp, logistic
from eduverse_mesa.decisions import (
    Draft,
    Evaluate,
    Monitor,
    Plan,
    React,
    Regulate,
    ScoreRequest,
    StudentView,
    Summarise,
)
from eduverse_mesa.policies.embedded.linear import Linear, Parameters, choose_ordered
from eduverse_mesa.randomness import Address, choose_softmax, normal, uniform
from eduverse_mesa.vocabulary import (
    BEHAVIOUR_LEVEL,
    BEHAVIOURS,
    BLOOM,
    EMOTION_LEVEL,
    EMOTION_LEVEL_NAMES,
    GROUNDS,
    OFF_TASK,
    PEER_REQUESTS,
    STRATEGIES,
    TO_CLASS,
    emotion_level_name,
    share_of_level,
)

_TONE = {"encouraging": 1.0, "neutral": 0.0, "critical": -1.0}
_RECALL = {"full": 1.0, "partial": 0.4, "misconception": 0.5, "none": -0.5}
_PRESS = {"accuracy": 0.0, "reasoning": 1.0, "relate": 0.7, "": 0.0}


class Appraiser:
    """Emotion (negative < confused < positive) and cognition (Bloom's six levels), each an ordered logit."""

    def __init__(self, p: Parameters) -> None:
        self._p = p
        gap = p["cognition.gap"]
        self._cognition_cuts = [p["cognition.first_cut"] + gap * place for place in range(5)]
        self._emotion_cuts = (p["emotion.negative_cut"], p["emotion.confused_cut"])
        # With its own style a student shows distress as puzzlement: display rules (Saarni 1979).
        self._shown_cuts = (p["emotion.negative_cut"] - p["emotion.display_rule"], p["emotion.confused_cut"])

    def monitor(self, decision: Monitor) -> tuple[str, str]:
        """Emotion and cognition of a student who looks at themselves."""
        p, view = self._p, decision.view
        mind, traits, scene = view.mind, view.person.traits, view.scene
        known = mind.understanding[scene.focus.goal]
        level = BEHAVIOUR_LEVEL.get(decision.behaviour, 1)
        feeling = (
            p["emotion.affect"] * mind.affect
            + p["emotion.understanding"] * (known - 0.5)
            + p["emotion.confidence"] * (mind.confidence - 0.5)
            + p["emotion.tone"] * _TONE[scene.tone]
            + p["emotion.openness"] * (traits.openness - 0.5)
            + p["emotion.agreeableness"] * (traits.agreeableness - 0.5)
            - p["emotion.neuroticism"] * (traits.neuroticism - 0.5)
            + p["emotion.recall"] * _RECALL[decision.recall.level]
            + p["emotion.company"] * (1.0 if decision.behaviour in ("side_talk", "chat", "group_discussion") else 0.0)
            + p["emotion.grouped"] * view.grouped
            - p["emotion.demand"] * (scene.lesson.demand - 0.5)
            + p["emotion.interest"] * (scene.lesson.interest - 0.5)
            + p["emotion.habit"] * mind.habit
            + p["emotion.inertia"] * (EMOTION_LEVEL[view.emotion] - 1.0 if view.emotion else 0.0)
        )
        cuts = self._shown_cuts if decision.styled else self._emotion_cuts
        emotion = choose_ordered(decision.at, "emotion", EMOTION_LEVEL_NAMES, feeling, cuts)
        thinking = (
            p["cognition.demanded"] * BLOOM.index(scene.focus.bloom) / 5.0
            + p["cognition.press"] * _PRESS.get(scene.focus.press, 0.0)
            + p["cognition.understanding"] * (known - 0.5)
            + p["cognition.attention"] * (mind.attention - 0.5)
            + p["cognition.openness"] * (traits.openness - 0.5)
            + p["cognition.motivation"] * (view.person.motivation - 0.5)
            + p["cognition.reflective"] * (1.0 if view.person.thinking == "reflective" else 0.0)
            + (p["cognition.off_task"], p["cognition.passive"], 0.0, p["cognition.interactive"])[level]
            + p["cognition.talk"] * (1.0 if decision.behaviour in ("side_talk", "group_discussion") else 0.0)
            + p["cognition.grouped"] * view.grouped
            + p["cognition.discussion"] * (1.0 if scene.mode == "discussion" else 0.0)
            + p["cognition.effort"] * mind.habit
        )
        return emotion, choose_ordered(decision.at, "cognition", BLOOM, thinking, self._cognition_cuts)

    def react(self, decision: React, behaviour: str) -> tuple[str, str]:
        """Emotion and cognition without a look at oneself: the level of the task is taken for the level of the work.

        Understanding does not hold the level down: the illusion of explanatory depth (Rozenblit and Keil 2002).
        """
        p, view = self._p, decision.view
        scene, traits = view.scene, view.person.traits
        feeling = (
            p["react.feeling"]
            + p["emotion.tone"] * _TONE[scene.tone]
            + p["emotion.openness"] * (traits.openness - 0.5)
            - p["emotion.neuroticism"] * (traits.neuroticism - 0.5)
        )
        thinking = (
            p["react.thinking"]
            + p["cognition.demanded"] * BLOOM.index(scene.focus.bloom) / 5.0
            + p["react.demand"] * (scene.lesson.demand - 0.5)
            + (p["cognition.off_task"] if BEHAVIOUR_LEVEL[behaviour] == 0 else 0.0)
        )
        emotion = choose_ordered(decision.at, "emotion", EMOTION_LEVEL_NAMES, feeling, self._shown_cuts)
        return emotion, choose_ordered(decision.at, "cognition", BLOOM, thinking, self._cognition_cuts)


Five = tuple[float, float, float, float, float]


class Gatekeeper:
    """Scores a request and weights the scores by the student's role."""

    def __init__(self, p: Parameters) -> None:
        self._p = p

    def scores(self, decision: ScoreRequest) -> Five:
        """P, C, R, H and S, each from 0 to 100."""
        p, view, request = self._p, decision.view, decision.request
        traits, scene = view.person.traits, view.scene
        chat = request.kind == "chat"
        personality = logistic(
            p["gate.personality"]
            + p["gate.extraversion"] * (traits.extraversion - 0.5)
            + p["gate.agreeableness"] * (traits.agreeableness - 0.5)
            - p["gate.neuroticism"] * (traits.neuroticism - 0.5)
        )
        relevance = logistic(
            (p["gate.chat"] if chat else p["gate.on_task"])
            + p["gate.discussion"] * (1.0 if scene.mode == "discussion" else 0.0)
            - p["gate.lecturing"] * (1.0 if scene.act == "lecturing" else 0.0)
            + p["gate.distracted"] * (0.5 - view.mind.attention) * (1.0 if chat else -1.0)
        )
        history = 1.0 - exp(-p["gate.history"] * (decision.exchanges + p["gate.history_start"]))
        raw = (personality, view.mind.confidence, relevance, history, decision.closeness)
        noise = p["gate.noise"]
        first, second, third, fourth, fifth = (
            100.0 * clamp(value + noise * normal(decision.at, f"gate/{request.id}/{factor}"))
            for value, factor in zip(raw, GROUNDS, strict=True)
        )
        return first, second, third, fourth, fifth

    def weights(self, decision: ScoreRequest) -> Five:
        """Weights that sum to 1: the academic give more to relevance, the sociable to closeness to the sender."""
        p, person = self._p, decision.view.person
        relevance = p["gate.weight_relevance"] * (1.0 + p["gate.tilt"] * (person.role == "academic"))
        closeness = p["gate.weight_closeness"] * (1.0 + p["gate.tilt"] * (person.role == "off_task"))
        raw = (
            p["gate.weight_personality"],
            p["gate.weight_confidence"],
            relevance,
            p["gate.weight_history"],
            closeness,
        )
        total = sum(raw)
        return raw[0] / total, raw[1] / total, raw[2] / total, raw[3] / total, raw[4] / total


PLAN_FEATURES = (
    "attention",
    "understanding",
    "confidence",
    "affect",
    "fatigue",
    "engagement",
    "habit",
    "rapport",
    "openness",
    "conscientiousness",
    "extraversion",
    "agreeableness",
    "neuroticism",
    "motivation",
    "independent",
    "impulsive",
    "academic",
    "discussant",
    "off_tasker",
    "asked",
    "checked",
    "pressed",
    "lecturing",
    "directed",
    "discussing",
    "managed",
    "critical",
    "encouraging",
    "teacher_far",
    "board_far",
    "neighbours_off",
    "neighbours_talking",
    "friend",
    "facing",
    "grouped",
    "confused",
    "negative",
    "refocus",
    "participate",
    "seek_help",
    "cooperate",
    "calm",
    "withdraw",
    "interest",
    "demand",
    "rating",
)

_CHANGES = tuple(strategy for strategy in STRATEGIES if strategy != "keep")
_NEAR = 6.0
"""Distances are counted from here, in tens of cells, so that 0 is a seat near the front."""
_MANY = 4
"""More faces than these before one's eyes make no difference: nobody perceives many more (Table A3)."""


def features(view: StudentView) -> list[float]:
    """Return the features of a student's choice, in the order of PLAN_FEATURES; traits and shares are centred."""
    person, mind, scene = view.person, view.mind, view.scene
    traits, strategy = person.traits, view.regulation.strategy if view.regulation is not None else ""
    off, talking, friend = _company(view)
    act = scene.act
    felt = emotion_level_name(view.emotion)
    return [
        mind.attention - 0.5,
        mind.understanding[scene.focus.goal] - 0.5,
        mind.confidence - 0.5,
        mind.affect,
        mind.fatigue,
        mind.engagement - 0.5,
        mind.habit,
        mind.rapport - 0.5,
        traits.openness - 0.5,
        traits.conscientiousness - 0.5,
        traits.extraversion - 0.5,
        traits.agreeableness - 0.5,
        traits.neuroticism - 0.5,
        person.motivation - 0.5,
        1.0 if person.cognitive_style == "field_independent" else 0.0,
        1.0 if person.thinking == "impulsive" else 0.0,
        1.0 if person.role == "academic" else 0.0,
        1.0 if person.role == "discussion" else 0.0,
        1.0 if person.role == "off_task" else 0.0,
        1.0 if scene.asked else 0.0,
        1.0 if scene.checked else 0.0,
        1.0 if scene.asked and scene.focus.press == "reasoning" else 0.0,
        1.0 if act == "lecturing" else 0.0,
        1.0 if act == "giving_directions" and scene.focus.do == "read" else 0.0,
        1.0 if scene.mode == "discussion" else 0.0,
        1.0 if view.addressed else 0.0,
        1.0 if scene.tone == "critical" else 0.0,
        1.0 if scene.tone == "encouraging" else 0.0,
        (view.to_teacher - _NEAR) / 10.0,
        (view.to_board - _NEAR) / 10.0,
        off,
        talking,
        friend,
        min(view.facing, _MANY) / _MANY,
        1.0 if view.grouped else 0.0,
        1.0 if felt == "confused" else 0.0,
        1.0 if felt == "negative" else 0.0,
        *[1.0 if strategy == name else 0.0 for name in _CHANGES],
        scene.lesson.interest - 0.5,
        scene.lesson.demand - 0.5,
        view.remembered.rating if view.remembered is not None else 0.0,
    ]


def _company(view: StudentView) -> tuple[float, float, float]:
    """Shares of the neighbours who are off task and who talk, and how close the closest is that can be turned to."""
    off = talking = friend = 0.0
    if view.neighbours:
        for neighbour in view.neighbours:
            if neighbour.behaviour in OFF_TASK:
                off += 1.0
            elif BEHAVIOUR_LEVEL.get(neighbour.behaviour, 0) == 3:
                talking += 1.0
            if neighbour.linked and neighbour.closeness > friend:
                friend = neighbour.closeness
        off /= len(view.neighbours)
        talking /= len(view.neighbours)
    if view.person.cognitive_style == "field_independent":
        off *= 0.5  # the field dependent take their cue from others (Witkin)
        talking *= 0.5
    return off, talking, friend


class PlanChooser:
    """Chooses a behaviour and, where it needs one, somebody to turn to."""

    def __init__(self, p: Parameters) -> None:
        self._linear = Linear("plan", BEHAVIOURS, PLAN_FEATURES, p)
        self._inertia = p["plan.inertia"]
        self._closeness = p["partner.closeness"]
        self._distance = p["partner.distance"]
        self._teacher = p["partner.teacher"]
        self._teacher_distance = p["partner.teacher_distance"]
        self._teacher_rapport = p["partner.teacher_rapport"]
        self._react_sleepy = p["react.off_task"]
        self._react_active = p["react.active"]
        self._react_talk = p["react.interactive"]

    def choose(self, decision: Plan) -> tuple[str, str]:
        """Behaviour and partner ('' where it needs none or nobody is there, 'teacher' for the teacher)."""
        view, permitted = decision.view, decision.permitted
        if decision.request is not None:
            return permitted[0], decision.request.sender
        utilities = self._utilities(view, permitted)
        last = view.behaviour
        if last in permitted:
            utilities[permitted.index(last)] += self._inertia
        behaviour = choose_softmax(decision.at, "plan", permitted, utilities)
        return behaviour, self._partner(decision.at, view, behaviour, decision.partners, decision.refused_by)

    def react(self, decision: React) -> tuple[str, str]:
        """Behaviour without deliberation: no state, no resolution, no look at oneself; action comes first."""
        view, permitted = decision.view, decision.permitted
        if decision.request is not None:
            return permitted[0], decision.request.sender
        utilities = self._utilities(view, permitted)
        pull = (self._react_sleepy, 0.0, self._react_active, self._react_talk)
        utilities = [u + pull[BEHAVIOUR_LEVEL[b]] for u, b in zip(utilities, permitted, strict=True)]
        behaviour = choose_softmax(decision.at, "plan", permitted, utilities)
        return behaviour, self._partner(decision.at, view, behaviour, decision.partners, ())

    def _utilities(self, view: StudentView, permitted: Sequence[str]) -> list[float]:
        x = features(view)
        utility = self._linear.utility
        return [utility(behaviour, x) for behaviour in permitted]

    def _partner(
        self, at: Address, view: StudentView, behaviour: str, partners: Sequence[str], refused_by: Sequence[str]
    ) -> str:
        if behaviour in TO_CLASS:
            return "teacher"
        if behaviour == "ask_question" and (not partners or self._prefers_teacher(at, view)):
            return "teacher"
        if behaviour not in PEER_REQUESTS or not partners:
            return ""
        willing = [name for name in partners if name not in refused_by] or list(partners)
        closeness = {neighbour.name: neighbour for neighbour in view.neighbours}
        return choose_softmax(
            at,
            "partner",
            willing,
            [
                self._closeness * closeness[name].closeness - self._distance * closeness[name].distance
                if name in closeness
                else 0.0
                for name in willing
            ],
        )

    def _prefers_teacher(self, at: Address, view: StudentView) -> bool:
        # A near and trusted teacher is asked sooner than a neighbour (C.1.4: teacher distance is accessibility).
        pull = (
            self._teacher
            - self._teacher_distance * (view.to_teacher - _NEAR) / 10.0
            + self._teacher_rapport * (view.mind.rapport - 0.5)
        )
        return uniform(at, "partner/teacher") < logistic(pull)


_UNHEARD = 0.4
"""Quality ascribed to students who said nothing: neither for nor against them."""


def next_strategy(decision: Summarise, p: Parameters) -> str:
    """Return the strategy for next time: against the most pressing concern, else to keep to the present one."""
    off_task = decision.behaviours.get("off_task", 0.0)
    confused = share_of_level(decision.emotions, "confused")
    negative = share_of_level(decision.emotions, "negative")
    concerns = {
        "refocus": p["reflect.off_task"] * off_task,
        "seek_help": p["reflect.confused"] * confused,
        "calm": p["reflect.negative"] * negative,
        "participate": p["reflect.passive"] * decision.behaviours.get("passive", 0.0),
    }
    worst = max(concerns, key=concerns.__getitem__)
    if not decision.strategies:
        return "keep"  # without the Regulate stage nothing was resolved, and nothing is carried over
    return worst if concerns[worst] > p["reflect.threshold"] else "keep"


def evaluate(decision: Evaluate, p: Parameters) -> dict[str, float]:
    """A rating from -1 to 1 for each student, from what the teacher could see and hear."""
    return {
        student: clamp(
            p["evaluate.base"]
            + p["evaluate.took_part"] * took_part
            + p["evaluate.quality"] * (decision.quality.get(student, _UNHEARD) - _UNHEARD)
            - p["evaluate.off_task"] * decision.off_task[student],
            -1.0,
            1.0,
        )
        for student, took_part in decision.participation.items()
    }


REGULATION_FEATURES = (
    "off_task",
    "passive",
    "interactive",
    "confused",
    "negative",
    "positive",
    "praised",
    "criticised",
    "refused",
    "conscientiousness",
    "motivation",
    "reflective",
    "neuroticism",
    "extraversion",
    "agreeableness",
    "understanding",
    "confidence",
    "habit",
)


class Regulator:
    """Chooses a strategy."""

    def __init__(self, p: Parameters) -> None:
        self._linear = Linear("regulate", STRATEGIES, REGULATION_FEATURES, p)

    def choose(self, decision: Regulate) -> str:
        """The strategy."""
        view = decision.view
        person, mind = view.person, view.mind
        traits = person.traits
        level = BEHAVIOUR_LEVEL.get(decision.behaviour, -1)
        polarity = view.feedback.polarity if view.feedback is not None else ""
        felt = emotion_level_name(decision.emotion)
        x = (
            1.0 if level == 0 else 0.0,
            1.0 if level == 1 else 0.0,
            1.0 if level == 3 else 0.0,
            1.0 if felt == "confused" else 0.0,
            1.0 if felt == "negative" else 0.0,
            1.0 if felt == "positive" else 0.0,
            1.0 if polarity == "positive" else 0.0,
            1.0 if polarity == "negative" else 0.0,
            1.0 if decision.refused_by else 0.0,
            traits.conscientiousness - 0.5,
            person.motivation - 0.5,
            1.0 if person.thinking == "reflective" else 0.0,
            traits.neuroticism - 0.5,
            traits.extraversion - 0.5,
            traits.agreeableness - 0.5,
            mind.understanding[view.scene.focus.goal] - 0.5,
            mind.confidence - 0.5,
            mind.habit,
        )
        return self._linear.choose(decision.at, "regulate", STRATEGIES, x)


_TO_TEACHER = frozenset({"stand_answer", "answer_question"})


class Speaker:
    """Chooses the move of an utterance, and whether it is brief."""

    def __init__(self, p: Parameters) -> None:
        self._p = p

    def choose(self, decision: Draft) -> tuple[str, bool]:
        """Move (none, relate, ask, claim, evidence) and brevity."""
        behaviour, level = decision.behaviour, decision.recall.level
        if behaviour in ("refuse_reply", "read_aloud", "chat"):
            return "none", behaviour == "refuse_reply"
        if behaviour == "ask_question":
            return "ask", False
        if behaviour == "answer_question" and decision.addressee != "teacher":
            # A classmate wants to know: nobody nods at a question.
            if level == "none":
                return "none", True
            return ("evidence" if level == "full" and uniform(decision.at, "move") < 0.5 else "claim"), False
        if level == "none":
            return self._when_lost(decision)
        if behaviour in _TO_TEACHER:
            return self._answer(decision, level)
        return self._talk(decision, level)

    def _when_lost(self, decision: Draft) -> tuple[str, bool]:
        u = uniform(decision.at, "move")
        if decision.behaviour in _TO_TEACHER:
            if not decision.view.scene.asked:
                return "none", True
            return ("ask", False) if u < self._p["speak.ask_when_lost"] else ("none", u < self._p["speak.brief_lost"])
        return ("ask" if u < 0.5 else "relate"), False

    def _answer(self, decision: Draft, level: str) -> tuple[str, bool]:
        p, view = self._p, decision.view
        press = view.scene.focus.press if view.scene.asked else ""
        u = uniform(decision.at, "move")
        if press == "relate":
            move = "relate" if u < p["speak.relate"] else "claim"
        elif press == "reasoning":
            move = "evidence" if level == "full" and u < p["speak.evidence_reasoning"] else "claim"
        elif press == "accuracy":
            move = "evidence" if level == "full" and u < p["speak.evidence_accuracy"] else "claim"
        else:
            move = "claim" if u < p["speak.claim_unasked"] else "none"
            return move, move == "none" or uniform(decision.at, "brief") < p["speak.brief_accuracy"]
        brevity = p["speak.brief_reasoning"] if press in ("reasoning", "relate") else p["speak.brief_accuracy"]
        brevity -= p["speak.brief_extraversion"] * (view.person.traits.extraversion - 0.5)
        brevity += p["speak.brief_unsure"] * (0.5 - view.mind.confidence)
        return move, move in ("claim", "none") and uniform(decision.at, "brief") < brevity

    def _talk(self, decision: Draft, level: str) -> tuple[str, bool]:
        u = uniform(decision.at, "move")
        if u < 0.3:
            return "relate", False
        return ("evidence" if level == "full" and u < 0.5 else "claim"), False
