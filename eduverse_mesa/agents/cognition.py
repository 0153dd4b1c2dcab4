"""How a student's latent state moves, whoever decides for the student (EduVerse 3.2.3, C.4).

Every parameter stands in scenarios/parameters/embedded.yaml with its range, meaning and source.
"""

from __future__ import annotations

from collections.abc import Mapping

from eduverse_mesa.curves import clamp, logistic
from eduverse_mesa.decisions import Focus, Mind, Recall, StudentView
from eduverse_mesa.randomness import Address, uniform
from eduverse_mesa.scenarios.lesson import Idea, Question
from eduverse_mesa.scenarios.people import Student
from eduverse_mesa.vocabulary import BEHAVIOUR_LEVEL, BLOOM, OFF_TASK

Parameters = Mapping[str, float]

_VALENCE = {"positive": 1.0, "neutral": 0.0, "negative": -1.0}
_TONE = {"encouraging": 1.0, "neutral": 0.0, "critical": -1.0}
_QUALITY = {"right": 1.0, "partial": 0.4, "wrong": -0.6, "none": -0.2}


def first_mind(person: Student, goals: int, interest: float, p: Parameters) -> Mind:
    """The state a student comes to the first lesson with: s_i^0 follows from the profile e_i (3.2.3)."""
    traits = person.traits
    confidence = (
        p["start.confidence"]
        + p["start.confidence_extraversion"] * (traits.extraversion - 0.5)
        - p["start.confidence_neuroticism"] * (traits.neuroticism - 0.5)
        + p["start.confidence_ability"] * (person.ability - 0.5)
    )
    affect = (
        p["start.affect"]
        + p["start.affect_motivation"] * (person.motivation - 0.5)
        + p["start.affect_interest"] * (interest - 0.5)
        - p["start.affect_neuroticism"] * (traits.neuroticism - 0.5)
    )
    known = clamp(p["start.understanding"] + p["start.understanding_ability"] * (person.ability - 0.5))
    return Mind(
        attention=clamp(p["start.attention"] + p["start.attention_motivation"] * (person.motivation - 0.5)),
        confidence=clamp(confidence),
        affect=clamp(affect, -1.0, 1.0),
        engagement=clamp(person.motivation),
        rapport=clamp(p["start.rapport"] + p["start.rapport_agreeableness"] * (traits.agreeableness - 0.5)),
        understanding=[known] * goals,
    )


def attend(view: StudentView, fatigue_relief: float, p: Parameters) -> None:
    """Move attention and fatigue with what has just been broadcast (attention allocation by distance: C.1.4)."""
    mind, person, scene = view.mind, view.person, view.scene
    strategy = view.regulation.strategy if view.regulation is not None else ""
    interactive = scene.mode == "discussion" or scene.asked
    mind.fatigue = clamp(
        mind.fatigue + p["fatigue.rate"] * (1.0 - p["fatigue.motivation"] * person.motivation) - fatigue_relief
    )
    on_task = 0.0
    if view.neighbours:
        off = sum(1 for neighbour in view.neighbours if neighbour.behaviour in OFF_TASK)
        on_task = 0.5 - off / len(view.neighbours)
    dependence = 1.0 if person.cognitive_style == "field_dependent" else p["attention.independence"]
    drive = (
        p["attention.base"]
        + p["attention.conscientiousness"] * (person.traits.conscientiousness - 0.5)
        + p["attention.motivation"] * (person.motivation - 0.5)
        + p["attention.interest"] * (scene.lesson.interest - 0.5)
        + (p["attention.called"] if view.called else 0.0)
        + (p["attention.interactive"] if interactive else 0.0)
        + p["attention.tone"] * _TONE.get(scene.tone, 0.0)
        - p["attention.teacher_distance"] * (view.to_teacher - p["attention.near"]) / 10.0
        - p["attention.board_distance"] * (view.to_board - p["attention.near"]) / 10.0
        + p["attention.neighbours"] * dependence * on_task
        - p["attention.fatigue"] * mind.fatigue
        + p["attention.engagement"] * (mind.engagement - 0.5)
        + p["attention.habit"] * mind.habit
        + (p["attention.refocus"] if strategy in ("refocus", "participate") else 0.0)
    )
    mind.attention = clamp(mind.attention + p["attention.rate"] * (logistic(drive) - mind.attention))


class Experience:
    """A step as a student experienced it: the input of the state's update."""

    __slots__ = ("behaviour", "called", "cognition", "emotion", "feedback", "goal", "heard_idea", "quality", "strategy")

    def __init__(self, goal: int, heard_idea: bool) -> None:
        self.goal = goal
        self.heard_idea = heard_idea
        self.behaviour = ""
        self.emotion = ""
        self.cognition = ""
        self.feedback = ""
        self.quality = ""
        self.strategy = ""
        self.called = False


