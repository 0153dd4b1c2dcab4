"""Which behaviour a student chooses: softmax over what is permitted, of utilities linear in state, traits and scene."""

from __future__ import annotations

from collections.abc import Sequence

from eduverse_mesa.codes import BEHAVIOUR_LEVEL, BEHAVIOURS, OFF_TASK, PEER_REQUESTS, TO_CLASS
from eduverse_mesa.curves import logistic
from eduverse_mesa.decisions import Plan, React, StudentView
from eduverse_mesa.policies.embedded.linear import Linear, Parameters
from eduverse_mesa.randomness import Address, choose_softmax, uniform

FEATURES = (
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

_STRATEGIES = ("refocus", "participate", "seek_help", "cooperate", "calm", "withdraw")
_NEAR = 6.0
"""Distances are counted from here, in tens of cells, so that 0 is a seat near the front."""
_MANY = 4
"""More faces than these before one's eyes make no difference: nobody perceives many more (Table A3)."""


def features(view: StudentView) -> list[float]:
    """What a student's choice depends on, in the order of FEATURES; traits and shares are centred on their average."""
    person, mind, scene = view.person, view.mind, view.scene
    traits, strategy = person.traits, view.regulation.strategy if view.regulation is not None else ""
    off, talking, friend = _company(view)
    act = scene.act
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
        1.0 if view.emotion == "confused" else 0.0,
        1.0 if view.emotion == "negative" else 0.0,
        *[1.0 if strategy == name else 0.0 for name in _STRATEGIES],
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
        self._linear = Linear("plan", BEHAVIOURS, FEATURES, p)
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