def update(mind: Mind, person: Student, lived: Experience, demand: float, p: Parameters) -> None:
    """s_i^{t+1} = R_i(s_i^t, a_i^t, F_i^t): after feedback and regulation (3.2.3)."""
    level = BEHAVIOUR_LEVEL[lived.behaviour] if lived.behaviour else -1
    if level >= 0:
        mind.engagement += p["engagement.rate"] * (level / 3.0 - mind.engagement)
        _learn(mind, person, lived, level, demand, p)
    _believe(mind, lived, p)
    _feel(mind, person, lived, p)
    if lived.strategy and lived.strategy != "withdraw":
        # A resolution that is followed by on-task behaviour becomes a habit (Zimmerman's cyclic self-regulation).
        mind.habit = clamp(mind.habit + p["habit.rate"] * (1.0 - mind.habit) * (1.0 if level >= 2 else 0.0))


def _learn(mind: Mind, person: Student, lived: Experience, level: int, demand: float, p: Parameters) -> None:
    # ICAP (Chi and Wylie 2014): interactive > active > passive engagement; off task learns next to nothing.
    depth = (p["learn.off_task"], p["learn.passive"], p["learn.active"], p["learn.interactive"])[level]
    exposure = 1.0 if lived.heard_idea else p["learn.overhearing"]
    bloom = BLOOM.index(lived.cognition) / 5.0 if lived.cognition else 0.0
    known = mind.understanding[lived.goal]
    pace = p["learn.rate"] * depth * exposure * (1.0 - p["learn.attention"] * (1.0 - mind.attention))
    pace *= 1.0 + p["learn.ability"] * (person.ability - 0.5)
    pace *= 1.0 + p["learn.bloom"] * bloom
    pace *= 1.0 - p["learn.demand"] * demand
    if lived.feedback and lived.quality:
        # Feedback about the task corrects and confirms (Hattie and Timperley 2007).
        pace += p["learn.feedback"]
    mind.understanding[lived.goal] = clamp(known + pace * (1.0 - known))


def _believe(mind: Mind, lived: Experience, p: Parameters) -> None:
    # Mastery experiences and verbal persuasion move self-efficacy (Bandura 1977).
    change = p["confidence.feedback"] * _VALENCE.get(lived.feedback, 0.0)
    if lived.quality:
        change += p["confidence.success"] * _QUALITY[lived.quality]
    change += p["confidence.understanding"] * (mind.understanding[lived.goal] - mind.confidence)
    mind.confidence = clamp(mind.confidence + change)
    mind.rapport = clamp(mind.rapport + p["rapport.feedback"] * _VALENCE.get(lived.feedback, 0.0))


def _feel(mind: Mind, person: Student, lived: Experience, p: Parameters) -> None:
    # Control-value appraisal (Pekrun 2006): control is understanding and confidence, value is motivation.
    home = (
        p["affect.base"]
        + p["affect.motivation"] * (person.motivation - 0.5)
        + p["affect.understanding"] * (mind.understanding[lived.goal] - 0.5)
        + p["affect.confidence"] * (mind.confidence - 0.5)
        - p["affect.neuroticism"] * (person.traits.neuroticism - 0.5)
        - p["affect.fatigue"] * mind.fatigue
        + p["affect.habit"] * mind.habit
    )
    event = p["affect.feedback"] * _VALENCE.get(lived.feedback, 0.0)
    if lived.feedback == "negative":
        event *= 0.5 + person.traits.neuroticism
    if lived.called:
        event -= p["affect.called"] * person.traits.neuroticism * (1.0 - mind.confidence)
    if lived.strategy == "calm":
        event += p["affect.calm"]
    mind.affect = clamp(mind.affect + p["affect.rate"] * (home - mind.affect) + event, -1.0, 1.0)


NOTHING = Recall("none")


def recall(
    at: Address, mind: Mind, focus: Focus, idea: Idea | None, question: Question | None, p: Parameters
) -> Recall:
    """Full, partial, misconception or none: the better understood, the more comes to mind.

    Of those who do not know, a fixed share has the idea's likely misconception: 58 % of wrong answers in mathematics
    show a nameable one, and one misconception per item carries three quarters of those (real_classes).
    """
    if idea is None:
        return NOTHING
    known = mind.understanding[focus.goal]
    strength = known + p["recall.spread"] * (uniform(at, f"recall/{idea.id}") - 0.5)
    if strength >= p["recall.full"]:
        if question is None:
            return Recall("full", idea.text, idea.because, idea.keywords[0])
        return Recall("full", question.answer, idea.because, question.short_answer)
    if strength >= p["recall.partial"]:
        return Recall("partial", idea.partial, "", idea.keywords[0])
    if idea.misconception and uniform(at, f"misconception/{idea.id}") < p["recall.misconception"]:
        return Recall("misconception", idea.misconception, "", "")
    return NOTHING
